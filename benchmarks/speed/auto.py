"""The classifier without choices against a support vector machine with a 5 x 5 grid: CPU seconds on one thread.

Both fit and answer the same rows. The answers are those of different models, so their accuracy on fresh rows is printed
beside the times instead of being compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from sepal.auto import SepalClassifier

ROUNDS = 3
GOAL = 5.0  # times less than the grid, in the geometric mean; and never more


def _grid() -> GridSearchCV:
    grid = {"svc__C": 10.0 ** np.arange(-1, 4), "svc__gamma": 10.0 ** np.arange(-3, 2)}
    return GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=5, n_jobs=1)


CONTESTANTS: dict[str, Callable[[], Any]] = {"sepal": lambda: SepalClassifier(n_jobs=1), "SVC grid": _grid}


def _once(make: Callable[[], Any], X: np.ndarray, y: np.ndarray, n: int) -> tuple[float, float]:
    begin = time.process_time()
    answers = make().fit(X[:n], y[:n]).predict(X[n:])
    return time.process_time() - begin, float(np.mean(answers == y[n:]))


def run(data_folder: Path | None, sizes: tuple[int, ...] = (150, 300, 600, 1000, 2000)) -> None:
    del data_folder  # the rows are made
    ratios = []
    with threadpool_limits(1):
        for n in sizes:
            X, y = make_classification(
                n + 500, 10, n_informative=6, n_classes=3, class_sep=1.2, flip_y=0.05, random_state=n
            )
            seconds: dict[str, list[float]] = {name: [] for name in CONTESTANTS}
            right: dict[str, float] = {}
            for _ in range(ROUNDS):
                for name, make in CONTESTANTS.items():
                    used, right[name] = _once(make, X, y, n)
                    seconds[name].append(used)
            middle = {name: median(values) for name, values in seconds.items()}
            ratios.append(middle["SVC grid"] / middle["sepal"])
            parts = "   ".join(f"{name} {middle[name]:7.3f} s, {right[name]:.1%}" for name in CONTESTANTS)
            print(f"{n:>6} rows   {parts}   ratio {ratios[-1]:.1f}")
    print(f"geometric mean {geometric_mean(ratios):.1f}, goal {GOAL:g}; worst {min(ratios):.1f}, goal 1")


if __name__ == "__main__":
    run(None)
