"""One split, and test rows of their own."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit
from sklearn.svm import SVC

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


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 1.5, float("nan")])
def test_shares_that_are_none(rows, share):
    with pytest.raises(ParameterError, match="a share between 0 and 1"):
        evaluate(KNNClassifier(1), *rows, cv=share)


@pytest.mark.parametrize(("share", "lost"), [(0.001, "train on"), (0.999, "answer")])
def test_shares_that_leave_nothing(rows, share, lost):
    """A share between 0 and 1 was said to be none."""
    with pytest.raises(ParameterError, match=f"cv={share}: of 100 rows this leaves none to {lost}") as refused:
        evaluate(KNNClassifier(1), *rows, cv=share)
    assert refused.value.hint == "cv=0.5, --split 50"


@pytest.mark.parametrize("cv", [0.5, 2, "loo"])
def test_one_row_cannot_be_held_out(cv):
    with pytest.raises(DataError, match="there is 1 row only, and none can be held out"):
        evaluate(KNNRegressor(1), [[1.0, 2.0]], [1.5], cv=cv)


@pytest.mark.parametrize("learner", [KNNClassifier(1), KNNRegressor(1)])
@pytest.mark.parametrize(("n_groups", "cv"), [(2, 10), (2, 3), (3, 10)])
def test_more_folds_than_groups_are_refused(learner, n_groups, cv):
    """It was the bare ValueError of scikit-learn; three groups of eight rows are three classes, too."""
    X, groups = np.arange(48.0).reshape(24, 2), np.arange(24) % n_groups
    with pytest.raises(
        ParameterError, match=f"cv={cv}: there are {n_groups} groups, and each fold needs one"
    ) as refused:
        evaluate(learner, X, groups, groups=groups, cv=cv)
    assert refused.value.hint == f"cv={n_groups}, --cv {n_groups}"
    with pytest.raises(ParameterError, match="at most the number of rows, 24; got 30"):
        evaluate(learner, X, groups, groups=groups, cv=30)


def test_more_folds_than_different_rows_are_refused():
    X, y = np.repeat(np.arange(8.0).reshape(4, 2), 6, axis=0), np.repeat(["a", "b", "a", "b"], 6)
    with pytest.raises(ParameterError, match="cv=10: there are 4 different rows, whose copies stay together"):
        evaluate(KNNClassifier(1), X, y, groups="copies")


def test_classes_of_fewer_rows_than_folds_are_held_out_by_group():
    """Twelve groups are enough for ten folds, though each class has eight rows."""
    X, y, groups = np.arange(48.0).reshape(24, 2), np.repeat(["a", "b", "c"], 8), np.repeat(np.arange(12), 2)
    found = evaluate(KNNClassifier(1), X, y, groups=groups, cv=10)
    assert len(found.fold_sizes) == 10
    assert sorted(found.rows.tolist()) == list(range(24))
    assert all(len(np.unique(found.fold[groups[found.rows] == group])) == 1 for group in range(12))
    assert found.test_mode == "10-fold cross-validation by group, classes of fewer than 10 rows in fewer folds"


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


def test_labels_that_spell_those_of_the_training_rows(rows):
    """They were refused: numbers and texts do not name the same classes."""
    X, _ = rows
    texts, numbers = np.array(["1", "2"] * 50), np.array([1, 2] * 50)
    found = evaluate(KNNClassifier(1), X, texts, test=(X, numbers))
    assert (found.accuracy, found.classes.tolist()) == (1.0, ["1", "2"])
    assert evaluate(KNNClassifier(1), X, numbers, test=(X, texts)).accuracy == 1.0
    with pytest.raises(DataError, match='holds "3" where that of the training rows holds 1, 2'):
        evaluate(KNNClassifier(1), X, numbers, test=(X, np.array(["1", "3"] * 50)))


def test_labels_of_another_type(rows):
    X, y = rows
    with pytest.raises(DataError, match="numbers and texts do not name the same classes"):
        evaluate(KNNClassifier(1), X, y, test=(X, np.zeros(100, dtype=int)))
    with pytest.raises(DataError, match="no target to compare with"):
        evaluate(KNNClassifier(1), X, y, test=X)


def test_pairs_of_training_and_test_rows_as_splitters_give_them(rows):
    """They were a ValueError of numpy: rows of several lengths."""
    X, y = rows
    splits = list(KFold(7).split(X))
    found = evaluate(KNNClassifier(1), X, y, cv=splits)
    again = evaluate(KNNClassifier(1), X, y, cv=[test for _, test in splits])
    np.testing.assert_array_equal(found.predicted, again.predicted)
    np.testing.assert_array_equal(evaluate(KNNClassifier(1), X, y, cv=KFold(7).split(X)).fold, again.fold)
    with pytest.raises(
        ParameterError, match=r"cv: fold 0 trains on 10 rows, and not on all 85 that it does not answer"
    ):
        evaluate(KNNClassifier(1), X, y, cv=[(train[:10], test) for train, test in splits])


def test_splitters_that_train_on_some_of_the_others_are_refused(rows):
    """Training rows of TimeSeriesSplit were not heeded, so that the future was trained on without a word."""
    X, y = rows
    for splitter in (TimeSeriesSplit(3), ShuffleSplit(1, train_size=0.2, test_size=0.3)):
        with pytest.raises(ParameterError, match=r"cv: fold 0 trains on .* rows, and not on all"):
            evaluate(KNNClassifier(1), X, y, cv=splitter)
    assert evaluate(KNNClassifier(1), X, y, cv=ShuffleSplit(1, test_size=0.3)).n_rows == 30


@pytest.mark.parametrize(
    "labels",
    [
        [date(2020, 1, 1), date(2021, 1, 1)],
        [Decimal(1), Decimal(2)],
        [2**70, 2**70 + 1],
        ["no", "yes"],
        [False, True],
    ],
)
@pytest.mark.parametrize("groups", [None, np.arange(100) // 4])
def test_folds_are_the_same_whatever_classes_are_called(rows, labels, groups):
    """Dates, Decimals and numbers beyond 64 bits were a ValueError of scikit-learn: Supported target types are ..."""
    X, y = rows
    codes = np.unique(y, return_inverse=True)[1] % 2
    plain = evaluate(KNNClassifier(1), X, codes, groups=groups)
    found = evaluate(KNNClassifier(1), X, [labels[code] for code in codes], groups=groups)
    assert found.fold.tolist() == plain.fold.tolist()
    assert found.confusion.tolist() == plain.confusion.tolist()


@pytest.mark.parametrize(
    ("model", "n_jobs"),
    [(KNNClassifier(1), None), (sepal.SVMClassifier(), None), (SVC(), None), (KNNClassifier(1), 2)],
)
def test_a_fold_that_leaves_one_class_is_named(model, n_jobs):
    """It said that the target has one class only in all 4 rows, and to check which column it is."""
    X, y, groups = np.arange(8.0)[:, None], np.array(list("aaaabbbb")), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    said = 'fold [01] leaves one class only to learn from, "[ab]", in all 4 rows that are not held out, since groups'
    with pytest.raises(DataError, match=said) as caught:
        evaluate(model, X, y, cv=2, groups=groups, n_jobs=n_jobs)
    assert "fewer folds" in caught.value.hint
    with pytest.raises(DataError, match=r"fold 1 leaves one class only .* held out\nhint: "):
        evaluate(model, X, y, cv=[[0], [4, 5, 6, 7]], n_jobs=n_jobs)
    found = evaluate(DummyClassifier(), X, y, cv=2, groups=groups)  # which needs no other class
    assert found.n_right == 0
