"""Rows that form no table: texts, graphs, sequences of several lengths. A function compares them as they are."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any

import numpy as np
from scipy.sparse import issparse

from sepal.data import Table, is_frame
from sepal.exceptions import DataError

_CELLS = (list, tuple, np.ndarray)  # a row of a table, if all have the same length


def object_rows(X: Any) -> list[Any] | None:
    """The rows as a list; None for a table, and for whatever is none and no list of objects either.

    >>> object_rows(["A A", "B"]), object_rows([[1, 2], [3]]), object_rows([[1, 2], [3, 4]]), object_rows([1.0, 2.0])
    (['A A', 'B'], [[1, 2], [3]], None, None)
    """
    if isinstance(X, (str, bytes, Mapping, Table)) or not hasattr(X, "__len__") or getattr(X, "ndim", 1) != 1:
        return None
    if issparse(X) or is_frame(X) or len(X) == 0:
        return None
    rows = list(X)
    if any(isinstance(row, Number) or row is None for row in rows):
        return None
    if all(isinstance(row, _CELLS) for row in rows) and len({len(row) for row in rows}) == 1:
        return None
    return rows


def new_object_rows(X: Any) -> list[Any]:
    """The same, where the training rows were such."""
    rows = object_rows(X)
    if rows is None:
        raise DataError(
            f"X: the training rows were objects of their own, one for each row; found {type(X).__name__}",
            hint="give a list with one object for each row",
        )
    return rows


def object_array(rows: list[Any]) -> Any:
    """One cell for each row, whatever it holds."""
    array = np.empty(len(rows), dtype=object)
    for place, row in enumerate(rows):
        array[place] = row
    return array
