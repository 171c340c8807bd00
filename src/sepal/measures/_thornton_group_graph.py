"""The graph of nearest neighbours across groups, and how it changes without one of the groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.measures._prepared import Prepared
from sepal.measures._thornton_groups import ForeignRows, foreign_rows, some_at_a_time
from sepal.progress import Progress


@dataclass(frozen=True, eq=False)
class GroupGraph:
    """The nearest rows of other groups around every row.

    Attributes
    ----------
    source, target, weight : arrays
        Edges from each row to those tied for nearest; the weights of a row add up to 1.
    row, other, without : arrays
        For each row and each group among its nearest rows: how far it agrees with the nearest of the groups that are
        left if that one is not there. NaN where no group is left.
    """

    groups: NDArray[np.intp]
    source: NDArray[np.intp]
    target: NDArray[np.intp]
    weight: NDArray[np.float64]
    row: NDArray[np.intp]
    other: NDArray[np.intp]
    without: NDArray[np.float64]

    def samples(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """How far each row agrees with its nearest."""
        agrees = codes[self.source] == codes[self.target]
        return np.asarray(np.bincount(self.source, self.weight * agrees, len(codes)), dtype=np.float64)


def group_graph(data: Prepared, groups: NDArray[np.intp], progress: Progress | None) -> GroupGraph:
    """The graph of all rows. As many neighbours are looked up as the two largest groups hold, and one more."""
    sizes = np.sort(np.bincount(groups))
    depth = min(int(sizes[-1] + sizes[-2]), data.n_rows - 1)
    parts = []
    for asking in some_at_a_time(np.arange(data.n_rows), depth, progress):
        parts.append(_part(data, groups, asking, foreign_rows(data, groups, asking, depth)))
    return GroupGraph(groups, *(np.concatenate(each) for each in zip(*parts, strict=True)))


def _part(
    data: Prepared, groups: NDArray[np.intp], asking: NDArray[np.intp], foreign: ForeignRows
) -> tuple[NDArray[np.intp] | NDArray[np.float64], ...]:
    n, nearest = len(asking), foreign.nearest(len(asking))
    first = foreign.where(nearest)
    weight = 1.0 / np.bincount(first.query, minlength=n)[first.query]
    # Each asking row with each group among its nearest.
    n_groups = int(groups.max()) + 1
    query, other = np.divmod(np.unique(first.query * n_groups + groups[first.near]), n_groups)
    # Of each such pair the entries of all other groups; lists are repeated for rows with several groups tied.
    start = np.searchsorted(foreign.query, np.arange(n + 1))
    length = np.diff(start)[query]
    pair = np.repeat(np.arange(len(query)), length)
    at = np.arange(len(pair)) - np.repeat(np.cumsum(length) - length, length) + np.repeat(start[query], length)
    left = groups[foreign.near[at]] != other[pair]
    rest = ForeignRows(pair[left], foreign.near[at[left]], foreign.distance[at[left]])
    rest = rest.where(rest.nearest(len(query)))
    agrees = data.codes[rest.near] == data.codes[asking[query]][rest.query]
    with np.errstate(invalid="ignore"):
        without = np.bincount(rest.query, agrees, len(query)) / np.bincount(rest.query, minlength=len(query))
    return asking[first.query], first.near, weight, asking[query], other, without
