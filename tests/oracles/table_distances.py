"""Distances for tables of mixed kinds, as plain loops over the cells of two rows.

Numeric cells are raw numbers, nominal ones codes, NaN is a missing cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Row = Sequence[float]


def gower(
    x: Row, z: Row, ranges: Row, nominal: Sequence[bool], weights: Row, asymmetric: Sequence[bool] | None = None
) -> float:
    """Mean of the differences over the cells that can be compared; +inf if there is none."""
    total = count = 0.0
    for f, (a, b) in enumerate(zip(x, z, strict=True)):
        if math.isnan(a) or math.isnan(b):
            continue
        if asymmetric is not None and asymmetric[f]:
            if a == 0 and b == 0:
                continue
            difference = 0.0 if a == b else 1.0
        elif nominal[f]:
            difference = 0.0 if a == b else 1.0
        else:
            difference = abs(a - b) / ranges[f]
        total += weights[f] * difference
        count += weights[f]
    return total / count if count else math.inf


def hamming(x: Row, z: Row, weights: Row) -> float:
    differing = sum(w for a, b, w in zip(x, z, weights, strict=True) if a != b)
    return differing / sum(weights)


def tanimoto_sets(first: set[int], second: set[int]) -> float:
    if not first and not second:
        return 0.0
    both = len(first & second)
    return (len(first) + len(second) - 2 * both) / (len(first) + len(second) - both)


def weighted_nan_euclidean(x: Row, z: Row, weights: Row) -> float:
    """Weights of the absent cells are made up for by the present ones."""
    total = present = 0.0
    for a, b, w in zip(x, z, weights, strict=True):
        if not (math.isnan(a) or math.isnan(b)):
            total += w * (a - b) ** 2
            present += w
    return math.sqrt(total * sum(weights) / present) if present else math.inf


def class_shares(values: Sequence[float], labels: Sequence[int], level: float, n_classes: int) -> list[float]:
    """P(class | level) among the rows given; zeros where the level does not occur."""
    having = [label for value, label in zip(values, labels, strict=True) if value == level]
    return [having.count(c) / len(having) if having else 0.0 for c in range(n_classes)]


def hvdm(
    x: Row,
    z: Row,
    train: np.ndarray,
    labels: Sequence[int],
    nominal: Sequence[bool],
    deviations: Row,
    weights: Row | None = None,
) -> float:
    """Wilson & Martinez 1997 with the correction of 2000; probabilities from the rows of ``train``."""
    n_classes = max(labels) + 1
    total = 0.0
    for f, (a, b) in enumerate(zip(x, z, strict=True)):
        w = 1.0 if weights is None else weights[f]
        if math.isnan(a) or math.isnan(b):
            total += w
        elif nominal[f]:
            if a == b:
                continue
            p = class_shares(train[:, f].tolist(), labels, a, n_classes)
            q = class_shares(train[:, f].tolist(), labels, b, n_classes)
            total += w * sum((s - t) ** 2 for s, t in zip(p, q, strict=True))
        else:
            total += w * ((a - b) / (4.0 * deviations[f])) ** 2
    return math.sqrt(total)


def kernel_distance(x: Row, z: Row, kernel: str, gamma: float, degree: int = 2, constant: float = 1.0) -> float:
    def k(a: Row, b: Row) -> float:
        dot = sum(s * t for s, t in zip(a, b, strict=True))
        if kernel == "gaussian":
            return math.exp(-gamma * sum((s - t) ** 2 for s, t in zip(a, b, strict=True)))
        return gamma * dot if kernel == "linear" else (gamma * dot + constant) ** degree

    return math.sqrt(max(k(x, x) + k(z, z) - 2 * k(x, z), 0.0))
