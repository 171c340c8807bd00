"""The classes among the k nearest of each row, ties shared: what suspects and overlap regions read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.data import row_groups
from sepal.measures._prepared import Prepared
from sepal.progress import SEARCHING, Progress

_CELLS = 2_000_000  # neighbours listed at a time


@dataclass(frozen=True, eq=False)
class NearestShares:
    """The k nearest of the asking ``rows`` (positions in the table), everyone tied at the k-th place included.

    ``shares`` (n_asking, n_classes) sums to 1 per row: those tied at the k-th place share the places left.
    """

    rows: NDArray[np.intp]
    start: NDArray[np.int64]
    neighbor: NDArray[np.intp]
    distance: NDArray[np.float64]
    shares: NDArray[np.float64]
    k: int


def neighborhood(
    data: Prepared,
    k: int,
    rows: NDArray[np.intp],
    progress: Progress | None,
    groups: NDArray[np.intp] | None = None,
) -> NearestShares:
    """Look up the k nearest of these rows; rows of one group are no neighbours of each other."""
    if groups is None:
        lists = data.ranking(k, rows, progress).per_row(k, "expected", rows)
        start, neighbor, distance = lists["start"], lists["flat_rows"], lists["flat_distances"]
    else:
        start, neighbor, distance = _of_other_groups(data, k, rows, progress, groups)
    query = np.repeat(np.arange(len(rows)), np.diff(start))
    last = distance[start[1:] - 1]
    tied = distance == last[query]
    n_tied = np.bincount(query, weights=tied, minlength=len(rows))
    n_inside = np.diff(start) - n_tied
    weight = np.where(tied, ((k - n_inside) / n_tied)[query], 1.0) / k
    n_classes = len(data.classes)
    flat = query * n_classes + data.codes[neighbor]
    counted = np.bincount(flat, weights=weight, minlength=len(rows) * n_classes).astype(np.float64)
    shares = counted.reshape(len(rows), n_classes)
    return NearestShares(rows, start, neighbor, distance, shares, k)


def _of_other_groups(
    data: Prepared, k: int, rows: NDArray[np.intp], progress: Progress | None, groups: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float64]]:
    """The k nearest rows of other groups, with all that are tied with the last: where each list starts, and the lists.

    As many neighbours more as the largest group has other rows are looked up, some rows at a time.
    """
    depth = k + int(np.bincount(groups).max()) - 1
    step = max(1, _CELLS // depth)
    sizes, neighbors, distances = [], [], []
    for begin in range(0, len(rows), step):
        asking = rows[begin : begin + step]
        lists = data.search.distinct_ranking(depth, rows=asking).per_row(depth, "expected", asking)
        query = np.repeat(np.arange(len(asking)), np.diff(lists["start"]))
        other = groups[lists["flat_rows"]] != groups[asking][query]
        query, near, distance = query[other], lists["flat_rows"][other], lists["flat_distances"][other]
        count = np.bincount(query, minlength=len(asking))
        kth = distance[np.cumsum(count) - count + k - 1]
        inside = distance <= kth[query]
        sizes.append(np.bincount(query[inside], minlength=len(asking)))
        neighbors.append(near[inside])
        distances.append(distance[inside])
        if progress is not None:
            progress(SEARCHING, min(1.0, (begin + step) / len(rows)))
    start = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    return start, np.concatenate(neighbors), np.concatenate(distances)


def kth_distance(
    data: Prepared, k: int, rows: NDArray[np.intp], groups: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """How far the k-th nearest of each of these rows is, of those in other groups."""
    if groups is not None:
        start, _, distance = _of_other_groups(data, k, rows, None, groups)
        return np.asarray(distance[start[1:] - 1])
    lists = data.ranking(k, rows).per_row(k, "index", rows)
    return np.asarray(lists["flat_distances"][lists["start"][1:] - 1])


def hit_and_miss_of(
    data: Prepared, rows: NDArray[np.intp], groups: NDArray[np.intp] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distance to the nearest other row of the same class, and of another class, for some rows only.

    Where there are groups, to the nearest row of another group; infinite where there is none.
    """
    if groups is not None:
        return _hit_and_miss_of_groups(data, rows, groups)
    hit, miss = np.full(len(rows), np.inf), np.full(len(rows), np.inf)
    for code in np.unique(data.codes[rows]):
        mine = np.flatnonzero(data.codes[rows] == code)
        inside, outside = np.flatnonzero(data.codes == code), np.flatnonzero(data.codes != code)
        miss[mine] = data.search.nearest_distance(outside, rows[mine])
        if len(inside) > 1:
            part = data.search.among(inside)
            at = np.searchsorted(inside, rows[mine])
            found = part.distinct_ranking(1, rows=at)
            hit[mine] = found.distances[found.start[found.list_of(at)]]
    return hit, miss


def _hit_and_miss_of_groups(
    data: Prepared, rows: NDArray[np.intp], groups: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    hit, miss = np.full(len(rows), np.inf), np.full(len(rows), np.inf)
    for first in row_groups(np.column_stack([data.codes[rows], groups[rows]]))[1]:
        code, group = data.codes[rows[first]], groups[rows[first]]
        mine = np.flatnonzero((data.codes[rows] == code) & (groups[rows] == group))
        for found, alike in ((hit, True), (miss, False)):
            among = np.flatnonzero(((data.codes == code) == alike) & (groups != group))
            if len(among):
                found[mine] = data.search.nearest_distance(among, rows[mine])
    return hit, miss
