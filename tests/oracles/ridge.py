"""Kernel ridge with a free intercept, as linear equations, and leave-one-out as n refits."""

from __future__ import annotations

import math

import numpy as np


def gaussian(a, b, width):
    return math.exp(-sum((x - z) ** 2 for x, z in zip(a, b, strict=True)) / (2 * width**2))


def fit(K, y, alpha):
    """a and b that minimise sum (y_i - b - sum_j a_j K_ij)^2 + alpha a'Ka, from the equations of the optimum.

    Setting the derivatives to zero gives (K + alpha I) a + b 1 = y and sum a = 0.
    """
    n = len(y)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K + alpha * np.eye(n)
    system[:n, n] = 1.0
    system[n, :n] = 1.0
    solution = np.linalg.solve(system, np.append(y, 0.0))
    return solution[:n], solution[n]


def left_out(K, y, alpha):
    """For each row the prediction of the model that was fitted to all others."""
    out = []
    for i in range(len(y)):
        rest = [j for j in range(len(y)) if j != i]
        a, b = fit(K[np.ix_(rest, rest)], y[rest], alpha)
        out.append(b + sum(a[k] * K[i, j] for k, j in enumerate(rest)))
    return np.array(out)


def log_loss(decisions, codes, factor):
    """Mean of -log softmax(factor * decisions) at the true class."""
    total = 0.0
    for row, code in zip(decisions, codes, strict=True):
        total -= factor * row[code] - math.log(sum(math.exp(factor * value) for value in row))
    return total / len(codes)


def weighted_fit(K, y, alpha, weights):
    """Coefficients and intercept of sum_i w_i (y_i - b - (K a)_i)^2 + alpha a'Ka, from the normal equations."""
    n = len(y)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K + alpha * np.diag(1.0 / weights)
    system[:n, n] = system[n, :n] = 1.0
    solved = np.linalg.solve(system, np.append(y, 0.0))
    return solved[:n], solved[n]
