"""D2: the maps of 1-NN and 15-NN on three classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.learners import KNNClassifier
from sepal.plots import new_panels, plot_regions
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_per_class": 60, "n_test": 6000, "seed": 5}
QUICK = {**FULL, "n_test": 1500}


def _rows(n: int, centers: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """Each class a cloud around several centers."""
    labels = np.repeat(np.arange(3), n)
    which = rng.integers(0, centers.shape[1], 3 * n)
    return centers[labels, which] + rng.normal(scale=0.55, size=(3 * n, 2)), np.array(["first", "second", "third"])[
        labels
    ]


def run(n_per_class: int, n_test: int, seed: int) -> Result:
    """Training and test error of both."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(scale=1.2, size=(3, 3, 2))
    rows, labels = _rows(n_per_class, centers, rng)
    test, truth = _rows(n_test // 3, centers, rng)
    facts = []
    for k in (1, 15):
        model = KNNClassifier(k, scale=None).fit(rows, labels)
        facts.append(Fact(f"training error of {k}-NN", float(np.mean(model.predict(rows) != labels)), digits=3))
        facts.append(Fact(f"test error of {k}-NN", float(np.mean(model.predict(test) != truth)), digits=3))
    return Result(
        "One neighbour draws islands around single points and has no training error; fifteen draw smooth borders and "
        "err less on new rows. (The lecture names its second map 15-NN and 50-NN.)",
        tuple(facts),
        {"rows": rows, "labels": labels},
    )


def draw(result: Result) -> Any:
    """Both maps."""
    figure, axes = new_panels(1, 2, (5.0, 4.2))
    data = result.data
    for ax, k in zip(axes[0], (1, 15), strict=True):
        plot_regions(
            KNNClassifier(k, scale=None).fit(data["rows"], data["labels"]), data["rows"], data["labels"], ax=ax
        )
        ax.set_title(f"{k}-NN")
    return figure
