"""How often the interval of the classifier without choices covers its accuracy on further rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from sepal import SepalClassifier

Sample = tuple[NDArray[np.float64], NDArray[np.int64]]
Draw = Callable[[np.random.Generator, int], Sample]


def waves(rng: np.random.Generator, n: int) -> Sample:
    """A border that is a wave, blurred, and a column that says nothing."""
    X = rng.uniform(-1, 1, size=(n, 3))
    return X, (X[:, 1] + 0.3 * rng.normal(size=n) > 0.6 * np.sin(4 * X[:, 0])).astype(np.int64)


def plane(rng: np.random.Generator, n: int) -> Sample:
    """A plane, blurred."""
    X = rng.normal(size=(n, 4))
    return X, (X @ [1, -1, 0.5, 0] + rng.normal(size=n) > 0).astype(np.int64)


def noise(rng: np.random.Generator, n: int) -> Sample:
    """Columns that say nothing."""
    return rng.normal(size=(n, 3)), rng.integers(0, 2, n)


DESIGNS: dict[str, Draw] = {"waves": waves, "plane": plane, "noise": noise}


def one_sample(name: str, n: int, repeat: int) -> tuple[float, bool, bool]:
    """By how much leave-one-out flatters; whether score +- 1.96 errors covers, and whether the interval does."""
    rng = np.random.default_rng([n, repeat, list(DESIGNS).index(name)])
    X, y = DESIGNS[name](rng, n)
    model = SepalClassifier(n_jobs=1).fit(X, y)
    true = float(model.score(*DESIGNS[name](rng, 2000)))
    flattery = model.leave_one_out_score_ - true
    low, high = model.leave_one_out_interval_
    return flattery, abs(flattery) <= 1.96 * model.leave_one_out_error_, low <= true <= high


def no_choice_table(repeats: int = 200) -> Iterator[str]:
    """The table, a line at a time."""
    yield "| design | rows | score less accuracy | score +- 1.96 errors covers | the interval covers |"
    yield "|---|---:|---:|---:|---:|"
    for name in DESIGNS:
        for n in (40, 60, 100, 200):
            flattery, plain, interval = np.mean([one_sample(name, n, repeat) for repeat in range(repeats)], axis=0)
            yield f"| {name} | {n} | {100 * flattery:+.1f} points | {100 * plain:.0f} % | {100 * interval:.0f} % |"
