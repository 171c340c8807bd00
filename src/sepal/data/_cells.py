"""Cells as people wrote them: whole numbers without a point, levels by name, dates, None where a cell is missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sepal.data._apart import Apart
from sepal.data._table import Table
from sepal.data._written import Written

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


def label_cells(table: Table, column: int, like: Iterable[Any] | None) -> list[Any]:
    """The cells of a column as labels, to be compared with classes ``like`` these, or with numbers where it is None.

    Dates are seconds among numbers, and else as classes are called that are dates.
    """
    numbers, name = table.values[:, column], table.names[column]
    written = table.written.get(name)
    if table.levels[column] is not None or written is None or not written.dates:
        return column_cells(table, column, as_numbers=True)
    if like is None or not any(isinstance(label, str) for label in like):
        return [_number(cell) for cell in numbers.tolist()]
    distinct = np.unique(numbers[~np.isnan(numbers)]).tolist()
    called = dict(zip(distinct, class_names(written, distinct), strict=True))
    return [called.get(cell) for cell in numbers.tolist()]


def class_names(written: Written | None, numbers: Iterable[float]) -> list[str]:
    """What numbers are called as classes: dates and times by themselves, in one spelling."""
    dates = {number: None if written is None else written.plain(number) for number in numbers}
    return [str(number).removesuffix(".0") if date is None else date for number, date in dates.items()]


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
