"""Trees that compare 16-bit integers first leave out nothing of the answer, at any scale, in odd numbers of columns."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import sepal._native as native
from tests.neighbors.hard_sets import SETS, WHOLE, assert_the_oracle, search
from tests.oracles.neighbors import squared_euclidean_by_column

_tree = partial(search, method="tree")


@pytest.mark.parametrize("k", [1, 10, 40])
@pytest.mark.parametrize("shape", [(700, 5), (420, 8), (450, 9), (300, 30)])
@pytest.mark.parametrize("name", SETS)
def test_every_row_asks_the_others(name, shape, k):
    rows = np.unique(SETS[name](np.random.default_rng(31), *shape), axis=0)
    k = min(k, len(rows) - 1)
    tie = 0.0 if name in WHOLE else 1e-9
    D = squared_euclidean_by_column(rows, rows)
    assert_the_oracle(_tree(rows, k, tie=tie), D, k, tie, exclude_self=True)


@pytest.mark.parametrize("k", [1, 7])
@pytest.mark.parametrize("name", SETS)
def test_further_rows_ask(name, k):
    rows = SETS[name](np.random.default_rng(32), 900, 7)
    points, queries = rows[:800], np.ascontiguousarray(np.concatenate([rows[800:], rows[:10]]))  # some are copies
    tie = 0.0 if name in WHOLE else 1e-9
    D = squared_euclidean_by_column(queries, points)
    assert_the_oracle(_tree(points, k, queries, tie=tie), D, k, tie, exclude_self=False)


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("p", [5, 8, 9, 200, 700])
def test_rows_in_opposite_corners_do_not_leave_31_bits(p, k):
    """The largest sum of squares there can be: every column from one end of the scale to the other."""
    rows = np.random.default_rng(33).choice([-1.0, 1.0], size=(24, p))
    rows[:2] = [[-1.0] * p, [1.0] * p]
    D = squared_euclidean_by_column(rows, rows)
    assert_the_oracle(_tree(rows, k), D, k, 0.0, exclude_self=True)


@pytest.mark.parametrize("k", [1, 6, 30])
@pytest.mark.parametrize("p", [3, 6])
def test_ties_that_are_wider_than_rounding(p, k):
    """Bounds of candidates left no room for a tie; it was only within their rounding that ties of 1e-6 were found."""
    rows = np.random.default_rng(37).normal(size=(700, p))
    for ours, direct in zip(_tree(rows, k, tie=0.03), search(rows, k, method="direct", tie=0.03), strict=True):
        np.testing.assert_array_equal(ours, direct)


@pytest.mark.parametrize("limit", [0.0, 0.3, 2.0, 1e3])
def test_within_a_radius(limit):
    rows = np.random.default_rng(34).normal(size=(900, 6))
    start, found, _ = search(rows, 1, method="tree", limits=np.full(900, limit))
    D = squared_euclidean_by_column(rows, rows)
    np.fill_diagonal(D, np.inf)
    for i in range(900):
        assert sorted(found[start[i] : start[i + 1]].tolist()) == np.flatnonzero(D[i] <= limit).tolist()


def test_neighbors_that_words_cannot_tell_apart():
    """Pairs that are a thousandth of a word apart, in leaves that are wide enough for words."""
    rng = np.random.default_rng(35)
    centres = rng.normal(size=(400, 6))
    rows = np.concatenate(
        [centres, centres + 1e-9 * rng.normal(size=(400, 6)), centres + 2e-9 * rng.normal(size=(400, 6))]
    )
    D = squared_euclidean_by_column(rows, rows)
    for k in (1, 2, 9):
        assert_the_oracle(_tree(rows, k), D, k, 0.0, exclude_self=True)


def test_a_kept_tree_of_queries_at_the_edge_of_its_frame():
    """A frame is made for queries twice as far from the centre as the points: there words are largest."""
    rng = np.random.default_rng(36)
    rows = rng.uniform(-1, 1, size=(900, 6))
    rows[:2] = [[-1.0] * 6, [1.0] * 6]
    tree = native.KeptTree(points=rows, threads=1)
    queries = rng.choice([-2.0, -1.999, 1.999, 2.0, 2.001], size=(60, 6))
    for asking in (queries, np.ascontiguousarray(queries[np.abs(queries).max(axis=1) <= 2])):
        D = squared_euclidean_by_column(asking, rows)
        asked = {"k": 5, "limits": None, "metric": "l2", "p": 2.0, "n_numeric": 6, "weights": np.ones(6)}
        found = tree.search(queries=asking, **asked, tie=1e-9, zero=0.0, threads=1, progress=None)
        assert_the_oracle(found, D, 5, 1e-9, exclude_self=False)
