"""E2: the slides' small sums: absolute and Euclidean distance, ordinal steps, min-max normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.data import as_table, fit_scaling
from sepal.neighbors import neighbor_ranking
from sepal.plots import new_panels, quiet_frame
from sepal.reproduce._facts import Fact, FactTable, Result, word_rows

FULL: dict[str, Any] = {
    "pair": ((60.0, 62.0), (70.0, 53.0)),
    "ages": (24, 19, 50, 40, 23, 68, 45, 33, 80, 58),
}
QUICK = FULL
_PUBLISHED = (0.08, 0.00, 0.51, 0.34, 0.07, 0.80, 0.43, 0.23, 1.00, 0.64)
_DOSAGES = ("Low", "Medium", "High")


def run(pair: tuple[tuple[float, float], ...], ages: tuple[int, ...]) -> Result:
    """Each distance as the search computes it."""
    between = {
        name: float(neighbor_ranking([list(pair[0])], 1, queries=[list(pair[1])], distance=name).distances[0, 0])
        for name in ("manhattan", "euclidean")
    }
    dosage = as_table([["Low"], ["High"], ["Medium"]], kinds={0: _DOSAGES})
    steps = dosage.values[:, 0]
    column = np.array(ages, dtype=np.float64)[:, None]
    normal = fit_scaling(column, ("numeric",), "minmax").apply(column)[:, 0]
    corners = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    angles = neighbor_ranking(corners, 2, distance="cosine", ties="index")
    cosine = {(i, int(j)): float(d) for i in range(3) for j, d in zip(angles.rows[i], angles.distances[i], strict=True)}
    facts = (
        Fact("absolute differences of (60, 62) and (70, 53)", between["manhattan"], 19.0),
        Fact("Euclidean distance", between["euclidean"], 13.45),
        Fact("ordinal steps from Low to High", abs(float(steps[0] - steps[1])), 2.0),
        Fact("ordinal steps from Medium to Low", abs(float(steps[2] - steps[0])), 1.0),
        Fact(
            "largest difference of a normalised age",
            float(np.abs(np.round(normal, 2) - _PUBLISHED).max()),
            0.0,
            "All ten ages agree to the two decimals of the slide.",
        ),
        Fact(
            "1 - cosine from (1, 0) to (0, 1)",
            cosine[0, 2],
            why="By way of (1, 1) it is only "
            f"{cosine[0, 1] + cosine[1, 2]:.2f}: the triangle inequality is broken, "
            "so that 1 - cosine is a distance and no metric.",
        ),
        Fact(
            "1 / similarity of a row and itself",
            1.0,
            why="Similarity 1 gives distance 1, not 0, and similarity 0 none at all: 1 - similarity is meant.",
        ),
    )
    table = FactTable(
        "Ages, normalised",
        ("age", "ours", "published"),
        word_rows([ages, [f"{v:.2f}" for v in normal], [f"{v:.2f}" for v in _PUBLISHED]]),
    )
    data = {"pair": pair, "ages": ages, "normal": normal, "published": _PUBLISHED}
    return Result("The slides' sums come out to the last digit.", facts, data, (table,))


def draw(result: Result) -> Any:
    """The two ways from p to q, and the ages on both scales."""
    data = result.data
    figure, axes = new_panels(1, 2, (5.4, 3.8))
    left, right = axes[0]
    (px, py), (qx, qy) = data["pair"]
    left.plot([px, qx, qx], [py, py, qy], color="#e69f00", linestyle="--", label="10 + 9 = 19")
    left.plot([px, qx], [py, qy], color="#0072b2", label="Euclid: 13.45")
    left.plot([px, qx], [py, qy], "o", color="#22272e")
    for name, x, y in (("p", px, py), ("q", qx, qy)):
        left.annotate(name, (x, y), xytext=(5, 5), textcoords="offset points")
    left.set(xlabel="height", ylabel="width", title="two distances")
    left.legend()
    right.plot(data["ages"], data["normal"], "o", color="#0072b2", label="ours")
    right.plot(data["ages"], data["published"], "s", mfc="none", mec="#d55e00", ms=9, label="published, two decimals")
    right.set(xlabel="age", ylabel="normalised", title="min-max normalisation")
    right.legend()
    for ax in (left, right):
        quiet_frame(ax)
    return figure
