"""Hastie & Tibshirani's local metric, step by step, with matrix roots from scipy."""

from __future__ import annotations

import numpy as np
from scipy.linalg import inv, sqrtm


def local_metric(X: np.ndarray, codes: np.ndarray, x0: np.ndarray, n_metric: int, epsilon: float, passes: int):
    p = X.shape[1]
    sigma = np.eye(p)
    for _ in range(passes):
        distances = np.array([np.sqrt((x - x0) @ sigma @ (x - x0)) for x in X])
        order = np.argsort(distances, kind="stable")[:n_metric]
        h = distances[order[-1]]
        w = {int(i): (1 - (distances[i] / h) ** 3) ** 3 for i in order}
        total = sum(w.values())
        overall = sum(w[i] * X[i] for i in w) / total
        W, B = np.zeros((p, p)), np.zeros((p, p))
        for c in np.unique(codes):
            rows = [i for i in w if codes[i] == c]
            mass = sum(w[i] for i in rows)
            if mass == 0:
                continue
            mean = sum(w[i] * X[i] for i in rows) / mass
            W += sum(w[i] * np.outer(X[i] - mean, X[i] - mean) for i in rows) / total
            B += mass / total * np.outer(mean - overall, mean - overall)
        root = inv(sqrtm(W).real)
        sigma = root @ (root @ B @ root + epsilon * np.eye(p)) @ root
    return sigma
