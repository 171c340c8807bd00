"""What no classifier can learn is refused by all of them, in the same words."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier

import sepal
from sepal.data import as_table
from sepal.exceptions import CellTypeError, DataError
from sepal.machines import SVMClassifier
from tests.estimators.every_estimator import EVERY

X = np.modf(np.outer(np.arange(1.0, 13.0), np.sqrt([2.0, 3.0])))[0]
CLASSIFIERS = [each for each in EVERY if is_classifier(each)]
WRONG = {
    "missing, an array": np.array([*["a", "b"] * 5, "a", None], dtype=object),
    "missing, a list": [*["a", "b"] * 5, "a", None],
    "missing, a series": pd.Series([*["a", "b"] * 5, "a", None]),
    "missing, a number": np.array([*[0.0, 1.0] * 5, 0.0, np.nan]),
}


@pytest.mark.parametrize("y", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda each: type(each).__name__)
def test_missing_labels(model, y):
    """The machines told that "'<' is not supported between NoneType and str"."""
    with pytest.raises(DataError, match=r"y, row 11: expected a label, found a missing value .* 1 of 12 are missing"):
        model.fit(X, y)


@pytest.mark.parametrize("y", [[1, "a"] * 6, np.array([1, "a"] * 6, dtype=object)], ids=["list", "array"])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda each: type(each).__name__)
def test_labels_of_two_types(model, y):
    """The machines learned a list as texts, and called an array a regression target."""
    with pytest.raises(DataError, match='y: expected labels of one type, found 1 and "a"'):
        model.fit(X, y)


@pytest.mark.parametrize("y", [np.array([b"a", b"b"] * 6), [b"a", b"b"] * 6], ids=["array", "list"])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda each: type(each).__name__)
def test_bytes(model, y):
    """Some were fitted, and their score was a TypeError."""
    with pytest.raises(
        CellTypeError, match="y, row 0: expected a text or a whole number as label, found the bytes b'a'"
    ):
        model.fit(X, y)


@pytest.mark.parametrize("y", [np.array([1.0, 0.6, 0.1] * 4), pd.Series([1.0, 0.6, 0.1] * 4)], ids=["array", "series"])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda each: type(each).__name__)
def test_numbers_that_are_not_whole(model, y):
    """Some were fitted, and their score was scikit-learn's ValueError "continuous is not supported"."""
    with pytest.raises(
        DataError, match=r"Unknown label type: continuous\. y, row 1: expected classes, found 0\.6"
    ) as error:
        model.fit(X, y)
    assert "SepalRegressor" in error.value.hint


def test_sparse_rows_and_tables_and_further_rows():
    halves = np.array([1.0, 0.6, 0.1] * 4)
    for model in (SVMClassifier(), sepal.KNNClassifier(1)):
        with pytest.raises(DataError, match=r"found 0\.6, which is not whole"):
            model.fit(csr_array(X), halves)
    with pytest.raises(DataError, match=r"found 0\.6, which is not whole"):
        sepal.KNNClassifier(1).fit(as_table(X, halves))
    known = sepal.KNNClassifier(1).fit(X, [0, 1] * 6)
    with pytest.raises(DataError, match=r"found 0\.6, which is not whole"):
        known.partial_fit(X, halves)


LARGE = 2**53
TYPED = {
    "Int64": (pd.Series([LARGE, LARGE + 1, LARGE + 2] * 4, dtype="Int64"), [LARGE, LARGE + 1, LARGE + 2]),
    "Int64 array": (pd.array([LARGE, LARGE + 1] * 6, dtype="Int64"), [LARGE, LARGE + 1]),
    "boolean": (pd.Series([True, False] * 6, dtype="boolean"), [False, True]),
    "objects, whole": (np.array([0, 1] * 6, dtype=object), [0, 1]),
    "objects, truth values": (np.array([True, False] * 6, dtype=object), [False, True]),
    "objects, series": (pd.Series([2, 1] * 6, dtype=object), [1, 2]),
    "objects, whole floats": (np.array([0.0, 2.0] * 6, dtype=object), [0.0, 2.0]),
    "beyond 64 bits": ([2**70, 2**70 + 1] * 6, [2**70, 2**70 + 1]),
    "decimals": (np.array([Decimal(2), Decimal(1)] * 6, dtype=object), [Decimal(1), Decimal(2)]),
    "months": (pd.Series(pd.period_range("2020-01", periods=2, freq="M").repeat(6)), None),
}
if hasattr(np.dtypes, "StringDType"):
    TYPED["numpy's new texts"] = (np.array(["b", "a"] * 6, dtype=np.dtypes.StringDType()), ["a", "b"])


@pytest.mark.parametrize(("y", "classes"), TYPED.values(), ids=TYPED)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda each: type(each).__name__)
def test_labels_keep_their_type_whatever_holds_them(model, y, classes):
    """Some read them as floats, so that classes fell together; some refused objects, or could not score them."""
    fitted = clone(model).fit(X, y)
    wanted = sorted(set(y)) if classes is None else classes
    assert fitted.classes_.tolist() == wanted
    assert [type(label) for label in fitted.classes_.tolist()] == [type(label) for label in wanted]
    answers = fitted.predict(X).tolist()
    truth = list(y)
    assert fitted.score(X, y) == pytest.approx(sum(a == b for a, b in zip(answers, truth, strict=True)) / 12)


def test_whole_floats_are_classes():
    model = sepal.KNNClassifier(1).fit(X, np.array([0.0, 2.0] * 6))
    assert model.score(X, np.array([0.0, 2.0] * 6)) == 1.0


def test_evaluating_refuses_them_too():
    """It was a ValueError of scikit-learn's folds; of the command a traceback."""
    with pytest.raises(DataError, match=r"row 1: expected classes, found 0\.6") as error:
        sepal.evaluate(sepal.KNNClassifier(1), X, np.array([1.0, 0.6, 0.1] * 4), cv=2)
    assert "--task classify" in error.value.hint
