"""Support vector machines: ours against scikit-learn's SVC (libsvm), and others where they are installed.

The same kernel, C and tolerance; the dual objectives are compared before any time is printed.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import sepal.datasets
from sepal.data import read_table
from sepal.machines import SVMClassifier, hyperparameter_surface

REPEATS = 3
GOAL_FIT, GOAL_PREDICT, GOAL_GRID = 3.0, 3.0, 10.0  # times faster than SVC


def _made(n: int) -> tuple[str, np.ndarray, np.ndarray, float, float]:
    X, y = make_classification(
        n, 16, n_informative=8, n_clusters_per_class=4, class_sep=0.7, flip_y=0.02, random_state=1
    )
    return f"made {n} x 16", X, y, 1.0, 4.0


def _twonorm(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Breiman's twonorm, where the file has too few rows: two normal clouds in 20 columns, means 2 / sqrt(20)."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 20)) + np.where(y, 1.0, -1.0)[:, None] * 2.0 / np.sqrt(20.0), y


def _problems(
    folder: Path | None, sizes: tuple[int, ...]
) -> Iterator[tuple[str, np.ndarray, np.ndarray, float, float]]:
    """Name, scaled rows, two classes, C, gamma."""
    for n in sizes:
        if folder is None:
            yield _made(n)
            continue
        for file, picked, C, gamma in (
            ("letter", "A", 10.0, 10.0),
            ("magic", None, 1.0, 5.0),
            ("twonorm", None, 1.0, 0.5),
            ("mnist_5k_10k", ("3", "8"), 5.0, 0.02),
        ):
            found = sorted(folder.glob(f"{file}*"))
            if not found:
                print(f"{file}: not in {folder}")
                continue
            if file == "twonorm" and n > 7400:
                X, y = _twonorm(n)
                yield f"{file} {n} x 20", X, y, C, gamma
                continue
            table = read_table(found[0], target="class")
            labels = np.asarray(table.y).astype(str)
            rows = np.arange(table.n_rows)
            if isinstance(picked, tuple):
                rows = np.flatnonzero(np.isin(labels, picked))
            elif picked is None:
                picked = labels[0]
            chosen = np.random.default_rng(0).permutation(rows)[:n]
            y = (labels[chosen] == (picked[0] if isinstance(picked, tuple) else picked)).astype(int)
            yield f"{file} {len(chosen)} x {table.n_columns}", table.values[chosen], y, C, gamma


def _timed(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    begin = time.perf_counter()
    answer = work(*arguments)
    return time.perf_counter() - begin, answer


def _peers() -> dict[str, Callable[[float, float], Any]]:
    peers: dict[str, Callable[[float, float], Any]] = {
        "SVC": lambda C, gamma: SVC(C=C, gamma=gamma, cache_size=500),
    }
    try:
        from sklearnex import svm as fast
    except ImportError:
        print("scikit-learn-intelex is not installed: left out")
    else:
        peers["intelex"] = lambda C, gamma: fast.SVC(C=C, gamma=gamma)
    try:
        import thundersvm
    except (ImportError, OSError):
        print("thundersvm is not installed: left out")
    else:
        peers["thunder"] = lambda C, gamma: thundersvm.SVC(C=C, gamma=gamma)
    return peers


def _objective(model: Any) -> float:
    coef = np.asarray(model.dual_coef_).ravel()
    inner = np.asarray(model.decision_function(model.support_vectors_)).ravel() - float(np.ravel(model.intercept_)[0])
    return float(np.abs(coef).sum() - 0.5 * coef @ inner)


def _fit_and_predict(folder: Path | None, sizes: tuple[int, ...]) -> None:
    peers = _peers()
    header = (
        f"{'problem':<24}{'who':<10}{'fit s':>9}{'ratio':>8}{'predict s':>11}{'ratio':>8}{'support':>9}{'dual':>16}"
    )
    print(header)
    for name, X, y, C, gamma in _problems(folder, sizes):
        low, span = X.min(axis=0), np.ptp(X, axis=0)
        X = (X - low) / np.where(span > 0, span, 1.0)
        makers: dict[str, Callable[[], Any]] = {
            "sepal": lambda C=C, gamma=gamma: SVMClassifier(C=C, gamma=gamma, scale=None)
        }
        makers |= {who: (lambda make=make, C=C, gamma=gamma: make(C, gamma)) for who, make in peers.items()}
        fit: dict[str, list[float]] = {who: [] for who in makers}
        predict: dict[str, list[float]] = {who: [] for who in makers}
        models: dict[str, Any] = {}
        for _ in range(REPEATS):
            for who, make in makers.items():
                seconds, models[who] = _timed(make().fit, X, y)
                fit[who].append(seconds)
                predict[who].append(_timed(models[who].predict, X)[0])
        duals = {who: _objective(model) for who, model in models.items()}
        assert abs(duals["sepal"] / duals["SVC"] - 1) < 1e-4, duals
        for who in makers:
            f, p = float(np.median(fit[who])), float(np.median(predict[who]))
            ours = float(np.median(fit["sepal"])), float(np.median(predict["sepal"]))
            print(
                f"{name:<24}{who:<10}{f:>9.3f}{f / ours[0]:>8.1f}{p:>11.3f}{p / ours[1]:>8.1f}"
                f"{len(models[who].support_):>9}{duals[who]:>16.6f}"
                + (f"   goals {GOAL_FIT:g} and {GOAL_PREDICT:g}" if who == "SVC" else "")
            )


def _grid() -> None:
    train, test = sepal.datasets.load("ripley-train"), sepal.datasets.load("ripley-test")
    gammas, values = 0.01 + 0.05 * np.arange(80), (1.0, 2.0, 3.0, 4.0)

    def ours() -> np.ndarray:
        machine = SVMClassifier(scale=None)
        found = hyperparameter_surface(machine, train, C=values, width=(2 * gammas) ** -0.5, test=test)
        return found.error[::-1]

    def loop() -> np.ndarray:
        return np.array(
            [
                [np.mean(SVC(C=C, gamma=g).fit(train.values, train.y).predict(test.values) != test.y) for C in values]
                for g in gammas
            ]
        )

    times: dict[str, list[float]] = {"sepal": [], "SVC": []}
    for _ in range(REPEATS):
        seconds, mine = _timed(ours)
        times["sepal"].append(seconds)
        seconds, theirs = _timed(loop)
        times["SVC"].append(seconds)
    assert np.abs(mine - theirs).max() <= 0.0025, "errors differ by more than rows on the border can explain"
    a, b = float(np.median(times["sepal"])), float(np.median(times["SVC"]))
    print(f"80 x 4 grid on Ripley: sepal {a:.3f} s, SVC {b:.3f} s, ratio {b / a:.1f}, goal {GOAL_GRID:g}")


def _choice_of_c(folder: Path | None, n: int) -> None:
    """C by exact leave-one-out against a grid search over the same values by five folds on two processes."""
    for name, X, y, _, gamma in _problems(folder, (n,)):
        X = (X - X.min(axis=0)) / np.where(np.ptp(X, axis=0) > 0, np.ptp(X, axis=0), 1.0)
        seconds, machine = _timed(SVMClassifier(C="auto", gamma=gamma, scale=None).fit, X, y)
        found = machine.C_search_
        peer = GridSearchCV(SVC(gamma=gamma, cache_size=500), {"C": found.C}, cv=5, n_jobs=2, refit=True)
        theirs, _ = _timed(peer.fit, X, y)
        print(
            f"{name:<24}{len(found.C)} values of C, leave-one-out {seconds:.2f} s (error {found.error.min():.4f} at "
            f"C = {found.best:g}, exact: {bool(np.all(found.lower == found.upper))}), GridSearchCV {theirs:.2f} s "
            f"(error {1 - peer.best_score_:.4f} at C = {peer.best_params_['C']:g}), ratio {theirs / seconds:.1f}"
        )


def run(data_folder: Path | None, sizes: tuple[int, ...] = (5000, 20000)) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _grid()
        _choice_of_c(data_folder, sizes[0])
        _fit_and_predict(data_folder, sizes)


if __name__ == "__main__":
    import sys

    run(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
