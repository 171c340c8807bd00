"""Who is nearest to whom, as a weighted graph: what a permutation of the labels needs.

a_ij = 1/size for each j in the nearest tied group of i. Rows with copies have exactly their copies as that group, so
everything is counted over distinct rows and stays small when many rows are equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.measures._groups import class_table
from sepal.neighbors import Copies, DistinctRanking, segment_positions


@dataclass(frozen=True, eq=False)
class NearestGraph:
    """The nearest tied group of every row.

    Attributes
    ----------
    copies : Copies
        Which rows are equal.
    source, target : arrays
        Edges from distinct rows without copies to the distinct rows in their nearest group, by their numbers.
    weight : array
        Of each edge: one over the number of rows in the group.
    """

    copies: Copies
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    weight: NDArray[np.float64]

    @property
    def n_copies(self) -> NDArray[np.int64]:
        """How many rows each distinct row stands for."""
        return self.copies.count

    def total(self, codes: NDArray[np.int32], n_classes: int) -> float:
        """sum_ij a_ij [y_i = y_j], which is n times Thornton's index."""
        counts = class_table(self.copies, codes, n_classes)
        agreeing = float(np.sum(self.weight * counts[self.target, codes[self.copies.first[self.source]]]))
        copied = self.n_copies > 1
        pairs = (counts[copied] * (counts[copied] - 1)).sum(axis=1)
        return agreeing + float(np.sum(pairs / (self.n_copies[copied] - 1)))

    def permutation_moments(self, class_counts: NDArray[np.int64]) -> tuple[float, float]:
        """Exact mean and variance of ``total`` over all permutations of the labels.

        With b_ij = a_ij + a_ji, deg_i = sum_j b_ij and B = sum_{i<j} b_ij (= n here)::

            P2  = sum n_c(n_c-1) / n(n-1)          two different rows agree
            P3  = sum n_c(n_c-1)(n_c-2) / n^(3)     three do
            P22 = two disjoint pairs agree
            E = P2 B
            Var = sum_{i<j} b_ij^2 (P2-P22) + sum_i (deg_i^2 - sum_j b_ij^2) (P3-P22) + B^2 (P22-P2^2)

        Reference: M. F. Schilling, JASA 81, 1986; the moments are those of a linear statistic on a fixed graph.
        """
        n = self.copies.n_rows
        m = class_counts.astype(np.float64)
        two, three, four = m * (m - 1), m * (m - 1) * (m - 2), m * (m - 1) * (m - 2) * (m - 3)
        p2 = two.sum() / (n * (n - 1))
        p3 = three.sum() / (n * (n - 1) * (n - 2)) if n > 2 else 0.0
        p22 = (four.sum() + two.sum() ** 2 - (two**2).sum()) / (n * (n - 1) * (n - 2) * (n - 3)) if n > 3 else 0.0
        squares, degrees = self._pair_squares(), self._degrees()
        variance = squares * (p2 - p22) + (degrees - 2 * squares) * (p3 - p22) + n**2 * (p22 - p2**2)
        # Where every arrangement gives the same total, rounding leaves a little more or less than nothing.
        return float(p2 * n), float(variance) if variance > 1e-12 * n**2 else 0.0

    def _pair_squares(self) -> float:
        """sum_{i<j} b_ij^2 = sum_ij a_ij^2 + sum_ij a_ij a_ji."""
        copies = self.n_copies[self.n_copies > 1].astype(np.float64)
        own = float(np.sum(self.weight**2 * self.n_copies[self.target]) + 2 * np.sum(copies / (copies - 1)))
        n_distinct = len(self.n_copies)
        key = self.source * n_distinct + self.target
        order = np.argsort(key)
        back = self.target * n_distinct + self.source
        at = np.minimum(np.searchsorted(key[order], back), max(len(key) - 1, 0))
        mutual = key[order][at] == back if len(key) else np.zeros(0, dtype=bool)
        return own + float(np.sum(self.weight[mutual] * self.weight[order][at[mutual]]))

    def _degrees(self) -> float:
        """sum_i deg_i^2, deg_i = 1 + what others give to i."""
        incoming = np.bincount(self.target, weights=self.weight, minlength=len(self.n_copies)) + (self.n_copies > 1)
        return float(np.sum(self.n_copies * (1.0 + incoming) ** 2))


def nearest_graph(ranking: DistinctRanking) -> NearestGraph:
    """The graph from a ranking of all distinct rows with k = 1."""
    copies = ranking.copies
    single = np.flatnonzero(copies.count == 1)  # every distinct row asks, so its list stands at its own number
    lengths = np.diff(ranking.start)[single]
    source = np.repeat(single, lengths)
    at = segment_positions(ranking.start[single], lengths)
    nearest = ranking.distances[at] == ranking.distances[ranking.start[source]]
    source, target = source[nearest], ranking.entries.number[at][nearest].astype(np.int64)
    size = np.bincount(source, weights=copies.count[target], minlength=copies.n_distinct)
    return NearestGraph(copies, source.astype(np.int64), target, 1.0 / size[source])
