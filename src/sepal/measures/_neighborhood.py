"""The classes among the k nearest of each row, ties shared: what suspects and overlap regions read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.measures._prepared import Prepared, Progress
from sepal.neighbors import AnySearch


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


def neighborhood(data: Prepared, k: int, rows: NDArray[np.intp], progress: Progress | None) -> NearestShares:
    """Look up the k nearest of these rows."""
    ranking = data.ranking(k, rows, progress)
    lists = ranking.per_row(k, "expected", rows)
    start, neighbor, distance = lists["start"], lists["flat_rows"], lists["flat_distances"]
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


def kth_distance(search: AnySearch, k: int, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """How far the k-th nearest of each of these rows is."""
    lists = search.distinct_ranking(k, rows=rows).per_row(k, "index", rows)
    return np.asarray(lists["flat_distances"][lists["start"][1:] - 1])


def hit_and_miss_of(data: Prepared, rows: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distance to the nearest other row of the same class, and of another class, for some rows only."""
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
