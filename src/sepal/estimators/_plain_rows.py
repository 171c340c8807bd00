"""New rows that are what most questions are, finite numbers for numeric columns, read without detours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table


def plain_rows(X: Any, columns: Table, names: tuple[str, ...] | None) -> Table | None:
    """Rows as a Table with the training columns, if nothing about them needs a second look; else None.

    That is: an array of floats, or a data frame whose columns are named and ordered as in training and become one;
    every training column numeric, every cell finite. Whatever is otherwise is for the general way to read or to refuse.

    Parameters
    ----------
    X : Any
        New rows, columns as they stood in training.
    columns : Table
        The training columns.
    names : tuple of str or None
        The names of the columns of ``X``, if it has any.
    """
    cells: NDArray[Any] | None = X if type(X) is np.ndarray else _frame_cells(X) if names == columns.names else None
    if cells is None or cells.dtype.kind != "f" or cells.ndim != 2 or cells.dtype.itemsize > 8:
        return None
    if not len(cells) or cells.shape[1] != columns.n_columns or columns.kinds.count("numeric") != columns.n_columns:
        return None
    values = np.array(cells, dtype=np.float64, order="C")  # a copy of its own: the caller may change the array
    if not np.isfinite(values).all():
        return None
    return Table(values, columns.names, columns.kinds, columns.levels, text_options=columns.text_options)


def _frame_cells(X: Any) -> NDArray[Any] | None:
    """The cells of a pandas or polars data frame that has one type of number; others make arrays of objects."""
    if type(X).__module__.partition(".")[0] not in ("pandas", "polars"):
        return None
    return np.asarray(X.to_numpy())
