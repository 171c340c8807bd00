"""Work that runs through every family of native code, each as a function of the number of threads."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from sepal.auto import SepalClassifier
from sepal.evaluation import leave_one_out_curve
from sepal.learners import KNNClassifier, WindowKNNClassifier
from sepal.machines import SVMClassifier, hyperparameter_surface
from sepal.measures import (
    alignment_curve,
    complexity,
    expected_accuracy,
    overlap_regions,
    suspects,
)
from sepal.prototypes import drop3, fcnn, mss
from sepal.selection import subset_sweep

Job = Callable[[int], object]


def rows_of(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return three classes that overlap, with coordinates on a grid so that there are ties and copies."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 3, n)
    return np.round(4 * (rng.normal(size=(n, p)) + 0.7 * y[:, None])) / 4, y


def _answers(estimator: Any, X: np.ndarray, y: np.ndarray) -> list[object]:
    estimator.fit(X, y)
    return [estimator.predict(X), getattr(estimator, "dual_coef_", None), getattr(estimator, "classes_", None)]


def jobs(n: int, p: int) -> dict[str, Job]:
    """Return each job by name, on `n` rows and `p` columns."""
    X, y = rows_of(n, p)
    return {
        "svm": lambda threads: _answers(SVMClassifier(C=1.0, gamma=0.1, n_jobs=threads), X, y),
        "knn": lambda threads: _answers(KNNClassifier(5, n_jobs=threads), X, y),
        "window": lambda threads: _answers(WindowKNNClassifier(window=n // 2, n_jobs=threads), X, y),
        "expected accuracy": lambda threads: expected_accuracy(X, y, n_jobs=threads),
        "curve": lambda threads: leave_one_out_curve(X, y, k_max=15, n_jobs=threads),
        "suspects": lambda threads: suspects(X, y, n_jobs=threads),
        "overlap": lambda threads: overlap_regions(X, y, n_jobs=threads),
        "complexity": lambda threads: complexity(X, y, n_jobs=threads),
        "surface": lambda threads: hyperparameter_surface(
            SVMClassifier(n_jobs=threads), X, y, C=[0.5, 2.0], width=[0.5, 1.0]
        ),
        "alignment": lambda threads: alignment_curve(X, y, n_jobs=threads),
        "drop3": lambda threads: drop3(X, y, n_jobs=threads),
        "fcnn": lambda threads: fcnn(X, y, n_jobs=threads),
        "mss": lambda threads: mss(X, y, n_jobs=threads),
        "sweep": lambda threads: subset_sweep(X[:, :5], y, n_jobs=threads).scores,
    }


def auto_job(n: int, p: int) -> Job:
    """Return the estimator without a choice, which grows a forest and fits machines."""
    X, y = rows_of(n, p)
    return lambda threads: _answers(SepalClassifier(n_jobs=threads), X, y)


def bits(answer: object) -> str:
    """Return a digest of all numbers in an answer."""
    digest = hashlib.sha256()
    _feed(digest, answer)
    return digest.hexdigest()


def _feed(digest: Any, answer: Any) -> None:
    if isinstance(answer, np.ndarray):
        digest.update(answer.tobytes() if answer.dtype != object else repr(answer.tolist()).encode())
    elif dataclasses.is_dataclass(answer):
        for field in dataclasses.fields(answer):
            _feed(digest, getattr(answer, field.name))
    elif isinstance(answer, (list, tuple)):
        for each in answer:
            _feed(digest, each)
    else:
        digest.update(repr(answer).encode())
