"""Sizes where searches work in several blocks and leaves, against a chunked oracle."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sepal.neighbors import NeighborRanking, neighbor_ranking
from tests.neighbors.exactly import assert_identical
from tests.oracles.neighbors import TIE_TOLERANCE, squared_euclidean_by_column

METHODS = ("brute", "tree")


def assert_found(found: NeighborRanking, queries: np.ndarray, train: np.ndarray, k: int, *, exclude_self: bool) -> None:
    """``found`` holds the k nearest by (distance, row), ties decided with the tolerance; bit for bit on distances."""
    step = max(1, 1_000_000 // len(train))
    for begin in range(0, len(queries), step):
        block = queries[begin : begin + step]
        D = squared_euclidean_by_column(block, train)
        if exclude_self:
            D[np.arange(len(block)), begin + np.arange(len(block))] = np.inf
        _assert_block(found, D, begin, k)


def _assert_block(found: NeighborRanking, D: np.ndarray, begin: int, k: int) -> None:
    at = np.arange(begin, begin + len(D))
    nearest = np.sort(np.partition(D, k - 1, axis=1)[:, :k], axis=1)
    kth = nearest[:, -1]
    lengths = np.diff(found.start)[at]
    if found.ties == "index":
        assert (lengths == k).all()
    else:  # the oracle groups from the smallest value on; a group that holds the k-th reaches at least as far as it
        assert (lengths >= (kth[:, None] >= D).sum(axis=1)).all()
        assert (lengths <= (kth[:, None] * (1 + TIE_TOLERANCE) >= D).sum(axis=1)).all()
    values = np.take_along_axis(D, found.rows[at], axis=1)
    assert (values[:, -1] <= kth * (1 + TIE_TOLERANCE)).all()
    np.testing.assert_allclose(found.distances[at], np.sqrt(values), rtol=1e-12)
    np.testing.assert_allclose(found.distances[at], np.sqrt(nearest), rtol=1e-12)
    # Strictly nearer rows are all there: k places, no row twice, none further than the k-th.
    ordered = np.sort(found.rows[at], axis=1)
    assert (ordered[:, 1:] > ordered[:, :-1]).all()
    same = found.distances[at][:, 1:] == found.distances[at][:, :-1]
    assert (found.rows[at][:, 1:] > found.rows[at][:, :-1])[same].all()


def edge_rows(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Half real numbers, half lattice, so that ties cross the borders of blocks."""
    rows = rng.normal(size=(n, p))
    rows[::2] = np.rint(rows[::2] * 1.5)
    return rows


# A tree in 30 dimensions visits everything; 20 shows the same.
@pytest.mark.parametrize(
    ("method", "p"), [("brute", 3), ("brute", 10), ("brute", 30), ("tree", 3), ("tree", 10), ("tree", 20)]
)
@pytest.mark.parametrize("k", [1, 10])
def test_three_thousand_rows(k, p, method, rng):
    train = edge_rows(rng, 3000, p)
    for ties in ("index", "expected"):
        found = neighbor_ranking(train, k, method=method, ties=ties)
        assert_found(found, train, train, k, exclude_self=True)


# Blocks hold 240 rows in up to 102 columns, 48 in very many; those of other metrics 256.
@pytest.mark.parametrize(
    "n", [47, 48, 49, 96, 239, 240, 241, 255, 256, 257, 479, 480, 481, 511, 512, 513, 719, 720, 721]
)
def test_sizes_around_block_borders(n, rng):
    train = edge_rows(rng, n, 4)
    for k, ties in itertools.product((1, 7), ("index", "expected")):
        brute = neighbor_ranking(train, k, method="brute", ties=ties)
        assert_found(brute, train, train, k, exclude_self=True)
        assert_identical(brute, neighbor_ranking(train, k, method="tree", ties=ties))
    for distance in ("manhattan", "chebyshev"):
        brute = neighbor_ranking(train, 3, distance=distance, method="brute", ties="expected")
        assert_identical(brute, neighbor_ranking(train, 3, distance=distance, method="tree", ties="expected"))
        assert_identical(
            brute, neighbor_ranking(train, 3, distance=distance, method="brute", ties="expected", n_jobs=1)
        )


@pytest.mark.parametrize("n", [1, 239, 240, 241, 500])
@pytest.mark.parametrize("n_train", [48, 240, 250, 481])
def test_queries_around_block_borders(n_train, n, rng):
    train, queries = edge_rows(rng, n_train, 5), edge_rows(rng, n, 5)
    for k, ties in itertools.product((1, 7), ("index", "expected")):
        brute = neighbor_ranking(train, k, queries=queries, method="brute", ties=ties)
        assert_found(brute, queries, train, k, exclude_self=False)
        assert_identical(brute, neighbor_ranking(train, k, queries=queries, method="tree", ties=ties))


@pytest.mark.parametrize("p", [102, 103, 129, 257, 600])
@pytest.mark.parametrize("n", [47, 48, 49, 97, 145, 300])
def test_many_columns_make_small_blocks(n, p, rng):
    train = edge_rows(rng, n, p)
    for k in (1, 5):
        assert_found(neighbor_ranking(train, k, method="brute"), train, train, k, exclude_self=True)


