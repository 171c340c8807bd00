"""Every distance by name gives the numbers of its definition."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from sepal.data import as_table
from sepal.distances import DISTANCES, fit_distance
from sepal.neighbors import neighbor_ranking
from tests.distances.all_pairs import all_pairs
from tests.oracles import neighbors as oracle

WEIGHTS = [0.5, 2.0, 0.0, 1.25]
COVARIANCE = np.array([[2.0, 0.3, 0, 0], [0.3, 1.0, 0, 0.1], [0, 0, 0.5, 0], [0, 0.1, 0, 3.0]])

# (name, what sepal takes, what the oracle takes)
COMPLETE = [
    ("euclidean", {}, {}),
    ("weighted_euclidean", {"weights": WEIGHTS}, {"weights": WEIGHTS}),
    ("manhattan", {}, {}),
    ("chebyshev", {}, {}),
    ("minkowski", {"p": 1}, {"p": 1.0}),
    ("minkowski", {"p": 1.5}, {"p": 1.5}),
    ("minkowski", {"p": 2}, {"p": 2.0}),
    ("minkowski", {"p": 3}, {"p": 3.0}),
    ("minkowski", {"p": math.inf}, {"p": math.inf}),
    ("minkowski", {"p": 1, "weights": WEIGHTS}, {"p": 1.0, "weights": WEIGHTS}),
    ("minkowski", {"p": 1.5, "weights": WEIGHTS}, {"p": 1.5, "weights": WEIGHTS}),
    ("minkowski", {"p": 2, "weights": WEIGHTS}, {"p": 2.0, "weights": WEIGHTS}),
    ("minkowski", {"p": 3, "weights": WEIGHTS}, {"p": 3.0, "weights": WEIGHTS}),
    ("mahalanobis", {}, {}),
    ("mahalanobis", {"covariance": COVARIANCE}, {"covariance": COVARIANCE}),
    ("cosine", {}, {}),
    ("correlation", {}, {}),
    ("correlation", {"weights": WEIGHTS}, {"weights": WEIGHTS}),
    ("canberra", {}, {}),
    ("canberra", {"weights": WEIGHTS}, {"weights": WEIGHTS}),
    ("bray_curtis", {}, {}),
    ("bray_curtis", {"weights": WEIGHTS}, {"weights": WEIGHTS}),
    ("nan_euclidean", {}, {}),
    ("heom", {}, {"nominal_mask": [False] * 4}),
]
MISSING = [("nan_euclidean", {}, {}), ("heom", {}, {"nominal_mask": [False] * 4})]


def identify(case: object) -> str | None:
    return None if isinstance(case, dict) else str(case)


def numbers(kind: str, rng: np.random.Generator, n: int) -> np.ndarray:
    values = rng.normal(size=(n, 4))
    return {
        "random": values,
        "integer": rng.integers(-4, 5, size=(n, 4)).astype(float),
        "scaled": rng.integers(0, 10, size=(n, 4)) / 9.0,
        "uneven": values * [1e-3, 1.0, 50.0, 1e4] + [0.0, 5.0, -300.0, 2e4],
    }[kind]


@pytest.mark.parametrize("kind", ["random", "integer", "scaled", "uneven"])
@pytest.mark.parametrize(("name", "given", "wanted"), COMPLETE, ids=identify)
def test_distance_equals_its_definition(name, given, wanted, kind, rng):
    train, queries = numbers(kind, rng, 24), numbers(kind, rng, 9)
    found = all_pairs(queries, train, distance=name, distance_params=given)
    np.testing.assert_allclose(found, oracle.distances(name, queries, train, **wanted), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", ["minmax", "standard"])
@pytest.mark.parametrize(("name", "given", "wanted"), COMPLETE, ids=identify)
def test_scaling_comes_first_and_from_the_training_rows_alone(name, given, wanted, scale, rng):
    train, queries = numbers("uneven", rng, 20), numbers("uneven", rng, 6) * 1.5
    low, width = train.min(axis=0), np.ptp(train, axis=0)
    if scale == "standard":
        low, width = train.mean(axis=0), train.std(axis=0)
    found = all_pairs(queries, train, distance=name, distance_params=given, scale=scale)
    expected = oracle.distances(name, (queries - low) / width, (train - low) / width, **wanted)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("name", "given", "wanted"), MISSING, ids=identify)
def test_missing_cells_count_as_the_distance_defines_them(name, given, wanted, share, rng):
    """Queries with missing cells still raised in scikit-learn where training rows might have them (#25319)."""
    train, queries = numbers("random", rng, 25), numbers("random", rng, 12)
    train[rng.random(train.shape) < share] = np.nan
    queries[rng.random(queries.shape) < share] = np.nan
    queries[0] = np.nan
    found = all_pairs(queries, train, distance=name, distance_params=given)
    np.testing.assert_allclose(found, oracle.distances(name, queries, train, **wanted), rtol=1e-12)


def test_nan_euclidean_by_hand():
    # sqrt(4/2 * (3^2 + 4^2)), and nothing in common is infinitely far
    found = all_pairs([[0.0, 0.0, 0.0, np.nan], [np.nan] * 4], [[3.0, 4.0, np.nan, 7.0]], distance="nan_euclidean")
    assert found.ravel().tolist() == [math.sqrt(50.0), math.inf]


def test_weighted_maximum_is_the_limit_of_weighted_minkowski():
    """Weights stretched the differences of the maximum, which they do not in the limit."""
    # (w |d|^p)^(1/p) -> |d| for every w > 0: weights decide which columns count, not how much.
    train, queries = [[3.0, 1.0, 9.0]], [[0.0, 0.0, 0.0]]
    params = {"p": math.inf, "weights": [1.0, 5.0, 0.0]}
    assert all_pairs(queries, train, distance="minkowski", distance_params=params).item() == 3.0


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, 7, 40, 300])
@pytest.mark.parametrize("size", [1e-30, 1e-4, 1.0, 5e3, 1e30])
def test_minkowski_on_one_column_is_the_difference_for_every_power(p, size):
    """High powers of one difference vanished or overflowed."""
    train = np.array([[0.0], [1.0], [3.0]]) * size
    found = all_pairs([[0.0], [2.25 * size]], train, distance="minkowski", distance_params={"p": p})
    np.testing.assert_allclose(found, np.array([[0, 1, 3], [2.25, 1.25, 0.75]]) * size, rtol=1e-12)


