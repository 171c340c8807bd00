"""New rows read the way the training rows were read: the same columns, kinds and level codes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data._column_names import rows_in_order
from sepal.data._columns import Column, recast
from sepal.data._error_words import MEMORY, listed, shown
from sepal.data._same_labels import same_labels
from sepal.data._table import Table
from sepal.exceptions import DataError


def match_table(X: Any, like: Table, *, learn: bool = False) -> Table:
    """Any table-like input as a Table whose codes mean what they mean in ``like``.

    Columns go by name where both sides have names, those of an array by position. True and the text "True", or 1 and
    the text "1", are one level where no other is meant. A level that ``like`` has not got keeps a code of its own in a
    nominal column, so that it equals no training level, and is refused in an ordinal one, where it has no rank.

    Parameters
    ----------
    X : Table, ndarray or data frame
        New rows.
    like : Table
        The training rows.
    learn : bool
        Whether the levels that ``like`` has not got are added behind those that it has, as further training rows need.

    Returns
    -------
    Table
        With the names, kinds and levels of ``like``.

    Raises
    ------
    DataError
        If a column is missing, unknown, or does not hold what the training column held, the text names it; or if an
        array has another number of columns.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> training = as_table([[1.0, "red"], [2.0, "blue"]])
    >>> match_table([[1.5, "red"], [0.0, "green"]], training).values.tolist()
    [[1.5, 1.0], [0.0, 2.0]]
    """
    table = rows_in_order(X, like.names)
    if table.n_columns != like.n_columns:
        raise DataError(
            f"X has {table.n_columns} features, but {like.n_columns} features were expected: {listed(like.names, 8)}"
        )
    alike = table.kinds == like.kinds and table.text_options == like.text_options
    if alike and all(
        a == b for a, b, kind in zip(table.levels, like.levels, like.kinds, strict=True) if kind != "text"
    ):
        return table if table.names == like.names else replace(table, names=like.names)
    values, levels = table.values.copy(), list(like.levels)
    for j in range(like.n_columns):
        if like.kinds[j] == "text":
            column = _as_texts(table, j)
            values[:, j], levels[j] = column.values, column.levels
        else:
            values[:, j], unseen = _column(table, like, j)
            if learn and unseen:
                levels[j] = (*(levels[j] or ()), *unseen)
    return replace(
        table,
        values=values,
        names=like.names,
        kinds=like.kinds,
        levels=tuple(levels),
        text_options=like.text_options,
    )


def _as_texts(table: Table, j: int) -> Column:
    """Texts keep levels of their own: what is compared is the words in them."""
    column = Column(table.names[j], j, table.values[:, j], table.kinds[j], table.levels[j] or ())
    return recast(column, "text", MEMORY)


def _column(table: Table, like: Table, j: int) -> tuple[NDArray[np.float64], list[Any]]:
    """The codes of one column, and the levels that ``like`` has not got."""
    given, levels = table.values[:, j], like.levels[j]
    if np.isnan(given).all():
        return given, []
    name = shown(like.names[j])
    if levels is None:
        found = table.levels[j]
        if found is None:
            return given, []
        code = int(given[~np.isnan(given)][0])
        raise DataError(f"column {name}: expected numbers as in training, found {shown(found[code])}")
    new_codes, new_levels = _as_levels(given, table.levels[j])
    meant = same_labels(new_levels, levels)
    unseen = [level for level in new_levels if level not in meant]
    if unseen and like.kinds[j] == "ordinal":
        raise DataError(
            f"column {name}: expected one of the levels {listed(levels, 8)}, found {shown(unseen[0])}",
            hint="an ordinal column has no rank for a new level",
        )
    alike = not levels or any(type(level) is type(levels[0]) for level in new_levels)  # an empty column had any type
    if unseen and not alike and not _all_are_numbers(new_levels, levels):
        raise DataError(f"column {name}: expected values such as {listed(levels, 3)}, found {shown(unseen[0])}")
    position = {level: float(i) for i, level in enumerate((*levels, *unseen))}
    lookup = np.array([position[meant.get(level, level)] for level in new_levels], dtype=np.float64)
    codes = np.full(given.shape, np.nan)
    present = ~np.isnan(new_codes)
    codes[present] = lookup[new_codes[present].astype(np.intp)]
    return codes, unseen


def _all_are_numbers(*groups: Any) -> bool:
    return all(isinstance(level, (int, float, np.number)) for group in groups for level in group)


def _as_levels(given: NDArray[np.float64], levels: tuple[Any, ...] | None) -> tuple[NDArray[np.float64], list[Any]]:
    """Codes and the levels that occur; the distinct numbers are the levels of a numeric column."""
    present = ~np.isnan(given)
    distinct, inverse = np.unique(given[present], return_inverse=True)
    codes = np.full(given.shape, np.nan)
    codes[present] = inverse
    if levels is None:
        return codes, [int(value) if value == int(value) else float(value) for value in distinct]
    return codes, [levels[int(value)] for value in distinct]
