"""The traps that neighbour searches fall into, one test each."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sepal.exceptions import ParameterError
from sepal.neighbors import neighbor_ranking
from tests.neighbors.exactly import assert_exactly, assert_identical, lists
from tests.oracles import neighbors as oracle

METHODS = ("brute", "tree")


@pytest.mark.parametrize("method", METHODS)
def test_float32_data_with_mean_1000(method, rng):
    """A float32 product of these rows gets more than half of the nearest neighbours wrong."""
    train = (rng.normal(size=(1000, 8)) + 1000.0).astype(np.float32)
    D = oracle.squared_euclidean_by_column(train, train)
    np.fill_diagonal(D, np.inf)
    found = neighbor_ranking(train, 1, method=method)
    np.testing.assert_array_equal(found.rows[:, 0], D.argmin(axis=1))
    np.testing.assert_array_equal(found.distances[:, 0], np.sqrt(D.min(axis=1)))


@pytest.mark.parametrize("offset", [1e4, 1e8, 1e12])
@pytest.mark.parametrize("method", METHODS)
def test_a_large_mean_does_not_blur_the_neighbours(method, offset, rng):
    """Coordinates far from 0 cost digits, and with them neighbours and ties."""
    train = rng.integers(-500, 500, size=(300, 5)) / 4.0 + offset  # exact in float64
    found = neighbor_ranking(train, 3, method=method, ties="expected")
    assert_identical(found, neighbor_ranking(train - offset, 3, method=method, ties="expected"))


@pytest.mark.parametrize("method", METHODS)
def test_duplicates_self_excluded_by_index(method):
    """The founding paper's code takes the first in the sorted list for the asking row, which copies belie."""
    # Rows 0, 2, 3 are equal.
    train = [[1.0, 1.0], [5.0, 5.0], [1.0, 1.0], [1.0, 1.0], [5.0, 6.0]]
    found = neighbor_ranking(train, 2, method=method)
    assert found.rows.tolist() == [[2, 3], [4, 0], [0, 3], [0, 2], [1, 0]]
    assert found.distances[[0, 2, 3]].tolist() == [[0.0, 0.0]] * 3
    one = neighbor_ranking(train, 1, method=method, ties="expected")
    assert lists(one)[0] == [[2, 3], [4], [0, 3], [0, 2], [1]]


@pytest.mark.parametrize("method", METHODS)
def test_negative_zero_is_zero(method):
    found = neighbor_ranking([[0.0], [-0.0], [1.0]], 1, method=method)
    assert found.distances.ravel().tolist() == [0.0, 0.0, 1.0]
    assert found.rows.ravel().tolist() == [1, 0, 0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "chebyshev"])
def test_integer_ties_are_exact(distance, method, rng):
    train = rng.integers(0, 10, size=(300, 9)).astype(float)
    train = np.unique(train, axis=0)
    D = oracle.compared_values(distance, train[:80], train)
    for ties in ("index", "expected"):
        found = neighbor_ranking(train, 2, queries=train[:80], distance=distance, method=method, ties=ties)
        assert_exactly(found, D, 2, exclude_self=False, tolerance=0.0, squared=distance == "euclidean")


@pytest.mark.parametrize("method", METHODS)
def test_integers_one_apart_in_two_million_are_not_tied(method):
    # 4 * 10^12 and 4 * 10^12 + 1 as squares: a relative tolerance of 2^-40 would tie them.
    found = neighbor_ranking([[0.0, 0.0], [2e6, 1.0], [2e6, 0.0]], 2, method=method, ties="expected")
    assert lists(found)[0][0] == [2, 1]
    assert found.tie_groups[0].tolist() == [0, 1]


def permuted_corners(size: float) -> np.ndarray:
    """The origin, and the six arrangements of three coordinates, all equally far from it."""
    return np.array([[0.0, 0.0, 0.0], *itertools.permutations([size - 1, 3.0, 5.0])])


