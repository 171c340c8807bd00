"""Thornton's index where rows of one group are no neighbours of each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import group_codes, left_out_together
from sepal.measures._prepared import Prepared
from sepal.neighbors import DistinctRanking
from sepal.progress import SEARCHING, Progress

_CELLS = 2_000_000  # neighbours listed at a time


def groups_of(data: Prepared, groups: Any, n_given: int) -> NDArray[np.intp] | None:
    """Numbers of the rows that are no neighbours of each other, from what the user said; None: there are none such."""
    if not isinstance(groups, str):
        codes = group_codes(groups, n_given)
        groups = codes if n_given == data.n_rows else codes[data.rows]
    return left_out_together(data.search.table, groups).groups


def samples_of_groups(
    data: Prepared, groups: NDArray[np.intp], ties: str, rows: NDArray[np.intp], progress: Progress | None
) -> NDArray[np.float64]:
    """For each asking row, how far the nearest row of another group agrees with it."""
    depth = int(np.bincount(groups).max())  # the others of the group, and one more
    step = max(1, _CELLS // depth)
    found = []
    for begin in range(0, len(rows), step):
        asking = rows[begin : begin + step]
        ranking = data.search.distinct_ranking(depth, rows=asking)
        found.append(_samples(data, groups, ties, asking, ranking, depth))
        if progress is not None:
            progress(SEARCHING, min(1.0, (begin + step) / len(rows)))
    return np.concatenate(found)


def _samples(
    data: Prepared,
    groups: NDArray[np.intp],
    ties: str,
    asking: NDArray[np.intp],
    ranking: DistinctRanking,
    depth: int,
) -> NDArray[np.float64]:
    lists = ranking.per_row(depth, "expected", asking)
    query = np.repeat(np.arange(len(asking)), np.diff(lists["start"]))
    near, distance = lists["flat_rows"], lists["flat_distances"]
    other = groups[near] != groups[asking][query]
    query, near, distance = query[other], near[other], distance[other]
    least = np.full(len(asking), np.inf)
    np.minimum.at(least, query, distance)
    nearest = distance == least[query]
    query, near = query[nearest], near[nearest]
    agrees = (data.codes[near] == data.codes[asking][query]).astype(np.float64)
    if ties == "index":
        first = np.lexsort((near, query))
        return np.asarray(agrees[first[np.searchsorted(query[first], np.arange(len(asking)))]])
    share = np.bincount(query, agrees, len(asking)) / np.bincount(query, minlength=len(asking))
    if ties == "pessimistic":
        return np.asarray(share == 1.0, dtype=np.float64)
    return np.asarray(share > 0.0, dtype=np.float64) if ties == "optimistic" else share
