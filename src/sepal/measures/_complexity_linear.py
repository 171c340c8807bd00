"""How far a linear machine gets: L1, L2, L3 of the survey.

A linear support vector machine with C = 1 on standardized columns, for every pair of classes; means over the pairs.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.measures._complexity_features import Codes, class_pairs
from sepal.measures._within import Matrix

EXACT_ROWS = 1_000  # up to here the exact solver, above it coordinate descent
MOST_ROWS = 10_000  # above that many rows of a pair the machine is fitted to a sample of them


def _fit(values: Matrix, signs: NDArray[np.float64]) -> Any:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import SVC, LinearSVC

    if len(values) <= EXACT_ROWS:
        return SVC(kernel="linear", C=1.0).fit(values, signs)
    machine = LinearSVC(loss="hinge", C=1.0, dual=True, tol=1e-3, max_iter=300, intercept_scaling=10.0, random_state=0)
    with warnings.catch_warnings():
        # A machine near its optimum is enough: the measures are shares of rows, and the notes say how it was fitted.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(values, signs)


def linear_measures(
    values: Matrix, codes: Codes, made: Matrix, made_codes: Codes, rng: np.random.Generator
) -> tuple[dict[str, float], tuple[str, ...]]:
    """L1, L2 from the rows, L3 from the ``made`` ones; and notes."""
    found, sampled = [], False
    classes = [(int(codes[a[0]]), int(codes[b[0]]), a, b) for a, b in class_pairs(codes)]
    for first, second, a, b in classes:
        rows = np.concatenate([a, b])
        signs = np.where(codes[rows] == second, 1.0, -1.0)
        center, spread = values[rows].mean(axis=0), values[rows].std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        scaled = (values[rows] - center) / spread
        fitted = slice(None)
        if len(rows) > MOST_ROWS:
            fitted, sampled = _sample(signs, rng), True
        machine = _fit(scaled[fitted], signs[fitted])
        scores = signs * machine.decision_function(scaled)
        at = np.flatnonzero((made_codes == first) | (made_codes == second))
        between = machine.decision_function((made[at] - center) / spread)
        wrong = np.where(made_codes[at] == second, 1.0, -1.0) * between <= 0
        slack = float(np.mean(np.maximum(0.0, 1 - scores)))
        found.append((1 - 1 / (1 + slack), float(np.mean(scores <= 0)), float(np.mean(wrong))))
    notes: tuple[str, ...] = ()
    if sampled:
        notes = (f"linear machines were fitted to a sample of {MOST_ROWS:,} rows of each larger pair of classes",)
    l1, l2, l3 = (float(v) for v in np.mean(found, axis=0))
    return {"L1": l1, "L2": l2, "L3": l3}, notes


def _sample(signs: NDArray[np.float64], rng: np.random.Generator) -> Any:
    share = MOST_ROWS / len(signs)
    parts = [np.flatnonzero(signs == s) for s in (-1.0, 1.0)]
    return np.concatenate([rng.choice(p, size=max(2, int(len(p) * share)), replace=len(p) < 2) for p in parts])