@pytest.mark.parametrize("size", [2.0**25, 2.0**26, 2.0**27, 2.0**40])
@pytest.mark.parametrize("method", METHODS)
def test_large_integers_keep_their_ties_whatever_the_order_of_the_columns(method, size):
    """Whole numbers up to 2^26 were taken for exact, although sums of their squares round."""
    train = permuted_corners(size) - size / 2  # differences up to size - 1, coordinates within half of it
    found = neighbor_ranking(train, 1, queries=train[:1], method=method, ties="expected")
    at_zero = neighbor_ranking(train[1:], 1, queries=train[:1], method=method, ties="expected")
    assert lists(found)[0] == [[0]]
    assert lists(at_zero)[0] == [[0, 1, 2, 3, 4, 5]]


def test_roots_do_not_merge_what_squares_tell_apart():
    # The squares 2^52 and 2^52 + 1 are exact; their roots round to the same number.
    far = 2.0**26
    found = neighbor_ranking([[0.0, 0.0], [far, 1.0], [far, 0.0]], 2, queries=[[0.0, 0.0]], ties="index")
    assert found.rows.tolist() == [[0, 2]]
    nearest = neighbor_ranking([[far, 1.0], [far, 0.0]], 2, queries=[[0.0, 0.0]])
    assert nearest.rows.tolist() == [[1, 0]]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_scaled_integer_ties_survive_column_order(scale, method, rng):
    # All columns have the same range and moments, so that true ties stay ties after scaling, up to rounding.
    column = np.repeat(np.arange(10.0), 5)
    train = np.column_stack([rng.permutation(column) for _ in range(9)])
    D = oracle.squared_euclidean_by_column(train, train)
    for k in (1, 4):
        found = neighbor_ranking(train, k, scale=scale, method=method, ties="expected")
        expected = oracle.ranking(D, k, exclude_self=True, ties="all", tolerance=0.0, squared=True)
        assert lists(found)[0] == [[neighbor.row for neighbor in each] for each in expected]
        for _ in range(3):
            order = rng.permutation(9)
            moved = neighbor_ranking(train[:, order], k, scale=scale, method=method, ties="expected")
            assert lists(moved)[0] == lists(found)[0]


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e5, 1e6])
@pytest.mark.parametrize(
    ("distance", "params"),
    [
        ("weighted_euclidean", {"weights": [2.0, 3.0]}),
        ("manhattan", {"weights": [0.3, 0.7]}),
        ("chebyshev", {"weights": [0.3, 0.7]}),
        ("minkowski", {"p": 3, "weights": [0.3, 0.7]}),
        ("heom", {"weights": [0.3, 0.7]}),
        ("mahalanobis", {}),
        ("mahalanobis", {"covariance": [[2.0, 0.5], [0.5, 1.0]]}),
    ],
)
def test_ties_of_a_lattice_do_not_depend_on_where_it_lies(distance, params, offset):
    """Weights and whitening were applied far from 0, where their rounding broke ties."""
    lattice = np.array([[a, b] for a in range(6) for b in range(6)], dtype=float)
    here = neighbor_ranking(lattice, 3, distance=distance, distance_params=params, ties="expected")
    there = neighbor_ranking(lattice + offset, 3, distance=distance, distance_params=params, ties="expected")
    assert lists(there)[0] == lists(here)[0]


@pytest.mark.parametrize("p", [3, 13, 40])
def test_mahalanobis_distance_of_equal_rows_is_zero_wherever_they_stand(p, rng):
    """A matrix product rounds a row differently in another place or company: equal rows were not at distance 0."""
    distinct = rng.normal(size=(60, p))
    train = distinct[rng.permutation(np.repeat(np.arange(60), 3))]
    assert (neighbor_ranking(train, 2, distance="mahalanobis").distances == 0.0).all()
    for n_queries in (1, 2, 7, 60):
        found = neighbor_ranking(train, 3, queries=distinct[:n_queries], distance="mahalanobis")
        assert (found.distances == 0.0).all()


