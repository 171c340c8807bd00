"""A search among dense rows to which more are added: what is known of the others is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sepal.data import RoomForMore, Table, column_ranges, equal_groups, joined_table, plain_cells, row_hash
from sepal.distances import still_fits
from sepal.neighbors._copies import Copies, DistinctRows
from sepal.neighbors._parts import joined_extent
from sepal.neighbors._rounding import Extent
from sepal.neighbors._search import Search

_CELLS = 1 << 15  # numbers that are hashed at a time


class GrowingSearch:
    """Adds rows to a search. The search it began with, and every one it gave, answers as before.

    Cells and coordinates stand in arrays with room for more; rows are found among those that are there by a sorted
    number each. So adding a row costs a few copies of one number per row, and neither scaling, nor grouping, nor a
    look at all cells.

    Parameters
    ----------
    search : Search
        Made by ``Search.prepare``.
    """

    def __init__(self, search: Search) -> None:
        self.search = search
        self._values, self._points = RoomForMore(search.table.values), RoomForMore(search.points)
        self._low, self._high = column_ranges(search.table.values)
        keys = _keys_of(search.points)
        order = np.argsort(keys)
        self._keys, self._numbers = keys[order], order.astype(np.int32)

    def add(self, more: Table) -> Search | None:
        """The search among all rows, these last; None where it has to be prepared anew.

        That is where fitting on all rows might give another distance: a number beyond the range that a column was
        scaled by, a level never seen, a distance that learns from every row.
        """
        search = self.search
        fitted = search.fitted
        if more.levels != search.table.levels or not still_fits(fitted, self._low, self._high, more):
            return None
        points = fitted.embed(more)
        found = self._numbered(points, fitted.compares_nothing(points))
        if found is None:
            return None
        numbers, first = found
        old, n = search.copies, search.copies.n_rows
        count = np.concatenate([old.count, np.zeros(len(first), dtype=np.int64)])
        np.add.at(count, numbers, 1)
        copies = Copies(
            DistinctRows(np.concatenate([old.of_row.number, numbers])),
            np.concatenate([old.first, (n + first).astype(np.int32)]),
            count,
        )
        extent = joined_extent([search._extent, Extent.of(points)])
        low, high = column_ranges(more.values)
        self._low, self._high = np.fmin(self._low, low), np.fmax(self._high, high)
        table = joined_table(search.table, more, self._values.add(more.values))
        grown = replace(search, table=table, points=self._points.add(points[first]), copies=copies)
        grown.__dict__["_extent"] = replace(extent, values=grown.points)
        self.search = grown
        return grown

    def _numbered(
        self, points: NDArray[np.float64], alone: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], NDArray[np.intp]] | None:
        """The distinct row of each, and which of them are the first of theirs; None if numbers of rows do not tell.

        Rows that are ``alone`` equal nobody.
        """
        cells = plain_cells(points)
        keys = row_hash(cells)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = (self._keys[at] == keys) & ~alone
        numbers = np.where(known, self._numbers[at], -1).astype(np.int32)
        theirs = plain_cells(self.search.points[numbers[known]])
        if not np.array_equal(theirs.view(np.uint64), cells[known].view(np.uint64)):
            return None  # two rows share a number: the rarest of accidents
        new = np.flatnonzero(~known)
        group = equal_groups(points[new])
        group = np.where(alone[new], len(new) + np.arange(len(new)), group)
        _, first, inverse = np.unique(group, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int32)
        rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        n = self.search.copies.n_distinct
        numbers[new] = n + rank[inverse]
        first = new[np.sort(first)]
        order = np.argsort(keys[first])
        place = np.searchsorted(self._keys, keys[first][order])
        self._keys = np.insert(self._keys, place, keys[first][order])
        self._numbers = np.insert(self._numbers, place, (n + order).astype(np.int32))
        return numbers, first


def _keys_of(points: NDArray[np.float64]) -> NDArray[np.uint64]:
    """A number for each row, the same for equal ones; so many rows at a time as stay in the cache."""
    step = max(1, _CELLS // points.shape[1])
    return np.concatenate([row_hash(plain_cells(points[at : at + step])) for at in range(0, len(points), step)])
