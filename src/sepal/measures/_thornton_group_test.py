"""The test and the interval of Thornton's index where rows come in groups: groups count, not rows.

Random labels. Where every group is of one class, that class belongs to the group (the patient, the batch): the classes
are dealt out to the groups at random. Where groups hold several classes, the labels of a group are exchanged with those
of another of the same size and shuffled within it. Both keep what rows of one group have in common, so that p is as
often small by chance as it says. Groups of unequal size change how many rows a class has: a labelling is judged by its
index less its own chance level.

Interval. With S_g the sum of the agreements of group g, and D_gh what it changes if group h is not there, as for single
rows::

    E (index - accuracy on rows of further groups)^2 = (sum_g Var(S_g) + sum_gh D_gh D_hg) / n^2 + smaller terms
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from sepal._lazy import cached_property
from sepal.data import Rows, copies_of, rows_by_content
from sepal.measures._label_shuffles import PermutationTest, permutation_test
from sepal.measures._thornton_group_graph import GroupGraph
from sepal.measures._thornton_groups import chance_between_groups
from sepal.measures._thornton_interval import SEEN_BEFORE
from sepal.measures._thornton_p import LEAST_SHUFFLES, MOST_WORK

MOST_GROUP_SHUFFLES = 9_999
_CELLS = 2_000_000  # edges of shuffles looked at together


@dataclass(frozen=True, eq=False)
class GroupShuffler:
    """Labels that move between groups and within them, on a fixed graph.

    Attributes
    ----------
    order : array
        Rows in the order of their groups, which are in an order that follows from what is in them.
    codes : array
        The class of each row in the order of the table.
    """

    graph: GroupGraph
    codes: NDArray[np.int32]
    order: NDArray[np.intp]
    n_classes: int
    sizes: NDArray[np.intp] = field(init=False)

    def __post_init__(self) -> None:
        found = self.graph.groups[self.order]
        bounds = np.flatnonzero(np.concatenate([[True], found[1:] != found[:-1], [True]]))
        object.__setattr__(self, "sizes", np.diff(bounds))

    @cached_property
    def classes(self) -> NDArray[np.int32]:
        """Of the rows in ``order``, the larger classes first: their names do not matter."""
        by_size = np.argsort(-np.bincount(self.codes, minlength=self.n_classes), kind="stable")
        place = np.empty(self.n_classes, dtype=np.int32)
        place[by_size] = np.arange(self.n_classes)
        return place[self.codes[self.order]]

    @cached_property
    def begins(self) -> NDArray[np.intp]:
        """Where each group begins in ``order``."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    @cached_property
    def by_group(self) -> bool:
        """Whether every group is of one class."""
        lowest = np.minimum.reduceat(self.classes, self.begins)
        return bool(np.all(lowest == np.maximum.reduceat(self.classes, self.begins)))

    @cached_property
    def edges(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        """Edges of the neighbour graph with weights: of groups if each has one class, else of rows in ``order``."""
        place = np.empty(len(self.order), dtype=np.intp)
        place[self.order] = np.arange(len(self.order))
        a, b = place[self.graph.source], place[self.graph.target]
        if self.by_group:
            group = np.repeat(np.arange(len(self.sizes)), self.sizes)
            a, b = group[a], group[b]
        n = len(self.order)
        pair, entry = np.unique(np.minimum(a, b) * n + np.maximum(a, b), return_inverse=True)
        return pair // n, pair % n, np.bincount(entry, weights=self.graph.weight).astype(np.float64)

    @property
    def work(self) -> int:
        """What one shuffle looks at."""
        return len(self.order) + len(self.edges[0])

    def observed(self) -> float:
        """N times (index - chance) of the labels given."""
        labels = self.classes[self.begins] if self.by_group else self.classes
        return float(self._excess(labels[None, :])[0])

    def totals(self, seed: int, first: int, count: int) -> NDArray[np.float64]:
        """N times (index - chance) under the shuffles number ``first`` and following."""
        rng = np.random.default_rng([seed, first])
        return self._excess(self._dealt(rng, count) if self.by_group else self._exchanged(rng, count))

    def _dealt(self, rng: np.random.Generator, count: int) -> NDArray[np.int32]:
        """The classes of the groups in any order."""
        return rng.permuted(np.tile(np.sort(self.classes[self.begins]), (count, 1)), axis=1)

    def _exchanged(self, rng: np.random.Generator, count: int) -> NDArray[np.int32]:
        """The labels of groups of one size exchanged, and shuffled within each."""
        found = np.empty((count, len(self.order)), dtype=np.int32)
        for size in np.unique(self.sizes):
            rows = self.begins[self.sizes == size][:, None] + np.arange(size)
            lists = np.sort(self.classes[rows], axis=1)
            lists = lists[np.lexsort(lists.T[::-1])]
            which = rng.permuted(np.tile(np.arange(len(lists)), (count, 1)), axis=1)
            found[:, rows.ravel()] = rng.permuted(lists[which], axis=2).reshape(count, -1)
        return found

    def _excess(self, labels: NDArray[np.int32]) -> NDArray[np.float64]:
        a, b, weight = self.edges
        step = max(1, _CELLS // len(weight))
        parts = (labels[begin : begin + step] for begin in range(0, len(labels), step))
        total = np.concatenate([(part[:, a] == part[:, b]) @ weight for part in parts])
        return np.asarray(total - (self._chances(labels) if self.by_group else self._chance))

    @cached_property
    def _chance(self) -> float:
        """Of exchanged labels it is always the same."""
        return float(np.sum(chance_between_groups(self.codes, self.graph.groups, self.n_classes)))

    def _chances(self, labels: NDArray[np.int32]) -> NDArray[np.float64] | float:
        """N times the chance level of classes dealt out to the groups."""
        if np.all(self.sizes == self.sizes[0]):
            return self._chance
        size = self.sizes.astype(np.float64)
        rows = np.stack([(labels == c) @ size for c in range(self.n_classes)], axis=1)
        alike = np.take_along_axis(rows, labels.astype(np.intp), axis=1) - size
        return np.asarray(alike @ (size / (len(self.order) - size)))


def group_shuffler(graph: GroupGraph, codes: NDArray[np.int32], n_classes: int, rows: Rows) -> GroupShuffler:
    """Labels of these rows, ready to be shuffled; groups stand by their sizes and what is in their rows."""
    by_content = rows_by_content(rows, np.zeros(len(codes), dtype=np.int32))
    equal = copies_of(rows)[by_content]
    rank = np.empty(len(codes), dtype=np.intp)
    rank[by_content] = np.cumsum(np.concatenate([[False], equal[1:] != equal[:-1]]))
    order = np.lexsort((rank, graph.groups))
    sizes = np.bincount(graph.groups)
    parts = np.split(order, np.cumsum(sizes)[:-1])
    parts.sort(key=lambda part: (len(part), rank[part].tolist()))
    return GroupShuffler(graph, codes, np.concatenate(parts), n_classes)


def group_permutations(shuffling: GroupShuffler, seed: int, n_permutations: int | None = None) -> PermutationTest:
    """As many shuffles as were asked for, or as there is time for."""
    most = n_permutations or int(np.clip(MOST_WORK // shuffling.work, LEAST_SHUFFLES, MOST_GROUP_SHUFFLES))
    return permutation_test(shuffling, shuffling.observed(), seed, most)


def effective_rows_of_groups(
    graph: GroupGraph, samples: NDArray[np.float64], rows: NDArray[np.bool_], confidence: float
) -> float:
    """How many independent trials tell as much about rows of further groups as these groups do.

    ``rows`` are all, or those of one class, which are then what is told about; one group alone tells nothing.
    """
    groups, agrees = graph.groups[rows], samples[rows]
    n, score, sizes = len(agrees), float(np.mean(agrees)), np.bincount(groups).astype(np.float64)
    m = int(np.count_nonzero(sizes))
    if m < 2:
        return 0.0
    own = float(np.sum(np.bincount(groups, agrees - score) ** 2)) * m / (m - 1)
    pairs, mutual = _answering_each_other(graph, samples, rows)
    heavy = float(np.sum(sizes**2))  # n if groups were single rows
    single = score * (1.0 - score) * n
    usual = (heavy + mutual) / n
    # Few groups tell little about how much they differ: Student's quantile in place of the normal one.
    tail = 0.5 + confidence / 2
    student = float(ndtri(tail) / stdtrit(m - 1, tail)) ** 2
    return student * n * (single + SEEN_BEFORE) / (own + max(0.0, pairs) + SEEN_BEFORE * usual)


def _answering_each_other(
    graph: GroupGraph, samples: NDArray[np.float64], rows: NDArray[np.bool_]
) -> tuple[float, float]:
    """Sum of D_gh D_hg over ordered pairs of groups, and of the numbers of rows nearest to each other's group."""
    m, told = int(graph.groups.max()) + 1, rows[graph.row]
    row, other, left = graph.row[told], graph.other[told], graph.without[told]
    without = np.where(np.isnan(left), np.mean(samples), left)
    key, entry = np.unique(graph.groups[row] * m + other, return_inverse=True)
    change = np.bincount(entry, weights=samples[row] - without)
    asked = np.bincount(entry).astype(np.float64)
    back = (key % m) * m + key // m
    place = np.minimum(np.searchsorted(key, back), len(key) - 1)
    both = key[place] == back
    return float(np.sum((change * change[place])[both])), float(np.sum((asked * asked[place])[both]))
