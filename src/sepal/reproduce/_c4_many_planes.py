"""C4: many planes separate the classes, one has the widest margin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.machines import SVMClassifier
from sepal.plots import draw_points, new_panels, plot_regions
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_rows": 30, "n_planes": 12, "seed": 3}
QUICK = FULL


def _perceptron(rows: NDArray[np.float64], sign: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """A separating plane from a random start: rows that are wrong pull it over (Rosenblatt)."""
    full, plane = np.column_stack([rows, np.ones(len(rows))]), rng.normal(size=3)
    while (wrong := np.flatnonzero(sign * (full @ plane) <= 0)).size:
        row = rng.choice(wrong)
        plane = plane + sign[row] * full[row]
    return plane


def _margin(plane: NDArray[np.float64], rows: NDArray[np.float64], sign: NDArray[np.float64]) -> float:
    return float((sign * (rows @ plane[:2] + plane[2])).min() / np.linalg.norm(plane[:2]))


def run(n_rows: int, n_planes: int, seed: int) -> Result:
    """Margins of planes that a perceptron found, and of the support vector machine."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.normal(size=(n_rows, 2)), rng.normal((5.0, 3.0), size=(n_rows, 2))])
    sign = np.repeat([-1.0, 1.0], n_rows)
    planes = [_perceptron(rows, sign, rng) for _ in range(n_planes)]
    machine = SVMClassifier(kernel="linear", C=1e6, scale=None).fit(rows, sign)
    widest = np.append(machine.coef_[0], machine.intercept_[0])
    margins = [_margin(plane, rows, sign) for plane in planes]
    facts = (
        Fact("separating planes found", n_planes, why="All without an error on the training rows."),
        Fact("narrowest of their margins", min(margins), digits=3),
        Fact("widest of their margins", max(margins), digits=3),
        Fact("margin of the support vector machine", _margin(widest, rows, sign), why="None is wider.", digits=3),
    )
    return Result(
        "A dozen planes separate these classes without an error; the support vector machine takes the middle one.",
        facts,
        {"rows": rows, "labels": sign, "planes": planes},
    )


def draw(result: Result) -> Any:
    """The planes of the perceptron, and the widest margin."""
    data = result.data
    figure, axes = new_panels(1, 2, (4.9, 4.0))
    labels = np.where(np.asarray(data["labels"]) > 0, "b", "a")
    draw_points(data["rows"], labels, xlabel="x1", ylabel="x2", ax=axes[0, 0])
    limits = axes[0, 0].get_xlim(), axes[0, 0].get_ylim()
    for a, b, c in data["planes"]:
        axes[0, 0].axline(
            (-c * a / (a * a + b * b), -c * b / (a * a + b * b)),
            (-c * a / (a * a + b * b) + b, -c * b / (a * a + b * b) - a),
            color="#6b7480",
            linewidth=0.9,
        )
    axes[0, 0].set(xlim=limits[0], ylim=limits[1], title="many planes")
    machine = SVMClassifier(kernel="linear", C=1e6, scale=None).fit(data["rows"], labels)
    plot_regions(machine, data["rows"], labels, ax=axes[0, 1])
    axes[0, 1].set_title("the widest margin")
    return figure
