"""What one look at every pair of rows of a labelled table says about neighbours inside and outside their class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.neighbors._copies import Copies, DistinctRows


@dataclass(frozen=True, eq=False)
class ClassCases:
    """Distinct rows of each class, class after class; rows that are equal in both share a case.

    Attributes
    ----------
    case_of : (n_rows,) array
    group : DistinctRows
        The distinct row of each case.
    code, row, copies : (n_cases,) arrays
        Its class, the lowest row of the case, and how many rows it stands for.
    """

    case_of: NDArray[np.intp]
    group: DistinctRows
    code: NDArray[np.int32]
    row: NDArray[np.intp]
    copies: NDArray[np.int64]


def find_cases(of: Copies, codes: NDArray[np.int32]) -> ClassCases:
    """The cases of rows whose distinct row and class are known."""
    key = codes.astype(np.int64) * of.n_distinct + of.of_row.number
    keys, row, case_of, copies = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    group = DistinctRows((keys % of.n_distinct).astype(np.int32))
    return ClassCases(case_of, group, (keys // of.n_distinct).astype(np.int32), row, copies)


@dataclass(frozen=True, eq=False)
class ClassPass:
    """The neighbours of every case, by class.

    Attributes
    ----------
    cases : ClassCases
    distance, start, enemy : arrays
        How far the nearest row of another class is, and these: ``enemy[start[i]:start[i+1]]`` are the cases, all tied
        ones, of case i. Infinitely far, and none, where there is no other class.
    own, n_own : (n_cases,) arrays
        How far the nearest other row of the class is, infinitely if there is none, and how many rows tie for it.
    nearer : (n_cases,) array
        Rows of the class, the row itself included, that are nearer than the nearest enemy.
    near : (n_cases,) array
        Other rows of the class within the given reach.
    further_tied, further_same : arrays
        Rows in the nearest tied group of each further row, and those among them that have its class.
    tree_edges : pair of arrays
        The cases that each edge of the minimum spanning tree joins; empty unless it was asked for.
    """

    cases: ClassCases
    distance: NDArray[np.float64]
    start: NDArray[np.int64]
    enemy: NDArray[np.int32]
    own: NDArray[np.float64]
    n_own: NDArray[np.float64]
    nearer: NDArray[np.float64]
    near: NDArray[np.float64]
    further_tied: NDArray[np.float64]
    further_same: NDArray[np.float64]
    tree_edges: tuple[NDArray[np.int32], NDArray[np.int32]]

    def tree(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows that each edge of the minimum spanning tree of all rows joins.

        Among edges of equal length those inside one class come first, then those of rows of lower rank, so that the
        tree is unique. Copies hang on the lowest row of their case.
        """
        lowest = self.cases.row[self.cases.case_of]
        copy = np.flatnonzero(lowest != np.arange(len(lowest)))
        first, second = (self.cases.row[each] for each in self.tree_edges)
        return np.concatenate([first, lowest[copy]]), np.concatenate([second, copy])
