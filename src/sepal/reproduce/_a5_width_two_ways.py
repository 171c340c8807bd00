"""A5: the width that alignment chooses against the width that leave-one-out chooses."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.datasets import load
from sepal.machines import SVMClassifier, hyperparameter_surface
from sepal.measures import alignment_curve
from sepal.plots import new_panels, quiet_frame
from sepal.reproduce._facts import Fact, FactTable, Result

FULL: dict[str, Any] = {
    "names": ("athletes", "breast-cancer", "diabetes", "iris", "liver", "ripley-train", "sonar", "wine"),
    "n_widths": 13,
}
QUICK = {"names": ("athletes", "iris", "ripley-train", "wine"), "n_widths": 5}


def run(names: tuple[str, ...], n_widths: int) -> Result:
    """Leave-one-out errors of the machine with C = 1 over a grid of widths, and at the aligned width."""
    rows = []
    for name in names:
        table = load(name).drop_missing()
        aligned = float(alignment_curve(table).best_width)
        grid = np.geomspace(0.03, 3.0, n_widths)
        surface = hyperparameter_surface(SVMClassifier(), table, C=[1.0], width=np.append(grid, aligned))
        errors = surface.error[:, 0]
        at = int(np.argmin(np.abs(surface.width - aligned)))
        best = int(np.argmin(errors))
        rows.append((name, aligned, float(surface.width[best]), float(errors[at]), float(errors[best]), table.n_rows))
    ratio = np.array([row[1] / row[2] for row in rows])
    lost = np.array([row[3] - row[4] for row in rows])
    noise = np.array([np.sqrt(row[4] * (1 - row[4]) / row[5]) for row in rows])
    facts = (
        Fact("data sets", len(rows)),
        Fact("of them aligned within a factor of two of the best width", int(np.sum((ratio < 2) & (ratio > 0.5)))),
        Fact("median error that the aligned width costs", 100 * float(np.median(lost)), unit="per cent", digits=1),
        Fact(
            "data sets where it costs more than a standard error",
            int(np.sum(lost > np.maximum(noise, 1e-9))),
            why="The paper finds peaks close to the widths of cross-validation. Alignment bounds an error; it is not "
            "one. The least of a grid is flattered, too.",
        ),
    )
    table_of = FactTable(
        "Widths and leave-one-out errors",
        ("set", "aligned width", "best width", "error, aligned", "error, best"),
        tuple((n, f"{a:.3g}", f"{b:.3g}", f"{100 * e:.1f} %", f"{100 * f:.1f} %") for n, a, b, e, f, _ in rows),
    )
    data = {
        "names": [row[0] for row in rows],
        "aligned": [row[1] for row in rows],
        "best": [row[2] for row in rows],
        "lost": lost,
    }
    return Result(
        "Alignment finds a usable width without training anything, and not always the best one.",
        facts,
        data,
        (table_of,),
    )


def draw(result: Result) -> Any:
    """One width against the other, and what is lost."""
    data = result.data
    figure, axes = new_panels(1, 2, (5.2, 4.0))
    left, right = axes[0]
    left.axline((0.1, 0.1), (1.0, 1.0), color="#6b7480", linewidth=0.8)
    left.plot(data["best"], data["aligned"], "o", color="#0072b2")
    for name, x, y in zip(data["names"], data["best"], data["aligned"], strict=True):
        left.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=8)
    left.set(
        xscale="log", yscale="log", xlabel="width of least leave-one-out error", ylabel="width of greatest alignment"
    )
    left.margins(x=0.25)
    at = np.arange(len(data["names"]))[::-1]
    right.barh(at, 100 * np.asarray(data["lost"]), color="#0072b2", height=0.7)
    right.set(yticks=at, yticklabels=data["names"], xlabel="error above the best width, per cent")
    for ax in (left, right):
        quiet_frame(ax)
    return figure
