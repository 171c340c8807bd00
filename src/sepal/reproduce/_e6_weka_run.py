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


def run(counts: tuple[int, ...]) -> Result:
    """Ten folds and leave-one-out for each k."""
    table = load("weather")
    found = {k: evaluate(KNNClassifier(k), table, cv=10) for k in counts}
    loo = {k: evaluate(KNNClassifier(k), table, cv="loo") for k in counts}
    facts = (
        Fact("rows", table.n_rows),
        Fact("always the largest class", 100 * found[counts[0]].majority_rate, unit="per cent", digits=1),
        *(Fact(f"{k}-NN, ten folds", 100 * each.accuracy, unit="per cent", digits=1) for k, each in found.items()),
        *(
            Fact(
                f"{k}-NN, leave-one-out",
                100 * each.accuracy,
                unit="per cent",
                digits=1,
                why="Fourteen rows tell little: the folds of one program are not those of another, and a run of Weka "
                "can differ by several rows. Leave-one-out has no folds to draw.",
            )
            for k, each in loo.items()
        ),
    )
    blocks = tuple(
        FactTable(f"The block for k = {k}", ("line",), tuple((line,) for line in each.summary().splitlines() if line))
        for k, each in found.items()
    )
    data = {
        "confusion": {f"{k}-NN": each.confusion for k, each in loo.items()},
        "classes": [str(c) for c in np.asarray(found[counts[0]].classes).tolist()],
    }
    return Result(
        "The same block of figures that Weka prints, with the interval and the majority that it leaves out. "
        "(In our copy of the slides their figures are a picture.)",
        facts,
        data,
        blocks,
    )


def draw(result: Result) -> Any:
    """The confusion matrices of leave-one-out."""
    figure, axes = new_panels(1, len(result.data["confusion"]), (4.2, 3.4))
    for ax, (name, counts) in zip(axes[0], result.data["confusion"].items(), strict=True):
        draw_confusion(counts, result.data["classes"], ax)
        ax.set_title(f"{name}, leave-one-out")
    return figure
