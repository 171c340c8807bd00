"""Do the models without choices keep their word on further rows? Bias and coverage of what they claim.

The factors of ``sepal/auto/_claim.py`` were chosen on other samples of these designs and sets (repeats from 50,000 on),
so that none of them is covered less often than in 93 % of the samples. The curved border showed that Wilson's own upper
end lies too low, and the interval was made to reach as far up as down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics._coverage import DESIGNS as OTHERS
from benchmarks.statistics._coverage import Draw, Sample
from sepal import SepalClassifier, SepalRegressor
from sepal.datasets import load

Numbers = tuple[NDArray[np.float64], NDArray[np.float64]]
FURTHER = 2_000


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


def sine(rng: np.random.Generator, n: int) -> Numbers:
    """A wave and a slope, blurred, and a column that says nothing."""
    X = rng.uniform(-2, 2, size=(n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n)


def slope(rng: np.random.Generator, n: int) -> Numbers:
    """A plane, blurred."""
    X = rng.normal(size=(n, 4))
    return X, X @ [1, -1, 0.5, 0] + rng.normal(size=n)


def nothing(rng: np.random.Generator, n: int) -> Numbers:
    """Columns that say nothing."""
    return rng.normal(size=(n, 3)), rng.normal(size=n)


def steps(rng: np.random.Generator, n: int) -> Numbers:
    """Thresholds, blurred."""
    X = rng.uniform(size=(n, 5))
    return X, (X[:, 0] > 0.5) + 2.0 * (X[:, 1] > 0.3) * (X[:, 2] > 0.5) + 0.3 * rng.normal(size=n)


def heavy(rng: np.random.Generator, n: int) -> Numbers:
    """Rare numbers far larger than all others."""
    X = rng.normal(size=(n, 3))
    return X, np.exp(X[:, 0]) + 0.5 * rng.standard_t(4, size=n)


CLASSES: dict[str, Draw] = {
    "waves": waves,
    "plane": plane,
    "noise": noise,
    **{name: OTHERS[name] for name in OTHERS if "2 columns" not in name},
}
NUMBERS: dict[str, Callable[[np.random.Generator, int], Numbers]] = {
    "sine": sine,
    "plane": slope,
    "noise": nothing,
    "steps": steps,
    "heavy tails": heavy,
}
SETS = ("diabetes", "breast-cancer", "ripley-test", "voting")
TARGET = "at least 93 %"


def claims(model: SepalClassifier | SepalRegressor, true: float) -> tuple[float, bool]:
    """By how much the score flatters, and whether the interval, which is score +- 1.96 errors, covers the truth."""
    low, high = model.leave_one_out_interval_
    return model.leave_one_out_score_ - true, low <= true <= high


def one_sample(name: str, n: int, repeat: int) -> tuple[float, bool]:
    """The claims of the classifier for rows of a design."""
    rng = np.random.default_rng([n, repeat, list(CLASSES).index(name)])
    X, y = CLASSES[name](rng, n)
    if len(np.unique(y)) < 2:
        return one_sample(name, n, repeat + 1_000_000)
    model = SepalClassifier(n_jobs=1).fit(X, y)
    return claims(model, float(model.score(*CLASSES[name](rng, FURTHER))))


def one_sample_of_numbers(name: str, n: int, repeat: int) -> tuple[float, bool]:
    """The claims of the regressor for rows of a design."""
    rng = np.random.default_rng([n, repeat, list(NUMBERS).index(name)])
    model = SepalRegressor(n_jobs=1).fit(*NUMBERS[name](rng, n))
    return claims(model, float(model.score(*NUMBERS[name](rng, FURTHER))))


def one_part(name: str, n: int, repeat: int) -> tuple[float, bool]:
    """The claims of the classifier for rows drawn from a real set; the rows that are left are the further ones."""
    table = load(name)
    order = np.random.default_rng([n, repeat]).permutation(table.n_rows)
    model = SepalClassifier(n_jobs=1).fit(table.take(np.sort(order[:n])))
    return claims(model, float(model.score(table.take(np.sort(order[n:])))))


def no_choice_table(repeats: int = 100, repeats_of_numbers: int = 200) -> Iterator[str]:
    """The table, a line at a time."""
    yield "| model | case | rows | score less truth | target | the interval covers |"
    yield "|---|---|---:|---:|---|---:|"

    def line(model: str, case: str, n: int, one: Callable[[str, int, int], tuple[float, bool]]) -> str:
        samples = repeats if model == "classes" else repeats_of_numbers
        flattery, covers = np.mean([one(case, n, repeat) for repeat in range(samples)], axis=0)
        off = f"{100 * flattery:+.1f} points" if model == "classes" else f"{flattery:+.3f}"
        target = "none" if case == "heavy tails" else TARGET
        return f"| {model} | {case} | {n} | {off} | {target} | {100 * covers:.1f} % |"

    for n in (40, 100):
        for name in CLASSES:
            yield line("classes", name, n, one_sample)
    for name in SETS:
        yield line("classes", name, 60, one_part)
    for n in (40, 100):
        for name in NUMBERS:
            yield line("numbers", name, n, one_sample_of_numbers)
