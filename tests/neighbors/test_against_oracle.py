"""The fast search and the slow loops give one answer, ties included, for every distance, method and kind of data."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sepal.data import as_table
from sepal.neighbors import neighbor_ranking
from tests.neighbors.exactly import assert_exactly, assert_identical
from tests.oracles import neighbors as oracle

TREE = ("brute", "tree")
BRUTE = ("brute",)


def weights_of(p: int) -> list[float]:
    return [1.0 + (j % 3) / 2 for j in range(p)]


# name of the case -> (distance, its parameters for p columns, methods)
CASES = {
    "euclidean": ("euclidean", lambda p: {}, TREE),
    "weighted_euclidean": ("weighted_euclidean", lambda p: {"weights": weights_of(p)}, TREE),
    "manhattan": ("manhattan", lambda p: {}, TREE),
    "chebyshev": ("chebyshev", lambda p: {}, TREE),
    "minkowski-1.5": ("minkowski", lambda p: {"p": 1.5}, TREE),
    "minkowski-3": ("minkowski", lambda p: {"p": 3.0}, TREE),
    "mahalanobis": ("mahalanobis", lambda p: {}, TREE),
    "cosine": ("cosine", lambda p: {}, BRUTE),
    "nan_euclidean": ("nan_euclidean", lambda p: {}, BRUTE),
    "heom": ("heom", lambda p: {}, BRUTE),
}


def random(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=(n, 3))


def lattice(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, 4, size=(n, 3)).astype(float)


def sign_lattice(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(-1, 2, size=(n, 5)).astype(float)


def ninths(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, 10, size=(n, 4)) / 9.0


def duplicated(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=(4, 2))[rng.integers(4, size=n)]


def far_clusters(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=(n, 2)) + 1e6 * rng.integers(0, 2, size=(n, 1))


def one_outlier(rng: np.random.Generator, n: int) -> np.ndarray:
    values = rng.normal(size=(n, 3))
    values[n // 2] = 1e9
    return values


def constant_columns(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.column_stack([np.full(n, 3.25), rng.normal(size=n), np.zeros(n), rng.normal(size=n)])


def single_column(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, 60, size=(n, 1)) / 7.0


def many_columns(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=(n, 40))


FAMILIES = (
    random,
    lattice,
    sign_lattice,
    ninths,
    duplicated,
    far_clusters,
    one_outlier,
    constant_columns,
    single_column,
    many_columns,
)
# Seen from the origin a far cluster is one direction: the digits of its cosines are gone before any search.
LEFT_OUT = {("cosine", "far_clusters"), ("cosine", "one_outlier")}
# The covariance of these has a condition number beyond 1e12 and is given instead; whitened coordinates carry the size
# of what is far away, so small distances keep fewer digits than usual.
LOOSE = {("mahalanobis", "far_clusters"): 1e-8, ("mahalanobis", "one_outlier"): 1e-5}
COVARIANCE = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 0.5]])


@pytest.mark.parametrize(
    ("case", "family"),
    [(case, family) for case in CASES for family in FAMILIES if (case, family.__name__) not in LEFT_OUT],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_every_distance_on_every_kind_of_data(case, family, rng):
    n = 20
    train, queries = family(rng, n), family(rng, 7)
    queries[0] = train[3]  # a query may be a training row
    distance, params_of, methods = CASES[case]
    params = params_of(train.shape[1])
    if (case, family.__name__) in LOOSE:
        params = {"covariance": COVARIANCE[: train.shape[1], : train.shape[1]]}
    known = {"nominal_mask": [False] * train.shape[1]} if distance == "heom" else params
    tolerance = oracle.tie_tolerance(distance, train, queries)
    options = {
        "squared": distance in oracle.SQUARED,
        "tolerance": tolerance,
        "rtol": LOOSE.get((case, family.__name__), 1e-9),
        "atol": 1e-9 if distance == "mahalanobis" else 1e-14,
    }
    D_self = oracle.compared_values(distance, train, train, **known)
    D_query = oracle.compared_values(distance, queries, train, **known)
    for k, ties in itertools.product((1, 2, 5, n - 1), ("index", "expected")):
        call = {"distance": distance, "distance_params": params, "ties": ties}
        for asked, D in ((None, D_self), (queries, D_query)):
            found = neighbor_ranking(train, k, queries=asked, method=methods[0], **call)
            assert_exactly(found, D, k, exclude_self=asked is None, **options)
            for method in methods:
                other = neighbor_ranking(train, k, queries=asked, method=method, **call)
                assert other.method == method
                assert_identical(found, other)
    found = neighbor_ranking(train, n, queries=queries, distance=distance, distance_params=params)
    assert_exactly(found, D_query, n, exclude_self=False, **options)


@pytest.mark.parametrize("method", TREE)
@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 40])
def test_every_number_of_columns(p, method, rng):
    train = rng.integers(-3, 4, size=(60, p)).astype(float)
    train[::2] += rng.normal(size=(30, p))
    D = oracle.squared_euclidean_by_column(train, train)
    for ties in ("index", "expected"):
        found = neighbor_ranking(train, 4, method=method, ties=ties)
        assert_exactly(found, D, 4, exclude_self=True, tolerance=oracle.TIE_TOLERANCE, squared=True)


@pytest.mark.parametrize("method", TREE)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 18, 31, 32, 33, 34, 47, 48, 49, 97, 200])
def test_every_number_of_rows(n, method, rng):
    for p in (2, 11):
        train = rng.integers(0, 5, size=(n, p)).astype(float)
        D = oracle.squared_euclidean_by_column(train, train)
        for k, ties in itertools.product(sorted({1, min(5, n - 1), min(n - 1, 60)}), ("index", "expected")):
            found = neighbor_ranking(train, k, method=method, ties=ties)
            assert_exactly(found, D, k, exclude_self=True, tolerance=0.0, squared=True)


@pytest.mark.parametrize("n_queries", [1, 2, 5, 6, 7, 15, 16, 17, 49])
def test_every_number_of_queries(n_queries, rng):
    train, queries = (
        rng.integers(0, 5, size=(50, 3)).astype(float),
        rng.integers(0, 5, size=(n_queries, 3)).astype(float),
    )
    D = oracle.squared_euclidean_by_column(queries, train)
    for method, ties in itertools.product(TREE, ("index", "expected")):
        found = neighbor_ranking(train, 3, queries=queries, method=method, ties=ties)
        assert_exactly(found, D, 3, exclude_self=False, tolerance=0.0, squared=True)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("distance", ["nan_euclidean", "heom"])
def test_missing_cells(distance, share, rng):
    n = 40
    train = rng.integers(0, 3, size=(n, 4)).astype(float)
    train[rng.random(train.shape) < share] = np.nan
    queries = train[:12].copy()
    queries[0] = np.nan
    known = {"nominal_mask": [False] * 4} if distance == "heom" else {}
    for asked, k, ties in itertools.product((None, queries), (1, 4, n - 1), ("index", "expected")):
        D = oracle.compared_values(distance, train if asked is None else asked, train, **known)
        found = neighbor_ranking(train, k, queries=asked, distance=distance, ties=ties)
        options = {"tolerance": oracle.TIE_TOLERANCE, "squared": True}
        assert_exactly(found, D, k, exclude_self=asked is None, **options)


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_mixed_kinds(missing, rng):
    n = 40
    values = np.column_stack([rng.integers(0, 5, n) / 4, rng.integers(0, 3, n), rng.integers(0, 2, n)])
    values[rng.random(values.shape) < missing] = np.nan
    values[0], values[1] = [0, 0, 0], [1, 2, 1]
    mask = [False, True, True]
    table = as_table(values, kinds={1: "nominal", 2: "nominal"})
    D = oracle.compared_values("heom", values, values, nominal_mask=mask)
    for k, ties in itertools.product((1, 3, n - 1), ("index", "expected")):
        found = neighbor_ranking(table, k, distance="auto", scale="minmax", ties=ties)
        assert found.distance == "heom"
        assert_exactly(found, D, k, exclude_self=True, tolerance=oracle.TIE_TOLERANCE, squared=True)


def test_cosine_with_zero_rows_and_parallel_rows(rng):
    train = rng.integers(-2, 3, size=(30, 2)).astype(float)
    train[[0, 5, 9]] = 0.0
    D = oracle.compared_values("cosine", train, train)
    for k, ties in itertools.product((1, 2, 29), ("index", "expected")):
        found = neighbor_ranking(train, k, distance="cosine", ties=ties)
        options = {"tolerance": oracle.TIE_TOLERANCE, "squared": False, "rtol": 1e-11}
        assert_exactly(found, D, k, exclude_self=True, **options)


@pytest.mark.parametrize("infinite", [False, True])
def test_precomputed_distances(infinite, rng):
    n = 30
    D = rng.integers(1, 6, size=(n, n)) / 3.0  # not symmetric, and the diagonal is not zero: nobody said it must be
    asked = rng.integers(0, 6, size=(7, n)) / 3.0
    if infinite:
        D[rng.random(D.shape) < 0.3] = np.inf
    for k, ties in itertools.product((1, 4, n - 1), ("index", "expected")):
        options = {"tolerance": oracle.TIE_TOLERANCE, "squared": False}
        found = neighbor_ranking(D, k, distance="precomputed", ties=ties)
        assert (found.distance, found.method) == ("precomputed", "precomputed")
        assert_exactly(found, D, k, exclude_self=True, **options)
        found = neighbor_ranking(D, k, queries=asked, distance="precomputed", ties=ties)
        assert_exactly(found, asked, k, exclude_self=False, **options)


def test_precomputed_euclidean_is_euclidean(rng):
    train = rng.normal(size=(40, 3))
    D = oracle.distances("euclidean", train, train)
    given_distances = neighbor_ranking(D, 5, distance="precomputed")
    np.testing.assert_array_equal(given_distances.rows, neighbor_ranking(train, 5).rows)


def test_minkowski_one_and_two_and_infinity_are_their_namesakes(rng):
    train = rng.normal(size=(50, 4))
    for p, name in ((1, "manhattan"), (2, "euclidean"), (math.inf, "chebyshev")):
        found = neighbor_ranking(train, 5, distance="minkowski", distance_params={"p": p})
        assert_identical(found, neighbor_ranking(train, 5, distance=name))


# ---------------------------------------------------------------- whatever hypothesis thinks of

cells = st.one_of(
    st.integers(-3, 3).map(float), st.sampled_from([0.1, 0.2, 0.3, 1 / 3, -1e-9, 1e-9, 1e8, -1e8, 2.0**26, 2.0**26 - 1])
)


@st.composite
def tables(draw):
    n, p = draw(st.integers(2, 20)), draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(cells, min_size=p, max_size=p), min_size=n, max_size=n))
    return np.array(rows), draw(st.integers(1, n - 1))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tables(), st.sampled_from(["euclidean", "manhattan", "chebyshev"]), st.sampled_from(TREE))
def test_odd_tables(table, distance, method):
    train, k = table
    D = oracle.compared_values(distance, train, train)
    tolerance = oracle.tie_tolerance(distance, train)
    if tolerance == 0.0 and np.abs(train).max() > 1000:
        tolerance = oracle.TIE_TOLERANCE  # squares of such integers round
    for ties in ("index", "expected"):
        found = neighbor_ranking(train, k, distance=distance, method=method, ties=ties)
        assert_exactly(found, D, k, exclude_self=True, tolerance=tolerance, squared=distance == "euclidean")
