"""B4: metric clustering with its cut-off: errors of both kinds over p."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.datasets import load
from sepal.evaluation import evaluate
from sepal.learners import MetricClusteringClassifier
from sepal.plots import draw_lines, new_panels
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"alpha": 0.5, "clusters": 5, "n_cutoffs": 41}
QUICK = {**FULL, "n_cutoffs": 11}
_SETS = {"breast-cancer": "malignant", "diabetes": "pos"}


def run(alpha: float, clusters: int, n_cutoffs: int) -> Result:
    """Shares of the held-out rows' clusters, and what each cut-off makes of them."""
    cutoffs = np.linspace(-1.0, 1.0, n_cutoffs)
    curves, facts = {}, []
    for name, sick in _SETS.items():
        table = load(name).drop_missing()
        model = MetricClusteringClassifier(alpha, clusters_per_class=clusters)
        found = evaluate(model, table, cv=10)
        classes = np.asarray(found.classes).tolist()
        truth = found.actual == classes.index(sick)
        mean = 2.0 * np.asarray(found.share)[:, classes.index(sick)] - 1.0  # the paper's labels are -1 and 1
        says = mean[None] > cutoffs[:, None]
        curves[name] = {
            "false positives": (says & ~truth).sum(axis=1) / (~truth).sum(),
            "false negatives": (~says & truth).sum(axis=1) / truth.sum(),
        }
        for p in (0.0, -0.5):
            at = int(np.argmin(np.abs(cutoffs - p)))
            for kind, values in curves[name].items():
                facts.append(Fact(f"{name}: {kind} at p = {p:g}", 100 * float(values[at]), unit="per cent", digits=1))
    return Result(
        "The cut-off trades one error for the other: where a missed disease is worse, as the paper says, p goes down. "
        "Which error is worse belongs to the task; a mail filter has it the other way round.",
        tuple(facts),
        {"cutoffs": cutoffs, "curves": curves},
    )


def draw(result: Result) -> Any:
    """Both errors over p."""
    figure, axes = new_panels(1, 2, (5.0, 3.8))
    for ax, (name, curves) in zip(axes[0], result.data["curves"].items(), strict=True):
        draw_lines(result.data["cutoffs"], curves, xlabel="cut-off p", ylabel="share of the class", ax=ax)
        ax.set_title(name)
    return figure
