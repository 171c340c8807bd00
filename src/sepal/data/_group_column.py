"""A column that says which rows belong together: kept beside the table, and never a feature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal.data._apart import Apart
from sepal.data._cautions import constant_cautions
from sepal.data._cells import column_cells
from sepal.data._columns import column_position
from sepal.data._error_words import shown
from sepal.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from sepal.data._table import Table


def set_apart(table: Table, columns: Sequence[str], called: str = "columns") -> Table:
    """The table with these features kept beside it; those that are beside it already stay there."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise ParameterError(f"{called}: expected a list of names, found {shown(columns)}")
    there = {each.name for each in table.apart}
    places = []
    for column in columns:
        if column == table.target:
            raise ParameterError(f"{called} {column}: this column is the target")
        if column not in there:
            places.append(column_position(column, table.names, called))
    if not places:
        return table
    if len(places) == table.n_columns:
        raise DataError(f"{called} {', '.join(columns)}: no other column is left to learn from")
    return _apart(table, places, "asked")


def without_empty(table: Table) -> Table:
    """The table with columns without a single value set apart, as long as others are left.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> without_empty(as_table([[1.0, None], [2.0, None]])).names
    ('x1',)
    """
    empty = np.flatnonzero(np.isnan(table.values).all(axis=0)).tolist()
    if not 0 < len(empty) < table.n_columns or not table.n_rows:
        return table
    said = {each.text for each in constant_cautions(table.values[:, empty], [table.names[at] for at in empty])}
    return _apart(replace(table, notes=tuple(note for note in table.notes if note not in said)), empty, "empty")


def _apart(table: Table, places: Sequence[int], why: str) -> Table:
    more = []
    for at in places:
        cells = np.array(column_cells(table, at), dtype=object)
        more.append(Apart(table.names[at], why, cells, len({*cells.tolist()} - {None})))
    kept = table.select([at for at in range(table.n_columns) if at not in places])
    return replace(kept, apart=(*kept.apart, *more))


def group_labels(table: Table, column: str, called: str = "groups") -> NDArray[np.float64]:
    """The group of each row, as a number, from a column that was set apart.

    Parameters
    ----------
    table : Table
        Rows; see :meth:`Table.set_apart`, and ``ids`` of :func:`read_table`.
    column : str
        Its name.
    called : str
        What messages begin with.

    Returns
    -------
    ndarray
        As ``groups=`` takes it. Groups are numbered as they appear.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> table = as_table([[1.0, "Ann"], [2.0, "Bob"], [3.0, "Ann"]], names=["x", "who"]).set_apart(["who"])
    >>> table.names, group_labels(table, "who").tolist()
    (('x',), [0.0, 1.0, 0.0])
    """
    for each in table.apart:
        if each.name == column:
            return _numbered(each, called)
    raise ParameterError(
        f"{called} {column}: no column of that name was set apart", hint=f"table.set_apart([{column!r}])"
    )


def _numbered(column: Apart, called: str) -> NDArray[np.float64]:
    place: dict[Any, float] = {}
    cells = column.values.tolist()
    for row, cell in enumerate(cells):
        if cell is None or cell != cell:
            raise DataError(f'{called} {column.name}: row {row} has no entry in the column "{column.name}"')
    return np.array([place.setdefault(cell, float(len(place))) for cell in cells])
