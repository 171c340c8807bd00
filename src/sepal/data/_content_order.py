"""An order of rows and columns that depends on what is in them and not on where they stood.

Where chance or a tie needs an order to go by, this is the one: rows and columns come out in the same order however the
table was shuffled. Every column gets a mark that adds up, over the rows, the mark of the row and the cell; every row
one that adds up, over the columns, the mark of the column and the cell, and the mark of its class; every class one that
adds up those of its rows; and so on in turns, until the marks part no more columns and classes. Columns that still
share a mark are copies of each other, or the table looks the same with them exchanged: then one is set apart,
whichever, and the marks are made again. A cell counts by its place among the values of its column, so that the order is
that of any unit; columns that differ in their unit only come in the order of what they hold.

Reference: B. Weisfeiler and A. Leman, "The reduction of a graph to canonical form", 1968.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sepal.data._equal_rows import Marks, mixed_bits, places, plain_cells, row_groups, row_hash
from sepal.data._level_order import levels_by_name
from sepal.data._sparse_rows import SparseRows
from sepal.data._table import Table

MANY_CELLS = 100_000  # fewer are sorted in a few milliseconds
_TELLS = 1e-9  # of the range of a column: far more than rounding
_FEW_VALUES = 16  # the lowest of a column, which tell nearly all columns apart
_SOME_VALUES = 4096  # of which the lowest bound those of all
_SET_APART = np.uint64(0xD6E8FEB86659FD93)
_found: WeakKeyDictionary[Table, tuple[NDArray[np.integer[Any]], NDArray[np.intp]]] = WeakKeyDictionary()


def content_columns(
    values: NDArray[np.float64], groups: NDArray[np.integer[Any]], *, copies: bool = True
) -> NDArray[np.intp]:
    """Positions of the columns in the order of their content; ``groups`` are the classes of the rows.

    What the classes are called does not matter. Without ``copies`` a row that is repeated in its class counts once.

    Examples
    --------
    >>> rows, groups = np.array([[1.0, 5.0], [2.0, 6.0], [2.0, 6.0]]), np.array([0, 1, 1])
    >>> order = content_columns(rows, groups, copies=False)
    >>> (1 - content_columns(rows[:2, ::-1], groups[:2], copies=False)).tolist() == order.tolist()
    True
    """
    cells = mixed_bits(_ranks(values))
    group_of = np.unique(groups, return_inverse=True)[1]
    if not copies:
        first = row_groups(np.column_stack([values, group_of]))[1]
        cells, group_of = cells[first], group_of[first]
    columns = _refined(cells, group_of, np.zeros(values.shape[1], dtype=np.uint64))
    if len(np.unique(columns)) == len(columns):
        return np.argsort(columns)
    held = _held(values)  # takes longer than all the rest, and few tables need it
    while (shared := _first_shared(cells, columns, held)) is not None:
        columns[shared] = mixed_bits(columns[shared : shared + 1] ^ _SET_APART)[0]
        columns = _refined(cells, group_of, columns)
    return np.lexsort((held, columns))


def telling_columns(values: NDArray[np.float64], groups: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Positions of the columns in another such order, found in a fraction of the time; repeated rows count once.

    Columns stand by where the mean of the different rows lies between their lowest and their highest value, which is
    the same in any unit. Where that does not tell all columns apart, and where there are few cells, it is
    ``content_columns(..., copies=False)``.
    """
    rows = values[row_groups(values)[1]]
    if rows.size < MANY_CELLS:
        return content_columns(values, groups, copies=False)
    rows = rows[np.argsort(row_hash(plain_cells(rows)))]  # sums come out the same wherever rows stood
    low, high = np.fmin.reduce(rows, axis=0), np.fmax.reduce(rows, axis=0)
    with np.errstate(all="ignore"):
        place = (np.nansum(rows, axis=0) / np.sum(~np.isnan(rows), axis=0) - low) / (high - low)
        order = np.argsort(place)
        told = bool(np.all(np.diff(place[order]) > _TELLS))  # False for NaN
    return order if told else content_columns(values, groups, copies=False)


