from __future__ import annotations

import numpy as np
import pytest

import sepal.datasets
from sepal.data import as_table
from sepal.evaluation import leave_one_out_curve
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier, KNNRegressor
from sepal.measures import thornton_score
from tests.oracles import knn as oracle
from tests.oracles.neighbors import pairwise, squared_euclidean


def test_athletes():
    curve = leave_one_out_curve(sepal.datasets.load("athletes"), scale=None)
    # A plain loop over the 20 unscaled rows: 20, 16, 16 and 12 are right.
    np.testing.assert_allclose(curve.score[[0, 2, 4, 18]], [1.0, 0.8, 0.8, 0.6])
    np.testing.assert_allclose(curve.standard_error[2], np.sqrt(0.8 * 0.2 / 20))


def test_k_1_is_thorntons_index_where_nothing_is_tied():
    for name in ("sonar", "ripley-test"):
        table = sepal.datasets.load(name)
        assert leave_one_out_curve(table, k_max=1).score[0] == pytest.approx(thornton_score(table))


def test_a_group_is_left_out_whole():
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(24, 2)), rng.integers(0, 2, size=24), np.repeat(np.arange(8), 3)
    curve = leave_one_out_curve(X, y, groups=groups, scale=None, k_max=9)
    right = np.empty((24, 9))
    for g in range(8):
        out = groups == g
        for k in range(1, 10):
            right[out, k - 1] = KNNClassifier(k, scale=None).fit(X[~out], y[~out]).predict(X[out]) == y[out]
    np.testing.assert_allclose(curve.score, right.mean(axis=0))
    totals = np.stack([(right - right.mean(axis=0))[groups == g].sum(axis=0) for g in range(8)]) / 24
    np.testing.assert_allclose(curve.standard_error, np.sqrt((totals**2).sum(axis=0)))


def test_copies_do_not_fool_it():
    """Exact copies answered for the row that was left out, which makes leave-one-out too kind (cleanlab #1119)."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, size=40)  # no relation at all
    doubled, labels, subject = np.vstack([X, X]), np.tile(y, 2), np.tile(np.arange(40), 2)
    assert leave_one_out_curve(doubled, labels, groups="rows", k_max=1).score[0] == 1.0
    honest = leave_one_out_curve(doubled, labels, groups=subject, k_max=1).score[0]
    assert honest == pytest.approx(leave_one_out_curve(X, y, k_max=1).score[0])
    assert leave_one_out_curve(doubled, labels, k_max=1).score[0] == pytest.approx(honest)


def test_regression_by_group():
    rng = np.random.default_rng(2)
    X, groups = rng.normal(size=(20, 2)), np.repeat(np.arange(5), 4)
    y = X[:, 0] + 0.5
    curve = leave_one_out_curve(X, y, groups=groups, scale=None, k_max=6)
    assert curve.measure == "r2"
    found = np.empty(20)
    for g in range(5):
        out = groups == g
        found[out] = KNNRegressor(4, scale=None).fit(X[~out], y[~out]).predict(X[out])
    assert curve.score[3] == pytest.approx(1 - np.sum((found - y) ** 2) / np.sum((y - y.mean()) ** 2))


def test_training_and_test_lines():
    train, test = sepal.datasets.load("ripley-train"), sepal.datasets.load("ripley-test")
    curve = leave_one_out_curve(train, k_max=33, scale="standard", training=True, test=test)
    assert curve.training[0] == 1.0
    # scikit-learn's KNeighborsClassifier(33) behind its StandardScaler has 96 of the 1,000 test rows wrong.
    assert curve.test[32] == pytest.approx(1 - 0.096)
    model = KNNClassifier(7, scale="standard").fit(train)
    assert curve.training[6] == pytest.approx(model.score(train, train.y))
    X = np.arange(9.0)[:, None]
    curve = leave_one_out_curve(X, X.ravel() + 0.5, training=True, test=(X + 0.2, X.ravel() + 0.5), k_max=2)
    assert curve.training[0] == 1.0
    assert curve.test[0] == 1.0


def test_plot_shows_the_lines():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    curve = leave_one_out_curve(sepal.datasets.load("athletes"), training=True, k_max=5)
    ax = curve.plot(bayes=0.95)
    assert {line.get_label() for line in ax.lines} >= {"leave-one-out", "training", "majority", "Bayes"}
    plt.close("all")
    assert curve.frame().columns.tolist() == ["k", "accuracy", "standard_error", "training"]
    assert "k = 1" in str(curve)


def test_wrong_input_is_refused():
    table = sepal.datasets.load("athletes")
    with pytest.raises(DataError, match="one group"):
        leave_one_out_curve(table, groups=np.zeros(20))
    with pytest.raises(DataError, match="groups: expected one label"):
        leave_one_out_curve(table, groups=[1, 2])
    with pytest.raises(DataError, match="only 10 rows remain"):
        leave_one_out_curve(table, groups=np.arange(20) // 10, k_max=12)
    with pytest.raises(ParameterError, match="task"):
        leave_one_out_curve(table, task="clustering")
    with pytest.raises(DataError, match="no target"):
        leave_one_out_curve(np.zeros((3, 1)))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_mixed_table_with_missing_cells(weights):
    table = sepal.datasets.load("hepatitis")
    first = table.take(np.arange(0, 155, 3))
    curve = leave_one_out_curve(first, weights=weights, k_max=8)
    for k in (1, 5, 8):
        model = KNNClassifier(k, weights=weights)
        scaled = model.fit(first).neighborhood_
        D = np.full((first.n_rows, first.n_rows), np.nan)
        points, fitted = scaled.search.fitted.embed(first), scaled.search.fitted
        for i in range(first.n_rows):
            for j in range(first.n_rows):
                total = 0.0
                for f in range(points.shape[1]):
                    a, b = points[i, f], points[j, f]
                    if np.isnan(a) or np.isnan(b):
                        total += 1.0
                    else:
                        total += (a - b) ** 2 if f < fitted.n_numeric else float(a != b)
                D[i, j] = total
        codes = np.unique(first.y, return_inverse=True)[1].tolist()
        expected = oracle.loo_accuracy(D, codes, k, weights)
        if not np.isnan(expected):
            assert curve.score[k - 1] == pytest.approx(expected)


def test_oracle_and_curve_agree_on_whole_numbers():
    table = as_table(np.random.default_rng(4).integers(0, 3, size=(18, 3)).astype(float), np.arange(18) % 2)
    D = pairwise(squared_euclidean, table.values, table.values)
    curve = leave_one_out_curve(table, scale=None)
    known = 0
    for k in range(1, 18):
        expected = oracle.loo_accuracy(D, (np.arange(18) % 2).tolist(), k)
        if not np.isnan(expected):
            known += 1
            assert curve.score[k - 1] == pytest.approx(expected)
    assert known >= 4
