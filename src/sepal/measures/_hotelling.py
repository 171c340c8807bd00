"""Tests that the class means differ: Hotelling's T-squared for two classes, Wilks and Pillai for more.

Exact for normal classes with one covariance. Rank stands for the number of columns where the covariance is singular.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sepal.measures._class_pairs import MOST_PAIRED
from sepal.measures._within import Within

_LARGE = 1e7  # a noncentrality for which the normal form is good to ten digits
_NODES, _SHARES = np.polynomial.hermite_e.hermegauss(64)
_SHARES = _SHARES / _SHARES.sum()


@dataclass(frozen=True)
class HotellingTest:
    """T-squared, its F form and what follows for the Mahalanobis distance D.

    Attributes
    ----------
    t2 : float
        n1 n2 / (n1 + n2) * D^2.
    f, p_value : float or None
        None where there are too few rows for the number of columns.
    df : tuple of int
    interval : tuple of float or None
        For the population's D, from the noncentral F distribution.
    corrected : float or None
        D with the small-sample bias of D^2 removed; 0 where that is negative.
    """

    t2: float
    f: float | None
    p_value: float | None
    df: tuple[int, int]
    interval: tuple[float, float] | None
    corrected: float | None


def hotelling(d2: float, n1: int, n2: int, rank: int, dof: int, confidence: float) -> HotellingTest:
    """Test D^2 = ``d2`` between classes of n1 and n2 rows; ``dof`` are those of the pooled covariance."""
    weight = n1 * n2 / (n1 + n2)
    t2, df2 = weight * d2, dof - rank + 1
    if rank == 0 or df2 < 1:
        return HotellingTest(t2, None, None, (rank, df2), None, None)
    f = df2 / (rank * dof) * t2
    corrected = None
    if dof - rank - 1 > 0:
        corrected = float(np.sqrt(max(0.0, d2 * (dof - rank - 1) / dof - rank * (n1 + n2) / (n1 * n2))))
    low, high = (noncentrality(f, rank, df2, q) for q in ((1 + confidence) / 2, (1 - confidence) / 2))
    interval = (float(np.sqrt(low / weight)), float(np.sqrt(high / weight)))
    return HotellingTest(t2, f, float(special.fdtrc(rank, df2, f)), (rank, df2), interval, corrected)


def noncentrality(f: float, df1: int, df2: int, q: float) -> float:
    """The noncentrality at which F is at most ``f`` with probability q; 0 if none is small enough."""
    if special.fdtr(df1, df2, f) <= q:
        return 0.0
    low, high = 0.0, max(1.0, 2 * f * df1)
    while _noncentral_f(df1, df2, high, f) > q:
        low, high = high, 2 * high
    while high - low > 1e-10 * high:  # halving: a better method would have to be imported, which takes longer
        middle = (low + high) / 2
        low, high = (middle, high) if _noncentral_f(df1, df2, middle, f) > q else (low, middle)
    return (low + high) / 2


def _noncentral_f(df1: int, df2: int, noncentrality: float, f: float) -> float:
    """The probability that a noncentral F is at most ``f``.

    The usual series gives up where the noncentrality is very large. There the noncentral chi-square is the square of a
    normal number around sqrt(noncentrality + df1 - 1), and the other chi-square is integrated out over that number.
    """
    if noncentrality < _LARGE:
        return float(special.ncfdtr(df1, df2, noncentrality, f))
    roots = np.sqrt(noncentrality + df1 - 1) + _NODES
    return float(_SHARES @ special.chdtrc(df2, df2 / (f * df1) * roots**2))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjustment for many tests; None stays None and is not counted."""
    adjusted: list[float | None] = [None] * len(p_values)
    known = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    largest = 0.0
    for rank, (p, i) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - rank) * p))
        adjusted[i] = largest
    return adjusted


@dataclass(frozen=True)
class GlobalTest:
    """One test for all classes at once: the statistic, its F approximation and p-value (None where undefined)."""

    name: str
    value: float
    f: float | None
    df: tuple[float, float]
    p_value: float | None


def canonical_ratios(within: Within) -> NDArray[np.float64]:
    """Nonzero eigenvalues of S^+ B on the range of S, with B the scatter between classes (not divided)."""
    weights = within.counts / within.counts.sum()
    between = (within.means - weights @ within.means) * np.sqrt(within.counts)[:, None]
    if len(weights) > max(MOST_PAIRED, within.rank):  # the smaller of both Gram matrices has the same eigenvalues
        root = (within.range_part(between) / within.spread) @ within.vectors / np.sqrt(within.variances)
        gram = root.T @ root
    else:
        gram = between @ within.solve(between).T
    found = np.linalg.eigvalsh((gram + gram.T) / 2)[::-1][: len(weights) - 1]
    return np.asarray(np.maximum(found, 0.0))


def wilks_and_pillai(within: Within) -> tuple[GlobalTest, GlobalTest]:
    """Wilks' lambda with Rao's F and Pillai's trace with its F."""
    p, q, e = within.rank, len(within.counts) - 1, within.degrees_of_freedom
    ratios = canonical_ratios(within) / max(e, 1)
    wilks, pillai = float(np.prod(1 / (1 + ratios))), float(np.sum(ratios / (1 + ratios)))
    s = min(p, q)
    t = np.sqrt((p * p * q * q - 4) / (p * p + q * q - 5)) if p * p + q * q > 5 else 1.0
    df1, df2 = float(p * q), (e - (p - q + 1) / 2) * t - (p * q - 2) / 2
    f = p_value = None
    if s and df2 > 0:
        root = wilks ** (1 / t)
        f = float((1 - root) / root * df2 / df1) if root > 0 else float("inf")
        p_value = float(special.fdtrc(df1, df2, f))
    first = GlobalTest("Wilks' lambda", wilks, f, (df1, float(df2)), p_value)
    df1, df2 = float(s * max(p, q)), float(s * (e - p + s))
    f = p_value = None
    if s and df2 > 0 and pillai < s:
        f = pillai / (s - pillai) * df2 / df1
        p_value = float(special.fdtrc(df1, df2, f))
    return first, GlobalTest("Pillai's trace", pillai, f, (df1, df2), p_value)
