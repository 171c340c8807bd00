"""Small labelled sets with and without ties, and their compared values in the order the methods see them."""

from __future__ import annotations

import numpy as np

from tests.oracles.neighbors import compared_values


def tied(seed: int, n: int = 40, n_classes: int = 3, p: int = 2, levels: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Distinct integer points on a small grid: many equal distances."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*[np.arange(levels)] * p), axis=-1).reshape(-1, p).astype(float)
    X = grid[rng.permutation(len(grid))[:n]]
    return X, np.arange(len(X)) % n_classes if n_classes > len(X) else labels(rng, len(X), n_classes)


def smooth(seed: int, n: int = 60, n_classes: int = 3, p: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping normal clouds: nothing is tied."""
    rng = np.random.default_rng(seed)
    y = labels(rng, n, n_classes)
    return rng.normal(size=(n, p)) + 1.5 * y[:, None] * (np.arange(p) % 2), y


def labels(rng: np.random.Generator, n: int, n_classes: int) -> np.ndarray:
    y = rng.integers(n_classes, size=n)
    y[:n_classes] = np.arange(n_classes)
    return y


def geometric(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rows by their coordinates, the column with the lowest values first: the order in which ties are decided."""
    columns = sorted(range(X.shape[1]), key=lambda j: sorted(row[j] for row in set(map(tuple, X.tolist()))))
    return np.array(sorted(range(len(X)), key=lambda i: (*(X[i, j] for j in columns), y[i])))


def squared(X: np.ndarray) -> np.ndarray:
    return compared_values("euclidean", X, X)
