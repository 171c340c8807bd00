"""A6: the paper's whole chain and SepalClassifier against a support vector machine with a grid."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from sepal.auto import PaperChainClassifier, SepalClassifier
from sepal.datasets import load
from sepal.evaluation import evaluate
from sepal.plots import legend_below, new_panels, quiet_frame
from sepal.reproduce._facts import Fact, FactTable, Result

FULL: dict[str, Any] = {"names": ("liver", "sonar", "breast-cancer", "diabetes", "ripley-train", "wine"), "folds": 3}
QUICK: dict[str, Any] = {"names": ("sonar",), "folds": 2}


def _grid() -> Any:
    """What a careful user of scikit-learn would write."""
    settings = {"svc__C": 2.0 ** np.arange(-3, 9, 2), "svc__gamma": 2.0 ** np.arange(-7, 4, 2)}
    return GridSearchCV(
        make_pipeline(MinMaxScaler(), SVC()), settings, cv=StratifiedKFold(5, shuffle=True, random_state=0)
    )


def run(names: tuple[str, ...], folds: int) -> Result:
    """Held-out accuracy and time of each."""
    makers: dict[str, Any] = {
        "the paper's chain": PaperChainClassifier,
        "SepalClassifier": SepalClassifier,
        "SVC with a grid": _grid,
    }
    lines: list[tuple[str, ...]] = []
    found: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in makers}
    for data_name in names:
        table = load(data_name).drop_missing()
        for name, make in makers.items():
            begin = time.perf_counter()
            accuracy = evaluate(make(), table.values, table.y, cv=folds).accuracy
            found[name][data_name] = accuracy, time.perf_counter() - begin
            error = np.sqrt(accuracy * (1 - accuracy) / table.n_rows)
            lines.append(
                (
                    data_name,
                    name,
                    f"{100 * accuracy:.1f} %",
                    f"± {100 * error:.1f}",
                    f"{found[name][data_name][1]:.1f} s",
                )
            )
    facts = tuple(
        Fact(
            f"{name}: mean accuracy of {len(names)} data sets",
            100 * float(np.mean([a for a, _ in by.values()])),
            why=f"{sum(s for _, s in by.values()):.1f} s in all, {folds} folds.",
            unit="per cent",
            digits=1,
        )
        for name, by in found.items()
    )
    table_of = FactTable("Each data set", ("set", "learner", "right", "standard error", "time"), tuple(lines))
    return Result(
        "The paper claims performance close to the state of the art without a single arbitrary choice. The tie rule, "
        "scaling, grid of widths, number of vectors and C remain choices, made here once for all data.",
        facts,
        {
            "names": list(names),
            "accuracy": {n: [a for a, _ in by.values()] for n, by in found.items()},
            "seconds": {n: [s for _, s in by.values()] for n, by in found.items()},
        },
        (table_of,),
    )


def draw(result: Result) -> Any:
    """Accuracy, and time below it."""
    data = result.data
    figure, axes = new_panels(2, 1, (6.6, 3.0))
    at = np.arange(len(data["names"]))
    for ax, what, label in (
        (axes[0, 0], "accuracy", "held-out accuracy"),
        (axes[1, 0], "seconds", "seconds for all folds"),
    ):
        for i, (name, values) in enumerate(data[what].items()):
            ax.bar(
                at + 0.27 * (i - 1),
                values,
                0.25,
                label=name,
                color=("#e69f00", "#0072b2", "#6b7480")[i],
                hatch=("//", "", "..")[i],
                edgecolor="white",
            )
        ax.set_xticks(at, data["names"])
        ax.set_ylabel(label)
        quiet_frame(ax)
    axes[0, 0].set_ylim(0.4, 1.0)
    axes[1, 0].set_yscale("log")
    legend_below(axes[1, 0], 3)
    return figure
