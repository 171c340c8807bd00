from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor

from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNRegressor
from tests.oracles import knn as oracle
from tests.oracles.neighbors import squared_euclidean

WEIGHTS = ["uniform", "distance", "rank", "dudani", "gaussian", "tricube"]


def tied_rows(seed=0, n=24):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, size=(n, 2)).astype(float), rng.normal(size=n) * 3 + 50


@pytest.mark.parametrize("weights", WEIGHTS)
def test_mean_and_spread_equal_the_oracle_under_ties_and_weights(weights):
    X, y = tied_rows(1)
    mass = np.random.default_rng(5).integers(1, 4, size=len(y))
    queries = np.array([[0.5, 1.5], [1.0, 1.0], [9.0, 9.0]])
    for k in (1, 4, 9):
        model = KNNRegressor(k, weights=weights, scale=None).fit(X, y, sample_weight=mass)
        mean, std = model.predict(queries, return_std=True)
        for q, row in enumerate(queries):
            values = [squared_euclidean(row, x) for x in X]
            shares = oracle.row_weights(values, k, weights, mass=mass.tolist())
            expected = float(shares @ y / shares.sum())
            assert mean[q] == pytest.approx(expected, abs=1e-10)
            assert std[q] == pytest.approx(np.sqrt(shares @ (y - expected) ** 2 / shares.sum()), abs=1e-9)


def test_quantiles_equal_numpy_on_repeated_rows():
    X, y = tied_rows(2, n=30)
    X = X + np.random.default_rng(0).normal(size=X.shape)  # no ties: the k nearest are k rows
    wanted = np.array([0.0, 0.1, 0.25, 0.5, 0.8, 1.0])
    queries = np.array([[0.5, 1.5], [2.0, 2.0]])
    for k in (1, 4, 7):
        model = KNNRegressor(k, scale=None).fit(X, y)
        rows = model.kneighbors(queries)[1]
        found = model.predict_quantiles(queries, wanted)
        for q in range(2):
            expected = np.quantile(y[rows[q]], wanted, method="averaged_inverted_cdf")
            np.testing.assert_allclose(found[q, 1:-1], expected[1:-1])
            assert found[q, 0] == y[rows[q]].min()
            assert found[q, -1] == y[rows[q]].max()
        median = KNNRegressor(k, scale=None, aggregate="median").fit(X, y).predict(queries)
        np.testing.assert_allclose(median, [np.median(y[r]) for r in rows])


def test_median_shares_the_last_place_among_tied_rows():
    X, y = np.array([[0.0], [1.0], [-1.0]]), np.array([10.0, 20.0, 90.0])
    model = KNNRegressor(2, scale=None, aggregate="median").fit(X, y)
    # 10 counts 1, 20 and 90 count 1/2 each: half of the mass is at 10, the other half above.
    assert model.predict([[0.0]]).tolist() == [15.0]


def test_local_line_is_exact_on_a_plane_and_equals_weighted_least_squares():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    plane = 3.0 + X @ [2.0, -1.0]
    queries = rng.normal(size=(8, 2))
    model = KNNRegressor(12, aggregate="linear").fit(X, plane)
    np.testing.assert_allclose(model.predict(queries), 3.0 + queries @ [2.0, -1.0], atol=1e-8)
    y = plane + rng.normal(size=60)
    model = KNNRegressor(20, aggregate="linear", weights="tricube", scale=None).fit(X, y)
    distances, rows = model.kneighbors(queries)
    for q in range(8):
        w = (1 - (distances[q] / distances[q, -1]) ** 3) ** 3
        line = LinearRegression().fit(X[rows[q]], y[rows[q]], sample_weight=w)
        assert model.predict(queries)[q] == pytest.approx(line.predict(queries[q : q + 1])[0], abs=1e-8)


def test_a_line_through_copies_of_one_point_is_flat():
    """Their mean is rounded, and what that leaves is no direction."""
    X, y = [[1.0], [1.0], [1.0], [-4.0], [99.0]], [0.0, 1.0, 4.0, 9.0, 16.0]
    assert KNNRegressor(3, aggregate="linear").fit(X, y).predict([[4.0]])[0] == pytest.approx(5 / 3)
    X, y = [[0.3]] * 7 + [[99.0]], np.arange(8.0) ** 2
    assert KNNRegressor(7, aggregate="linear", scale=None).fit(X, y).predict([[20.3]])[0] == pytest.approx(13.0)
    # Two columns, of which one is the same for all: the line goes along the other, y = 2 x.
    X = [[x, 0.1] for x in range(5)] + [[50.0, 7.0]]
    model = KNNRegressor(5, aggregate="linear", scale=None).fit(X, [0.0, 2.0, 4.0, 6.0, 8.0, 0.0])
    assert model.predict([[5.0, 0.3]])[0] == pytest.approx(10.0)


