"""Alignment at 50 widths: one native pass against the numpy formula once per width."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import numpy as np

from sepal.measures import alignment_curve

N_ROWS, N_WIDTHS, REPEATS, GOAL = 5000, 50, 3, 20.0
NUMPY_WIDTHS = 5  # the formula's cost is the same for every width: time a few, count all


def _rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.random((n, 10))
    return X, (X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=n) > 0.8).astype(int)


def numpy_alignment(D: np.ndarray, t: np.ndarray, width: float) -> float:
    K = np.exp(D * (-1.0 / (2.0 * width**2)))
    means = K.mean(axis=0)
    Kc = K - means[:, None] - means[None, :] + means.mean()
    tc = t - t.mean()
    return float(tc @ Kc @ tc / (np.linalg.norm(Kc) * (tc @ tc)))


def run(data_folder: Path | None) -> None:
    X, y = _rows(N_ROWS)
    t = 2.0 * y - 1.0
    widths = np.geomspace(0.05, 5.0, N_WIDTHS)
    picked = widths[:: N_WIDTHS // NUMPY_WIDTHS]
    ours, numpys = [], []
    for _ in range(REPEATS):
        start = time.perf_counter()
        curve = alignment_curve(X, y, widths=widths, scale=None)
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        squares = (X**2).sum(axis=1)
        D = np.maximum(squares[:, None] + squares[None, :] - 2.0 * X @ X.T, 0.0)
        once = time.perf_counter() - start
        start = time.perf_counter()
        scores = [numpy_alignment(D, t, width) for width in picked]
        numpys.append(once + (time.perf_counter() - start) * N_WIDTHS / len(picked))
        np.testing.assert_allclose(curve.scores[:: N_WIDTHS // NUMPY_WIDTHS], scores, rtol=1e-8)
    a, b = statistics.median(ours), statistics.median(numpys)
    print(
        f"alignment, {N_ROWS} rows x 10, {N_WIDTHS} widths (ours with the refined peak; numpy timed at {NUMPY_WIDTHS})"
    )
    print(f"{'sepal':<22}{a:8.2f} s")
    print(f"{'numpy, per width':<22}{b:8.2f} s{b / a:8.1f} x, goal {GOAL:g} x")
