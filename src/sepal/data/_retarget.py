"""Another target for a table that was read already, and a target of numbers as classes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sepal.data._cells import apart_cells, class_names, column_cells
from sepal.data._columns import column_position
from sepal.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from sepal.data._table import Table


def with_target(table: Table, column: str) -> Table:
    """The table whose target is that column; the target of before becomes the last feature."""
    from sepal.data._convert import as_table

    if column == table.target:
        return table
    cells = _cells_of(table, column)
    missing = next((row for row, cell in enumerate(cells) if cell is None), None)
    if missing is not None:
        raise DataError(f'target "{column}", row {missing}: the cell is missing, and every row needs its target')
    others = [name for name in table.names if name != column]
    rest = replace(
        table,
        values=table.values[:, [table.names.index(name) for name in others]],
        names=tuple(others),
        kinds=tuple(table.kinds[table.names.index(name)] for name in others),
        levels=tuple(table.levels[table.names.index(name)] for name in others),
        apart=tuple(each for each in table.apart if each.name != column),
        y=np.array(cells),
        target=column,
        class_order=_order_of(table, column),
    )
    if table.y is None:
        return rest
    was = as_table([[cell] for cell in np.asarray(table.y).tolist()], names=[table.target or "target"])
    return replace(
        rest,
        values=np.ascontiguousarray(np.hstack([rest.values, was.values])),
        names=(*rest.names, *was.names),
        kinds=(*rest.kinds, *was.kinds),
        levels=(*rest.levels, *was.levels),
    )


def _cells_of(table: Table, column: str) -> list[Any]:
    for each in table.apart:
        if each.name == column:
            return apart_cells(each)
    return column_cells(table, column_position(column, table.names, "target"), as_numbers=True)


def _order_of(table: Table, column: str) -> tuple[Any, ...] | None:
    """Levels of an ordinal column stay in their order."""
    if column not in table.names:
        return None
    at = table.names.index(column)
    return table.levels[at] if table.kinds[at] == "ordinal" else None


def with_task(table: Table, task: str | None) -> Table:
    """The table with its target as classes or as numbers; as it is for None and without a target."""
    if task not in (None, "classify", "regress"):
        raise ParameterError(f"task must be None, 'classify' or 'regress'; got {task!r}")
    if task is None or table.y is None:
        return table
    y = np.asarray(table.y)
    if task == "regress":
        if y.dtype.kind not in "biuf":
            raise DataError(
                f'the target "{table.target}" holds {str(y[0])!r}, which is no number', hint="predict it as a class"
            )
        return replace(table, y=y.astype(np.float64), class_order=None)
    if y.dtype.kind not in "iuf":
        return table
    distinct, codes = np.unique(y, return_inverse=True)
    labels = np.array(class_names(table.written.get(table.target or ""), distinct.tolist()))
    return replace(table, y=labels[codes], class_order=tuple(labels.tolist()))


def dated_target(table: Table) -> bool:
    """Whether the target holds dates or times, which are numbers of seconds."""
    numbers = table.y is not None and table.y.dtype.kind in "iuf"
    written = table.written.get(table.target or "")
    return numbers and written is not None and written.dates
