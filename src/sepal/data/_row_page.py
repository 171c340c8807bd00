"""Some rows of a table in the order of a column, levels and dates as people wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data._cells import apart_cells, column_cells
from sepal.data._columns import column_position
from sepal.data._convert import as_table
from sepal.data._table import Table
from sepal.exceptions import ParameterError
from sepal.parameters import Parameter, checked

_START = Parameter("start", "whole", "the first row to show, in this order", at_least=0)
_COUNT = Parameter("count", "whole", "how many rows to show", at_least=1, at_most=10_000)
_DESCENDING = Parameter("descending", "flag", "the highest first")


@dataclass(frozen=True, eq=False)
class RowPage:
    """Some rows of a table. Made by :func:`row_page`.

    Attributes
    ----------
    n_rows : int
        How many rows there are in all.
    start : int
        The place of the first of these in the order.
    columns : tuple of str
        Names: columns set apart, features, the target last.
    row : array
        Positions in the table.
    cells : tuple of tuple
        One tuple per row; None is missing.

    Examples
    --------
    >>> import sepal
    >>> row_page(sepal.datasets.load("athletes"), count=2, sort="speed").cells
    ((2, 2, 'no'), (2.25, 5.5, 'no'))
    """

    n_rows: int
    start: int
    columns: tuple[str, ...]
    row: NDArray[np.intp]
    cells: tuple[tuple[Any, ...], ...]


@checked(_START, _COUNT, _DESCENDING)
def row_page(
    table: Any,
    start: int = 0,
    count: int = 100,
    *,
    sort: str | None = None,
    descending: bool = False,
    rows: Sequence[int] | None = None,
) -> RowPage:
    """Some rows of a table.

    Parameters
    ----------
    table : Table, ndarray, data frame, or what :func:`sepal.prepare` made of them
        The rows.
    start, count : int
        Which part of the order.
    sort : str, optional
        The column to sort by; rows that are equal there stay in their order, missing cells come last.
    descending : bool
        The highest first.
    rows : sequence of int, optional
        These rows only.

    Returns
    -------
    RowPage

    Examples
    --------
    >>> import sepal
    >>> row_page(sepal.datasets.load("athletes"), rows=[3, 12], sort="agility", descending=True).row.tolist()
    [12, 3]
    """
    table = as_table(table)
    asked = np.arange(table.n_rows) if rows is None else _checked_rows(rows, table.n_rows)
    order = asked if sort is None else asked[_rows_sorted(_keys(table, sort, asked), descending)]
    shown = order[start : start + count]
    part = table.take(shown)
    columns = [apart_cells(each) for each in part.apart]
    columns += [column_cells(part, j, as_numbers=True) for j in range(part.n_columns)]
    names = [*(each.name for each in part.apart), *part.names]
    if part.y is not None:
        columns.append(np.asarray(part.y).tolist())
        names.append(part.target or "target")
    cells = tuple(zip(*columns, strict=True)) if columns else ()
    return RowPage(len(order), start, tuple(names), shown, cells)


def _checked_rows(rows: Sequence[int], n_rows: int) -> NDArray[np.intp]:
    found = np.asarray(rows)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise ParameterError("rows: expected a list of row positions")
    if found.size and not (found.min() >= 0 and found.max() < n_rows):
        worst = found.max() if found.max() >= n_rows else found.min()
        raise ParameterError(f"rows: expected positions from 0 to {n_rows - 1}, found {worst}")
    return found.astype(np.intp)


def _keys(table: Table, sort: str, rows: NDArray[np.intp]) -> NDArray[Any]:
    """What to sort by: numbers, or ranks of texts; NaN where a cell is missing."""
    if sort in table.names:
        return np.asarray(table.values[rows, table.names.index(sort)])
    if table.y is not None and sort == (table.target or "target"):
        return _ranks(np.asarray(table.y)[rows].tolist())
    for each in table.apart:
        if each.name == sort:
            return _ranks(apart_cells(each.take(rows)))
    column_position(sort, table.names, "sort")  # says which columns there are
    raise ParameterError(f"sort: there is no column {sort!r}")


def _ranks(cells: list[Any]) -> NDArray[np.float64]:
    distinct = sorted({cell for cell in cells if cell is not None}, key=lambda cell: (isinstance(cell, str), cell))
    place = {cell: float(at) for at, cell in enumerate(distinct)}
    return np.array([np.nan if cell is None else place[cell] for cell in cells])


def _rows_sorted(keys: NDArray[np.float64], descending: bool) -> NDArray[np.intp]:
    return np.argsort(-keys if descending else keys, kind="stable")  # NaN is last either way
