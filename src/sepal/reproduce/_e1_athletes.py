"""E1: twenty athletes, a query, and its k = 1, 3, 5 nearest neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.datasets import load
from sepal.learners import KNNClassifier
from sepal.measures import thornton_score
from sepal.neighbors import neighbor_ranking
from sepal.plots import draw_points, new_panels
from sepal.reproduce._facts import Fact, FactTable, Result

FULL: dict[str, Any] = {"query": (3.0, 8.0), "counts": (1, 3, 5)}
QUICK = FULL


def run(query: tuple[float, float], counts: tuple[int, ...]) -> Result:
    """The neighbours of the query and what they vote for."""
    table = load("athletes")
    labels = np.asarray(table.y)
    near = neighbor_ranking(table, max(counts), queries=[list(query)])
    rows, distances = near.rows[0], near.distances[0]
    answers = {
        k: str(KNNClassifier(k, scale=None).fit(table.values, table.y).predict([list(query)])[0]) for k in counts
    }
    manhattan = neighbor_ranking(table, 3, queries=[list(query)], distance="manhattan").distances[0]
    facts = (
        *(Fact(f"answer of {k} nearest", answers[k], "no" if k == 3 else None) for k in counts),
        *(
            Fact(f"distance of athlete {row + 1}", float(d), digits=4)
            for row, d in zip(rows[:3], distances, strict=False)
        ),
        Fact(
            "Manhattan distances of the nearest three",
            ", ".join(f"{d:.2f}" for d in manhattan),
            why="The second and the third are equally far: a tie that needs a rule once k = 2.",
        ),
        Fact("Thornton's index of the athletes", thornton_score(table), why="Every athlete's nearest one agrees."),
    )
    listed = tuple(
        (str(row + 1), *(f"{v:g}" for v in table.values[row]), str(labels[row]), f"{d:.4f}")
        for row, d in zip(rows, distances, strict=True)
    )
    return Result(
        f"The query {query} is not selected, whether one, three or five neighbours are asked.",
        facts,
        {"points": table.values, "labels": table.y, "query": query, "rows": rows, "distances": distances},
        (FactTable("The nearest five", ("athlete", "speed", "agility", "selected", "distance"), listed),),
    )


def draw(result: Result) -> Any:
    """The athletes, and circles that reach the first, third and fifth neighbour."""
    from matplotlib.patches import Circle

    data = result.data
    figure, axes = new_panels(size=(6.4, 4.8))
    ax = axes[0, 0]
    draw_points(data["points"], data["labels"], xlabel="speed", ylabel="agility", ax=ax)
    x, y = data["query"]
    for k, style in ((1, "-"), (3, "--"), (5, ":")):
        if k <= len(data["distances"]):
            reach = float(np.asarray(data["distances"])[k - 1])
            ax.add_patch(Circle((x, y), reach, fill=False, linestyle=style, edgecolor="#22272e", label=f"{k} nearest"))
    ax.plot(x, y, marker="*", markersize=15, color="#c8102e", linestyle="none", label="query")
    ax.set_aspect("equal")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