@pytest.mark.parametrize("scale", [None, "minmax", "standard"])
def test_constant_columns_contribute_nothing_and_are_reported(scale, rng):
    moving = rng.normal(size=(40, 2))
    train = np.column_stack([np.full(40, 0.1), moving[:, 0], np.full(40, 1e9), moving[:, 1]])
    found = neighbor_ranking(train, 5, scale=scale, ties="expected")
    assert_identical(found, neighbor_ranking(moving, 5, scale=scale, ties="expected"))
    (note,) = found.notes
    assert "constant" in note
    assert "x1" in note
    assert "x3" in note
    assert "x2" not in note
    assert neighbor_ranking(moving, 5, scale=scale).notes == ()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [2, 3, 30])
def test_all_columns_constant_puts_all_rows_at_distance_zero(n, method):
    found = neighbor_ranking(np.full((n, 3), 7.5), 1, method=method, scale="minmax", ties="expected")
    assert lists(found)[0] == [[j for j in range(n) if j != i] for i in range(n)]
    assert (found.flat_distances == 0).all()


@pytest.mark.parametrize("distance", ["euclidean", "heom", "cosine", "precomputed"])
def test_k_too_large_for_the_self_join(distance):
    train = np.ones((4, 4)) - np.eye(4)
    with pytest.raises(ParameterError, match=r"n_neighbors must be at most 3.*got 4"):
        neighbor_ranking(train, 4, distance=distance)
    assert neighbor_ranking(train, 3, distance=distance).rows.shape == (4, 3)


@pytest.mark.parametrize("distance", ["euclidean", "heom", "cosine", "precomputed"])
def test_k_too_large_for_the_queries(distance):
    train = np.ones((4, 4)) - np.eye(4)
    with pytest.raises(ParameterError, match=r"n_neighbors must be at most 4.*got 5"):
        neighbor_ranking(train, 5, queries=train[:2], distance=distance)
    assert neighbor_ranking(train, 4, queries=train[:2], distance=distance).rows.shape == (2, 4)


