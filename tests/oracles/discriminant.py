"""Rows on discriminant axes, each projected by the ridge regression of the others: refits by plain linear algebra."""

from __future__ import annotations

import numpy as np


def _ridge(X: np.ndarray, Y: np.ndarray, weights: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means of X and Y, and the coefficients of the regression of Y on X with ridge mu and a free intercept."""
    mean, shares = np.average(X, axis=0, weights=weights), np.average(Y, axis=0, weights=weights)
    T = sum(w * np.outer(x - mean, x - mean) for x, w in zip(X, weights, strict=True))
    XY = sum(w * np.outer(x - mean, y) for x, y, w in zip(X, Y, weights, strict=True))
    return mean, shares, np.linalg.solve(T + mu * np.eye(X.shape[1]), XY)


def left_out_projections(
    X: np.ndarray, codes: np.ndarray, weights: np.ndarray, taken: np.ndarray, alpha: float, axes: np.ndarray
) -> np.ndarray:
    """Axes are B times scores of the classes, B the regression of the class membership on the rows (optimal scoring).

    Each row is projected by the B of the rows without it, with the same scores and the same ridge.
    """
    Y = np.array([[float(code == c) for c in np.unique(codes)] for code in codes])
    mean = np.average(X, axis=0, weights=weights)
    total = sum(w * np.outer(x - mean, x - mean) for x, w in zip(X, weights, strict=True))
    mu = alpha * np.linalg.eigvalsh(total)[-1]
    scores = np.linalg.lstsq(_ridge(X, Y, weights, mu)[2], axes, rcond=1e-10)[0]
    out = []
    for i in range(len(X)):
        fewer = weights.astype(float).copy()
        fewer[i] -= taken[i]
        mean, _, B = _ridge(X, Y, fewer, mu)
        out.append((X[i] - mean) @ B @ scores)
    return np.array(out)
