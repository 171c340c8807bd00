"""Which rows are equal: one hash of cells and rows, one grouping by it, and an order of the rows by their bits."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal.data._sparse_reading import Rows
from sepal.data._sparse_rows import SparseRows, equal_sparse_rows
from sepal.data._table import Table

Marks = NDArray[np.uint64]
RowGroups = tuple[NDArray[np.int32], NDArray[np.int32]]  # the group of each row, and the first row of each group


def mixed_bits(numbers: Marks) -> Marks:
    """Each number scattered over all 64 bits (the finaliser of splitmix64); sums of these wrap around.

    Reference: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", 2014.
    """
    return _native.mixed_bits(numbers=np.ascontiguousarray(numbers).reshape(-1)).reshape(numbers.shape)


def plain_cells(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A copy in which equal cells have equal bits."""
    out = np.ascontiguousarray(values + 0.0)  # no negative zero
    out[np.isnan(out)] = np.nan  # one bit pattern for every missing cell
    return out


def row_hash(cells: NDArray[np.float64]) -> Marks:
    """A number for each row of plain cells, the same for equal rows, and for others by the rarest accident only."""
    return _native.row_hash(cells=np.ascontiguousarray(cells).view(np.uint64))


def row_marks(table: Table) -> Marks:
    """A number for each row by what is in it, levels by their text: the same in two files that code levels otherwise.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> some, more = as_table([[1.0, "b"]]), as_table([[2.0, "a"], [1.0, "b"]])
    >>> bool(row_marks(some)[0] == row_marks(more)[1])
    True
    """
    cells = plain_cells(table.values)
    bits = cells.view(np.uint64)
    for j, levels in enumerate(table.levels):
        if levels is not None:
            present = ~np.isnan(cells[:, j])
            marks = np.array([_text_mark(level) for level in levels], dtype=np.uint64)
            bits[present, j] = marks[cells[present, j].astype(np.intp)]
    return row_hash(cells)


def _text_mark(level: Any) -> int:
    return int.from_bytes(blake2b(str(level).encode("utf-8", "replace"), digest_size=8).digest(), "little")


def row_groups(values: NDArray[np.floating[Any]], *, threads: int = 1) -> RowGroups:
    """The group of each row, numbered in the order of first rows, and the first row of each group of equal rows.

    A missing cell equals a missing cell, and -0 equals 0.

    Examples
    --------
    >>> group_of, first = row_groups(np.array([[2.0, np.nan], [1.0, 0.0], [2.0, np.nan], [1.0, -0.0]]))
    >>> group_of.tolist(), first.tolist()
    ([0, 1, 0, 1], [0, 1])
    """
    return _native.distinct(points=np.ascontiguousarray(values, dtype=np.float64), threads=threads)


def key_groups(keys: Marks) -> NDArray[np.intp]:
    """The number of each row's group of rows that are equal in all bits, in order of first appearance."""
    return _native.distinct_keys(keys=np.ascontiguousarray(keys))[0].astype(np.intp)


def equal_groups(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """The number of each row's group of equal rows, in order of first appearance.

    Examples
    --------
    >>> equal_groups(np.array([[2.0, np.nan], [1.0, 0.0], [2.0, np.nan], [1.0, -0.0]])).tolist()
    [0, 1, 0, 1]
    """
    return row_groups(values)[0].astype(np.intp)


def equal_rows(rows: Rows) -> NDArray[np.intp]:
    """As :func:`equal_groups`, of rows in any form; rows that are kept elsewhere know it themselves."""
    if isinstance(rows, SparseRows):
        return np.asarray(equal_sparse_rows(rows.matrix)[0], dtype=np.intp)
    return equal_groups(rows.values) if isinstance(rows, Table) else rows.equal_rows()


def bit_order(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Positions of the rows sorted by the bits of their cells, an order that has no meaning; equal rows keep theirs."""
    cells = plain_cells(values)
    return np.argsort(cells.view(np.dtype((np.void, 8 * cells.shape[1]))).ravel(), kind="stable")


def places(order: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """The place of each position in an order.

    Examples
    --------
    >>> places(np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    found = np.empty(len(order), dtype=np.intp)
    found[order] = np.arange(len(order))
    return found


def copies_of(rows: Rows) -> NDArray[np.intp]:
    """For each row the number of its distinct row: rows are copies if they are equal in all columns.

    The numbers of the distinct rows of a table go by their cells, so that they do not hang on where rows stood.
    """
    if not isinstance(rows, Table) or rows.n_columns == 0:
        return equal_rows(rows)
    group_of, first = row_groups(rows.values)
    return places(bit_order(rows.values[first]))[group_of]
