"""The assert for neighbour rankings: strict on distances and sets, lenient only where ties leave a choice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.oracles.neighbors import TIE_TOLERANCE, Neighbor, ranking


def assert_ranking(
    rows: Sequence[Sequence[int]],
    distances: Sequence[Sequence[float]],
    D: np.ndarray,
    k: int,
    *,
    exclude_self: bool,
    ties: str = "index",
    tolerance: float = TIE_TOLERANCE,
    squared: bool = False,
    rtol: float = 1e-12,
    atol: float = 0.0,
) -> None:
    """Compare a ranking (one sequence of rows and one of distances per query) with the oracle's of D.

    ``ties="index"``: exactly the oracle's k rows in the oracle's order. ``ties="all"``: with the k-th one's
    group completed, any order inside a group. ``ties="any"``: k rows, any order inside a group and any choice
    from the k-th one's group. D holds squared distances if ``squared``; the returned ones never are squared.
    """
    assert ties in ("index", "all", "any")
    expected = ranking(D, k, exclude_self=exclude_self, ties="all", tolerance=tolerance, squared=squared)
    assert len(rows) == len(expected), f"{len(rows)} rankings for {len(expected)} queries"
    assert len(distances) == len(expected), f"{len(distances)} rows of distances for {len(expected)} queries"
    for query, neighbors in enumerate(expected):
        where = f"query {query}"
        found_rows = [int(row) for row in rows[query]]
        found_distances = [float(d) for d in distances[query]]
        wanted_length = len(neighbors) if ties == "all" else k
        assert len(found_rows) == wanted_length, f"{where}: {len(found_rows)} rows, expected {wanted_length}"
        assert len(found_distances) == wanted_length, (
            f"{where}: {len(found_distances)} distances, expected {wanted_length}"
        )
        assert len(set(found_rows)) == wanted_length, f"{where}: a row comes twice in {found_rows}"
        if exclude_self:
            assert query not in found_rows, f"{where} is its own neighbor"
        np.testing.assert_allclose(
            found_distances,
            [neighbor.distance for neighbor in neighbors[:wanted_length]],
            rtol=rtol,
            atol=atol,
            err_msg=where,
        )
        if ties == "index":
            wanted = [neighbor.row for neighbor in neighbors[:k]]
            assert found_rows == wanted, f"{where}: rows {found_rows}, expected {wanted}"
        else:
            _assert_groups(found_rows, neighbors, where)


def _assert_groups(found_rows: list[int], neighbors: list[Neighbor], where: str) -> None:
    """The places of each tied group hold that group's rows; a group cut short holds a subset of them."""
    for group in range(neighbors[-1].group + 1):
        places = [place for place, neighbor in enumerate(neighbors) if neighbor.group == group]
        allowed = {neighbors[place].row for place in places}
        found = set(found_rows[places[0] : places[-1] + 1])
        assert found <= allowed, (
            f"{where}, places {places}: rows {sorted(found)}, expected from {sorted(allowed)}"
        )
