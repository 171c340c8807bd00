"""E6: the run on the weather data, as the block that Weka prints."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.datasets import load
from sepal.evaluation import evaluate
from sepal.learners import KNNClassifier
from sepal.plots import draw_confusion, new_panels
from sepal.reproduce._facts import Fact, FactTable, Result

FULL: dict[str, Any] = {"counts": (1, 3)}
QUICK = FULL
# The ten folds that Weka draws for these fourteen rows with seed 1, and what Weka 3.9.7 prints for IBk on them:
# rows that are right, and kappa.
_FOLDS = ((5, 8), (13, 12), (1, 3), (7, 11), (0,), (10,), (6,), (2,), (9,), (4,))
_PRINTED = {1: (8, 0.0667), 3: (9, 0.1026)}
_WHY = {
    1: "Weka 3.9.7 on the same folds.",
    3: "Weka 3.9.7 on the same folds: there all rows at the third distance vote, here they share the places left.",
}


def run(counts: tuple[int, ...]) -> Result:
    """Weka's ten folds and leave-one-out for each k."""
    table = load("weather")
    found = {k: evaluate(KNNClassifier(k), table, cv=[list(fold) for fold in _FOLDS]) for k in counts}
    loo = {k: evaluate(KNNClassifier(k), table, cv="loo") for k in counts}
    facts = (
        Fact("rows", table.n_rows),
        Fact("always the largest class", 100 * found[counts[0]].majority_rate, unit="per cent", digits=1),
        *(
            fact
            for k, each in found.items()
            for fact in (
                Fact(f"{k}-NN, Weka's folds: rows that are right", each.n_right, _PRINTED[k][0], _WHY[k]),
                Fact(f"{k}-NN, Weka's folds: kappa", each.kappa, _PRINTED[k][1], _WHY[k], digits=4),
            )
        ),
        *(
            Fact(
                f"{k}-NN, leave-one-out",
                100 * each.accuracy,
                unit="per cent",
                digits=1,
                why="Fourteen rows tell little: other folds can differ by several rows. Leave-one-out has no folds to "
                "draw.",
            )
            for k, each in loo.items()
        ),
    )
    blocks = tuple(
        FactTable(f"The block for k = {k}", ("line",), tuple((line,) for line in each.summary().splitlines() if line))
        for k, each in found.items()
    )
    data = {
        "confusion": {f"{k}-NN": each.confusion for k, each in found.items()},
        "classes": [str(c) for c in np.asarray(found[counts[0]].classes).tolist()],
    }
    return Result(
        "The same block that Weka prints, on the same folds: for k = 1 the same counts in every cell of the matrix. "
        "The interval and the majority are added to it. (In our copy of the slides their figures are a picture, so "
        "that Weka was run again.)",
        facts,
        data,
        blocks,
    )


def draw(result: Result) -> Any:
    """The confusion matrices on Weka's folds."""
    figure, axes = new_panels(1, len(result.data["confusion"]), (4.2, 3.4))
    for ax, (name, counts) in zip(axes[0], result.data["confusion"].items(), strict=True):
        draw_confusion(counts, result.data["classes"], ax)
        ax.set_title(f"{name}, Weka's folds")
    return figure
