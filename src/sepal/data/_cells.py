"""Cells as people wrote them: whole numbers without a point, levels by name, None where a cell is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.data._apart import Apart
from sepal.data._table import Table

LARGEST_WHOLE = 2.0**53


def column_cells(table: Table, column: int) -> list[Any]:
    """The cells of a feature column.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> column_cells(as_table([[1.5, "red"], [2.0, "blue"]]), 0)
    [1.5, 2]
    """
    levels = table.levels[column]
    cells = table.values[:, column].tolist()
    if levels is None:
        return [_number(cell) for cell in cells]
    return [None if cell != cell else levels[int(cell)] for cell in cells]


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
