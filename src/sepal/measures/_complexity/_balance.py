"""Columns against rows, and the sizes of the classes: T2, T3, T4, C1, C2 of the survey."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.data import unit_of
from sepal.measures._within import Matrix


def components_for(values: Matrix, share: float = 0.95) -> int:
    """Principal components, in the units given, that hold this share of the variance."""
    around = values * unit_of(values)
    around -= around.mean(axis=0)
    # The smaller of both Gram matrices: squaring costs digits of the smallest variances only, which do not matter here.
    gram = around.T @ around if len(values) > values.shape[1] else around @ around.T
    variances = np.maximum(np.linalg.eigvalsh(gram)[::-1], 0.0)
    if variances.sum() == 0:
        return 0
    reached = np.cumsum(variances) / variances.sum()
    return int(np.searchsorted(reached, share - 1e-12)) + 1


def size_measures(values: Matrix, n_columns: int) -> dict[str, float]:
    """T2: columns per row. T3: components per row. T4: components per column."""
    n, p = len(values), values.shape[1]
    components = components_for(values)
    return {"T2": n_columns / n, "T3": components / n, "T4": components / p}


def balance_measures(counts: NDArray[np.int64]) -> dict[str, float]:
    """C1: 1 - entropy of the class shares / its maximum. C2: 1 - 1 / imbalance ratio. Both 0 for equal classes."""
    n, k = int(counts.sum()), len(counts)
    shares = counts / n
    entropy = -float(np.sum(shares * np.log(shares))) / np.log(k)
    ratio = (k - 1) / k * float(np.sum(counts / (n - counts)))
    return {"C1": max(0.0, 1 - float(entropy)), "C2": max(0.0, 1 - 1 / ratio)}
