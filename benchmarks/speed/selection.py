"""Feature subsets: ours against a loop over NearestNeighbors, mlxtend and SequentialFeatureSelector, in one run.

Answers are compared before anything is timed. Peers that need minutes run once; set SEPAL_BENCH_SLOW=1 for those.
"""

from __future__ import annotations

import os
import time
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

import sepal.datasets
from benchmarks.speed._timing import race, show
from sepal.data import Table, read_table
from sepal.selection import search_subsets, subset_sweep

OURS = "sepal"
SLOW = os.environ.get("SEPAL_BENCH_SLOW") == "1"


def _nearest_loop(X: np.ndarray, y: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """Leave-one-out 1-NN accuracy of every subset, one NearestNeighbors after the other."""
    p = X.shape[1]
    scores = np.full(1 << p, np.nan)
    for size in range(1, p + 1):
        for columns in combinations(range(p), size):
            nearest = (
                NearestNeighbors(n_neighbors=1, n_jobs=n_jobs).fit(X[:, columns]).kneighbors(return_distance=False)
            )
            scores[sum(1 << f for f in columns)] = np.mean(y[nearest[:, 0]] == y)
    return scores


def _scaled(table: Table) -> tuple[np.ndarray, np.ndarray]:
    X = table.values
    spread = np.ptp(X, axis=0)
    return (X - X.min(axis=0)) / np.where(spread == 0, 1, spread), np.unique(table.y, return_inverse=True)[1]


def _sweep_all(name: str, table: Table, rounds: int) -> None:
    X, y = _scaled(table)
    low, high = (subset_sweep(table, ties=ties).scores for ties in ("pessimistic", "optimistic"))
    theirs = _nearest_loop(X, y)
    # A neighbour chosen among equally near ones must lie between the two bounds.
    assert np.all((theirs[1:] >= low[1:] - 0.01) & (theirs[1:] <= high[1:] + 0.01)), "answers differ"
    contestants = {OURS: lambda: subset_sweep(table), "NearestNeighbors loop": lambda: _nearest_loop(X, y)}
    timing = race(contestants, rounds=rounds)
    show(f"all {2 ** X.shape[1] - 1} subsets of {name} ({len(y)} x {X.shape[1]})", timing, OURS)
    if not SLOW:
        return
    from mlxtend.feature_selection import ExhaustiveFeatureSelector

    start = time.perf_counter()
    ExhaustiveFeatureSelector(
        KNeighborsClassifier(1), min_features=1, max_features=X.shape[1], cv=10, print_progress=False, n_jobs=1
    ).fit(X, y)
    seconds = time.perf_counter() - start
    print(f"  {'mlxtend exhaustive, 10-fold':<28}{seconds:10.4f} s {seconds / timing.median(OURS):8.1f} x  (one round)")


def _sequential(name: str, X: np.ndarray, y: np.ndarray, n_features: int, direction: str) -> None:
    def ours() -> tuple[int, ...]:
        return search_subsets(X, y, strategy=direction, n_features=n_features, scale=None).best.columns

    def theirs(cv: object) -> tuple[int, ...]:
        selector = SequentialFeatureSelector(
            KNeighborsClassifier(1), n_features_to_select=n_features, direction=direction, cv=cv
        ).fit(X, y)
        return tuple(np.flatnonzero(selector.get_support()).tolist())

    folds = StratifiedKFold(10)
    timing = race({OURS: ours, "SequentialFeatureSelector, 10-fold": lambda: theirs(folds)}, rounds=2)
    show(f"{direction} to {n_features} of {X.shape[1]} features of {name} ({len(y)} rows)", timing, OURS)
    if SLOW:
        start = time.perf_counter()
        same = theirs(LeaveOneOut()) == ours()
        seconds = time.perf_counter() - start
        ratio = seconds / timing.median(OURS)
        print(f"  {'the same, leave-one-out':<28}{seconds:10.4f} s {ratio:8.1f} x  same features: {same}")


def _rate() -> None:
    """Pair updates per second of the sweep, and of the longest chain of plain additions over the same arrays."""
    from sepal.selection._problem import prepare
    from sepal.selection._program import Program, full_tree
    from sepal.selection._sweep import agreement_sums

    problem = prepare(sepal.datasets.load("breast-cancer").drop_missing(), scale="standard")
    (tree,) = full_tree(problem)
    steps = len(tree.depth)
    # Streaming: the same additions, none of them scored, each from one array into another.
    stream = Program(
        np.ones(steps, dtype=np.int32), tree.column, np.full(steps, -1, dtype=np.int64), tree.base, False, [0]
    )
    timing = race(
        {
            OURS: lambda: agreement_sums(problem, tree, "expected", None),
            "additions alone": lambda: agreement_sums(problem, stream, "expected", None),
        },
        rounds=15,
    )
    pairs = steps * problem.n_rows**2 / 1e9
    print(f"\npair updates, {problem.threads} threads, float64")
    for name in timing.seconds:
        print(f"  {name:<28}{pairs / timing.median(name):10.2f} G/s")


def run(data_folder: Path | None) -> None:
    """Print one table per question."""
    _sweep_all("breast-cancer", sepal.datasets.load("breast-cancer").drop_missing(), rounds=5)
    heart = sepal.datasets.load("heart").drop_missing()
    if SLOW:
        numbers = Table(heart.values, heart.names, ("numeric",) * 13, (None,) * 13, y=heart.y)
        _sweep_all("heart, codes as numbers", numbers, rounds=2)
    start = time.perf_counter()
    subset_sweep(heart)
    print(f"\nall 8191 subsets of heart, mixed kinds: {time.perf_counter() - start:.3f} s")
    sonar = sepal.datasets.load("sonar")
    X, y = sonar.values, np.unique(sonar.y, return_inverse=True)[1]
    _sequential("sonar", X, y, 10, "forward")
    if SLOW:
        _sequential("sonar", X, y, 50, "backward")
    ionosphere = None if data_folder is None else data_folder / "ionosphere.csv"
    if ionosphere is not None and ionosphere.exists():
        table = read_table(ionosphere)
        codes = np.unique(table.y, return_inverse=True)[1]
        _sequential("ionosphere", table.values, codes, 10, "forward")
    _rate()
    rng = np.random.default_rng(0)
    n = 20_000 if SLOW else 4_000
    codes = rng.integers(0, 2, n)
    large = rng.normal(size=(n, 50))
    large[:, :5] += codes[:, None]
    start = time.perf_counter()
    search = search_subsets(large, codes, strategy="forward", n_features=5 if SLOW else 3)
    rate = search.n_evaluations / (time.perf_counter() - start)
    print(f"\nforward on {n} x 50: {search.seconds:.1f} s, {search.n_evaluations} subsets, {rate:.1f} per second")