def test_minkowski_takes_numpy_numbers_as_p():
    """A ``p`` of numpy's was refused as no number."""
    train = [[0.0, 0.0], [1.0, 1.0]]
    for p in (np.int64(3), np.float32(3), np.float64(3)):
        found = all_pairs(train, train, distance="minkowski", distance_params={"p": p})
        np.testing.assert_allclose(found[0, 1], 2 ** (1 / 3), rtol=1e-12)


def test_weights_of_zero_leave_columns_out(rng):
    train, queries = rng.normal(size=(15, 3)), rng.normal(size=(5, 3))
    for name in ("euclidean", "manhattan", "chebyshev", "cosine", "heom"):
        found = all_pairs(queries, train, distance=name, distance_params={"weights": [1.0, 0.0, 1.0]})
        expected = all_pairs(queries[:, [0, 2]], train[:, [0, 2]], distance=name)
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("euclidean", math.sqrt(2 * 9 + 3 * 16)), ("manhattan", 2 * 3 + 3 * 4), ("heom", math.sqrt(2 * 9 + 3 * 16))],
)
def test_weights_multiply_the_terms_of_the_sum(name, expected):
    found = all_pairs([[0.0, 0.0]], [[3.0, 4.0]], distance=name, distance_params={"weights": [2.0, 3.0]})
    np.testing.assert_allclose(found.item(), expected, rtol=1e-14)


# ---------------------------------------------------------------- cosine


def test_parallel_rows_are_at_cosine_distance_exactly_zero():
    rows = np.array([[1.0, 2, 3], [2, 4, 6], [3, 6, 9], [7, 14, 21], [1, 2, 4]])
    found = all_pairs(rows, rows, distance="cosine")
    assert (found[:4, :4] == 0.0).all()
    np.testing.assert_allclose(found[4], oracle.distances("cosine", rows, rows)[4], rtol=1e-12)


