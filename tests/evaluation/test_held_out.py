"""One split, and test rows of their own."""

from __future__ import annotations

import numpy as np
import pytest

import sepal
from sepal.evaluation import evaluate
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier, KNNRegressor


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(100, 2))
    return X, np.array(["a"] * 70 + ["b"] * 20 + ["c"] * 10)


def test_a_share_of_each_class_trains(rows):
    X, y = rows
    found = evaluate(KNNClassifier(1), X, y, cv=0.66)
    assert found.fold_sizes.tolist() == [[66, 34]]
    answered = {label: int((found.classes[found.actual] == label).sum()) for label in "abc"}
    for label, n in (("a", 70), ("b", 20), ("c", 10)):
        assert abs(answered[label] - 0.34 * n) < 1
    model = KNNClassifier(1).fit(np.delete(X, found.rows, axis=0), np.delete(y, found.rows))
    np.testing.assert_array_equal(found.classes[found.predicted], model.predict(X[found.rows]))
    assert found.random_state == 0


def test_the_split_does_not_depend_on_the_order_of_rows(rows, rng):
    X, y = rows
    order = rng.permutation(100)
    first, second = evaluate(KNNClassifier(1), X, y, cv=0.5), evaluate(KNNClassifier(1), X[order], y[order], cv=0.5)
    assert set(first.rows.tolist()) == set(order[second.rows].tolist())
    other = evaluate(KNNClassifier(1), X, y, cv=0.5, random_state=2)
    assert set(other.rows.tolist()) != set(first.rows.tolist())


def test_groups_are_on_one_side(rows):
    X, y = rows
    groups = np.arange(100) // 7
    found = evaluate(KNNClassifier(1), X, y, cv=0.6, groups=groups)
    trained = np.setdiff1d(np.arange(100), found.rows)
    assert not set(groups[found.rows]) & set(groups[trained])
    assert 53 <= len(trained) <= 60


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 1.5, 0.001, float("nan")])
def test_shares_that_leave_nothing(rows, share):
    with pytest.raises(ParameterError, match="a share between 0 and 1"):
        evaluate(KNNClassifier(1), *rows, cv=share)


def test_test_rows_of_their_own():
    train, test = sepal.datasets.load("ripley-train"), sepal.datasets.load("ripley-test")
    found = evaluate(KNNClassifier(5), train, test=test)
    model = KNNClassifier(5).fit(train)
    assert found.n_right == int((model.predict(test) == test.y).sum())
    assert found.rows.tolist() == list(range(1000))
    assert (found.random_state, len(found.fold_sizes)) == (None, 1)
    again = evaluate(KNNClassifier(5), train.values, train.y, test=(test.values, test.y))
    np.testing.assert_array_equal(again.predicted, found.predicted)


def test_levels_and_columns_go_by_name():
    import pandas as pd

    train = pd.DataFrame({"x": [0.0, 1.0, 5.0, 6.0], "colour": ["red", "red", "blue", "blue"]})
    test = pd.DataFrame({"colour": ["blue", "green", "red"], "x": [5.5, 5.2, 0.4]})
    found = evaluate(KNNClassifier(1), train, ["no", "no", "yes", "yes"], test=(test, ["yes", "yes", "no"]))
    assert found.n_right == 3
    numbers = evaluate(KNNRegressor(1), train, [0.0, 1.0, 5.0, 6.0], test=(test, [5.0, 5.0, 0.0]))
    assert numbers.predicted.tolist() == [5.5, 5.0, 0.0]


def test_known_test_rows_are_told(rows):
    X, y = rows
    found = evaluate(KNNClassifier(1), X, y, test=(X[:5], y[:5]))
    assert found.test_mode == "test rows of their own, 5 of them equal to training rows"


def test_labels_of_another_type(rows):
    X, y = rows
    with pytest.raises(DataError, match="numbers and texts do not name the same classes"):
        evaluate(KNNClassifier(1), X, y, test=(X, np.zeros(100, dtype=int)))
    with pytest.raises(DataError, match="no target to compare with"):
        evaluate(KNNClassifier(1), X, y, test=X)
