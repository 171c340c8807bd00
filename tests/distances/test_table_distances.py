from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import nan_euclidean_distances

from sepal.data import as_table
from sepal.distances import DISTANCES, fit_distance
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier
from sepal.neighbors import neighbor_ranking
from tests.oracles import table_distances as oracle

NOMINAL = [False, False, True, True]


def mixed_rows(seed=0, n=40, missing=True):
    rng = np.random.default_rng(seed)
    numbers = np.round(rng.normal(size=(n, 2)) * [1, 20], 1)
    codes = rng.integers(0, [3, 2], size=(n, 2)).astype(float)
    values = np.hstack([numbers, codes])
    if missing:
        values[rng.random(values.shape) < 0.15] = np.nan
    return values, rng.integers(0, 3, size=n)


def table_of(values, y=None):
    levels = {2: list(range(3)), 3: list(range(2))}
    table = as_table(values, y, kinds=levels)  # ordinal with all levels declared, then nominal
    return as_table(table, kinds={2: "nominal", 3: "nominal"})


def all_pairs(table, **options):
    """The matrix of distances by asking for everybody; self-join and queries must agree."""
    n = table.n_rows
    ranking = neighbor_ranking(table, n, queries=table, **options)
    D = np.empty((n, n))
    np.put_along_axis(D, ranking.rows, ranking.distances, axis=1)
    joined = neighbor_ranking(table, n - 1, **options)
    for i in range(n):
        np.testing.assert_allclose(joined.distances[i], np.sort(np.delete(D[i], i)), rtol=1e-9, atol=1e-12)
    return D


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weights", [None, [1.0, 0.0, 2.5, 0.5]])
def test_gower(seed, weights):
    values, _ = mixed_rows(seed)
    ranges = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    used = weights or [1.0] * 4
    expected = [[oracle.gower(x, z, ranges, NOMINAL, used) for z in values] for x in values]
    params = {"weights": weights} if weights else None
    for scale in (None, "minmax", "standard"):  # the range belongs to the definition
        found = all_pairs(table_of(values), distance="gower", distance_params=params, scale=scale)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_gower_asymmetric_binary():
    rng = np.random.default_rng(3)
    values = np.hstack([np.round(rng.normal(size=(25, 1)), 1), rng.integers(0, 2, size=(25, 3)).astype(float)])
    values[rng.random(values.shape) < 0.1] = np.nan
    values[:2, 0] = np.nan
    values[:2, 1:3] = 0.0  # nothing to compare but the last column
    ranges = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    expected = [
        [oracle.gower(x, z, ranges, [False, True, True, True], [1.0] * 4, [False, True, True, False]) for z in values]
        for x in values
    ]
    table = as_table(as_table(values, kinds={3: [0, 1]}), kinds={3: "nominal"})
    found = all_pairs(table, distance="gower", distance_params={"asymmetric": ["x2", 2]})
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_rows_with_nothing_to_compare_are_infinitely_far_even_from_their_copies():
    values = np.array([[np.nan, 0.0], [np.nan, 0.0], [1.0, 1.0], [3.0, 1.0]])
    found = all_pairs(as_table(values), distance="gower", distance_params={"asymmetric": [1]})
    assert np.isinf(found[0, :2]).all()
    assert found[0, 2] == 1.0


def test_heom_copies_with_missing_cells_are_not_at_distance_zero():
    """Copies with missing cells were taken for equal rows, at distance 0."""
    values = np.array([[1.0, np.nan], [1.0, np.nan], [3.0, 2.0], [3.0, 2.0]])
    found = all_pairs(as_table(values), distance="heom", scale="minmax")
    assert found[0, 1] == 1.0
    assert found[2, 3] == 0.0


@pytest.mark.parametrize("weights", [None, [1.0, 3.0, 0.5, 0.0]])
def test_hamming(weights):
    values, _ = mixed_rows(4)
    values[:, :2] = np.round(values[:, :2] / 10)
    used = weights or [1.0] * 4
    expected = [[oracle.hamming(x, z, used) for z in values] for x in values]
    params = {"weights": weights} if weights else None
    found = all_pairs(table_of(values), distance="hamming", distance_params=params, scale="minmax")
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_hamming_of_complete_rows_equals_scipy():
    bits = np.random.default_rng(0).integers(0, 2, size=(20, 9)).astype(float)
    np.testing.assert_allclose(all_pairs(as_table(bits), distance="hamming"), cdist(bits, bits, "hamming"))