def test_zero_rows_are_at_cosine_distance_one_from_every_row():
    train = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [-1.0, 0.0]])
    found = all_pairs([[0.0, 0.0], [2.0, 2.0]], train, distance="cosine")
    np.testing.assert_allclose(found, [[1, 1, 1, 1], [1, 0, 1, 1 + math.sqrt(0.5)]], rtol=1e-14)


@pytest.mark.parametrize("method", ["auto", "brute"])
def test_a_zero_query_is_at_cosine_distance_one_when_no_training_row_is_zero(method):
    train = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 3.0]])
    found = all_pairs([[0.0, 0.0], [5.0, 0.0]], train, distance="cosine", method=method)
    np.testing.assert_allclose(found, [[1, 1, 1], [0, 1 - math.sqrt(0.5), 1]], rtol=1e-14, atol=1e-300)


def test_opposite_rows_are_at_cosine_distance_two():
    np.testing.assert_allclose(all_pairs([[1.0, 2.0]], [[-2.0, -4.0]], distance="cosine").item(), 2.0, rtol=1e-15)


@pytest.mark.parametrize("size", [1e-250, 1e-160, 1e150, 1e200])
def test_cosine_does_not_depend_on_the_size_of_the_rows(size):
    """Squares of very small and very large cells vanished or overflowed."""
    rows = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 3.0]])
    np.testing.assert_allclose(
        all_pairs(rows * size, rows * size, distance="cosine"), oracle.distances("cosine", rows, rows), rtol=1e-12
    )


def test_small_angles_keep_their_digits():
    angles = np.array([0.0, 1e-7, 3e-7, 1e-5])
    rows = np.column_stack([np.cos(angles), np.sin(angles)])
    expected = 2 * np.sin(np.subtract.outer(angles, angles) / 2) ** 2  # 1 - cos t
    np.testing.assert_allclose(all_pairs(rows, rows, distance="cosine"), expected, rtol=1e-7)


# ---------------------------------------------------------------- mahalanobis


def test_singular_covariance_uses_the_pseudo_inverse_and_says_so(rng):
    train = rng.normal(size=(30, 2))
    train = np.column_stack([train, train[:, 0] + 2 * train[:, 1], np.full(30, 7.0)])
    ranking = neighbor_ranking(train, 3, distance="mahalanobis")
    assert any("singular" in note and "2 directions" in note for note in ranking.notes)
    expected = oracle.distances("mahalanobis", train[:, :2], train[:, :2])
    np.testing.assert_allclose(all_pairs(train, train, distance="mahalanobis"), expected, rtol=1e-7, atol=1e-12)


def test_fewer_rows_than_columns_under_mahalanobis_are_all_equally_far(rng):
    # n rows in general position span n - 1 directions: every pair is at squared distance 2 (n - 1).
    train = rng.normal(size=(6, 11))
    found = all_pairs(train, train, distance="mahalanobis")
    np.testing.assert_allclose(found[~np.eye(6, dtype=bool)], math.sqrt(2 * 5), rtol=1e-9)


def test_mahalanobis_does_not_depend_on_units(rng):
    train = rng.normal(size=(25, 3))
    mixed = train @ np.array([[2.0, 1, 0], [0, 1, 3], [1, 0, 1]]) + [100.0, 0, -5]
    np.testing.assert_allclose(
        all_pairs(mixed, mixed, distance="mahalanobis"),
        all_pairs(train, train, distance="mahalanobis"),
        rtol=1e-9,
        atol=1e-11,
    )


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_mahalanobis_does_not_depend_on_the_size_of_the_numbers(size, rng):
    """The covariance of very small and very large numbers vanished or overflowed."""
    train = rng.normal(size=(12, 3))
    expected = oracle.distances("mahalanobis", train, train)
    np.testing.assert_allclose(all_pairs(train * size, train * size, distance="mahalanobis"), expected, rtol=1e-9)


# ---------------------------------------------------------------- mixed tables


def mixed_table(rng: np.random.Generator, n: int, missing: float):
    """Numeric, nominal, numeric, nominal; numbers between 0 and 1, and both ends are there."""
    values = np.column_stack([rng.random(n), rng.integers(0, 3, n), rng.random(n), rng.integers(0, 5, n)])
    values[rng.random(values.shape) < missing] = np.nan
    values[0], values[1] = [0, 0, 0, 0], [1, 1, 1, 4]
    return as_table(values, kinds={1: "nominal", 3: "nominal"}), values


