"""D1: the Voronoi cells of one nearest neighbour."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.learners import KNNClassifier
from sepal.neighbors import neighbor_ranking
from sepal.plots import new_panels, plot_regions
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_rows": 24, "seed": 2}
QUICK = FULL


def run(n_rows: int, seed: int) -> Result:
    """Random points of two classes; places on the edges are equally far from two of them."""
    rng = np.random.default_rng(seed)
    rows = rng.random((n_rows, 2))
    labels = np.where(rows[:, 0] + rng.normal(scale=0.25, size=n_rows) > 0.5, "b", "a")
    middles = (rows[:, None] + rows)[np.triu_indices(n_rows, 1)] / 2
    near = neighbor_ranking(rows, 2, queries=middles, ties="index")
    edges = np.isclose(near.distances[:, 0], near.distances[:, 1])
    facts = (
        Fact("points, and so many cells", n_rows),
        Fact(
            "pairs whose middle lies on an edge between their cells",
            int(edges.sum()),
            why="The edge is the perpendicular bisector of a pair, where no third point is nearer.",
        ),
    )
    return Result(
        "Each point rules the places that are nearer to it than to any other; the boundary of 1-NN follows the edges.",
        facts,
        {"rows": rows, "labels": labels},
    )


def draw(result: Result) -> Any:
    """Cells and boundary."""
    figure, axes = new_panels(size=(6.0, 4.6))
    data = result.data
    model = KNNClassifier(1, scale=None).fit(data["rows"], data["labels"])
    plot_regions(model, data["rows"], data["labels"], n_grid=400, ax=axes[0, 0])
    return figure