@pytest.mark.filterwarnings("error")
def test_tanimoto_on_sets():
    """scikit-learn warns of booleans under Jaccard (#32495); two empty sets were in dispute (skfp #269)."""
    rng = np.random.default_rng(1)
    bits = rng.random((30, 12)) < 0.3
    bits[3:5] = False  # two empty sets: equal to each other, different from all others
    sets = [set(np.flatnonzero(row).tolist()) for row in bits]
    expected = [[oracle.tanimoto_sets(a, b) for b in sets] for a in sets]
    np.testing.assert_allclose(all_pairs(as_table(bits), distance="tanimoto"), expected, atol=1e-15)
    np.testing.assert_allclose(all_pairs(as_table(bits.astype(int)), distance="tanimoto"), expected, atol=1e-15)
    np.testing.assert_allclose(expected, cdist(bits, bits, "jaccard"))


def test_tanimoto_of_counts_and_weights():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, size=(15, 5)).astype(float)
    w = np.array([1.0, 2.0, 0.0, 0.5, 1.0])
    low, high = np.minimum(X[:, None], X[None]), np.maximum(X[:, None], X[None])
    expected = 1 - (w * low).sum(axis=2) / (w * high).sum(axis=2)
    found = all_pairs(as_table(X), distance="tanimoto", distance_params={"weights": w})
    np.testing.assert_allclose(found, expected, atol=1e-14)
    with pytest.raises(DataError, match="at least 0; found -1"):
        neighbor_ranking(np.array([[1.0], [-1.0]]), 1, distance="tanimoto")
    with pytest.raises(DataError, match="3 levels"):
        neighbor_ranking([["a"], ["b"], ["c"]], 1, distance="tanimoto")


@pytest.mark.parametrize("weights", [None, [0.5, 2.0, 0.0, 1.0]])
def test_weighted_nan_euclidean(weights):
    values, _ = mixed_rows(6)
    used = weights or [1.0] * 4
    expected = np.array([[oracle.weighted_nan_euclidean(x, z, used) for z in values] for x in values])
    params = {"weights": weights} if weights else None
    found = all_pairs(as_table(values), distance="nan_euclidean", distance_params=params)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    if weights is None:
        np.testing.assert_allclose(found, nan_euclidean_distances(values), atol=1e-6)


@pytest.mark.parametrize("kernel", ["gaussian", "linear", "polynomial"])
@pytest.mark.parametrize("constant", [0.0, 1.0, 0.3])
def test_kernel_induced(kernel, constant):
    X = np.random.default_rng(0).normal(size=(15, 3))
    params = {"kernel": kernel, "gamma": 0.7}
    if kernel == "polynomial":
        params |= {"degree": 3, "constant": constant}
    found = all_pairs(as_table(X), distance="kernel", distance_params=params)
    expected = [[oracle.kernel_distance(x, z, kernel, 0.7, 3, constant) for z in X] for x in X]
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


def test_gaussian_kernel_keeps_the_euclidean_order():
    X = np.random.default_rng(1).normal(size=(30, 4))
    plain = neighbor_ranking(X, 10)
    assert np.array_equal(neighbor_ranking(X, 10, distance="kernel").rows, plain.rows)


def test_mahalanobis_weights_stretch_the_differences():
    X = np.random.default_rng(0).normal(size=(12, 2))
    w = np.array([4.0, 0.25])
    S = np.linalg.inv(np.cov(X, rowvar=False))
    gap = np.sqrt(w) * (X[:, None] - X[None])
    expected = np.sqrt(np.einsum("ijp,pq,ijq->ij", gap, S, gap))
    found = all_pairs(as_table(X), distance="mahalanobis", distance_params={"weights": w})
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("weights", [None, [1.0, 0.5, 2.0, 0.0]])
def test_hvdm(weights):
    values, y = mixed_rows(2)
    deviations = np.nanstd(values, axis=0)
    expected = [[oracle.hvdm(x, z, values, y.tolist(), NOMINAL, deviations, weights) for z in values] for x in values]
    params = {"weights": weights} if weights else None
    for scale in (None, "minmax"):  # it has its own scale
        found = all_pairs(table_of(values, y), distance="hvdm", distance_params=params, scale=scale)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_hvdm_leaves_the_asking_row_out_of_the_counts():
    values, y = mixed_rows(5, n=25)
    deviations = np.nanstd(values, axis=0)
    model = KNNClassifier(1, distance="hvdm").fit(table_of(values, y))
    distances, rows = model.kneighbors(n_neighbors=24)
    for i in range(25):
        others = np.delete(np.arange(25), i)
        expected = [
            oracle.hvdm(values[i], values[j], values[others], y[others].tolist(), NOMINAL, deviations) for j in others
        ]
        found = np.empty(25)
        found[rows[i]] = distances[i]
        np.testing.assert_allclose(found[others], expected, rtol=1e-9, atol=1e-9)