@pytest.mark.parametrize("scale", [None, "minmax"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_heom_on_mixed_kinds(missing, scale, rng):
    table, values = mixed_table(rng, 30, missing)
    train, queries = np.arange(20), np.arange(20, 30)
    found = all_pairs(table.take(queries), table.take(train), distance="heom", scale=scale)
    mask = [False, True, False, True]
    expected = oracle.distances("heom", values[queries], values[train], nominal_mask=mask)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_heom_weights_follow_their_columns():
    train = as_table([["a", 0.0], ["b", 0.5]])
    query = as_table([["a", 0.5], ["b", None]])
    found = all_pairs(query, train, distance="heom", distance_params={"weights": [4.0, 9.0]})
    # (a, .5)-(a, 0): 9*.25; -(b, .5): 4; (b, ?)-(a, 0): 4 + 9; -(b, .5): 9
    np.testing.assert_allclose(found**2, [[2.25, 4.0], [13.0, 9.0]], rtol=1e-14)


def test_heom_compares_levels_by_what_they_are_and_not_by_their_code():
    """Queries came with codes of their own: red alone has code 0, which was blue among the training rows."""
    found = all_pairs(as_table([["red"]]), as_table([["blue"], ["red"]]), distance="heom")
    assert found.tolist() == [[1.0, 0.0]]


def test_heom_level_never_seen_in_training_differs_from_every_row():
    """A level that training had not got was compared by its own code, which is that of another level."""
    train = as_table([["blue"], ["red"], ["red"]])
    for queries in (as_table([["green"], ["red"]]), as_table([["green"], ["red"], ["violet"]])):
        found = all_pairs(queries, train, distance="heom")
        assert found[:2].tolist() == [[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]]


def test_heom_ordinal_levels_differ_by_their_rank():
    sizes = {0: ["S", "M", "L", "XL", "XXL"]}
    table = as_table([["S"], ["M"], ["XXL"]], kinds=sizes)
    np.testing.assert_allclose(all_pairs(table, table, distance="heom", scale="minmax")[0], [0, 0.25, 1.0])


def test_two_missing_cells_differ_under_heom():
    # Wilson & Martinez 1997: the distance is 1 if either is unknown, so also if both are.
    rows = [[0.0, np.nan], [0.0, np.nan], [0.1, 0.0]]
    ranking = neighbor_ranking(rows, 2, distance="heom")
    np.testing.assert_allclose(ranking.distances[0], [1.0, math.sqrt(1.01)], rtol=1e-14)


def test_auto_is_euclidean_on_complete_numbers_and_heom_otherwise():
    complete = as_table([[1.0, 2.0], [3.0, 4.0]])
    assert fit_distance(complete, "auto").name == "euclidean"
    assert fit_distance(as_table([[1.0, np.nan], [3.0, 4.0]]), "auto").name == "heom"
    assert fit_distance(as_table([[1.0, "a"], [3.0, "b"]]), "auto").name == "heom"


# ---------------------------------------------------------------- the fitted object


@pytest.mark.parametrize(("name", "given", "wanted"), COMPLETE, ids=identify)
def test_fitted_distance_pickles(name, given, wanted, rng):
    table, queries = as_table(numbers("uneven", rng, 15)), as_table(numbers("uneven", rng, 4))
    fitted = fit_distance(table, name, scale="minmax", params=given)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301
    np.testing.assert_array_equal(again.embed(queries), fitted.embed(queries))
    np.testing.assert_array_equal(again.distances(np.array([0.25, 4.0])), fitted.distances(np.array([0.25, 4.0])))
    assert (again.name, again.metric, again.notes) == (fitted.name, fitted.metric, fitted.notes)


def test_constant_columns_are_named_in_the_notes():
    table = as_table([[1.0, 5.0, 2.0], [2.0, 5.0, 2.0]], names=["a", "b", "c"])
    for scale in (None, "minmax", "standard"):
        (note,) = fit_distance(table, scale=scale).notes
        assert "constant" in note
        assert '"b"' in note
        assert '"c"' in note
        assert '"a"' not in note


def test_every_entry_has_a_summary_and_its_own_name():
    for name, entry in DISTANCES.items():
        assert entry.name == name
        assert entry.summary
