"""Real permutations of the labels on a fixed graph of neighbours: the only door to the native code that does them.

Rows are put into an order that follows from the graph before anything is shuffled, and classes are known by their sizes
alone, so that shuffle number s of a seed is the same whatever the order of the rows and the names of the classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal.measures._graph_order import graph_order
from sepal.measures._nearest import NearestGraph
from sepal.neighbors import AnySearch

BATCH = 1_000


@dataclass(frozen=True, eq=False)
class Shuffler:
    """A graph whose labels can be shuffled.

    Attributes
    ----------
    start, edge_start, from_row, weight : arrays
        The graph with its rows in an order of their own, as ``native/label_shuffle.hpp`` has it.
    classes : array
        The class of each row before the shuffle, larger classes first.
    """

    start: NDArray[np.int64]
    edge_start: NDArray[np.int64]
    from_row: NDArray[np.int32]
    weight: NDArray[np.float64]
    classes: NDArray[np.int32]
    threads: int

    @property
    def work(self) -> int:
        """What one shuffle looks at."""
        return len(self.classes) + len(self.from_row)

    def totals(self, seed: int, first: int, count: int) -> NDArray[np.float64]:
        """sum_ij a_ij [y_i = y_j] under the shuffles number ``first`` and following."""
        return _native.shuffled_agreement(
            start=self.start,
            edge_start=self.edge_start,
            from_row=self.from_row,
            weight=self.weight,
            classes=self.classes,
            n_classes=int(self.classes[-1]) + 1,
            seed=seed,
            first=first,
            count=count,
            threads=self.threads if count * self.work > 1_000_000 else 1,
            progress=None,
        )


def shuffler(graph: NearestGraph, search: AnySearch, class_counts: NDArray[np.int64]) -> Shuffler:
    """The graph of these rows, ready to be shuffled."""
    order = graph_order(graph, search)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    start = np.concatenate([[0], np.cumsum(graph.n_copies[order])])
    source, target = place[graph.source], place[graph.target]
    by_target = np.lexsort((source, target))
    edge_start = np.concatenate([[0], np.cumsum(np.bincount(target, minlength=len(order)))])
    sizes = np.sort(class_counts[class_counts > 0])[::-1]
    return Shuffler(
        start,
        edge_start,
        start[source[by_target]].astype(np.int32),
        graph.weight[by_target],
        np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
        search.threads,
    )


class Shuffling(Protocol):
    """What can be shuffled."""

    @property
    def classes(self) -> NDArray[np.int32]:
        """The class of each row."""

    @property
    def work(self) -> int:
        """What one shuffle looks at."""

    def totals(self, seed: int, first: int, count: int) -> NDArray[np.float64]:
        """The statistic under the shuffles number ``first`` and following."""


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """What shuffling found.

    Attributes
    ----------
    p_value : float
        Besag and Clifford's: hits / shuffles where the last hit ended it, else (1 + hits) / (1 + shuffles).
    hits : int
        Shuffles at least as separable as the labels given.
    totals : array
        Of each shuffle, in the order they were done.
    """

    p_value: float
    hits: int
    totals: NDArray[np.float64]


def permutation_test(
    shuffler: Shuffling, observed: float, seed: int, most: int, *, enough: int | None = None
) -> PermutationTest:
    """Shuffle ``most`` times, or until ``enough`` shuffles were at least as separable as the labels given.

    Under random labels P(p <= alpha) is at most alpha for every alpha, whether it stops early or not.

    Reference: J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991.
    """
    # Sums in another order may differ by rounding: that is not "less separable".
    limit = observed - 1e-9 * len(shuffler.classes)
    size = int(np.clip(20_000_000 // shuffler.work, 50, BATCH))
    found: list[NDArray[np.float64]] = []
    hits = done = 0
    while done < most:
        batch = shuffler.totals(seed, done, min(size, most - done))
        hit = np.flatnonzero(batch >= limit)
        if enough is not None and hits + len(hit) >= enough:
            last = int(hit[enough - hits - 1]) + 1
            return PermutationTest(enough / (done + last), enough, np.concatenate([*found, batch[:last]]))
        found.append(batch)
        hits, done = hits + len(hit), done + len(batch)
    return PermutationTest((1 + hits) / (1 + done), hits, np.concatenate(found))
