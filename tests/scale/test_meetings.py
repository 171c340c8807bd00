"""Any two pieces of the rows meet in one task and no other."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from sepal.scale._meetings import Cut, best_cut, n_pieces, plane_lines


@pytest.mark.parametrize("order", [0, 2, 3, 5, 7, 11])
def test_any_two_points_lie_on_one_line(order):
    found = plane_lines(order)
    pairs = Counter(pair for line in found for pair in combinations(sorted(line), 2))
    assert all(len(set(line)) == order + 1 for line in found)
    assert pairs == dict.fromkeys(combinations(range(n_pieces(order)), 2), 1)
    assert {point for line in found for point in line} == set(range(n_pieces(order)))


def test_tasks_hold_no_more_rows_than_they_may():
    for n, together, workers in ((10**6, 4 * 10**5, 2), (10**7, 10**5, 8), (5 * 10**5, 10**6, 4)):
        cut = best_cut(n, 20, together, workers, 1)
        assert (cut.order + 1) * -(-n // cut.pieces) <= together
        assert cut.tasks >= workers


def test_rows_that_fit_into_a_task_are_shared_by_turns():
    assert best_cut(200_000, 20, 10**6, 2, 1) == Cut(0, 2)
    assert best_cut(200_000, 2, 10**6, 3, 1) == Cut(0, 3)  # a tree is built by each, and asked by a third


def test_one_process_takes_all_rows_at_once_where_they_fit():
    assert best_cut(10**6, 10, 10**6, 1, 1) == Cut(0)
    assert best_cut(10**6, 2, 10**6, 1, 1) == Cut(0)
    assert best_cut(10**6, 2, 10**5, 2, 1) is None  # a tree hardly minds how many it holds
    assert best_cut(1_000, 10, 500, 2, 100) is None  # long lists of few rows take longer to merge than to find
