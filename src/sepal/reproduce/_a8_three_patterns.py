"""A8: the index of separated clusters, of coinciding centroids and of the parity grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.measures import thornton_test
from sepal.plots import draw_points, legend_below, new_panels
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_rows": 200, "side": 12, "n_repeats": 100, "seed": 0}
QUICK = {**FULL, "n_repeats": 20}


def run(n_rows: int, side: int, n_repeats: int, seed: int) -> Result:
    """One sample of each, and many of the second."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(["a", "b"], n_rows)
    apart = np.concatenate([rng.normal(size=(n_rows, 2)), rng.normal((12.0, 0.0), size=(n_rows, 2))])
    together = rng.normal(size=(2 * n_rows, 2))
    grid = np.array([(i, j) for i in range(side) for j in range(side)], dtype=np.float64)
    parity = np.where(grid.sum(axis=1) % 2 == 0, "a", "b")
    many = [thornton_test(rng.normal(size=(2 * n_rows, 2)), labels).score for _ in range(n_repeats)]
    uneven = np.repeat(["a", "b"], [round(1.8 * n_rows), 2 * n_rows - round(1.8 * n_rows)])
    rare = [thornton_test(rng.normal(size=(2 * n_rows, 2)), uneven) for _ in range(n_repeats)]
    facts = (
        Fact("separated clusters", thornton_test(apart, labels).score, 1.0),
        Fact(
            "coinciding centroids, mean of many samples",
            float(np.mean(many)),
            0.5,
            f"By chance exactly {thornton_test(together, labels).chance:.4f}: a row is not its own neighbour.",
            digits=4,
        ),
        Fact(
            "parity grid",
            thornton_test(
                grid,
                parity,
            ).score,
            0.0,
            "Tied neighbours are averaged: all four disagree.",
        ),
        Fact(
            "coinciding centroids, nine to one",
            float(np.mean([each.score for each in rare])),
            0.5,
            f"With classes of unequal size chance is not 0.5 but {rare[0].chance:.3f}.",
            digits=3,
        ),
    )
    patterns = {
        "separated": (apart, labels),
        "coinciding centroids": (together, labels),
        "parity grid": (grid, parity),
    }
    data = {"patterns": {name: {"rows": rows, "labels": kind} for name, (rows, kind) in patterns.items()}}
    return Result(
        "1, one half and 0, as the paper says; one half only where the classes are equally large.", facts, data
    )


def draw(result: Result) -> Any:
    """The three patterns."""
    figure, axes = new_panels(1, 3, (3.9, 3.6))
    for ax, (name, one), fact in zip(axes[0], result.data["patterns"].items(), result.facts, strict=False):
        draw_points(one["rows"], one["labels"], xlabel="x1", ylabel="x2", ax=ax)
        ax.set_title(f"{name}: s = {fact.ours:.2f}")
        legend_below(ax)
    return figure
