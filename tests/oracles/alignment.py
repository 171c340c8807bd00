"""Kernel alignment from the definitions: whole matrices, three matrix products for centring, loops over pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def target_matrix(labels: Sequence[object], coding: str) -> np.ndarray:
    classes = sorted(set(labels), key=str)
    counts = {c: sum(label == c for label in labels) for c in classes}
    n = len(labels)
    T = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            same = labels[i] == labels[j]
            if coding == "signed":
                T[i, j] = 1.0 if same else -1.0 / (len(classes) - 1)
            elif coding == "indicator":
                T[i, j] = float(same)
            else:
                T[i, j] = 1.0 / counts[labels[i]] if same else 0.0
    return T


def center(K: np.ndarray) -> np.ndarray:
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    return H @ K @ H


def alignment(K: np.ndarray, T: np.ndarray, *, centered: bool) -> float:
    if centered:
        K, T = center(K), center(T)
    return float((K * T).sum() / np.sqrt((K * K).sum() * (T * T).sum()))


def distances(X: np.ndarray, *, absolute: bool = False) -> np.ndarray:
    rows = [(np.abs(X - x) if absolute else (X - x) ** 2).sum(axis=1) for x in X]
    return np.array(rows)


def weighted_kernel(X: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """exp(-sum_f w_f (x_f - z_f)^2)."""
    return np.exp(-sum(w * (X[:, f, None] - X[None, :, f]) ** 2 for f, w in enumerate(weights)))


def best_combination(kernels: Sequence[np.ndarray], T: np.ndarray, *, steps: int = 400) -> tuple[np.ndarray, float]:
    """The best non-negative combination of two kernels, by walking the quarter circle."""
    best = (np.zeros(2), -1.0)
    for angle in np.linspace(0.0, np.pi / 2, steps + 1):
        weights = np.array([np.cos(angle), np.sin(angle)])
        score = alignment(weights[0] * kernels[0] + weights[1] * kernels[1], T, centered=True)
        if score > best[1]:
            best = (weights, score)
    return best
