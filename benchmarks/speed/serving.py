"""One row at a time: what a service asks of a fitted model, beside scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC

from benchmarks.speed._timing import race
from sepal.auto import SepalClassifier
from sepal.learners import KNNClassifier, KNNRegressor
from sepal.machines import SVMClassifier

QUESTIONS = 60


def _rows(n: int, p: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n + p)
    X = rng.random((n, p))  # in [0, 1], so that both see the same scale
    X[:2] = [[0.0] * p, [1.0] * p]
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0.5, "yes", "no"), rng.random((QUESTIONS, p))


def _side_by_side(asks: dict[str, Callable[[Any], Any]], questions: list[Any]) -> dict[str, float]:
    """Median milliseconds of one question, the askers taking turns."""

    def one(ask: Callable[[Any], Any]) -> Callable[[], object]:
        ask(questions[0])
        rows = cycle(questions)
        return lambda: ask(next(rows))

    timing = race({name: one(ask) for name, ask in asks.items()}, rounds=len(questions))
    return {name: 1e3 * timing.median(name) for name in asks}


def _line(what: str, ours: float, theirs: float, goal: str) -> None:
    print(f"  {what:<42} {ours:8.3f} ms  {theirs:8.3f} ms  {theirs / ours:6.1f} x   {goal}")


def run(data: Path | None = None) -> None:
    """Print a line for each model and size; the goal is scikit-learn's time."""
    print("\nOne row at a time: ours, scikit-learn's, and how many times faster")
    for n in (1_000, 20_000, 200_000):
        for p in (2, 10, 50):
            X, y, asked = _rows(n, p)
            ours, theirs = KNNClassifier(5).fit(X, y), KNeighborsClassifier(5).fit(X, y)
            if (ours.predict(asked) != theirs.predict(asked)).any():
                raise AssertionError(f"{n} x {p}: the answers differ")
            found = _side_by_side({"ours": ours.predict, "theirs": theirs.predict}, [row[None] for row in asked])
            _line(f"5-NN {n:,} x {p}, array", found["ours"], found["theirs"], "goal 1 x")
            frames = [pd.DataFrame(row[None], columns=[f"c{j}" for j in range(p)]) for row in asked]
            named = pd.DataFrame(X, columns=frames[0].columns)
            asks = {"ours": KNNClassifier(5).fit(named, y).predict, "theirs": theirs.fit(named, y).predict}
            found = _side_by_side(asks, frames)
            _line(f"5-NN {n:,} x {p}, data frame", found["ours"], found["theirs"], "goal 1 x")
        _regression(n)
    X, y, asked = _rows(1_000, 10)
    rows = [row[None] for row in asked]
    around = _side_by_side({"ours": KNNClassifier(5).fit(X[:20], y[:20]).predict}, rows)["ours"]
    print(f"  {'5-NN 20 x 10, array: Python around it':<42} {around:8.3f} ms  goal under 0.150 ms")
    svm, svc = SVMClassifier(scale=None, gamma=2.0).fit(X, y), SVC(gamma=2.0).fit(X, y)
    found = _side_by_side({"ours": svm.predict, "theirs": svc.predict}, rows)
    _line("SVM 1,000 x 10, array", found["ours"], found["theirs"], "goal 1 x")
    alone = _side_by_side({"ours": SepalClassifier().fit(X, y).predict}, rows)["ours"]
    print(f"  {'SepalClassifier 1,000 x 10, array':<42} {alone:8.3f} ms  goal under 1 ms")
    _adding()


def _regression(n: int) -> None:
    """Numbers from neighbours, whose targets are summed once."""
    X, _, asked = _rows(n, 10)
    y = X.sum(axis=1)
    ours, theirs = KNNRegressor(5).fit(X, y), KNeighborsRegressor(5).fit(X, y)
    if not np.allclose(ours.predict(asked), theirs.predict(asked)):
        raise AssertionError(f"{n} x 10: the numbers differ")
    found = _side_by_side({"ours": ours.predict, "theirs": theirs.predict}, [row[None] for row in asked])
    _line(f"5-NN regression {n:,} x 10, array", found["ours"], found["theirs"], "goal 1 x")


def _adding() -> None:
    """What adding rows to a fitted model costs, beside fitting it again."""
    print("\nRows added to 5-NN of 200,000 rows (partial_fit): the median of 12 calls, and fit on all rows again")
    for p in (10, 50):
        X, y, _ = _rows(200_000, p)
        for n in (1, 1_000):
            model, rng = KNNClassifier(5).fit(X, y), np.random.default_rng(n)
            parts = [(X, y)]

            def add(model: KNNClassifier, rng: np.random.Generator, parts: list[Any], shape: tuple[int, int]) -> None:
                more = rng.random(shape)
                parts.append((more, np.where(more[:, 0] > 0.5, "yes", "no")))
                model.partial_fit(*parts[-1])

            first = race({"add": lambda: add(model, rng, parts, (n, p))}, rounds=1).median("add")  # noqa: B023
            timing = race(
                {
                    "added": lambda: add(model, rng, parts, (n, p)),  # noqa: B023
                    "fit again": lambda: KNNClassifier(5).fit(X, y),  # noqa: B023
                },
                rounds=12,
            )
            again = KNNClassifier(5).fit(*(np.concatenate(each) for each in zip(*parts, strict=True)))
            asked = rng.random((QUESTIONS, p))
            if (model.predict_proba(asked) != again.predict_proba(asked)).any():
                raise AssertionError(f"{n} rows added to {p} columns: the answers differ")
            _line(
                f"{n:,} row{'s' * (n > 1)} added, {p} columns",
                1e3 * timing.median("added"),
                1e3 * timing.median("fit again"),
                f"first call {1e3 * first:.0f} ms",
            )
