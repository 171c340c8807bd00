"""Feature subsets: ours against a loop over NearestNeighbors, mlxtend and SequentialFeatureSelector, in one run.

Answers are compared before anything is timed. Peers that need half a minute or more run once; SEPAL_BENCH_SLOW=1 adds
those. The rate of the sweep is held against a plain streaming loop in C (streaming.c, compiled here).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

import sepal.datasets
from benchmarks.speed._streaming import stream
from benchmarks.speed._timing import race
from sepal.data import Table, read_table
from sepal.selection import Thornton, search_subsets, subset_sweep
from sepal.selection._problem import feature_problem
from sepal.selection._program import full_tree

SLOW = os.environ.get("SEPAL_BENCH_SLOW") == "1"
Peer = tuple[Callable[[], object], float | None, bool]


def _show(
    title: str, ours: Callable[[], object], peers: dict[str, tuple[Callable[[], object], float | None, bool]]
) -> None:
    """One table; a peer is (run, goal as a multiple of our time, whether it runs once only)."""
    print(f"\n{title}")
    often = {"sepal": ours} | {name: run for name, (run, _, once) in peers.items() if not once}
    timing = race(often)
    mine = timing.median("sepal")
    print(f"  {'sepal':<42}{mine:10.4f} s   median of {len(timing.seconds['sepal'])} rounds")
    for name, (run, goal, once) in peers.items():
        seconds = race({name: run}, rounds=1).median(name) if once else timing.median(name)
        ratio = seconds / mine if once else timing.ratio(name, "sepal")
        wanted = "" if goal is None else f"   goal {goal:g} x: {'reached' if ratio >= goal else 'MISSED'}"
        print(f"  {name:<42}{seconds:10.4f} s {ratio:8.1f} x{wanted}{'   (one round)' if once else ''}")


def _nearest_loop(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Leave-one-out 1-NN accuracy of every subset, one NearestNeighbors after the other."""
    p = X.shape[1]
    scores = np.full(1 << p, np.nan)
    for size in range(1, p + 1):
        for columns in combinations(range(p), size):
            nearest = NearestNeighbors(n_neighbors=1).fit(X[:, columns]).kneighbors(return_distance=False)
            scores[sum(1 << f for f in columns)] = np.mean(y[nearest[:, 0]] == y)
    return scores


def _mlxtend(X: np.ndarray, y: np.ndarray) -> object:
    from mlxtend.feature_selection import ExhaustiveFeatureSelector

    return ExhaustiveFeatureSelector(
        KNeighborsClassifier(1), min_features=1, max_features=X.shape[1], cv=10, print_progress=False, n_jobs=1
    ).fit(X, y)


def _codes(y: np.ndarray) -> np.ndarray:
    return np.unique(y, return_inverse=True)[1]


def _sweep_all(name: str, table: Table, once: bool, goals: tuple[float | None, float | None]) -> None:
    X, y = table.values, _codes(table.y)
    spread = np.ptp(X, axis=0)
    X = (X - X.min(axis=0)) / np.where(spread == 0, 1, spread)
    low, high = (subset_sweep(table, ties=ties).scores for ties in ("pessimistic", "optimistic"))
    some = X[:, : min(6, X.shape[1])]
    theirs = _nearest_loop(some, y)
    # A neighbour chosen among equally near ones must lie between the two bounds.
    assert np.all((theirs[1:] >= low[1 : len(theirs)] - 0.01) & (theirs[1:] <= high[1 : len(theirs)] + 0.01)), "differ"
    peers = {"loop over NearestNeighbors": (lambda: _nearest_loop(X, y), goals[0], once)}
    if SLOW and goals[1] is not None:
        peers["mlxtend ExhaustiveFeatureSelector, 10-fold"] = (lambda: _mlxtend(X, y), goals[1], True)
    title = f"all {2 ** X.shape[1] - 1} subsets of {name} ({len(y)} x {X.shape[1]})"
    _show(title, lambda: subset_sweep(table), peers)


