"""KNNClassifier(prototypes=...): the rows that the method keeps vote, under the distance of all rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sepal.datasets
from sepal import prototypes
from sepal.estimators import load_model, save_model
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier
from tests.oracles.neighbors import pairwise, squared_euclidean, squared_heom

METHODS = ["hart", "fcnn", "rnn", "mss", "enn", "drop3", "icf"]


def scaled(table):
    """To [0, 1] by all rows; codes of nominal cells as they are."""
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    low, high = np.nanmin(table.values, axis=0), np.nanmax(table.values, axis=0)
    return np.where(nominal, table.values, (table.values - low) / (high - low)), nominal.tolist()


def squares(table, rows):
    points, nominal = scaled(table)
    if any(nominal) or np.isnan(points).any():
        return pairwise(squared_heom, points, points[rows], nominal)
    return pairwise(squared_euclidean, points, points[rows])


@pytest.mark.parametrize("name", ["ripley-train", "heart", "liver"])
@pytest.mark.parametrize("method", METHODS)
def test_answers_are_those_of_the_nearest_kept_row(name, method):
    table = sepal.datasets.load(name)
    model = KNNClassifier(1, prototypes=method).fit(table)
    kept = getattr(prototypes, method)(table).rows
    np.testing.assert_array_equal(model.rows_, kept)
    assert 0 < len(kept) < table.n_rows
    D = squares(table, kept)
    near = np.min(D, axis=1, keepdims=True) * (1 + 1e-9) + 1e-15
    said = model.predict(table)
    for i in range(table.n_rows):
        assert said[i] in table.y[kept[D[i] <= near[i]]], i


@pytest.mark.parametrize("name", ["breast-cancer", "ripley-train", "hepatitis"])
@pytest.mark.parametrize("method", ["hart", "fcnn", "rss"])
def test_a_consistent_set_answers_its_training_rows(name, method):
    table = sepal.datasets.load(name)
    model = KNNClassifier(1, prototypes=method).fit(table)
    conflicting = getattr(prototypes, method)(table).conflicting_rows
    wrong = np.flatnonzero(model.predict(table) != table.y)
    assert np.isin(wrong, conflicting).all()
    assert len(model.rows_) < 0.5 * table.n_rows


def test_k_is_chosen_among_the_kept_rows_and_the_model_is_saved(tmp_path):
    table = sepal.datasets.load("heart")
    model = KNNClassifier(prototypes="drop3", k_max=5, weights="distance").fit(table)
    assert model.loo_curve_.n_rows == len(model.rows_)
    other = load_model(save_model(model, tmp_path / "m.sepal"))
    np.testing.assert_array_equal(other.predict_proba(table), model.predict_proba(table))
    np.testing.assert_array_equal(other.rows_, model.rows_)


def test_weights_of_columns_reach_the_method():
    table = sepal.datasets.load("liver")
    weights = [5.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    model = KNNClassifier(1, prototypes="hart", feature_weights=weights).fit(table)
    expected = prototypes.hart(table, distance_params={"weights": weights}).rows
    np.testing.assert_array_equal(model.rows_, expected)
    assert not np.array_equal(expected, prototypes.hart(table).rows)


def test_rows_of_weight_zero_are_not_condensed():
    table = sepal.datasets.load("ripley-train")
    weight = np.ones(250)
    weight[:50] = 0.0
    model = KNNClassifier(1, prototypes="fcnn").fit(table, sample_weight=weight)
    expected = 50 + prototypes.fcnn(table.take(np.arange(50, 250))).rows
    np.testing.assert_array_equal(model.rows_, expected)


def test_a_later_copy_is_kept_and_the_first_is_not():
    """Where a later copy was kept and the first was not, numbers of distinct rows were mistaken for rows."""
    X, y = np.array([[0.0], [5.0], [0.0]]), np.array(list("bba"))
    model = KNNClassifier(1, scale=None, ties="index", prototypes=[1, 2]).fit(X, y)
    assert model.predict([[0.1]]).tolist() == ["a"]
    assert model.kneighbors([[0.1], [4.9]])[1].tolist() == [[2], [1]]
    explained = KNNClassifier(1, scale=None).fit([[0.0], [5.0], [0.0], [9.0]], list("abba")).explain([[9.2]])
    assert explained.other_row.tolist() == [1]


@pytest.mark.parametrize("ties", ["index", "expected"])
def test_neighbours_among_kept_rows_with_many_copies(ties):
    """`kneighbors` among prototypes mistook numbers of distinct rows for rows."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        n = int(rng.integers(6, 14))
        X, y = rng.integers(3, size=(n, 1)).astype(float), rng.permutation(np.arange(n) % 2)
        kept = rng.permutation(n)[: int(rng.integers(2, n))]
        if len(set(y[kept])) < 2:
            continue
        model = KNNClassifier(1, scale=None, ties=ties, prototypes=kept).fit(X, y)
        queries = np.array([[0.0], [1.0], [2.0], [0.6]])
        far, k = np.abs(queries - X[np.sort(kept)].T), int(rng.integers(1, len(kept) + 1))
        wanted = [[int(np.sort(kept)[j]) for j in np.lexsort((np.arange(len(kept)), row))[:k]] for row in far]
        assert model.kneighbors(queries, k)[1].tolist() == wanted


def test_in_a_plain_pipeline():
    table = sepal.datasets.load("diabetes")
    model = make_pipeline(StandardScaler(), KNNClassifier(3, prototypes="enn")).fit(table.values, table.y)
    assert model.score(table.values, table.y) > 0.75


def test_one_class_left():
    with pytest.raises(DataError, match="only one class is left among the prototypes"):
        KNNClassifier(1, prototypes="ib3").fit(sepal.datasets.load("athletes"))


def test_wrong_names():
    with pytest.raises(ParameterError, match="prototypes must be one of hart") as caught:
        KNNClassifier(1, prototypes="fcn").fit([[0.0], [1.0]], [0, 1])
    assert "'fcnn'" in str(caught.value)
