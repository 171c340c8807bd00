"""C5: the notes' toy: two clouds of 25 points, C = 1000, and how many support vectors there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.machines import SVMClassifier
from sepal.plots import new_panels, plot_regions, quiet_frame
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_rows": 25, "apart": 6.0, "C": 1000.0, "n_samples": 200}
QUICK = {**FULL, "n_samples": 40}


def _sample(seed: int, n_rows: int, apart: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.normal(size=(n_rows, 2)), rng.normal((apart, 0.0), size=(n_rows, 2))])
    return rows, np.repeat(["one", "two"], n_rows)


def run(n_rows: int, apart: float, C: float, n_samples: int) -> Result:
    """Support vectors of many samples."""
    counts = np.array(
        [
            len(SVMClassifier(kernel="linear", C=C, scale=None).fit(*_sample(i, n_rows, apart)).support_)
            for i in range(n_samples)
        ]
    )
    shown = int(np.flatnonzero(counts == 3)[0])
    rows, labels = _sample(shown, n_rows, apart)
    facts = (
        Fact("support vectors of the sample shown", int(counts[shown]), 3),
        Fact(
            "samples with two support vectors",
            100 * float((counts == 2).mean()),
            why="Two points face one another.",
            unit="per cent",
            digits=1,
        ),
        Fact(
            "samples with three",
            100 * float((counts == 3).mean()),
            why="Three fix a plane. More need a tie or classes that overlap.",
            unit="per cent",
            digits=1,
        ),
    )
    values, times = np.unique(counts, return_counts=True)
    return Result(
        f"Of {2 * n_rows} points two or three carry the boundary, as in the notes' figure.",
        facts,
        {"rows": rows, "labels": labels, "C": C, "values": values, "times": times},
    )


def draw(result: Result) -> Any:
    """The sample with its support vectors, and how often how many there are."""
    data = result.data
    figure, axes = new_panels(1, 2, (4.9, 3.8))
    machine = SVMClassifier(kernel="linear", C=data["C"], scale=None).fit(data["rows"], data["labels"])
    plot_regions(machine, data["rows"], data["labels"], ax=axes[0, 0])
    ax = axes[0, 1]
    ax.bar(data["values"], data["times"], width=0.6, color="#0072b2")
    ax.set(xlabel="support vectors", ylabel="samples", xticks=data["values"])
    quiet_frame(ax)
    return figure
