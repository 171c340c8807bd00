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