def test_hvdm_leave_one_out_does_not_leak():
    """A column of row numbers says nothing; its own label would give every row away."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=60)
    X = np.stack([np.arange(60), rng.integers(0, 3, size=60)], axis=1).astype(str)
    curve = KNNClassifier(distance="hvdm", k_max=5).fit(X, y).loo_curve_
    assert curve.score.max() < 0.75


def test_hvdm_counts_weights_as_repetition():
    values, y = mixed_rows(7, n=20)
    mass = np.random.default_rng(1).integers(1, 4, size=20)
    again = np.repeat(np.arange(20), mass)
    weighted = KNNClassifier(3, distance="hvdm").fit(table_of(values, y), sample_weight=mass)
    repeated = KNNClassifier(3, distance="hvdm").fit(table_of(values[again], y[again]))
    queries = table_of(mixed_rows(8)[0])
    np.testing.assert_allclose(weighted.predict_proba(queries), repeated.predict_proba(queries))
    a = KNNClassifier(distance="hvdm", k_max=6).fit(table_of(values, y), sample_weight=mass).loo_curve_
    b = KNNClassifier(distance="hvdm", k_max=6).fit(table_of(values[again], y[again])).loo_curve_
    np.testing.assert_allclose(a.score, b.score)


def test_hvdm_unseen_level_is_unlike_every_class():
    model = KNNClassifier(2, distance="hvdm").fit([["r"], ["r"], ["b"]], ["u", "u", "v"])
    distances, _ = model.kneighbors([["green"]], 3)
    np.testing.assert_allclose(distances, 1.0)  # sqrt of (1-0)^2: probabilities 0 against 1


def test_hvdm_needs_classes():
    with pytest.raises(DataError, match="learns from the classes"):
        neighbor_ranking([["a"], ["b"]], 1, distance="hvdm")


# The others are compared with weights above, need classes or sets, or know no weights (haversine).
@pytest.mark.parametrize("name", sorted({*DISTANCES} - {"mahalanobis", "hvdm", "tanimoto", "hamming", "haversine"}))
def test_a_distance_takes_weights_and_a_zero_weight_drops_the_column(name):
    rng = np.random.default_rng(0)
    X = rng.random((20, 3))
    X[:, 2] = rng.integers(0, 2, size=20)
    weights = [1.0, 1.0, 0.0]
    a = neighbor_ranking(X, 5, distance=name, distance_params={"weights": weights}, scale="minmax")
    plain = {"weights": weights[:2]} if name == "weighted_euclidean" else None
    b = neighbor_ranking(X[:, :2], 5, distance=name, scale="minmax", distance_params=plain)
    np.testing.assert_allclose(a.distances, b.distances, atol=1e-12)


@pytest.mark.parametrize(
    ("distance", "params", "text"),
    [
        ("gower", {"asymmetric": ["nose"]}, "no column 'nose'"),
        ("kernel", {"kernel": "sigmoid"}, "kernel"),
        ("kernel", {"gamma": 0}, "gamma"),
        ("kernel", {"kernel": "polynomial", "degree": 0}, "degree"),
        ("kernel", {"kernel": "polynomial", "degree": 40}, "products"),
        ("hamming", {"weights": [1.0]}, "one number per column"),
        ("hvdm", {"p": 2}, "not known"),
    ],
)
def test_wrong_parameters_are_named(distance, params, text):
    with pytest.raises(ParameterError, match=text):
        neighbor_ranking(as_table(np.eye(4), [0, 1, 0, 1]), 1, distance=distance, distance_params=params)


def test_asymmetric_column_with_three_values_is_refused():
    with pytest.raises(DataError, match="two levels"):
        neighbor_ranking(np.arange(3.0)[:, None], 1, distance="gower", distance_params={"asymmetric": [0]})


def test_a_distance_is_fitted_to_frames_and_lists_as_to_their_table():
    """``fit_distance`` of a data frame ended in an AttributeError."""
    frame = pd.DataFrame({"a": [0.0, 4.0, 1.0], "b": ["x", "y", "x"]})
    fitted = fit_distance(frame, scale="minmax")
    assert fitted.name == "heom"
    np.testing.assert_array_equal(fitted.scaling.apply(as_table(frame).values)[:, 0], [0.0, 1.0, 0.25])
    assert fit_distance([[1.0, 2.0], [3.0, 5.0]]).name == "euclidean"
