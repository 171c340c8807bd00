"""The strictest comparison of a ranking with the oracle: same rows in the same order, same groups, same lists."""

from __future__ import annotations

import itertools

import numpy as np

from sepal.neighbors import NeighborRanking
from tests.oracles.asserts import assert_ranking
from tests.oracles.neighbors import ranking


def lists(found: NeighborRanking) -> tuple[list[list[int]], list[list[float]]]:
    """The ragged lists of rows and distances."""
    ends = found.start[1:-1]
    rows, distances = np.split(found.flat_rows, ends), np.split(found.flat_distances, ends)
    return [each.tolist() for each in rows], [each.tolist() for each in distances]


def assert_exactly(
    found: NeighborRanking,
    D: np.ndarray,
    k: int,
    *,
    exclude_self: bool,
    tolerance: float,
    squared: bool,
    rtol: float = 1e-12,
    atol: float = 0.0,
) -> None:
    """``found`` is the oracle's ranking of the values D, order inside tied groups and group numbers included."""
    ties = {"index": "index", "expected": "all"}[found.ties]
    rows, distances = lists(found)
    options = {"exclude_self": exclude_self, "tolerance": tolerance, "squared": squared}
    assert_ranking(rows, distances, D, k, ties=ties, rtol=rtol, atol=atol, **options)
    wanted = ranking(D, k, ties=ties, **options)
    assert rows == [[neighbor.row for neighbor in each] for each in wanted]
    assert found.rows.tolist() == [[neighbor.row for neighbor in each[:k]] for each in wanted]
    assert found.tie_groups.tolist() == [[neighbor.group for neighbor in each[:k]] for each in wanted]
    for query, row in enumerate(distances):  # equal means tied, and only that
        groups = [neighbor.group for neighbor in wanted[query]]
        assert [a == b for a, b in itertools.pairwise(row)] == [a == b for a, b in itertools.pairwise(groups)]


def assert_identical(a: NeighborRanking, b: NeighborRanking) -> None:
    """Bit for bit the same lists."""
    np.testing.assert_array_equal(a.start, b.start)
    np.testing.assert_array_equal(a.flat_rows, b.flat_rows)
    assert a.flat_distances.tobytes() == b.flat_distances.tobytes()
