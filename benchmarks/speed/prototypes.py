"""Condensing and editing: ours against imbalanced-learn, on the same data in one run.

Editing and Tomek links must give the same rows. imbalanced-learn's CondensedNearestNeighbour is another method than
Hart's (it keeps one class whole and condenses the others one by one), so there ours is checked against a plain loop
over numpy rows instead, and both sizes are printed.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification

from benchmarks.speed._timing import race, show
from sepal.prototypes import METHODS, enn, hart, tomek_links

Rows = NDArray[np.intp]


def data(n: int, p: int = 10) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    return make_classification(n, p, n_informative=6, n_classes=2, flip_y=0.02, class_sep=1.0, random_state=0)


def plain_hart(X: NDArray[np.float64], y: NDArray[np.int64]) -> Rows:
    """Hart's sweeps in row order, one numpy call for each row that is added."""
    like, unlike = np.full(len(y), np.inf), np.full(len(y), np.inf)
    kept: list[int] = []
    is_kept = np.zeros(len(y), dtype=bool)
    while True:
        before = len(kept)
        for row in range(len(y)):
            if is_kept[row] or unlike[row] > like[row] * (1 + 2.0**-40):
                continue
            kept.append(row)
            is_kept[row] = True
            distance = ((X - X[row]) ** 2).sum(axis=1)
            same = y == y[row]
            like[same] = np.minimum(like[same], distance[same])
            unlike[~same] = np.minimum(unlike[~same], distance[~same])
        if len(kept) == before:
            return np.sort(kept)


def condensing(n: int) -> None:
    from imblearn.under_sampling import CondensedNearestNeighbour

    X, y = data(n)
    found = hart(X, y, order="rows", scale=None)
    assert found.is_consistent
    assert np.array_equal(found.rows, plain_hart(X, y))
    theirs = CondensedNearestNeighbour(random_state=0)
    contestants = {
        "sepal hart, row order": lambda: hart(X, y, order="rows", scale=None),
        "sepal hart, enemy order": lambda: hart(X, y, scale=None),
        "plain numpy loop": lambda: plain_hart(X, y),
        "imbalanced-learn CNN": lambda: theirs.fit_resample(X, y),
    }
    timing = race(contestants, budget=1.0)
    show(f"Condensing, {n:,} x 10 (goal: imbalanced-learn at least 500 x)", timing, "sepal hart, row order")
    print(
        f"  rows kept: hart {found.n_kept}, by enemies {hart(X, y, scale=None).n_kept}, "
        f"imbalanced-learn {len(theirs.sample_indices_)}"
    )


def editing(n: int) -> None:
    from imblearn.under_sampling import EditedNearestNeighbours, TomekLinks

    X, y = data(n)
    edited = EditedNearestNeighbours(sampling_strategy="all", n_neighbors=3, kind_sel="mode", n_jobs=-1)
    tomek = TomekLinks(sampling_strategy="all", n_jobs=-1)
    edited.fit_resample(X, y)
    tomek.fit_resample(X, y)
    assert np.array_equal(enn(X, y, scale=None).rows, np.sort(edited.sample_indices_))
    assert np.array_equal(tomek_links(X, y, scale=None).rows, np.sort(tomek.sample_indices_))
    show(
        f"Wilson's editing, k = 3, {n:,} x 10",
        race({"sepal": lambda: enn(X, y, scale=None), "imbalanced-learn": lambda: edited.fit_resample(X, y)}),
        "sepal",
    )
    show(
        f"Tomek links, {n:,} x 10",
        race({"sepal": lambda: tomek_links(X, y, scale=None), "imbalanced-learn": lambda: tomek.fit_resample(X, y)}),
        "sepal",
    )


def all_methods(n: int, names: tuple[str, ...]) -> None:
    X, y = data(n)
    print(f"\nAll methods, {n:,} x 10 (seconds, rows kept, consistency)")
    for name in names:
        start = time.perf_counter()
        found = METHODS[name](X, y)
        seconds = time.perf_counter() - start
        print(f"  {name:<14}{seconds:10.3f} s {found.n_kept:>9,} {found.consistency:9.4f}")


def run(data_folder: Path | None) -> None:
    condensing(5_000)
    editing(20_000)
    all_methods(20_000, tuple(METHODS))
    all_methods(100_000, ("hart", "fcnn", "rss", "enn"))
