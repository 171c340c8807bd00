"""How well single columns, or one direction, tell the classes apart: F1, F1v, F2, F3, F4 of the survey."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sepal.data import content_columns
from sepal.measures._within import Matrix, class_scatter, within_pair

Codes = NDArray[np.int32]


def class_pairs(codes: Codes) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """The rows of both classes, for every pair of classes."""
    rows = [np.flatnonzero(codes == c) for c in range(int(codes.max()) + 1)]
    yield from combinations(rows, 2)


def fisher_ratios(values: Matrix, codes: Codes) -> NDArray[np.float64]:
    """Per column the scatter between class means over that inside classes; NaN for a constant column."""
    counts = np.bincount(codes)
    around = values - values.mean(axis=0)
    means = np.array([around[codes == c].mean(axis=0) for c in range(len(counts))])
    between = counts @ means**2
    within = np.sum((around - means[codes]) ** 2, axis=0)
    # A column that is constant inside classes leaves rounding behind.
    within = np.where(within <= 1e-24 * np.sum(around**2, axis=0), 0.0, within)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.ptp(values, axis=0) == 0, np.nan, between / within)


def max_fisher(values: Matrix, codes: Codes) -> float:
    """F1: 1 / (1 + the largest Fisher ratio of a column)."""
    ratios = fisher_ratios(values, codes)
    return 1.0 if np.all(np.isnan(ratios)) else float(1 / (1 + np.nanmax(ratios)))


def directional_fisher(values: Matrix, codes: Codes) -> float:
    """F1v: the same for the best direction, mean over pairs of classes."""
    found = []
    scatters = [class_scatter(values[codes == c]) for c in range(int(codes.max()) + 1)]
    for a, b in combinations(scatters, 2):
        n = a.count + b.count
        if n <= 2:
            continue
        within = within_pair(a, b)
        d = within.means[0] - within.means[1]
        if within.rank == 0:
            found.append(0.0 if np.any(d != 0) else 1.0)
            continue
        found.append(1 / (1 + within.squared_distance(d) * n / (n - 2)))
    return float(np.mean(found)) if found else float("nan")


def _overlap(a: Matrix, b: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.maximum(a.min(axis=0), b.min(axis=0)), np.minimum(a.max(axis=0), b.max(axis=0))


def overlap_volume(values: Matrix, codes: Codes) -> float:
    """F2: product over columns of (overlap of both classes / range), mean over pairs of classes."""
    found = []
    for a, b in class_pairs(codes):
        A, B = values[a], values[b]
        low, high = _overlap(A, B)
        size = np.maximum(A.max(axis=0), B.max(axis=0)) - np.minimum(A.min(axis=0), B.min(axis=0))
        varies = size > 0
        shares = np.maximum(0.0, high - low)[varies] / size[varies]
        with np.errstate(divide="ignore"):
            found.append(float(np.exp(np.sum(np.log(shares)))))
    return float(np.mean(found))


def _inside(A: Matrix, B: Matrix) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    low, high = _overlap(A, B)
    return (low <= A) & (high >= A), (low <= B) & (high >= B)


def feature_efficiency(values: Matrix, codes: Codes) -> float:
    """F3: the smallest share of rows that lie where a column's classes overlap, mean over pairs."""
    found = []
    for a, b in class_pairs(codes):
        first, second = _inside(values[a], values[b])
        found.append(float(np.min(first.sum(axis=0) + second.sum(axis=0)) / (len(a) + len(b))))
    return float(np.mean(found))


def collective_efficiency(values: Matrix, codes: Codes) -> float:
    """F4: the share of rows left after the best columns, one after the other, took out what they resolve."""
    ranks: list[NDArray[np.intp]] = []

    def rank() -> NDArray[np.intp]:
        if not ranks:  # few tables have ties, and this takes longer than all the rest
            ranks.append(np.argsort(content_columns(values, codes)))
        return ranks[0]

    return float(np.mean([_left(values[a], values[b], rank) for a, b in class_pairs(codes)]))


def _left(A: Matrix, B: Matrix, rank: Callable[[], NDArray[np.intp]]) -> float:
    """Among columns that leave as many rows the order of their content decides, not where they stand."""
    n, columns = len(A) + len(B), list(range(A.shape[1]))
    while columns and len(A) and len(B):
        first, second = _inside(A[:, columns], B[:, columns])
        left = first.sum(axis=0) + second.sum(axis=0)
        tied = np.flatnonzero(left == left.min())
        both = np.concatenate([first, second])[:, tied]
        best = int(tied[0] if np.all(both == both[:, :1]) else min(tied, key=lambda j: rank()[columns[j]]))
        A, B = A[first[:, best]], B[second[:, best]]
        del columns[best]
    return (len(A) + len(B)) / n if len(A) and len(B) else 0.0
