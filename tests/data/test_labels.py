"""Labels to class codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sepal.data import as_table, class_codes
from sepal.exceptions import DataError


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "b", "c"],
        np.array(["b", "a", "b", "c"], dtype=object),
        pd.Series(["b", "a", "b", "c"]),
        pl.Series(["b", "a", "b", "c"]),
        [2, 1, 2, 3],
        [2.0, 1.0, 2.0, 3.0],
        np.array([20, 10, 20, 30], dtype=np.uint8),
        np.array(["2002", "2001", "2002", "2003"], dtype="datetime64[Y]"),
    ],
)
def test_sorted_classes(y: Any) -> None:
    codes, classes = class_codes(y)
    assert codes.dtype == np.int32
    assert codes.tolist() == [1, 0, 1, 2]
    assert classes[codes].tolist() == np.asarray(y).tolist()


def test_booleans() -> None:
    codes, classes = class_codes([True, False, True])
    assert (codes.tolist(), classes.tolist()) == ([1, 0, 1], [False, True])


def test_declared_order_is_kept_and_absent_classes_are_left_out() -> None:
    y = pd.Series(pd.Categorical(["low", "high", "low"], categories=["low", "middle", "high"]))
    for data in (y, as_table([[1], [2], [3]], y)):
        codes, classes = class_codes(data)
        assert (codes.tolist(), classes.tolist()) == ([0, 1, 0], ["low", "high"])


def test_declared_order_survives_taking_rows() -> None:
    table = as_table([[1], [2], [3]], pd.Series(pd.Categorical(["z", "a", "z"], categories=["z", "a"])))
    codes, classes = class_codes(table.take([1, 2]))
    assert (codes.tolist(), classes.tolist()) == ([1, 0], ["z", "a"])


def test_few_distinct_fractions_are_labels() -> None:
    codes, classes = class_codes([0.5, 1.5] * 10)
    assert classes.tolist() == [0.5, 1.5]
    assert codes.tolist() == [0, 1] * 10


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (None, "there is no target"),
        (as_table([[1.0], [2.0]]), "there is no target"),
        (["x"] * 20, r'only one class, "x", in all 20 rows'),
        (
            as_table([[1.0], [2.0]], pd.Series([7, 7], name="kind")),
            'target "kind": .* only one class, 7, in all 2 rows',
        ),
        ([], "expected at least two classes, found no label"),
        (["a", None], "row 1: expected a label, found a missing value"),
        (
            np.linspace(0, 1, 30),
            "continuous.* 30 distinct numbers in 30 rows(.|\n)*to predict numbers use KNNRegressor",
        ),
        (np.repeat(np.linspace(0, 1, 21), 10), "continuous"),
        ([0.5, 1.5, 2.5], "continuous"),
        (np.array([(1, 2), "a"], dtype=object), "labels of one type"),
    ],
)
def test_refused(data: Any, text: str) -> None:
    with pytest.raises(DataError, match=text):
        class_codes(data)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.uint8, np.uint64])
def test_whole_numbers_up_to_the_ends_of_their_type(dtype: Any) -> None:
    """However the distinct numbers are found: the smallest and largest of a type, close together or far apart."""
    ends = np.iinfo(dtype)
    low, high = int(ends.min), int(ends.max)
    for wanted in ([low, low + 2, low + 3], [high - 3, high], [low, high]):
        y = np.array([wanted[i % len(wanted)] for i in range(300)], dtype=dtype)
        codes, classes = class_codes(y)
        assert classes.tolist() == wanted
        assert classes.dtype == dtype
        assert codes.tolist() == [i % len(wanted) for i in range(300)]