def test_quantiles_do_not_depend_on_who_else_asks():
    """Of the neighbours of 1.5 the nearest two weigh the same, so that the median lies between 2 and 3."""
    X, y = np.arange(5.0)[:, None], np.arange(1.0, 6.0)
    model = KNNRegressor(3, aggregate="median", weights="tricube", scale=None).fit(X, y)
    assert model.predict([[1.5], [1e6]]).tolist() == [2.5, 5.0]
    assert model.predict([[1e6], [1.5]]).tolist() == [5.0, 2.5]
    # Around 0 a copy weighs 1e18, beside which the shares of the next query would vanish in one running sum.
    model = KNNRegressor(3, weights=lambda d: 1.0 / (d + 1e-9) ** 2, scale=None).fit(X, y)
    together = model.predict_quantiles([[0.0], [1.6], [3.3]])
    alone = np.concatenate([model.predict_quantiles([[x]]) for x in (0.0, 1.6, 3.3)])
    assert together.tolist() == alone.tolist()


@pytest.mark.parametrize("aggregate", ["mean", "median", "linear"])
def test_leave_one_out_equals_refitting(aggregate):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2))
    y = X[:, 0] + rng.normal(size=30)
    curve = KNNRegressor(scale=None, k_max=9, aggregate=aggregate).fit(X, y).loo_curve_
    for k in (1, 4, 9):
        model = KNNRegressor(k, scale=None, aggregate=aggregate)
        found = np.array([model.fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0] for i in range(30)])
        expected = 1 - np.sum((found - y) ** 2) / np.sum((y - y.mean()) ** 2)
        assert curve.score[k - 1] == pytest.approx(expected, abs=1e-9)


def test_leave_one_out_equals_scikit_learn():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(50, 3))
    y = X[:, 0] ** 2 + X[:, 1]
    curve = KNNRegressor(scale=None, k_max=7).fit(X, y).loo_curve_
    for k in (1, 3, 7):
        found = cross_val_predict(KNeighborsRegressor(k), X, y, cv=LeaveOneOut())
        assert curve.score[k - 1] == pytest.approx(1 - np.sum((found - y) ** 2) / np.sum((y - y.mean()) ** 2))


def test_weights_are_repetitions_in_mean_median_and_curve():
    X, y = tied_rows(8, n=20)
    mass = np.random.default_rng(0).integers(0, 4, size=20)
    queries = np.random.default_rng(1).integers(0, 8, size=(15, 2)) / 2
    for aggregate in ("mean", "median"):
        weighted = KNNRegressor(4, aggregate=aggregate).fit(X, y, sample_weight=mass)
        repeated = KNNRegressor(4, aggregate=aggregate).fit(np.repeat(X, mass, axis=0), np.repeat(y, mass))
        np.testing.assert_allclose(weighted.predict(queries), repeated.predict(queries))
        a = KNNRegressor(k_max=8, aggregate=aggregate).fit(X, y, sample_weight=mass).loo_curve_
        b = KNNRegressor(k_max=8, aggregate=aggregate).fit(np.repeat(X, mass, axis=0), np.repeat(y, mass)).loo_curve_
        np.testing.assert_allclose(a.score, b.score)
        np.testing.assert_allclose(a.standard_error, b.standard_error)


def test_mixed_columns_and_missing_cells():
    frame = pd.DataFrame({"size": [1.0, 2.0, np.nan, 5.0], "color": ["red", "red", "blue", None]})
    model = KNNRegressor(1).fit(frame, [1.0, 2.0, 3.0, 4.0])
    assert model.predict(pd.DataFrame({"size": [1.9], "color": ["red"]})).tolist() == [2.0]
    with pytest.raises(DataError, match="numeric columns"):
        KNNRegressor(2, aggregate="linear").fit(frame, [1.0, 2.0, 3.0, 4.0]).predict(frame)


