"""Thornton's index where rows of one group are no neighbours of each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import left_out_together
from sepal.measures._prepared import Prepared, groups_taken
from sepal.progress import SEARCHING, Progress

_CELLS = 2_000_000  # neighbours listed at a time


def groups_of(data: Prepared, groups: Any, X: Any, y: Any = None) -> NDArray[np.intp] | None:
    """Numbers of the rows that are no neighbours of each other, from what the user said of X; None: there are none."""
    if groups is None:
        return None
    if not isinstance(groups, str):
        groups = groups_taken(groups, X, y, data.rows)
    return left_out_together(data.search.table, groups).groups


@dataclass(frozen=True, eq=False)
class ForeignRows:
    """Rows of other groups around some asking rows, nearest first.

    ``query`` is the position of the asking row, ascending; ``near`` and ``distance`` are the other row and how far it
    is. Lists hold everyone tied with their last.
    """

    query: NDArray[np.intp]
    near: NDArray[np.intp]
    distance: NDArray[np.float64]

    def where(self, keep: NDArray[np.bool_]) -> ForeignRows:
        """Some of the entries."""
        return ForeignRows(self.query[keep], self.near[keep], self.distance[keep])

    def nearest(self, n_queries: int) -> NDArray[np.bool_]:
        """Which entries are the nearest of their list, with all that are tied for it."""
        least = np.full(n_queries, np.inf)
        np.minimum.at(least, self.query, self.distance)
        return np.asarray(self.distance == least[self.query])


def foreign_rows(data: Prepared, groups: NDArray[np.intp], asking: NDArray[np.intp], depth: int) -> ForeignRows:
    """Those of the ``depth`` nearest rows that are of another group."""
    lists = data.search.distinct_ranking(depth, rows=asking).per_row(depth, "expected", asking)
    query = np.repeat(np.arange(len(asking)), np.diff(lists["start"]))
    found = ForeignRows(query, lists["flat_rows"], lists["flat_distances"])
    return found.where(groups[found.near] != groups[asking][query])


def samples_of_groups(
    data: Prepared, groups: NDArray[np.intp], ties: str, rows: NDArray[np.intp], progress: Progress | None
) -> NDArray[np.float64]:
    """For each asking row, how far the nearest row of another group agrees with it."""
    depth = int(np.bincount(groups).max())  # the others of the group, and one more
    found = []
    for asking in some_at_a_time(rows, depth, progress):
        foreign = foreign_rows(data, groups, asking, depth)
        found.append(_samples(data, ties, asking, foreign.where(foreign.nearest(len(asking)))))
    return np.concatenate(found)


def nearest_of_other_groups(
    data: Prepared, groups: NDArray[np.intp], progress: Progress | None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Every row beside each of the rows of other groups that are tied for nearest to it."""
    depth, source, target = int(np.bincount(groups).max()), [], []
    for asking in some_at_a_time(np.arange(data.n_rows), depth, progress):
        foreign = foreign_rows(data, groups, asking, depth)
        nearest = foreign.where(foreign.nearest(len(asking)))
        source.append(asking[nearest.query])
        target.append(nearest.near)
    return np.concatenate(source), np.concatenate(target)


def some_at_a_time(rows: NDArray[np.intp], depth: int, progress: Progress | None) -> Any:
    """The rows in parts whose neighbours fit into memory."""
    step = max(1, _CELLS // depth)
    for begin in range(0, len(rows), step):
        yield rows[begin : begin + step]
        if progress is not None:
            progress(SEARCHING, min(1.0, (begin + step) / len(rows)))


def _samples(data: Prepared, ties: str, asking: NDArray[np.intp], nearest: ForeignRows) -> NDArray[np.float64]:
    query, near = nearest.query, nearest.near
    agrees = (data.codes[near] == data.codes[asking][query]).astype(np.float64)
    if ties == "index":
        first = np.lexsort((near, query))
        return np.asarray(agrees[first[np.searchsorted(query[first], np.arange(len(asking)))]])
    share = np.bincount(query, agrees, len(asking)) / np.bincount(query, minlength=len(asking))
    if ties == "pessimistic":
        return np.asarray(share == 1.0, dtype=np.float64)
    return np.asarray(share > 0.0, dtype=np.float64) if ties == "optimistic" else share


def chance_between_groups(
    codes: NDArray[np.integer[Any]], groups: NDArray[np.intp], n_classes: int
) -> NDArray[np.float64]:
    """How often a random row of another group has the class of each row.

    >>> chance_between_groups(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2]), 2).round(2).tolist()
    [0.0, 0.0, 0.33, 0.33]
    """
    inside = np.zeros((int(groups.max()) + 1, n_classes))
    np.add.at(inside, (groups, codes), 1.0)
    counts, sizes = inside.sum(axis=0), inside.sum(axis=1)
    alike = counts[codes] - inside[groups, codes]
    return np.asarray(alike / (len(codes) - sizes[groups]))
