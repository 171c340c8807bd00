"""Thornton's index where rows come in groups: how often p is small by chance, and how often its interval covers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics._coverage import FURTHER, further_accuracy
from sepal.measures import thornton_test

Grouped = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]
Draw = Callable[[np.random.Generator, NDArray[np.int64]], Grouped]
Sizes = Callable[[np.random.Generator], NDArray[np.int64]]


def of_groups(shift: float, columns: int = 2, alike: float = 0.3, share: float = 0.5) -> Draw:
    """Every group has a class and a place; its rows lie near that."""

    def draw(rng: np.random.Generator, sizes: NDArray[np.int64]) -> Grouped:
        groups = np.repeat(np.arange(len(sizes)), sizes)
        y = (rng.random(len(sizes)) < share).astype(np.int64)
        place = rng.normal(size=(len(sizes), columns))
        place[:, 0] += shift * y
        return place[groups] + alike * rng.normal(size=(len(groups), columns)), y[groups], groups

    return draw


def of_sizes(rng: np.random.Generator, sizes: NDArray[np.int64]) -> Grouped:
    """Large groups are of one class and small ones of the other; where they lie says nothing."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    place = rng.normal(size=(len(sizes), 2))
    return place[groups] + 0.3 * rng.normal(size=(len(groups), 2)), (sizes > 3)[groups].astype(np.int64), groups


def of_rows(shift: float, columns: int = 2) -> Draw:
    """Every group has a place of its own and a leaning; classes are those of rows."""

    def draw(rng: np.random.Generator, sizes: NDArray[np.int64]) -> Grouped:
        groups = np.repeat(np.arange(len(sizes)), sizes)
        leaning = rng.random(len(sizes))
        y = (rng.random(len(groups)) < leaning[groups]).astype(np.int64)
        X = rng.normal(size=(len(sizes), columns))[groups] + 0.5 * rng.normal(size=(len(groups), columns))
        X[:, 0] += shift * y
        return X, y, groups

    return draw


def equal(n_groups: int, size: int) -> Sizes:
    """Groups of one size."""
    return lambda rng: np.full(n_groups, size)


def unequal(n_groups: int, most: int) -> Sizes:
    """Groups of 1 to ``most`` rows."""
    return lambda rng: rng.integers(1, most + 1, size=n_groups)


NULL: dict[str, tuple[Draw, Sizes]] = {
    "20 groups of 4, of one class each": (of_groups(0.0), equal(20, 4)),
    "30 groups of 1 to 9, of one class each": (of_groups(0.0), unequal(30, 9)),
    "60 groups of 5, one in ten of the rare class": (of_groups(0.0, share=0.1), equal(60, 5)),
    "25 groups of 6 with rows of both classes": (of_rows(0.0), equal(25, 6)),
    "40 groups of 2 to 4 with rows of both classes": (of_rows(0.0), lambda rng: rng.integers(2, 5, size=40)),
    "100 groups of 3, of one class each": (of_groups(0.0, 5), equal(100, 3)),
    "40 groups, of 2 rows or of 6 by their class": (of_sizes, lambda rng: np.where(rng.random(40) < 0.5, 2, 6)),
}
COVERED: dict[str, tuple[Draw, Sizes]] = {
    "30 groups of 5, no difference": (of_groups(0.0), equal(30, 5)),
    "30 groups of 5, means 1.5 apart": (of_groups(1.5), equal(30, 5)),
    "60 groups of 1 to 9, means 1.5 apart": (of_groups(1.5), unequal(60, 9)),
    "40 groups of 6 with rows of both classes": (of_rows(1.5), equal(40, 6)),
    "100 groups of 3, means 3 apart": (of_groups(3.0), equal(100, 3)),
    "60 groups of 20, close together, means 1 apart": (of_groups(1.0, 2, 0.05), equal(60, 20)),
}


def drawn(draw: Draw, sizes: Sizes, repeat: int) -> tuple[np.random.Generator, Grouped]:
    """One sample in which both classes are in at least two groups."""
    for attempt in range(1_000):
        rng = np.random.default_rng([repeat, attempt])
        X, y, groups = draw(rng, sizes(rng))
        if min(len(np.unique(groups[y == c])) for c in (0, 1)) > 1:
            return rng, (X, y, groups)
    raise RuntimeError("no such sample")


def null_p(draw: Draw, sizes: Sizes, repeat: int) -> float:
    """The p-value of one sample in which the classes mean nothing."""
    _, (X, y, groups) = drawn(draw, sizes, repeat)
    p = thornton_test(X, y, scale=None, groups=groups, n_jobs=1).p_value
    return 1.0 if p is None else p


def group_covers(draw: Draw, sizes: Sizes, repeat: int) -> bool:
    """Whether the interval covers the accuracy of 1-NN on rows of further groups, one row of each."""
    rng, (X, y, groups) = drawn(draw, sizes, repeat)
    low, high = thornton_test(X, y, scale=None, groups=groups, n_jobs=1).interval
    more, truth, _ = draw(rng, np.ones(FURTHER, dtype=np.int64))
    return low <= further_accuracy(X, y, (more, truth)) <= high


def group_table(repeats: int = 600) -> Iterator[str]:
    """Both tables, a line at a time."""
    yield "| groups whose classes mean nothing | P(p ≤ 0.05) | P(p ≤ 0.01) | samples |\n|---|---:|---:|---:|"
    for name, (draw, sizes) in NULL.items():
        p = np.array([null_p(draw, sizes, repeat) for repeat in range(repeats + 200)])
        yield f"| {name} | {np.mean(p <= 0.05):.4f} | {np.mean(p <= 0.01):.4f} | {len(p):,} |"
    yield "\n| interval of groups | target | covers | samples |\n|---|---|---:|---:|"
    for name, (draw, sizes) in COVERED.items():
        share = np.mean([group_covers(draw, sizes, repeat) for repeat in range(repeats)])
        yield f"| {name} | 93 to 97 % | {100 * share:.1f} % | {repeats:,} |"