def test_wrong_parameters_are_named():
    X, y = tied_rows()
    with pytest.raises(ParameterError, match="aggregate"):
        KNNRegressor(aggregate="mode").fit(X, y)
    with pytest.raises(DataError, match="expected numbers"):
        KNNRegressor().fit(X, np.repeat(["a", "b"], 12))
    with pytest.raises(ParameterError, match=r"each a finite number from 0 to 1; got \[1\.5\]"):
        KNNRegressor(2).fit(X, y).predict_quantiles(X, [1.5])


def test_a_distance_that_learns_from_classes_is_refused():
    with pytest.raises(ParameterError, match=r"'hvdm' learns from classes(.|\n)*heom"):
        KNNRegressor(distance="hvdm").fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0])


def test_equal_targets_have_no_spread_however_they_are_weighted():
    """The spread of equal targets was what rounding left of a difference of squares."""
    rng = np.random.default_rng(0)
    X, asked = rng.normal(size=(40, 2)), rng.normal(size=(30, 2))
    y = np.where(np.arange(40) < 3, 0.1, 1.7)
    for times in (np.ones(40, dtype=int), rng.integers(1, 4, 40)):
        model = KNNRegressor(5, weights="distance").fit(X, y, sample_weight=times)
        near = model.kneighbors(asked, 5)[1]
        alike = np.all(y[near] == y[near[:, :1]], axis=1)
        assert alike.sum() > 10
        assert np.all(model.predict(asked, return_std=True)[1][alike] == 0.0)


@pytest.mark.parametrize("large", [1e6, 1e10, 1e17, 1e160, 1.7e308])
def test_one_large_target_costs_the_others_no_digits(large):
    """All targets were centred by their common mean: the others lost their digits, and their spread became 0."""
    X, y = np.arange(6.0)[:, None], np.array([1.1, 2.2, 3.3, 4.4, 5.5, large])
    assert KNNRegressor(1, scale=None).fit(X, y).predict(X).tolist() == y.tolist()
    mean, std = KNNRegressor(2, scale=None).fit(X, y).predict([[0.4], [4.6]], return_std=True)
    assert mean == pytest.approx([1.65, 2.75 + large / 2], rel=1e-14)
    assert std == pytest.approx([0.55, large / 2 - 2.75], rel=1e-14)


@pytest.mark.parametrize("k", [1, 3, 7])
def test_means_and_spreads_of_targets_of_any_size_against_loops(k):
    rng = np.random.default_rng(k)
    X, y = rng.normal(size=(300, 2)), np.exp(6 * rng.normal(size=300))
    X[:60] = X[60:120]  # copies, whose targets differ
    asked = rng.normal(size=(80, 2))
    means, stds = KNNRegressor(k, scale=None).fit(X, y).predict(asked, return_std=True)
    for row, mean, std in zip(asked, means, stds, strict=True):
        far = np.linalg.norm(X - row, axis=1)
        edge = np.sort(far)[k - 1]
        near, tied = far < edge - 1e-12, np.abs(far - edge) <= 1e-12
        share = near + tied * (k - near.sum()) / tied.sum()
        wanted = sum(w * v for w, v in zip(share, y, strict=True)) / k
        assert mean == pytest.approx(wanted, rel=1e-13)
        squares = sum(w * (v - wanted) ** 2 for w, v in zip(share, y, strict=True)) / k
        assert std == pytest.approx(np.sqrt(squares), rel=1e-12, abs=1e-13 * wanted)


def test_equal_targets_have_no_spread():
    X = np.repeat(np.arange(10.0), 3)[:, None]
    _, stds = KNNRegressor(7, scale=None).fit(X, np.full(30, 0.1)).predict([[2.2], [5.0]], return_std=True)
    assert stds.tolist() == [0.0, 0.0]


def test_targets_of_a_fitted_model_cannot_be_changed_in_place():
    """Means answered the old numbers, whose sums were kept, and medians the new ones."""
    model = KNNRegressor(1).fit(np.arange(4.0)[:, None], [1.0, 2.0, 3.0, 4.0])
    model.predict([[0.0]])
    with pytest.raises(ValueError, match="read-only"):
        model.y_[:] = 7.0


def test_copies_that_are_left_have_no_spread_where_they_are_equal():
    """What rounding leaves of a difference of squares became its root."""
    model = KNNRegressor(1, scale=None).fit([[0.0]] * 3 + [[1.0], [2.0]], [0.1, 0.1, 1e4, 5.0, 6.0])
    means, stds = model.predict(None, return_std=True)
    assert means[2] == pytest.approx(0.1)
    assert stds[2] == 0.0
    assert stds[0] == pytest.approx((1e4 - 0.1) / 2)
