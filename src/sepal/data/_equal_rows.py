"""Which rows are equal: one hash of cells and rows, and one grouping by it."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data._sparse_reading import Rows
from sepal.data._sparse_rows import SparseRows, equal_sparse_rows
from sepal.data._table import Table

Marks = NDArray[np.uint64]


def mixed_bits(numbers: Marks) -> Marks:
    """Each number scattered over all 64 bits (the finaliser of splitmix64); sums of these wrap around.

    Reference: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", 2014.
    """
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def plain_cells(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A copy in which equal cells have equal bits."""
    out = np.ascontiguousarray(values + 0.0)  # no negative zero
    out[np.isnan(out)] = np.nan  # one bit pattern for every missing cell
    return out


def row_hash(cells: NDArray[np.float64]) -> Marks:
    """A number for each row of plain cells, the same for equal rows, and for others by the rarest accident only."""
    places = mixed_bits(np.arange(cells.shape[1], dtype=np.uint64))
    return np.asarray(mixed_bits(cells.view(np.uint64) ^ places).sum(axis=1, dtype=np.uint64))


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


def _grouped(values: NDArray[np.float64]) -> tuple[NDArray[np.void], NDArray[np.intp], NDArray[np.intp]]:
    """The first row of each group of equal rows (as bytes, and its position), and the group of each row."""
    cells = plain_cells(values)
    whole = cells.view(np.dtype((np.void, 8 * cells.shape[1]))).ravel()
    # One number per row is sorted much faster than whole rows. Should two different rows share theirs, rows are sorted.
    _, first, group = np.unique(row_hash(cells), return_index=True, return_inverse=True)
    bits = cells.view(np.uint64)
    if not np.array_equal(bits[first][group], bits):
        _, first, group = np.unique(whole, return_index=True, return_inverse=True)
    return whole[first], first, group


def equal_groups(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """The number of each row's group of equal rows, in order of first appearance.

    Examples
    --------
    >>> equal_groups(np.array([[2.0, np.nan], [1.0, 0.0], [2.0, np.nan], [1.0, -0.0]])).tolist()
    [0, 1, 0, 1]
    """
    if values.shape[1] == 0:
        return np.zeros(len(values), dtype=np.intp)
    _, first, group = _grouped(values)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[group]


def equal_rows(rows: Rows) -> NDArray[np.intp]:
    """As :func:`equal_groups`, of rows in any form; rows that are kept elsewhere know it themselves."""
    if isinstance(rows, SparseRows):
        return np.asarray(equal_sparse_rows(rows.matrix)[0], dtype=np.intp)
    return equal_groups(rows.values) if isinstance(rows, Table) else rows.equal_rows()


def copies_of(rows: Rows) -> NDArray[np.intp]:
    """For each row the number of its distinct row: rows are copies if they are equal in all columns.

    The numbers of the distinct rows of a table go by their cells, so that they do not hang on where rows stood.
    """
    if isinstance(rows, SparseRows):
        return np.asarray(equal_sparse_rows(rows.matrix)[0], dtype=np.intp)
    if rows.n_columns == 0:
        return np.zeros(rows.n_rows, dtype=np.intp)
    if not isinstance(rows, Table):
        return equal_rows(rows)
    whole, _, group = _grouped(rows.values)
    rank = np.empty(len(whole), dtype=np.intp)
    rank[np.argsort(whole, kind="stable")] = np.arange(len(whole))
    return rank[group]
