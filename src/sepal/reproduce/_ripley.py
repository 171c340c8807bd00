"""Ripley's two classes: what their population is, and an exact test for two classifiers on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from sepal.datasets import load

# Two normal clouds of equal weight for each class, variance 0.03 in both directions (Ripley 1996).
_CENTERS = (((-0.7, 0.3), (0.3, 0.3)), ((-0.3, 0.7), (0.4, 0.7)))
_VARIANCE = 0.03


def train_and_test() -> tuple[Any, Any]:
    """The 250 and the 1000 rows."""
    return load("ripley-train"), load("ripley-test")


def bayes_answers(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """The class that is more likely at each point, if the population is known."""
    density = [
        sum(np.exp(-((points - np.array(center)) ** 2).sum(axis=1) / (2 * _VARIANCE)) for center in centers)
        for centers in _CENTERS
    ]
    return np.asarray(density[1] > density[0], dtype=np.int64)


def mcnemar(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> tuple[int, int, float]:
    """Rows only the first and only the second has wrong, and the exact p-value of that."""
    a, b = int((first & ~second).sum()), int((second & ~first).sum())
    return a, b, float(binomtest(a, a + b).pvalue) if a + b else 1.0
