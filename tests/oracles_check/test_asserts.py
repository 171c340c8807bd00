"""The shared assert accepts right rankings and must reject wrong ones."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.asserts import assert_ranking
from tests.oracles.neighbors import compared_values, ranking

K = 4


@pytest.fixture(name="D")
def squared_grid_distances() -> np.ndarray:
    """Squared distances on a small grid of integers: ties and duplicates everywhere."""
    X = np.random.default_rng(7).integers(0, 4, size=(30, 2)).astype(float)
    return compared_values("euclidean", X, X)


def answer_of(D: np.ndarray, ties: str = "index") -> tuple[list[list[int]], list[list[float]]]:
    found = ranking(D, K, exclude_self=True, ties=ties, squared=True)
    rows = [[neighbor.row for neighbor in neighbors] for neighbors in found]
    return rows, [[neighbor.distance for neighbor in neighbors] for neighbors in found]


def check(rows, distances, D, ties="any", **options):
    assert_ranking(rows, distances, D, K, exclude_self=True, ties=ties, squared=True, **options)


def query_with_cut_group(D: np.ndarray) -> tuple[int, int, int]:
    """A query whose k-th group does not fit: (query, first place of that group, a member left out)."""
    for query, neighbors in enumerate(ranking(D, K, exclude_self=True, ties="all")):
        first = next(place for place, n in enumerate(neighbors) if n.group == neighbors[-1].group)
        if len(neighbors) > K and first > 0:
            return query, first, neighbors[-1].row
    raise AssertionError("the data have no such query")


# ---------------------------------------------------------------- right answers


@pytest.mark.parametrize("ties", ["index", "any"])
def test_accepts_the_oracle(D, ties):
    check(*answer_of(D), D, ties)


def test_accepts_the_completed_groups_in_any_order(D):
    rows, distances = answer_of(D, "all")
    found = ranking(D, K, exclude_self=True, ties="all")
    backwards = [[n.row for n in sorted(neighbors, key=lambda n: (n.group, -n.row))] for neighbors in found]
    assert backwards != rows
    check(backwards, distances, D, "all")


def test_accepts_another_choice_from_the_boundary_group(D):
    rows, distances = answer_of(D)
    query, _, left_out = query_with_cut_group(D)
    rows[query][-1] = left_out
    check(rows, distances, D, "any")
    with pytest.raises(AssertionError, match="rows"):
        check(rows, distances, D, "index")


def test_accepts_arrays_and_plain_distances():
    D = np.array([[1.0, 3.0, 2.0]])
    assert_ranking(np.array([[0, 2]]), np.array([[1.0, 2.0]]), D, 2, exclude_self=False)


def test_accepts_infinite_distances():
    D = np.array([[np.inf, 3.0, np.inf]])
    assert_ranking([[1, 0]], [[3.0, np.inf]], D, 2, exclude_self=False)


def test_accepts_rounding_up_to_the_tolerance_and_no_more(D):
    rows, distances = answer_of(D)
    check(rows, np.array(distances) * (1 + 5e-13), D)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        check(rows, np.array(distances) * (1 + 1e-11), D)


# ---------------------------------------------------------------- wrong answers


def test_rejects_farthest_instead_of_nearest(D):
    far = np.argsort(-D, axis=1, kind="stable")[:, :K]
    with pytest.raises(AssertionError):
        check(far.tolist(), np.sqrt(np.take_along_axis(D, far, 1)).tolist(), D)


def test_rejects_farthest_rows_even_with_the_right_distances(D):
    far = np.argsort(-D, axis=1, kind="stable")[:, :K]
    with pytest.raises(AssertionError, match="expected from"):
        check(far.tolist(), answer_of(D)[1], D)


def test_rejects_self_as_neighbor(D):
    found = ranking(D, K, exclude_self=False, squared=True)
    rows = [[neighbor.row for neighbor in neighbors] for neighbors in found]
    with pytest.raises(AssertionError):
        check(rows, [[neighbor.distance for neighbor in neighbors] for neighbors in found], D)


def test_rejects_self_with_the_right_distances():
    D = np.zeros((5, 5))  # all rows alike: only the index tells a row from its copies
    rows = [[0, 1, 2, 3]] + [[j for j in range(5) if j != i] for i in range(1, 5)]
    with pytest.raises(AssertionError, match="own neighbor"):
        check(rows, np.zeros((5, K)).tolist(), D)


def test_rejects_swapped_rows_of_different_distance(D):
    rows, distances = answer_of(D)
    query, first, _ = query_with_cut_group(D)
    rows[query][0], rows[query][first] = rows[query][first], rows[query][0]
    with pytest.raises(AssertionError, match="expected from"):
        check(rows, distances, D)


def test_rejects_swapped_rows_with_their_own_distances(D):
    rows, distances = answer_of(D)
    query, first, _ = query_with_cut_group(D)
    for part in (rows[query], distances[query]):
        part[0], part[first] = part[first], part[0]
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        check(rows, distances, D)


def test_rejects_tied_rows_out_of_order_in_the_index_form(D):
    rows, distances = answer_of(D)
    neighbors = ranking(D, K, exclude_self=True)
    query, place = next(
        (q, j) for q, ns in enumerate(neighbors) for j in range(K - 1) if ns[j].group == ns[j + 1].group
    )
    rows[query][place], rows[query][place + 1] = rows[query][place + 1], rows[query][place]
    check(rows, distances, D, "any")
    with pytest.raises(AssertionError, match="expected"):
        check(rows, distances, D, "index")


def test_rejects_a_missing_tie_member_in_the_all_form(D):
    rows, distances = answer_of(D, "all")
    query, _, _ = query_with_cut_group(D)
    rows[query].pop()
    distances[query].pop()
    with pytest.raises(AssertionError, match="rows, expected"):
        check(rows, distances, D, "all")


def test_rejects_the_cut_form_where_all_was_asked(D):
    with pytest.raises(AssertionError, match="rows, expected"):
        check(*answer_of(D), D, "all")


def test_rejects_a_row_too_many_in_the_all_form(D):
    rows, distances = answer_of(D, "all")
    longer = ranking(D, len(rows[0]) + 1, exclude_self=True, squared=True)[0]
    rows[0] = [neighbor.row for neighbor in longer]
    distances[0] = [neighbor.distance for neighbor in longer]
    with pytest.raises(AssertionError, match="rows, expected"):
        check(rows, distances, D, "all")


def test_rejects_a_boundary_row_from_outside_the_group(D):
    rows, distances = answer_of(D)
    query, _, _ = query_with_cut_group(D)
    rows[query][-1] = int(np.argmax(D[query]))
    with pytest.raises(AssertionError, match="expected from"):
        check(rows, distances, D)


def test_rejects_a_row_given_twice(D):
    rows, distances = answer_of(D)
    query, _, _ = query_with_cut_group(D)
    rows[query][-1] = rows[query][0]
    with pytest.raises(AssertionError, match="comes twice"):
        check(rows, distances, D)


def test_rejects_squared_and_nan_distances(D):
    rows, distances = answer_of(D)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        check(rows, (np.array(distances) ** 2).tolist(), D)
    distances[0][0] = float("nan")
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        check(rows, distances, D)


def test_rejects_a_query_too_few(D):
    rows, distances = answer_of(D)
    with pytest.raises(AssertionError, match="29 rankings for 30"):
        check(rows[:-1], distances[:-1], D)
    with pytest.raises(AssertionError, match="29 rows of distances for 30"):
        check(rows, distances[:-1], D)
