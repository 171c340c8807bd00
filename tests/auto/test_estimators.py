"""Classifier and regressor as estimators: the contract, and what must not change an answer."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import sepal
from sepal.auto import SepalClassifier, SepalRegressor
from sepal.exceptions import DataError, ParameterError
from tests.drawn import normal
from tests.machines.contract import contract

X = normal(3, 180, 3)
Y = np.array(["low", "mid", "top"])[np.digitize(X[:, 0] + 0.3 * X[:, 1] ** 2, [-0.3, 0.6])]


# Copies that are rows of their own are not left out together, and trees draw other rows from them (scikit-learn leaves
# its forests out of this check, too): test_weights.py compares all that has no chance in it with copies in groups.
BY_CHANCE = "check_sample_weight_equivalence_on_"


@pytest.fixture
def rng():
    return np.random.RandomState(3)


@pytest.mark.parametrize(
    ("estimator", "check"),
    [each for each in contract([SepalClassifier(), SepalRegressor()]) if BY_CHANCE not in str(each)],
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_row_order_changes_nothing(rng):
    order = rng.permutation(180)
    one, other = SepalClassifier().fit(X, Y), SepalClassifier().fit(X[order], Y[order])
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    np.testing.assert_array_equal(one.left_out_proba_[order], other.left_out_proba_)
    a, b = SepalRegressor().fit(X, X[:, 1]), SepalRegressor().fit(X[order], X[order, 1])
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


@pytest.mark.parametrize("columns", [[2, 0, 1], [1, 0, 2]])
def test_column_order_changes_nothing(columns):
    """Answers of the no-choice models changed with the order of the columns."""
    one, other = SepalClassifier().fit(X, Y), SepalClassifier(n_jobs=1).fit(X[:, columns], Y)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X[:, columns]))
    np.testing.assert_array_equal(one.left_out_proba_, other.left_out_proba_)
    a, b = SepalRegressor().fit(X, X[:, 1]), SepalRegressor().fit(X[:, columns], X[:, 1])
    np.testing.assert_array_equal(a.predict(X), b.predict(X[:, columns]))
    heart = sepal.datasets.load("heart")
    turned = heart.select(np.arange(heart.n_columns)[::-1])
    one, other = SepalClassifier().fit(heart), SepalClassifier().fit(turned)
    np.testing.assert_array_equal(one.predict_proba(heart), other.predict_proba(turned))
    assert one.sample_.names == heart.names


def test_class_names_change_nothing():
    renamed = np.array([{"low": "z", "mid": "a", "top": "k"}[label] for label in Y])
    one, other = SepalClassifier().fit(X, Y), SepalClassifier().fit(X, renamed)
    places = np.argsort(["z", "a", "k"])
    np.testing.assert_allclose(one.predict_proba(X)[:, places], other.predict_proba(X), atol=1e-9)


def test_clone_pickle_and_model_file(tmp_path):
    model = SepalClassifier(balanced=True).fit(X, Y)
    assert clone(model).get_params() == model.get_params()
    expected = model.predict_proba(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), expected)  # noqa: S301 - our own bytes
    path = sepal.save_model(model, tmp_path / "m.sepal")
    np.testing.assert_array_equal(sepal.load_model(path).predict_proba(X), expected)
    numbers = SepalRegressor().fit(X, X[:, 0])
    path = sepal.save_model(numbers, tmp_path / "r.sepal")
    np.testing.assert_array_equal(sepal.load_model(path).predict(X), numbers.predict(X))


def test_the_parameters_are_checked():
    with pytest.raises(ParameterError, match="time_limit must be"):
        SepalClassifier(time_limit=0).fit(X, Y)
    with pytest.raises(ParameterError, match="balanced must be True or False; got 'yes'"):
        SepalClassifier(balanced="yes").fit(X, Y)
    with pytest.raises(DataError, match='y: expected numbers, found "low"\nhint: SepalClassifier'):
        SepalRegressor().fit(X, np.sort(Y))
    with pytest.raises(DataError, match="at least two classes"):
        SepalClassifier().fit(X, np.ones(180))


def test_names_of_classes_change_nothing_where_equal_rows_have_different_ones():
    """Which of them came first went by the name of its class, and so did tenths and draws."""
    for seed in (129, 130):
        rng = np.random.default_rng(seed)
        rows = rng.integers(0, 3, (60, 3)).astype(float)
        y = (rows.sum(axis=1) + rng.integers(0, 4, 60) > 4).astype(int)
        one, other = SepalClassifier(n_jobs=1).fit(rows, y), SepalClassifier(n_jobs=1).fit(rows, 1 - y)
        assert one.leave_one_out_score_ == other.leave_one_out_score_
        np.testing.assert_allclose(other.predict_proba(rows)[:, ::-1], one.predict_proba(rows), atol=1e-9)
