"""C1: an axis in other units, and another pair of points is the nearest."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from sepal.neighbors import neighbor_ranking
from sepal.plots import new_panels, quiet_frame
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"points": ((0.0, 0.0), (2.0, 0.2), (0.3, 1.2)), "factor": 0.3}
QUICK = FULL


def _nearest(points: Any) -> tuple[int, int, float]:
    found = neighbor_ranking(points, 1, ties="index")
    row = int(np.argmin(found.distances[:, 0]))
    i, j = sorted((row, int(found.rows[row, 0])))
    return i, j, float(found.distances[row, 0])


def run(points: tuple[tuple[float, float], ...], factor: float) -> Result:
    """The nearest pair before and after."""
    before = np.array(points)
    after = before * (factor, 1.0)
    pairs = {name: _nearest(rows) for name, rows in (("before", before), ("after", after))}
    facts = tuple(
        Fact(f"nearest pair {name}", f"{'ABC'[i]} and {'ABC'[j]}, {distance:.2f} apart")
        for name, (i, j, distance) in pairs.items()
    )
    return Result(
        f"With one axis multiplied by {factor:g} another pair is nearest: units are a choice, and distances follow it.",
        facts,
        {"before": before, "after": after, "pairs": {name: pair[:2] for name, pair in pairs.items()}},
    )


def draw(result: Result) -> Any:
    """Three points, all distances, the shortest one drawn in full."""
    figure, axes = new_panels(1, 2, (4.4, 3.6))
    for ax, name in zip(axes[0], ("before", "after"), strict=True):
        points = np.asarray(result.data[name])
        for i, j in combinations(range(3), 2):
            shortest = (i, j) == tuple(result.data["pairs"][name])
            look = {"color": "#d55e00", "linewidth": 2.2} if shortest else {"color": "#6b7480", "linestyle": ":"}
            ax.plot(*points[[i, j]].T, **look)
        ax.plot(*points.T, "o", color="#0072b2", markersize=8)
        for letter, point in zip("ABC", points, strict=True):
            ax.annotate(letter, point, xytext=(6, 6), textcoords="offset points")
        ax.set(xlim=(-0.3, 2.4), ylim=(-0.3, 1.6), xlabel="x", ylabel="y", title=name)
        ax.set_aspect("equal")
        quiet_frame(ax)
    return figure
