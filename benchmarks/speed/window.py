"""A moving window, test-then-train: ours against river's KNNClassifier, W = 1,000, 20 features.

River gets the same rows, distance and k, and must predict the same classes. Its rate is per row in a Python loop, which
is its only way; ours is measured both through ``prequential`` and one row at a time.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sepal.learners import WindowKNNClassifier

WINDOW, K = 1_000, 5


def stream(n: int, p: int = 20) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, p)) + 0.5 * y[:, None]
    X[n // 2 :, 0] += 2.0
    return X, y


def ours_at_once(X: NDArray[np.float64], y: NDArray[np.int64], scale: str | None) -> list[int]:
    return WindowKNNClassifier(WINDOW, n_neighbors=K, scale=scale).prequential(X, y).predictions.tolist()


def ours_one_by_one(X: NDArray[np.float64], y: NDArray[np.int64], scale: str | None) -> list[int]:
    learner = WindowKNNClassifier(WINDOW, n_neighbors=K, scale=scale).partial_fit(X[:1], y[:1])
    said = []
    for i in range(1, len(y)):
        said.append(int(learner.predict(X[i : i + 1])[0]))
        learner.partial_fit(X[i : i + 1], y[i : i + 1])
    return said


def river_one_by_one(X: NDArray[np.float64], y: NDArray[np.int64]) -> list[int]:
    from river import neighbors

    engine = neighbors.LazySearch(window_size=WINDOW, min_distance_keep=0.0)
    learner = neighbors.KNNClassifier(n_neighbors=K, engine=engine, weighted=False)
    rows = [dict(enumerate(row)) for row in X.tolist()]
    said = []
    for row, label in zip(rows, y.tolist(), strict=True):
        said.append(learner.predict_one(row))
        learner.learn_one(row, label)
    return said[1:]


def _rate(run: object, n: int) -> float:
    start = time.perf_counter()
    run()  # type: ignore[operator]
    return n / (time.perf_counter() - start)


def compare(n_river: int, n_ours: int, rounds: int) -> None:
    X, y = stream(n_ours)
    few_X, few_y = X[:n_river], y[:n_river]
    expected = river_one_by_one(few_X, few_y)
    ours = ours_at_once(few_X, few_y, None)
    agree = float(np.mean(np.array(expected[K:]) == np.array(ours[K:])))
    assert ours == ours_one_by_one(few_X, few_y, None)
    print(f"\nWindow of {WINDOW:,} rows, 20 features, k = {K}: same class as river in {agree:.4%} of {n_river:,} rows")
    assert agree > 0.999, "river and we differ"
    rates: dict[str, list[float]] = {}
    for _ in range(rounds):
        rates.setdefault("river", []).append(_rate(lambda: river_one_by_one(few_X, few_y), n_river))
        for scale in (None, "minmax"):
            name = f"scale={scale}"
            rates.setdefault(f"sepal row by row, {name}", []).append(
                _rate(lambda s=scale: ours_one_by_one(few_X, few_y, s), n_river)
            )
            rates.setdefault(f"sepal prequential, {name}", []).append(
                _rate(lambda s=scale: ours_at_once(X, y, s), n_ours)
            )
    print("  goals: row by row at least 5 x, prequential at least 50 x river")
    for name, values in rates.items():
        ratio = np.median(np.array(values) / np.array(rates["river"]))
        print(f"  {name:<36}{np.median(values):>12,.0f} rows/s {ratio:8.1f} x")


def run(data_folder: Path | None) -> None:
    compare(5_000, 50_000, rounds=3)
