"""The graph of nearest neighbours with shared weights for ties: what a permutation test of the labels needs.

a_ij = 1/size for each j in the nearest tied group of i. Rows with copies have exactly their copies as that group, so
everything is counted over distinct rows and stays small when many rows are equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.measures._class_groups import class_table
from sepal.measures._label_moments import AgreementGraph
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

    def symmetric(self) -> AgreementGraph:
        """b_ij = a_ij + a_ji: what a pair of rows adds to ``total`` if they agree."""
        n = len(self.n_copies)
        key = np.minimum(self.source, self.target) * n + np.maximum(self.source, self.target)
        pair, entry = np.unique(key, return_inverse=True)
        weight = np.bincount(entry, weights=self.weight, minlength=len(pair))
        return AgreementGraph(self.n_copies, pair // n, pair % n, weight.astype(np.float64))


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
