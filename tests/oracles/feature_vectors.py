"""Feature vector selection with explicit inverses, and leave-one-out by fitting again. Imports nothing of sepal."""

from __future__ import annotations

import numpy as np


def fitness(K: np.ndarray, selected: list[int]) -> np.ndarray:
    """The squared cosine of each row with the span of the selected ones."""
    inverse = np.linalg.inv(K[np.ix_(selected, selected)])
    return np.array([K[selected, i] @ inverse @ K[selected, i] / K[i, i] for i in range(len(K))])


def select(K: np.ndarray, n_vectors: int, criterion: str = "local") -> tuple[list[int], list[float]]:
    """Rows in the order of selection, and the mean fitness after each."""
    n = len(K)
    selected = [int(np.argmax([np.mean([K[i, j] ** 2 / (K[i, i] * K[j, j]) for i in range(n)]) for j in range(n)]))]
    path = [float(fitness(K, selected).mean())]
    while len(selected) < n_vectors:
        others = [j for j in range(n) if j not in selected]
        if criterion == "local":
            by_row = fitness(K, selected)
            selected.append(min(others, key=lambda j: by_row[j]))
        else:
            selected.append(max(others, key=lambda j: fitness(K, [*selected, j]).mean()))
        path.append(float(fitness(K, selected).mean()))
    return selected, path


def nystrom(K: np.ndarray, selected: list[int]) -> np.ndarray:
    return K[:, selected] @ np.linalg.inv(K[np.ix_(selected, selected)]) @ K[selected]


def ridge(Z: np.ndarray, y: np.ndarray, alpha: float, weights: np.ndarray) -> np.ndarray:
    """Intercept first; it is not penalised."""
    A = np.column_stack([np.ones(len(Z)), Z])
    penalty = alpha * np.eye(A.shape[1])
    penalty[0, 0] = 0.0
    return np.linalg.solve(A.T @ (A * weights[:, None]) + penalty, A.T @ (y * weights[:, None]))


def left_out(Z: np.ndarray, y: np.ndarray, alpha: float, weights: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Predictions for each row by the model fitted without one copy of it."""
    out = np.empty_like(y)
    for i in range(len(Z)):
        remaining = weights.astype(float).copy()
        remaining[i] = max(0.0, remaining[i] - 1.0)
        beta = ridge(Z, y, alpha, remaining * factors)
        out[i] = beta[0] + Z[i] @ beta[1:]
    return out
