"""Scatter, Mahalanobis distances and ridge regression by the plainest way: rational numbers, and normal equations.

No import of sepal.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def _exact_scatter(rows):
    exact = [[Fraction(float(cell)) for cell in row] for row in rows]
    mean = [sum(column) / len(exact) for column in zip(*exact, strict=True)]
    around = [[cell - m for cell, m in zip(row, mean, strict=True)] for row in exact]
    p = len(mean)
    return mean, [[sum(row[i] * row[j] for row in around) for j in range(p)] for i in range(p)]


def scatter(rows) -> np.ndarray:
    """Sum of products of the rows less their mean."""
    return np.array([[float(cell) for cell in row] for row in _exact_scatter(rows)[1]])


def mahalanobis(X, y, first, second) -> float:
    """Between two class means, covariance pooled over all classes, by elimination in rational numbers."""
    labels = sorted(set(y.tolist()))
    found = {label: _exact_scatter(X[y == label]) for label in labels}
    p, freedom = X.shape[1], len(X) - len(labels)
    S = [[sum(found[label][1][i][j] for label in labels) / freedom for j in range(p)] for i in range(p)]
    d = [a - b for a, b in zip(found[first][0], found[second][0], strict=True)]
    M = [[*S[i], d[i]] for i in range(p)]
    for i in range(p):
        for k in range(i + 1, p):
            factor = M[k][i] / M[i][i]
            M[k] = [a - factor * b for a, b in zip(M[k], M[i], strict=True)]
    x = [Fraction(0)] * p
    for i in reversed(range(p)):
        x[i] = (M[i][p] - sum(M[i][j] * x[j] for j in range(i + 1, p))) / M[i][i]
    return float(sum(a * b for a, b in zip(d, x, strict=True))) ** 0.5


def ridge(Z, y, alpha, weights) -> np.ndarray:
    """Intercept, without a ridge, and slopes."""
    A = np.column_stack([np.ones(len(Z)), Z])
    penalty = alpha * np.eye(A.shape[1])
    penalty[0, 0] = 0.0
    return np.linalg.solve(A.T @ (weights[:, None] * A) + penalty, A.T @ (weights[:, None] * y))


def left_out(Z, y, alpha, weights) -> np.ndarray:
    """What the model without a row says of it, row by row."""
    A = np.column_stack([np.ones(len(Z)), Z])
    penalty = alpha * np.eye(A.shape[1])
    penalty[0, 0] = 0.0
    gram, answers = A.T @ (weights[:, None] * A) + penalty, A.T @ (weights[:, None] * y)
    out = np.empty_like(y)
    for i, row in enumerate(A):
        own = weights[i] * np.outer(row, row)
        out[i] = row @ np.linalg.solve(gram - own, answers - weights[i] * np.outer(row, y[i]))
    return out