def content_order(values: NDArray[np.float64], groups: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Positions of the rows sorted by their classes and cells; rows that are equal in both keep their order."""
    columns = content_columns(values, groups, copies=False)
    return np.lexsort((*values.T[columns[::-1]], groups))


def rows_by_content(rows: Table | SparseRows, codes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Positions of the rows of a table, or of sparse rows, by their classes and what is in them.

    Draw samples and folds in this order: then a seed draws the same rows however the table was shuffled.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> rows_by_content(as_table([[3.0], [1.0], [2.0]], ["b", "a", "b"]), np.array([1, 0, 1])).tolist()
    [1, 2, 0]
    """
    if isinstance(rows, Table):
        return _order_of(rows, codes)
    order = rows.content_order()
    return np.asarray(order[np.argsort(codes[order], kind="stable")])


def _order_of(table: Table, codes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """The order of the rows, found once: a table never changes, and many ask for the same samples of it."""
    known = _found.get(table)
    if known is None or not np.array_equal(known[0], codes):
        order = content_order(levels_by_name(table).values, codes)
        order.flags.writeable = False
        known = _found[table] = (codes.copy(), order)
    return known[1]


def geometric_rank(values: NDArray[np.float64], groups: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """The place of each row when they are sorted column by column, as on a map; ``groups`` are as above.

    Columns are taken by the values they hold, the one with the lowest first, and by :func:`content_columns` where they
    hold the very same values. Equal rows keep their order.
    """
    return places(map_order(values, content_columns(values, groups)))


def map_order(values: NDArray[np.float64], columns: NDArray[np.intp]) -> NDArray[np.intp]:
    """Positions of the rows sorted column by column: the column of the lowest value first, then the next, and so on.

    Columns that hold the very same values stay as ``columns`` has them, and equal rows keep their order.
    """
    if not np.array_equal(columns, np.arange(values.shape[1])):
        values = values.take(columns, axis=1)
    return lexical_order([values[:, j] for j in columns_by_values(values)])


def columns_by_values(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Positions of the columns: the one with the lowest value first, then by the second lowest, and so on.

    Examples
    --------
    >>> columns_by_values(np.array([[1.0, 9.0, np.nan], [4.0, 1.0, 0.0], [2.0, 2.0, 3.0]])).tolist()
    [2, 0, 1]
    """
    if not values.size:
        return np.arange(values.shape[1])
    lowest = np.stack([_lowest(column, min(_FEW_VALUES, len(values))) for column in values.T], axis=1)
    told = len(row_groups(lowest.T)[1]) == values.shape[1]  # as nearly always: not all need be sorted
    return lexical_order(lowest if told else np.sort(values, axis=0))


def _lowest(values: NDArray[np.float64], few: int) -> NDArray[np.float64]:
    """So many of the lowest, in order; NaN is above all."""
    if len(values) > _SOME_VALUES:
        high_enough = np.partition(values[:_SOME_VALUES], few - 1)[few - 1]
        near = values[values <= high_enough]
        values = near if len(near) >= few else values  # too few where most of the first are NaN
    return np.sort(np.partition(values, few - 1)[:few])


def sorted_groups(values: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first row of each group of equal rows, sorted by their cells from left to right, and the group of each row.

    Examples
    --------
    >>> sorted_groups(np.array([[2.0, 1.0], [1.0, 5.0], [2.0, 1.0]]))[0].tolist()
    [1, 0]
    """
    group_of, first = row_groups(values)
    order = lexical_order(values[first].T)
    return first[order].astype(np.intp), places(order)[group_of]


def lexical_order(keys: Sequence[NDArray[np.float64]] | NDArray[np.float64]) -> NDArray[np.intp]:
    """What has these keys sorted by the first of them, then by the second and so on; the first few tell most apart."""
    order, n_keys = np.argsort(keys[0]), 1  # which keeps no order of equal ones, and is several times as fast
    while not _all_apart(keys[:n_keys], order) and n_keys < 4 * len(keys):
        n_keys *= 4
        order = np.lexsort(keys[:n_keys][::-1])
    return np.asarray(order, dtype=np.intp)


def _all_apart(keys: Sequence[NDArray[np.float64]] | NDArray[np.float64], order: NDArray[np.intp]) -> bool:
    """Whether each differs from the next in this order, by one of the keys; NaN is sorted last."""
    apart = np.zeros(max(len(order) - 1, 0), dtype=bool)
    for key in keys:
        ranked = key[order]
        apart |= (ranked[1:] != ranked[:-1]) & ~np.isnan(ranked[:-1])
    return bool(apart.all())


def _refined(cells: Marks, group_of: NDArray[np.intp], columns: Marks) -> Marks:
    """The marks of the columns, made again from those of the rows and so on until no more columns are parted."""
    n_marks = 0
    groups = mixed_bits(np.bincount(group_of).astype(np.uint64))
    while True:
        rows = mixed_bits(groups[group_of] + mixed_bits(cells ^ columns).sum(axis=1, dtype=np.uint64))
        columns = mixed_bits(columns + mixed_bits(cells ^ rows[:, None]).sum(axis=0, dtype=np.uint64))
        members = np.zeros_like(groups)
        np.add.at(members, group_of, mixed_bits(rows))
        groups = mixed_bits(groups + members)
        found = len(np.unique(columns)) + len(np.unique(groups))
        if found <= n_marks:
            return columns
        n_marks = found


def _first_shared(cells: Marks, columns: Marks, held: NDArray[np.intp]) -> int | None:
    """A column that shares its mark, the lowest of all shared, with one that is no copy of it; by what it holds."""
    marks, counts = np.unique(columns, return_counts=True)
    for mark in marks[counts > 1]:
        alike = np.flatnonzero(columns == mark)
        if np.any(cells[:, alike] != cells[:, alike[:1]]):
            return int(alike[np.argmin(held[alike])])
    return None


def _held(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """The place of each column by the values it holds, whatever the rows and however often.

    Values count by their digits, and then the largest by its size: a power of two over all columns changes nothing.
    """
    largest = np.fmax.reduce(np.abs(values), axis=0, initial=0.0)
    bits = plain_cells(np.ldexp(values, -np.frexp(largest)[1])).view(np.uint64)
    marks = np.array([mixed_bits(np.unique(column)).sum(dtype=np.uint64) for column in bits.T], dtype=np.uint64)
    return places(np.lexsort((largest, marks)))


def _ranks(values: NDArray[np.float64]) -> Marks:
    """The place of each cell among the values of its column, as in any other unit; missing cells come last."""
    low = values.min(axis=0, initial=np.inf)
    above = values != low
    found: Marks = np.array(above, dtype=np.uint64)
    # Of two values, as of the indicators of levels, the upper is 1 and nothing need be sorted.
    many = np.flatnonzero(((values != values.max(axis=0, initial=-np.inf)) & above).any(axis=0))
    for j in many:
        found[:, j] = np.unique(values[:, j], return_inverse=True)[1]
    return found
