"""Lists of neighbours, the groups of tied ones in them, and sums over these by class."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property


@dataclass(frozen=True, eq=False)
class NeighborLists:
    """Ragged neighbour lists: the voters of list i are entries ``start[i]:start[i+1]``, nearest first.

    ``asker`` is the training row each list is for, or None where queries are no training rows.
    """

    start: NDArray[np.int64]
    voter: NDArray[np.intp]
    distance: NDArray[np.float64]
    asker: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def query(self) -> NDArray[np.intp]:
        """The list each entry belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def part(self, begin: int, end: int) -> NeighborLists:
        """Some of the lists."""
        a, b = int(self.start[begin]), int(self.start[end])
        asker = None if self.asker is None else self.asker[begin:end]
        return NeighborLists(self.start[begin : end + 1] - a, self.voter[a:b], self.distance[a:b], asker)

    def where(self, keep: NDArray[np.bool_]) -> NeighborLists:
        """The lists with some entries only."""
        if keep.all():
            return self
        lengths = np.bincount(self.query[keep], minlength=len(self))
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return replace(self, start=start, voter=self.voter[keep], distance=self.distance[keep])


@dataclass(frozen=True, eq=False)
class TiedGroups:
    """Dense: row i of each array is query i, column j its j-th nearest tied group; unused places have no mass.

    Attributes
    ----------
    distance, mass : (n_queries, n_groups) arrays
    sums : (n_queries, n_groups, n_sums) array
        What was summed over the members of a group, weights included.
    """

    distance: NDArray[np.float64]
    mass: NDArray[np.float64]
    sums: NDArray[np.float64]

    @cached_property
    def before(self) -> NDArray[np.float64]:
        """Mass in nearer groups."""
        return np.asarray(np.cumsum(self.mass, axis=1) - self.mass)

    def inside(self, k: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of each group that lies within the nearest mass k."""
        taken = np.clip(k - self.before, 0.0, self.mass)
        return np.divide(taken, self.mass, out=np.zeros_like(taken), where=self.mass > 0)

    def kth_distance(self, k: float) -> NDArray[np.float64]:
        """(n_queries, 1) distance of the group that holds the k-th unit of mass."""
        last = np.sum((self.before < k) & (self.mass > 0), axis=1, keepdims=True) - 1
        return np.take_along_axis(self.distance, np.maximum(last, 0), axis=1)


@dataclass(frozen=True, eq=False)
class ClassSums:
    """The weight of each class in each voter, and in all of them together."""

    codes: NDArray[np.int32]
    of_voter: NDArray[np.float64]
    everyone: NDArray[np.float64]  # one row