@pytest.mark.parametrize("method", METHODS)
def test_far_clusters_in_many_blocks(method, rng):
    train = rng.normal(size=(1500, 3)) + 1e6 * rng.integers(0, 2, size=(1500, 1))
    for k in (1, 10):
        assert_found(neighbor_ranking(train, k, method=method), train, train, k, exclude_self=True)


@pytest.mark.parametrize("method", METHODS)
def test_nearly_equal_rows_in_many_blocks(method, rng):
    # Distances of 1e-9 next to coordinates of 1: a float32 filter sees them all as 0.
    train = np.repeat(rng.normal(size=(300, 6)), 4, axis=0) + 1e-9 * rng.normal(size=(1200, 6))
    for k in (1, 3, 5):
        assert_found(neighbor_ranking(train, k, method=method), train, train, k, exclude_self=True)


@pytest.mark.parametrize("distance", ["euclidean", "manhattan"])
@pytest.mark.parametrize("method", METHODS)
def test_lattice_with_large_tied_groups_in_many_blocks(method, distance, rng):
    # 12^3 points of a full lattice in random order: inner points have 6 nearest, then 12 or 18 more.
    points = np.array(list(itertools.product(range(12), repeat=3)), dtype=float)
    train = points[rng.permutation(len(points))]
    inner = ((train > 0) & (train < 11)).all(axis=1)
    one = neighbor_ranking(train, 1, distance=distance, method=method, ties="expected")
    assert set(np.diff(one.start)[inner].tolist()) == {6}
    assert set(one.flat_distances.tolist()) == {1.0}
    within = ((train[:, None, :] - train[one.flat_rows[one.start[0] : one.start[1]]]) ** 2)[0].sum(axis=1)
    assert set(within.tolist()) == {1.0}
    seven = neighbor_ranking(train, 7, distance=distance, method=method, ties="expected")
    deep = ((train > 1) & (train < 10)).all(axis=1)
    second = 12 if distance == "euclidean" else 18
    assert set(np.diff(seven.start)[deep].tolist()) == {6 + second}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 10])
def test_threads_do_not_change_a_bit_where_there_is_work_for_them(k, method, rng):
    train = edge_rows(rng, 3100, 10)
    queries = edge_rows(rng, 700, 10)
    for asked in (None, queries):
        call = {"queries": asked, "method": method, "ties": "expected"}
        one = neighbor_ranking(train, k, n_jobs=1, **call)
        for threads in (2, 3, None):
            assert_identical(one, neighbor_ranking(train, k, n_jobs=threads, **call))


# A leaf of the tree holds 32 points, a node 8 children: 2,048 points fill two levels of nodes.
@pytest.mark.parametrize("p", [2, 3, 4, 5])
@pytest.mark.parametrize("n", [31, 32, 33, 63, 64, 65, 287, 288, 289, 2047, 2048, 2049, 2305])
def test_sizes_around_leaves_and_nodes_of_the_tree(n, p, rng):
    train = edge_rows(rng, n, p)
    for k in (1, 2, 30):
        found = neighbor_ranking(train, k, method="tree", ties="expected")
        assert_found(found, train, train, k, exclude_self=True)


@pytest.mark.parametrize("k", [31, 32, 33, 64, 100])
def test_more_neighbours_than_a_leaf_of_the_tree_holds(k, rng):
    train = edge_rows(rng, 700, 3)
    found = neighbor_ranking(train, k, method="tree", ties="expected")
    assert_found(found, train, train, k, exclude_self=True)
    queries = edge_rows(rng, 100, 3)
    assert_found(neighbor_ranking(train, k, queries=queries, method="tree"), queries, train, k, exclude_self=False)


def _rows_that_are_hard_to_split(rng):
    n = 1500
    ramp = np.arange(n, dtype=np.float64)
    yield "in order", np.column_stack([ramp, ramp])
    yield "in reverse", np.column_stack([-ramp, ramp / 3, np.zeros(n)])
    yield "up and down", np.column_stack([np.minimum(ramp, n - ramp), ramp % 7, ramp % 11])
    yield "one value and an outlier", np.column_stack([(ramp == 7) * 1e6, rng.normal(size=n)])
    yield "one in float32", 1e9 + rng.normal(size=(n, 3))
    yield "beyond float32", rng.normal(size=(n, 2)) * 1e60
    yield "below float32", rng.normal(size=(n, 2)) * 1e-60
    yield "every scale", rng.normal(size=(n, 2)) * 10.0 ** rng.integers(-50, 50, size=(n, 1))
    yield "two far clusters", rng.normal(size=(n, 4)) + 1e5 * (ramp % 2)[:, None]


@pytest.mark.parametrize("k", [1, 10])
def test_rows_a_tree_is_hard_to_build_on(k, rng):
    for name, train in _rows_that_are_hard_to_split(rng):
        found = neighbor_ranking(train, k, method="tree", ties="expected")
        try:
            assert_found(found, train, train, k, exclude_self=True)
        except AssertionError as error:
            raise AssertionError(name) from error
