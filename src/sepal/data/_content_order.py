"""An order of rows and columns that depends on what is in them and not on where they stood.

Where chance or a tie needs an order to go by, this is the one: rows and columns come out in the same order however the
table was shuffled. Every column gets a mark that adds up, over the rows, the mark of the row and the cell; every row
one that adds up, over the columns, the mark of the column and the cell; and so on in turns, until the marks part no
more columns. Columns that still share a mark are copies of each other, or the table looks the same with them exchanged:
then one is set apart, whichever, and the marks are made again.

Reference: B. Weisfeiler and A. Leman, "The reduction of a graph to canonical form", 1968.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Marks = NDArray[np.uint64]
_SET_APART = np.uint64(0xD6E8FEB86659FD93)


def content_columns(values: NDArray[np.float64], groups: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Positions of the columns in the order of their content; ``groups`` are the classes of the rows."""
    cells = _mixed(_plain(values).view(np.uint64))
    rows = _mixed(groups.astype(np.uint64))
    columns = np.zeros(values.shape[1], dtype=np.uint64)
    while True:
        columns = _refined(cells, rows, columns)
        shared = _first_shared(cells, columns)
        if shared is None:
            return np.argsort(columns, kind="stable")
        columns[shared] = _mixed(columns[shared : shared + 1] ^ _SET_APART)[0]


def content_order(values: NDArray[np.float64], groups: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Positions of the rows sorted by their classes and cells; rows that are equal in both keep their order."""
    columns = content_columns(values, groups)
    return np.lexsort((*values.T[columns[::-1]], groups))


def _refined(cells: Marks, rows: Marks, columns: Marks) -> Marks:
    """The marks of the columns, made again from those of the rows and so on until no more columns are parted."""
    n_marks = 0
    while True:
        row_marks = _mixed(rows + _mixed(cells ^ columns).sum(axis=1, dtype=np.uint64))
        columns = _mixed(columns + _mixed(cells ^ row_marks[:, None]).sum(axis=0, dtype=np.uint64))
        found = len(np.unique(columns))
        if found <= n_marks:
            return columns
        n_marks = found


def _first_shared(cells: Marks, columns: Marks) -> int | None:
    """A column that shares its mark, the lowest of all shared, with one that is no copy of it."""
    marks, counts = np.unique(columns, return_counts=True)
    for mark in marks[counts > 1]:
        alike = np.flatnonzero(columns == mark)
        if np.any(cells[:, alike] != cells[:, alike[:1]]):
            return int(alike[0])
    return None


def _mixed(numbers: Marks) -> Marks:
    """Each number scattered over all 64 bits (the finaliser of splitmix64); sums of these wrap around."""
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def _plain(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A copy in which equal cells have equal bits."""
    out = np.ascontiguousarray(values + 0.0)  # no negative zero
    out[np.isnan(out)] = np.nan  # one bit pattern for every missing cell
    return out
