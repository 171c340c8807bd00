"""Tied groups of neighbours with their classes: what the measures count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.neighbors import DistinctRanking, segment_positions


@dataclass(frozen=True, eq=False)
class ClassGroups:
    """For each case, the tied groups of its neighbours, nearest first.

    A case is a distinct row together with a class; rows that are equal in both share one.

    Attributes
    ----------
    case_of : (n_queries,) array
        The case of each asking row.
    start : (n_cases + 1,) array
        Groups of case c are entries ``start[c]:start[c+1]``.
    size, same : arrays
        Rows in the group, and how many of them have the class of the case. The asking row itself is not counted.
    """

    case_of: NDArray[np.intp]
    start: NDArray[np.int64]
    size: NDArray[np.int64]
    same: NDArray[np.int64]

    @property
    def case(self) -> NDArray[np.intp]:
        """The case of each group."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


def class_table(
    group_of: NDArray[np.int32], n_distinct: int, codes: NDArray[np.int32], n_classes: int
) -> NDArray[np.int64]:
    """How many rows of each class every distinct row stands for: (n_distinct, n_classes)."""
    flat = group_of.astype(np.int64) * n_classes + codes
    return np.bincount(flat, minlength=n_distinct * n_classes).reshape(-1, n_classes)


def class_groups(
    ranking: DistinctRanking, codes: NDArray[np.int32], n_classes: int, rows: NDArray[np.intp]
) -> ClassGroups:
    """Count classes in the tied groups around the asking ``rows`` (training rows)."""
    position = np.full(len(ranking.n_copies), -1, dtype=np.int64)
    position[ranking.queries] = np.arange(len(ranking.queries))
    key, case_of = _cases(ranking.group_of[rows].astype(np.int64) * n_classes + codes[rows])
    distinct, own_class = key // n_classes, key % n_classes
    lists = position[distinct]
    lengths = np.diff(ranking.start)[lists]
    case = np.repeat(np.arange(len(key)), lengths)
    at = segment_positions(ranking.start[lists], lengths)

    entry, distance = ranking.entries[at], ranking.distances[at]
    itself = entry == distinct[case]
    size = ranking.n_copies[entry] - itself
    same = class_table(ranking.group_of, len(ranking.n_copies), codes, n_classes)[entry, own_class[case]] - itself
    opens = np.ones(len(case), dtype=bool)
    opens[1:] = (case[1:] != case[:-1]) | (distance[1:] != distance[:-1])
    first = np.flatnonzero(opens)
    start = np.concatenate([[0], np.cumsum(np.bincount(case[first], minlength=len(key)))])
    return ClassGroups(case_of, start, np.add.reduceat(size, first), np.add.reduceat(same, first))


def _cases(key: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The distinct keys in order, and which of them each row has; nothing is sorted where they already ascend."""
    if (key[1:] > key[:-1]).all():
        return key, np.arange(len(key))
    return np.unique(key, return_inverse=True)
