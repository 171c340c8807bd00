"""A2: alignment against width for many subsets of the breast-cancer features."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.datasets import load
from sepal.measures import alignment_curve
from sepal.plots import new_panels, quiet_frame
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_subsets": 24, "n_widths": 40, "seed": 0}
QUICK = {**FULL, "n_subsets": 8, "n_widths": 20}


def run(n_subsets: int, n_widths: int, seed: int) -> Result:
    """Plain alignment, as in the paper, over a grid of widths; and where it peaks."""
    table = load("breast-cancer").drop_missing()
    rng = np.random.default_rng(seed)
    widths = np.geomspace(0.03, 10.0, n_widths)
    curves, peaks, sizes = [], [], []
    for _ in range(n_subsets):
        size = int(rng.integers(1, 10))
        columns = np.sort(rng.choice(9, size, replace=False)).tolist()
        found = alignment_curve(table.select(columns), widths=widths, centered=False)
        curves.append(np.interp(widths, found.widths, found.scores))
        peaks.append((found.best_width, found.best_score))
        sizes.append(size)
    best = np.array([width for width, _ in peaks])
    facts = (
        Fact("narrowest best width", float(best.min()), digits=3),
        Fact("widest best width", float(best.max()), digits=3),
        Fact(
            "ratio of the two",
            float(best.max() / best.min()),
            why="The paper speaks of near-independence of the features. All curves have one clear peak; where it lies "
            "does depend on the subset.",
            digits=1,
        ),
        Fact(
            "correlation of best width and number of features",
            float(np.corrcoef(sizes, np.log(best))[0, 1]),
            why="More columns make distances larger, and widths with them.",
        ),
    )
    data = {"widths": widths, "curves": np.array(curves), "peaks": np.array(peaks), "sizes": np.array(sizes)}
    return Result("Every subset has a clear peak, as published; the peaks are near, but not in one place.", facts, data)


def draw(result: Result) -> Any:
    """All curves, colored by the number of features, with their peaks."""
    from matplotlib import colormaps

    data = result.data
    figure, axes = new_panels(size=(7.0, 4.4))
    ax = axes[0, 0]
    shade = colormaps["cividis"]
    for curve, peak, size in zip(data["curves"], data["peaks"], data["sizes"], strict=True):
        ax.plot(data["widths"], curve, color=shade((size - 1) / 8), linewidth=1.0)
        ax.plot(*peak, "o", color=shade((size - 1) / 8), markeredgecolor="#22272e", markersize=5)
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    figure.colorbar(ScalarMappable(Normalize(1, 9), shade), ax=ax, label="features in the subset")
    ax.set(xscale="log", xlabel="width σ of the kernel", ylabel="alignment")
    quiet_frame(ax)
    return figure
