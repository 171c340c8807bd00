"""A1: Thornton's index against the accuracy of the kernel Adatron, over random subsets of features."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.stats import pearsonr

from sepal.datasets import load
from sepal.evaluation import evaluate
from sepal.exceptions import SepalWarning
from sepal.machines import KernelAdatronClassifier
from sepal.measures import thornton_score
from sepal.plots import new_panels, quiet_frame
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"names": ("liver", "sonar", "breast-cancer", "heart"), "n_subsets": 20, "folds": 10, "seed": 0}
QUICK = {**FULL, "n_subsets": 4, "folds": 3}


def _subsets(n_columns: int, n: int, rng: np.random.Generator) -> list[list[int]]:
    """Different random subsets, of all sizes alike."""
    seen: dict[tuple[int, ...], None] = {}
    while len(seen) < min(n, 2**n_columns - 1):
        size = int(rng.integers(1, n_columns + 1))
        seen[tuple(sorted(rng.choice(n_columns, size, replace=False).tolist()))] = None
    return [list(subset) for subset in seen]


def run(names: tuple[str, ...], n_subsets: int, folds: int, seed: int) -> Result:
    """Index and held-out accuracy of each subset, and how they go together."""
    points, intervals, facts = {}, {}, []
    for name in names:
        table = load(name).drop_missing()
        rng = np.random.default_rng(seed)
        found = []
        for columns in _subsets(table.n_columns, n_subsets, rng):
            part = table.select(columns)
            mixed = any(kind != "numeric" for kind in part.kinds)
            model = KernelAdatronClassifier(kernel="mixed" if mixed else "rbf")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SepalWarning)  # a poor subset may have one answer for all rows
                found.append((thornton_score(part), evaluate(model, part, cv=folds).accuracy))
        pairs = np.array(found)
        r = pearsonr(*pairs.T)
        low, high = r.confidence_interval()
        points[name], intervals[name] = pairs, (float(low), float(high))
        facts.append(
            Fact(
                f"{name}: correlation over {len(pairs)} subsets",
                float(r.statistic),
                why=f"95 per cent interval {low:.2f} to {high:.2f}.",
            )
        )
    return Result(
        "Subsets with a high index give the kernel machine a high accuracy: the paper's 'remarkably good', which it "
        "shows for the liver data without a number, with intervals that it does not give.",
        tuple(facts),
        {"points": points, "intervals": intervals},
    )


def draw(result: Result) -> Any:
    """A point for each subset, a panel for each data set."""
    figure, axes = new_panels(2, 2, (4.6, 3.4))
    for ax, (name, pairs), fact in zip(axes.ravel(), result.data["points"].items(), result.facts, strict=True):
        ax.scatter(*np.asarray(pairs).T, s=24, color="#0072b2", alpha=0.8, linewidths=0)
        low, high = result.data["intervals"][name]
        title = f"{name}: r = {fact.shown(fact.ours)} ({low:.2f} to {high:.2f})"
        ax.set(xlabel="Thornton's index", ylabel="accuracy, held out", title=title)
        quiet_frame(ax)
    return figure
