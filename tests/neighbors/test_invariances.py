"""What must not change the answer."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sepal.data import as_table
from sepal.neighbors import neighbor_ranking
from tests.neighbors.exactly import assert_identical, lists

CASES = {
    "euclidean": {},
    "weighted_euclidean": {"weights": [1.0, 2.0, 0.5, 3.0]},
    "manhattan": {},
    "chebyshev": {},
    "minkowski": {"p": 3},
    "mahalanobis": {},
    "cosine": {},
    "nan_euclidean": {},
    "heom": {},
}
HAVE_TREES = ("euclidean", "weighted_euclidean", "manhattan", "chebyshev", "minkowski", "mahalanobis")


def tied_rows(rng: np.random.Generator, n: int = 90) -> np.ndarray:
    """A small lattice with copies: every list is full of ties."""
    return rng.integers(1, 5, size=(n, 4)).astype(float)


@pytest.mark.parametrize("distance", CASES)
@pytest.mark.parametrize("scale", [None, "minmax"])
def test_rows_in_another_order(distance, scale, rng):
    train = tied_rows(rng)
    call = {"distance": distance, "distance_params": CASES[distance], "scale": scale, "ties": "expected"}
    for k in (1, 4):
        found = lists(neighbor_ranking(train, k, **call))
        order = rng.permutation(len(train))
        moved = lists(neighbor_ranking(train[order], k, **call))
        there = np.argsort(order)  # where each row went
        back = [set(order[moved[0][there[i]]].tolist()) for i in range(len(train))]
        assert back == [set(rows) for rows in found[0]]
        for i in range(len(train)):
            np.testing.assert_allclose(moved[1][there[i]], found[1][i], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("distance", CASES)
def test_columns_in_another_order(distance, rng):
    """In scikit-learn the order of columns decides between tied rows (#15592)."""
    train = tied_rows(rng) / 3.0
    found = neighbor_ranking(train, 3, distance=distance, distance_params=CASES[distance], ties="expected")
    order = np.array([2, 0, 3, 1])
    params = dict(CASES[distance])
    if "weights" in params:
        params["weights"] = np.array(params["weights"])[order]
    moved = neighbor_ranking(train[:, order], 3, distance=distance, distance_params=params, ties="expected")
    assert lists(moved)[0] == lists(found)[0]
    np.testing.assert_allclose(moved.flat_distances, found.flat_distances, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("distance", CASES)
@pytest.mark.parametrize("n", [90, 700])
def test_threads_do_not_change_a_bit(distance, n, rng):
    train = np.vstack([tied_rows(rng, n - 40), rng.normal(size=(40, 4))])
    methods = ("brute", "tree") if distance in HAVE_TREES else ("brute",)
    for method, k in itertools.product(methods, (1, 6)):
        call = {"distance": distance, "distance_params": CASES[distance], "method": method, "ties": "expected"}
        one = neighbor_ranking(train, k, n_jobs=1, **call)
        for threads in (2, 3, None):
            assert_identical(one, neighbor_ranking(train, k, n_jobs=threads, **call))
        one = neighbor_ranking(train, k, queries=train[::3] + 0.25, n_jobs=1, **call)
        assert_identical(one, neighbor_ranking(train, k, queries=train[::3] + 0.25, n_jobs=3, **call))


@pytest.mark.parametrize("distance", HAVE_TREES)
@pytest.mark.parametrize("ties", ["index", "expected"])
def test_brute_and_tree_agree_to_the_bit(distance, ties, rng):
    for train in (tied_rows(rng, 200), tied_rows(rng, 200) / 7.0, rng.normal(size=(200, 4))):
        call = {"distance": distance, "distance_params": CASES[distance], "ties": ties}
        for k, queries in itertools.product((1, 2, 10, 60), (None, train[:50] * 1.125)):
            brute = neighbor_ranking(train, k, queries=queries, method="brute", **call)
            tree = neighbor_ranking(train, k, queries=queries, method="tree", **call)
            auto = neighbor_ranking(train, k, queries=queries, **call)
            assert (brute.method, tree.method) == ("brute", "tree")
            assert_identical(brute, tree)
            assert_identical(brute, auto)


@pytest.mark.parametrize("distance", CASES)
@pytest.mark.parametrize("ties", ["index", "expected"])
def test_k_neighbours_are_a_prefix_of_more_neighbours(distance, ties, rng):
    """In mlpack the k and the k + 1 nearest rows disagree (#1470)."""
    train = tied_rows(rng, 50)
    call = {"distance": distance, "distance_params": CASES[distance], "ties": ties}
    for queries in (None, train[:9] + 0.5):
        shorter = lists(neighbor_ranking(train, 1, queries=queries, **call))
        for k in (2, 3, 4, 5, 6, 12, 13, 30, 48):
            longer = lists(neighbor_ranking(train, k, queries=queries, **call))
            for few, more in zip(shorter[0], longer[0], strict=True):
                assert more[: len(few)] == few
            for few, more in zip(shorter[1], longer[1], strict=True):
                assert more[: len(few)] == few
            shorter = longer


@pytest.mark.parametrize("ties", ["index", "expected"])
def test_queries_that_are_the_training_rows_find_themselves_and_then_the_self_join(ties, rng):
    train = rng.normal(size=(80, 3))
    asked = neighbor_ranking(train, 4, queries=train, ties=ties)
    own = neighbor_ranking(train, 3, ties=ties)
    np.testing.assert_array_equal(asked.rows[:, 0], np.arange(80))
    np.testing.assert_array_equal(asked.rows[:, 1:], own.rows)
    np.testing.assert_array_equal(asked.distances[:, 1:], own.distances)


def test_one_query_at_a_time_is_all_queries_at_once(rng):
    train, queries = tied_rows(rng), tied_rows(rng, 20)
    for distance, method in itertools.product(("euclidean", "manhattan"), ("brute", "tree")):
        call = {"distance": distance, "method": method, "ties": "expected", "scale": "minmax"}
        together = lists(neighbor_ranking(train, 3, queries=queries, **call))
        alone = [lists(neighbor_ranking(train, 3, queries=queries[i : i + 1], **call)) for i in range(20)]
        assert together[0] == [each[0][0] for each in alone]
        assert together[1] == [each[1][0] for each in alone]


@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "chebyshev", "mahalanobis"])
def test_translation(distance, rng):
    train = rng.normal(size=(70, 4))
    found = neighbor_ranking(train, 5, distance=distance)
    moved = neighbor_ranking(train + np.array([3.0, -7.0, 100.0, 0.1]), 5, distance=distance)
    np.testing.assert_array_equal(moved.rows, found.rows)
    np.testing.assert_allclose(moved.distances, found.distances, rtol=1e-9)


