"""Kernels as plain loops over rows and columns. Nothing here imports the package."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

Row = Sequence[float]


def rbf(x: Row, z: Row, gamma: float) -> float:
    return math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))


def linear(x: Row, z: Row) -> float:
    return math.fsum(a * b for a, b in zip(x, z, strict=True))


def polynomial(x: Row, z: Row, gamma: float, degree: int, coef0: float) -> float:
    return (gamma * linear(x, z) + coef0) ** degree


def laplacian(x: Row, z: Row, gamma: float) -> float:
    return math.exp(-gamma * sum(abs(a - b) for a, b in zip(x, z, strict=True)))


def cosine(x: Row, z: Row) -> float:
    lengths = math.sqrt(linear(x, x) * linear(z, z))
    return linear(x, z) / lengths if lengths > 0 else 0.0


def chi2(x: Row, z: Row, gamma: float) -> float:
    return math.exp(-gamma * sum((a - b) ** 2 / (a + b) for a, b in zip(x, z, strict=True) if a + b > 0))


def tanimoto(x: Row, z: Row) -> float:
    union = linear(x, x) + linear(z, z) - linear(x, z)
    return linear(x, z) / union if union > 0 else 1.0


def correlation(x: Row, z: Row, degree: int, center: bool) -> float:
    if center:
        x = [a - sum(x) / len(x) for a in x]
        z = [b - sum(z) / len(z) for b in z]
    return ((1 + cosine(x, z)) / 2) ** degree


def mixed(x: Row, z: Row, gamma: float, nominal: Sequence[bool], training: Sequence[Row]) -> float:
    """Product over columns; a missing cell is averaged over the training cells that are present."""

    def factor(a: float, b: float, is_nominal: bool) -> float:
        return math.exp(-gamma * (float(a != b) if is_nominal else (a - b) ** 2))

    value = 1.0
    for j, is_nominal in enumerate(nominal):
        cells = [row[j] for row in training if not math.isnan(row[j])]
        left = cells if math.isnan(x[j]) else [x[j]]
        right = cells if math.isnan(z[j]) else [z[j]]
        value *= sum(factor(a, b, is_nominal) for a in left for b in right) / (len(left) * len(right))
    return value


def matrix(kernel: Callable[[Row, Row], float], X: Sequence[Row], Z: Sequence[Row]) -> np.ndarray:
    return np.array([[kernel(x, z) for z in Z] for x in X])


def centered(K: np.ndarray) -> np.ndarray:
    """HKH by the product of three matrices."""
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    return H @ K @ H


def mixed_log_density(x: Row, rows: Sequence[Row], codes: Sequence[int], shares: Sequence[float], widths: Row) -> float:
    """Log of sum_c share_c mean_{j in c} prod_k normal(x_k; mean x_jk, deviation width_k)."""
    total = 0.0
    for c, share in enumerate(shares):
        members = [row for row, code in zip(rows, codes, strict=True) if code == c]
        for row in members:
            one = share / len(members)
            for a, b, width in zip(x, row, widths, strict=True):
                one *= math.exp(-0.5 * ((a - b) / width) ** 2) / (width * math.sqrt(2 * math.pi))
            total += one
    return math.log(total)
