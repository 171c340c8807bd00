"""The p-value of Thornton's index: from exact moments where they tell enough, else from real permutations.

Pearson's type III distribution has the exact mean, variance and skewness of the index over all permutations of the
labels. It is a gamma distribution, and the index of tied rows is close to one. It is a poor guide where the index has
few values (few rows, rare classes) or is very skewed; then labels are shuffled, until it is clear that p is large or
for long enough that p is known.

Reference: P. W. Mielke and K. J. Berry, "Permutation Methods", 2007, for Pearson III and exact moments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincc, ndtr

from sepal.measures._label_moments import AgreementGraph, central_moments
from sepal.measures._label_shuffles import PermutationTest, permutation_test, shuffler
from sepal.measures._nearest import NearestGraph
from sepal.neighbors import AnySearch

MOST_SKEW = 0.5
LEAST_STEPS = 6.0  # standard deviations of the index, in steps from one of its values to the next
HITS = 100  # as many shuffles at least as separable as the labels given are enough: p is known to a tenth
MOST_SHUFFLES = 19_999
LEAST_SHUFFLES = 999
MOST_WORK = 100_000_000  # rows and edges looked at by all shuffles
FEW_HITS = 10
MAY_DIFFER = 1.5  # factor between a share of shuffles and what the moments say, which is checked on some 20 shuffles


@dataclass(frozen=True)
class LabelMoments:
    """Exact mean, standard deviation and skewness of n times the index over all permutations of the labels.

    ``step`` is the distance between the values it can take, or 0 where they lie close together; ``coarse`` the largest
    step one pair of rows can make.
    """

    mean: float
    std: float
    skewness: float | None
    step: float
    coarse: float

    def tail(self, total: float) -> float:
        """P(T >= total) of the Pearson III distribution with these moments; half a step nearer for steps."""
        z = (total - self.step / 2 - self.mean) / self.std
        skew = 0.0 if self.skewness is None else self.skewness
        if abs(skew) < 1e-4:
            return float(ndtr(-z))
        shape = 4.0 / skew**2
        at = max(0.0, shape + np.sign(skew) * z * np.sqrt(shape))
        return float(gammaincc(shape, at) if skew > 0 else gammainc(shape, at))

    @property
    def doubt(self) -> str | None:
        """Why the tail is not to be trusted, if so."""
        if self.skewness is None:
            return "so many rows are tied that their skewness takes too long to find"
        if abs(self.skewness) > MOST_SKEW:
            return f"the index under random labels is very skewed ({self.skewness:.2f})"
        if self.std < LEAST_STEPS * self.coarse:
            return "the index has few values under random labels"
        return None


@dataclass(frozen=True)
class PValue:
    """The p-value and where it comes from."""

    value: float
    source: str
    notes: tuple[str, ...]


def label_moments(graph: AgreementGraph, class_counts: NDArray[np.int64]) -> LabelMoments:
    """The moments and steps of this graph."""
    mean, variance, third = central_moments(graph, class_counts.tolist())
    std = float(np.sqrt(variance))
    skewness = None if third is None else (third / std**3 if std > 0 else 0.0)
    weights = np.concatenate([graph.weight, 2.0 / (np.unique(graph.n_copies[graph.n_copies > 1]) - 1.0)])
    coarse = float(np.max(weights, initial=0.0))
    whole = bool(np.all(weights == np.rint(weights)))
    step = float(np.gcd.reduce(np.rint(weights).astype(np.int64))) if whole else 0.0
    return LabelMoments(mean, std, skewness, step, step if whole else min(coarse, 1.0))


def p_value(
    graph: NearestGraph,
    search: AnySearch,
    class_counts: NDArray[np.int64],
    moments: LabelMoments,
    total: float,
) -> PValue:
    """One-sided: is n times the index, ``total``, more than random labels give?"""
    approximate, doubt = moments.tail(total), moments.doubt
    if doubt is None:
        return PValue(approximate, "moments", ())
    shuffling = shuffler(graph, search, class_counts)
    most = min(MOST_SHUFFLES, MOST_WORK // shuffling.work)
    if most < LEAST_SHUFFLES:
        return PValue(
            approximate,
            "moments",
            (f"p is rough: {doubt}, and there are too many rows to try permutations of their labels",),
        )
    found = permutation_test(shuffling, total, 0, most, enough=HITS)
    done = len(found.totals)
    note = f"p is from {done:,} random permutations of the labels (always the same ones): {doubt}"
    if found.hits < FEW_HITS and approximate < found.p_value and _confirmed(moments, found):
        note += "; so few reach the index that its moments are used beyond them, which the permutations confirm"
        return PValue(approximate, "permutations", (note,))
    return PValue(found.p_value, "permutations", (note,))


def _confirmed(moments: LabelMoments, found: PermutationTest) -> bool:
    """Whether the tail that the moments give is not thinner than that of the shuffles."""
    if moments.skewness is None:
        return False
    ordered = np.sort(found.totals)[::-1]
    for share in (0.01, 0.001):
        at = ordered[max(int(np.ceil(share * len(ordered))) - 1, 0)]
        seen = np.count_nonzero(ordered >= at - 1e-9 * abs(at)) / len(ordered)
        if moments.tail(at) < seen / MAY_DIFFER:
            return False
    return True
