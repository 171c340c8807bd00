"""Cells as people wrote them: whole numbers without a point, levels by name, dates, None where a cell is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.data._apart import Apart
from sepal.data._table import Table

LARGEST_WHOLE = 2.0**53


def column_cells(table: Table, column: int, *, as_numbers: bool = False) -> list[Any]:
    """The cells of a feature column; see :func:`cell_of`.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> column_cells(as_table([[1.5, "red"], [2.0, "blue"]]), 0)
    [1.5, 2]
    """
    return [cell_of(table, column, cell, as_numbers=as_numbers) for cell in table.values[:, column].tolist()]


def cell_of(table: Table, column: int, code: float, *, as_numbers: bool = False) -> Any:
    """What a number in a column of the table stands for: a level, a date, or itself.

    A number is told as it stood in its file (1,5); ``as_numbers`` is for whoever goes on with it (1.5).
    """
    if code != code:
        return None
    levels, written = table.levels[column], table.written.get(table.names[column])
    if levels is not None:
        return levels[int(code)]
    text = None if written is None or (as_numbers and not written.dates) else written.text(code)
    return _number(code) if text is None else text


def apart_cells(column: Apart) -> list[Any]:
    """The cells of a column that was set apart."""
    return [_number(cell) if isinstance(cell, float) else cell for cell in column.values.tolist()]


def row_cells(table: Table, row: int) -> dict[str, Any]:
    """The features of one row, by name."""
    part = table.take(np.array([row]))
    return {name: column_cells(part, j)[0] for j, name in enumerate(table.names)}


def row_identifiers(table: Table, row: int) -> dict[str, Any]:
    """What says which row it is, by name: the columns that were set apart."""
    return {each.name: apart_cells(each.take(np.array([row])))[0] for each in table.apart}


def _number(cell: float) -> float | int | None:
    if cell != cell:
        return None
    return int(cell) if cell == np.floor(cell) and abs(cell) < LARGEST_WHOLE else cell