@pytest.mark.parametrize("distance", ["euclidean", "cosine", "mahalanobis"])
def test_rotation(distance, rng):
    train = rng.normal(size=(70, 4))
    rotation, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    found = neighbor_ranking(train, 5, distance=distance)
    turned = neighbor_ranking(train @ rotation, 5, distance=distance)
    np.testing.assert_array_equal(turned.rows, found.rows)
    np.testing.assert_allclose(turned.distances, found.distances, rtol=1e-9)


@pytest.mark.parametrize("factor", [0.001, 7.0, 1e6])
@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "chebyshev", "minkowski", "nan_euclidean", "heom"])
def test_distances_grow_with_the_rows(distance, factor, rng):
    train = rng.normal(size=(60, 4))
    call = {"distance": distance, "distance_params": CASES[distance]}
    found, larger = neighbor_ranking(train, 5, **call), neighbor_ranking(train * factor, 5, **call)
    np.testing.assert_array_equal(larger.rows, found.rows)
    np.testing.assert_allclose(larger.distances, found.distances * factor, rtol=1e-12)


def test_minmax_undoes_units(rng):
    train, queries = rng.normal(size=(60, 4)), rng.normal(size=(9, 4))
    units, zeros = [1e-3, 1.0, 1e4, 60.0], [5.0, 0.0, -3.0, 1e3]
    for scale in ("minmax", "standard"):
        found = neighbor_ranking(train, 5, queries=queries, scale=scale)
        other = neighbor_ranking(train * units + zeros, 5, queries=queries * units + zeros, scale=scale)
        np.testing.assert_array_equal(other.rows, found.rows)
        np.testing.assert_allclose(other.distances, found.distances, rtol=1e-9)


def containers(values: np.ndarray) -> dict[str, object]:
    names = [f"c{j}" for j in range(values.shape[1])]
    frame = pd.DataFrame(values, columns=names)
    wide = np.zeros((values.shape[0] * 2, values.shape[1] * 3))
    wide[::2, ::3] = values
    frozen = values.copy()
    frozen.flags.writeable = False
    return {
        "fortran": np.asfortranarray(values),
        "strided": wide[::2, ::3],
        "reversed view": values[::-1][::-1],
        "read-only": frozen,
        "float32": values.astype(np.float32),
        "int64": values.astype(np.int64),
        "int8": values.astype(np.int8),
        "big-endian": values.astype(">f8"),
        "list": values.tolist(),
        "tuples": tuple(map(tuple, values.tolist())),
        "object": values.astype(object),
        "pandas": frame,
        "pandas nullable": frame.convert_dtypes(),
        "polars": pl.DataFrame(frame.to_dict("list")),
        "pyarrow": pa.Table.from_pandas(frame),
        "Table": as_table(values),
    }


@pytest.mark.parametrize("distance", CASES)
def test_every_container_gives_the_same_answer(distance, rng):
    train, queries = tied_rows(rng, 40), tied_rows(rng, 6)
    call = {"distance": distance, "distance_params": CASES[distance], "scale": "minmax", "ties": "expected"}
    own, asked = neighbor_ranking(train, 3, **call), neighbor_ranking(train, 3, queries=queries, **call)
    for (name, other), other_queries in zip(containers(train).items(), containers(queries).values(), strict=True):
        found = neighbor_ranking(other, 3, **call)
        assert found.n_queries == 40, name
        assert_identical(own, found)
        assert_identical(asked, neighbor_ranking(other, 3, queries=other_queries, **call))


@pytest.mark.parametrize("distance", [*CASES, "precomputed"])
def test_inputs_are_never_changed(distance, rng):
    train = np.abs(tied_rows(rng, 30))
    if distance == "precomputed":
        train = np.subtract.outer(train[:, 0], train[:, 0]) ** 2
    queries = train[:7].copy()
    if distance in ("nan_euclidean", "heom"):
        train[3, 1] = queries[2, 2] = np.nan
    params = {name: np.array(value) if name == "weights" else value for name, value in CASES.get(distance, {}).items()}
    before = train.copy(), queries.copy(), {name: np.array(value) for name, value in params.items()}
    scale = None if distance == "precomputed" else "minmax"
    neighbor_ranking(train, 3, distance=distance, distance_params=params or None, scale=scale)
    neighbor_ranking(train, 3, queries=queries, distance=distance, distance_params=params or None, scale=scale)
    np.testing.assert_array_equal(train, before[0])
    np.testing.assert_array_equal(queries, before[1])
    for name, value in params.items():
        np.testing.assert_array_equal(value, before[2][name])
    assert train.flags.writeable
    assert queries.flags.writeable
