"""Rows of plain numbers are read without detours: the same answers, the same errors, the same warnings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sepal.data import as_table
from sepal.estimators._plain_rows import plain_rows
from sepal.exceptions import DataError
from sepal.learners import KNNClassifier, KNNRegressor
from sepal.machines import SVMClassifier
from tests.drawn import drawn, normal

X, ASKED = drawn(0, lambda rng: np.split(rng.random((85, 3)), [60]))
Y = np.where(X[:, 0] + 0.4 * normal(1, 60) > 0.5, "yes", "no")
NAMES = ["a", "b", "c"]


@pytest.mark.parametrize("model", [KNNClassifier(5), KNNClassifier(4), KNNRegressor(3), SVMClassifier()])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_every_container_gives_the_answer_of_a_table(model, frame):
    y = X[:, 0] if isinstance(model, KNNRegressor) else Y
    names = dict(zip(NAMES, X.T, strict=True))
    model.fit(frame(names), y)
    wanted = model.predict(as_table(ASKED, names=NAMES))
    asked = frame(dict(zip(NAMES, ASKED.T, strict=True)))
    np.testing.assert_array_equal(model.predict(asked), wanted)
    np.testing.assert_array_equal(model.predict(asked[["c", "a", "b"]]), wanted)  # in another order
    one_by_one = np.concatenate([model.predict(asked[i : i + 1]) for i in range(len(ASKED))])
    np.testing.assert_array_equal(one_by_one, wanted)


def test_arrays_by_place_whatever_their_layout():
    model = KNNClassifier(3).fit(X, Y)
    wanted = model.predict(as_table(ASKED))
    rounded = ASKED.astype(np.float32)
    for asked in (ASKED, np.asfortranarray(ASKED), ASKED.tolist(), np.repeat(ASKED, 2, axis=0)[::2]):
        np.testing.assert_array_equal(model.predict(asked), wanted)
    np.testing.assert_array_equal(model.predict(rounded), model.predict(rounded.astype(np.float64)))


def test_rows_are_copied():
    columns, given = as_table(X), ASKED.copy()
    table = plain_rows(given, columns, None)
    given[:] = 0.0
    np.testing.assert_array_equal(table.values, ASKED)
    assert (table.names, table.kinds, table.levels) == (columns.names, columns.kinds, columns.levels)


@pytest.mark.parametrize(
    "given",
    [
        np.full((2, 3), np.nan),
        np.array([[1.0, 2.0, np.inf]]),
        np.ones((2, 4)),
        np.ones(3),
        np.ones((0, 3)),
        np.array([["1", "2", "3"]]),
        np.ones((1, 3), dtype=bool),
        [[1.0, 2.0, 3.0]],
        pd.DataFrame({"a": [1.0], "b": ["x"], "c": [2.0]}),
    ],
    ids=["missing", "infinite", "columns", "flat", "empty", "texts", "bits", "lists", "mixed"],
)
def test_what_needs_a_second_look_gets_one(given):
    names = tuple(given.columns) if isinstance(given, pd.DataFrame) else None
    assert plain_rows(given, as_table(X, names=NAMES), names) is None


def test_a_nominal_column_is_no_number():
    columns = as_table([[1.0, "red"], [2.0, "blue"]])
    assert plain_rows(np.ones((1, 2)), columns, None) is None


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (np.ones((1, 4)), "X has 4 features, but KNNClassifier is expecting 3 features as input"),
        (np.ones(3), "Expected 2D array, got 1D array instead"),
        (np.ones((0, 3)), "Found array with 0 sample"),
        (np.array([[1.0, np.inf, 0.0]]), "inf"),
    ],
)
def test_the_errors_are_those_of_the_general_way(given, text):
    with pytest.raises(DataError, match=text):
        KNNClassifier(3).fit(X, Y).predict(given)


def test_an_array_for_named_columns_is_still_warned_of():
    model = KNNClassifier(3).fit(pd.DataFrame(X, columns=NAMES), Y)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(ASKED)