def test_one_row_has_no_neighbours():
    with pytest.raises(ParameterError, match="n_neighbors must be at most 0"):
        neighbor_ranking([[1.0, 2.0]], 1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("size", [1e-320, 1e-300, 1e-200, 1e-150, 1e150, 1e200, 1e300])
def test_values_whose_squares_overflow_or_vanish(size, distance, method):
    train = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 4.0], [3.0, 4.0]])
    D = oracle.compared_values(distance, train, train)
    found = neighbor_ranking(train * size, 2, distance=distance, method=method, ties="expected")
    expected = oracle.ranking(D, 2, exclude_self=True, ties="all", squared=distance == "euclidean")
    assert lists(found)[0] == [[neighbor.row for neighbor in each] for each in expected]
    np.testing.assert_allclose(
        found.flat_distances, [neighbor.distance * size for each in expected for neighbor in each], rtol=1e-3
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("columns", [2, 3, 20])
def test_rows_that_hardly_differ_beside_what_is_small(columns, method, rng):
    """Their squares vanished in float64, not in the float32 of a filter, which left out rows that were tied."""
    steps = rng.integers(0, 9, (200, columns)).astype(float)
    plain = neighbor_ranking(steps, 5, method=method, ties="expected")
    found = neighbor_ranking(2.0**-500 + steps * 2.0**-540, 5, method=method, ties="expected")
    assert np.array_equal(found.flat_rows, plain.flat_rows)
    assert np.array_equal(found.flat_distances, plain.flat_distances * 2.0**-540)


@pytest.mark.parametrize("distance", ["minkowski", "nan_euclidean", "heom"])
@pytest.mark.parametrize("size", [1e-200, 1e-110, 1e110, 1e200])
def test_values_whose_powers_overflow_or_vanish_in_other_distances(size, distance):
    """Only squares were kept within the range of floats: cubes overflowed from 1e103 on."""
    params = {"p": 3} if distance == "minkowski" else {}
    train = np.array([[0.0], [1.0], [3.0]]) * size
    found = neighbor_ranking(train, 1, distance=distance, distance_params=params)
    assert found.rows.ravel().tolist() == [1, 0, 1]
    np.testing.assert_allclose(found.distances.ravel(), np.array([1.0, 1.0, 2.0]) * size, rtol=1e-12)


def test_huge_numbers_do_not_make_a_mismatch_of_levels_count_more():
    """Huge numbers were scaled down for the search, and what a mismatch counts was not."""
    rows = [[0.0, "a"], [1e200, "b"], [3e200, "a"], [1.9e200, "a"]]
    found = neighbor_ranking(rows, 1, distance="heom")
    # A mismatch counts 1, which is nothing next to 1e200.
    assert found.rows.ravel().tolist() == [1, 3, 3, 1]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("outlier", [1e15, 1e100, 1e200, 1e308])
def test_one_huge_outlier_leaves_the_others_their_neighbours(outlier, method, rng):
    """One huge row scaled all others down until they had no digits left."""
    train = rng.normal(size=(50, 3))
    near = neighbor_ranking(train, 3, method=method)
    found = neighbor_ranking(np.vstack([train, np.full((1, 3), outlier)]), 3, method=method)
    np.testing.assert_array_equal(found.rows[:50], near.rows)
    np.testing.assert_array_equal(found.distances[:50], near.distances)


# Index: 20,000 rows. Expected: everybody's 266 copies are part of the answer, so fewer rows.
@pytest.mark.parametrize(("ties", "n"), [("index", 20_000), ("expected", 8_000)])
@pytest.mark.parametrize("p", [2, 12])
def test_heavy_duplicates_are_fast_and_right(p, ties, n, rng):
    # 30 distinct rows: tied groups are so large that work per pair, or sorting all of them, takes minutes.
    distinct = rng.integers(0, 5, size=(30, p)) + np.arange(30)[:, None] / 7.0
    of = rng.integers(30, size=n)
    of[:3] = 0
    train = distinct[of]
    began = time.process_time()
    found = neighbor_ranking(train, 2, ties=ties)
    assert time.process_time() - began < 20.0  # of the processor, whatever else it does
    assert (found.flat_distances == 0.0).all()
    np.testing.assert_array_equal(of[found.flat_rows], np.repeat(of, np.diff(found.start)))
    counts = np.bincount(of, minlength=30)
    np.testing.assert_array_equal(np.diff(found.start), 2 if ties == "index" else counts[of] - 1)
    lowest = {group: np.flatnonzero(of == group)[:3] for group in range(30)}
    for row in range(0, n, 97):
        assert found.rows[row].tolist() == [r for r in lowest[of[row]].tolist() if r != row][:2]


def test_a_lonely_row_among_heavy_duplicates_is_tied_with_all_of_them():
    train = np.vstack([np.zeros((500, 3)), np.ones((1, 3)), np.full((500, 3), 2.0)])
    rows, distances = lists(neighbor_ranking(train, 1, ties="expected"))
    assert rows[500] == [*range(500), *range(501, 1001)]
    assert set(distances[500]) == {np.sqrt(3.0)}
    assert rows[0] == list(range(1, 500))


MEMORY = """
import re, sys
from pathlib import Path
import numpy as np
from sepal.neighbors import neighbor_ranking

def peak():  # megabytes; the figure of getrusage would begin with the size of the parent process
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024

X = np.random.default_rng(0).normal(size=(6000, 12))
X[:3000] += 1e6
neighbor_ranking(X[:10], 1)
before = peak()
neighbor_ranking(X, 1, method="brute")
print(peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of the process from /proc")
def test_far_clusters_do_not_make_memory_quadratic():
    """From far away a float32 filter cannot tell near from far, and kept all pairs for later."""
    answer = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True, timeout=60)
    assert int(answer.stdout) < 60, "megabytes for 6,000 rows"