def _sequential(name: str, X: np.ndarray, y: np.ndarray, n_features: int, direction: str, loo: bool) -> None:
    def ours() -> tuple[int, ...]:
        return search_subsets(X, y, strategy=direction, n_features=n_features, scale=None).best.columns

    def theirs(cv: object) -> tuple[int, ...]:
        selector = SequentialFeatureSelector(
            KNeighborsClassifier(1), n_features_to_select=n_features, direction=direction, cv=cv
        ).fit(X, y)
        return tuple(np.flatnonzero(selector.get_support()).tolist())

    if loo:  # the same question, but for rows equally near, of which theirs takes any
        label, cv = "leave-one-out", LeaveOneOut()
    else:
        label, cv = "10-fold", StratifiedKFold(10)
    goal = 200.0 if direction == "forward" else None
    title = f"{direction} to {n_features} of {X.shape[1]} features of {name} ({len(y)} rows)"
    found: list[tuple[int, ...]] = []
    _show(title, ours, {f"SequentialFeatureSelector, {label}": (lambda: found.append(theirs(cv)), goal, True)})
    scores = [sepal.thornton_score(X[:, columns], y, scale=None) for columns in (ours(), *found)]
    print(f"  leave-one-out accuracy of the subsets found: sepal {scores[0]:.4f}, theirs {scores[1]:.4f}")
    assert not loo or abs(scores[0] - scores[1]) < 0.02, "subsets of different quality for the same question"


def _rate(name: str, table: Table, scale: str) -> None:
    """Pair updates per second of the sweep, and of a plain loop over the same columns and sums."""
    problem = feature_problem(table, scale=scale)
    (tree,) = full_tree(problem)
    columns, rows = problem.packed.x, problem.packed.row_of >= 0  # the very arrays, padding included
    nearest = stream(columns, rows, tree.depth, tree.column, problem.threads)
    full = int(np.argmax(tree.depth))  # the step that completes the set of all columns
    d = NearestNeighbors(n_neighbors=1).fit(columns[:, rows].T).kneighbors()[0]
    assert np.isclose(nearest[full], np.sum(d**2)), "the streaming loop is wrong"
    ours, plain = (
        lambda: Thornton().scores(problem, tree),
        lambda: stream(columns, rows, tree.depth, tree.column, problem.threads),
    )
    timing = race({"sepal": ours, "plain streaming loop": plain}, rounds=31)
    pairs = len(tree.depth) * problem.n_rows**2 / 1e9
    print(f"\npair updates of {name}, {columns.dtype}, {problem.threads} threads (31 rounds)")
    for each in timing.seconds:
        print(f"  {each:<42}{pairs / timing.median(each):10.2f} G/s")
    share = timing.ratio("plain streaming loop", "sepal")
    print(f"  share of the plain rate {share:.0%}; goal 60%: {'reached' if share >= 0.6 else 'MISSED'}")


def _large() -> None:
    rng = np.random.default_rng(0)
    n = 20_000 if SLOW else 4_000
    codes = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 50))
    X[:, :5] += codes[:, None]
    start = time.perf_counter()
    search = search_subsets(X, codes, strategy="forward", n_features=5)
    seconds = time.perf_counter() - start
    pairs = search.n_evaluations * float(n) ** 2 / seconds / 1e9
    print(f"\nforward to 5 of {n} x 50: {seconds:.1f} s, {search.n_evaluations} subsets, {pairs:.1f} G pairs/s")
    assert search.best.columns == (0, 1, 2, 3, 4), "not the five columns that hold the classes"


def run(data_folder: Path | None) -> None:
    """Print one table per question."""
    breast_cancer = sepal.datasets.load("breast-cancer").drop_missing()
    _sweep_all("breast-cancer", breast_cancer, once=False, goals=(50.0, 500.0))
    _rate("breast-cancer", breast_cancer, "minmax")
    _rate("breast-cancer", breast_cancer, "standard")
    heart = sepal.datasets.load("heart").drop_missing()
    numbers = Table(heart.values, heart.names, ("numeric",) * 13, (None,) * 13, y=heart.y)
    if SLOW:
        _sweep_all("heart, codes as numbers", numbers, once=True, goals=(None, None))
    _show("all 8191 subsets of heart, mixed kinds", lambda: subset_sweep(heart), {})
    sonar = sepal.datasets.load("sonar")
    tables = {"sonar": (sonar.values, _codes(sonar.y))}
    if data_folder is not None and (data_folder / "ionosphere.csv").exists():
        ionosphere = read_table(data_folder / "ionosphere.csv")
        tables["ionosphere"] = (ionosphere.values, _codes(ionosphere.y))
    for name, (X, y) in tables.items():
        _sequential(name, X, y, 10, "forward", loo=False)
        if SLOW:
            _sequential(name, X, y, X.shape[1] - 5, "backward", loo=False)
            _sequential(name, X, y, 2, "forward", loo=True)
    _large()
