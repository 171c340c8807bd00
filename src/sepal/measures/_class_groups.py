"""Tied groups of neighbours with their classes: what the measures count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.neighbors import Copies, DistinctRanking, DistinctRows


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


def class_table(copies: Copies, codes: NDArray[np.int32], n_classes: int) -> NDArray[np.int64]:
    """How many rows of each class every distinct row stands for: (n_distinct, n_classes)."""
    flat = copies.of_row.number.astype(np.int64) * n_classes + codes
    return np.bincount(flat, minlength=copies.n_distinct * n_classes).reshape(-1, n_classes)


def cases_of(
    copies: Copies, codes: NDArray[np.int32], n_classes: int, rows: NDArray[np.intp]
) -> tuple[DistinctRows, NDArray[np.int64], NDArray[np.intp]]:
    """The cases of some rows: the distinct row and the class of each case, and the case of each row."""
    flat = copies.distinct(rows).number.astype(np.int64) * n_classes + codes[rows]
    key, case_of = np.unique(flat, return_inverse=True)
    return DistinctRows((key // n_classes).astype(np.int32)), key % n_classes, case_of


def class_groups(
    ranking: DistinctRanking, codes: NDArray[np.int32], n_classes: int, rows: NDArray[np.intp]
) -> ClassGroups:
    """Count classes in the tied groups around the asking ``rows`` (training rows)."""
    copies = ranking.copies
    if not copies.any:
        start, entry, distance = ranking.lists(ranking.list_of(rows))
        same = (codes[copies.first_rows(entry)] == np.repeat(codes[rows], np.diff(start))).astype(np.int64)
        return _tied(np.arange(len(rows)), start, distance, np.ones(len(entry), dtype=np.int64), same)
    distinct, own_class, case_of = cases_of(copies, codes, n_classes, rows)
    start, entry, distance = ranking.lists(ranking.list_of_distinct(distinct))
    case = np.repeat(np.arange(len(distinct)), np.diff(start))
    itself = entry.number == distinct.number[case]
    size = copies.counts(entry) - itself
    same = class_table(copies, codes, n_classes)[entry.number, own_class[case]] - itself
    return _tied(case_of, start, distance, size, same)


def _tied(
    case_of: NDArray[np.intp],
    start: NDArray[np.int64],
    distance: NDArray[np.float64],
    size: NDArray[np.int64],
    same: NDArray[np.int64],
) -> ClassGroups:
    """Entries of one distance added up, case by case."""
    n_cases = len(start) - 1
    if len(distance) == n_cases:  # one neighbour each
        return ClassGroups(case_of, start, size, same)
    opens = np.ones(len(distance), dtype=bool)
    opens[1:] = distance[1:] != distance[:-1]
    opens[start[:-1]] = True
    first = np.flatnonzero(opens)
    groups = np.concatenate([[0], np.cumsum(opens)])[start]
    return ClassGroups(case_of, groups, np.add.reduceat(size, first), np.add.reduceat(same, first))
