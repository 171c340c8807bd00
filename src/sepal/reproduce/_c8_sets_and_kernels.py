"""C8: Tanimoto's distance on sets, and the distance that a kernel induces."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.kernels import gram, kernel_distance
from sepal.neighbors import neighbor_ranking
from sepal.plots import new_panels, quiet_frame
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_rows": 200, "seed": 0}
QUICK = FULL
_SETS = ({"the", "cat", "sat"}, {"the", "dog", "sat"}, {"a", "dog", "ran", "home"})


def run(n_rows: int, seed: int) -> Result:
    """The formula of the notes on three sets, and the identity on random rows."""
    found = neighbor_ranking(list(_SETS), 3, queries=list(_SETS), distance="tanimoto", ties="index")
    sets = np.empty((3, 3))
    np.put_along_axis(sets, np.asarray(found.rows), np.asarray(found.distances), axis=1)
    by_hand = [[(len(a) + len(b) - 2 * len(a & b)) / (len(a) + len(b) - len(a & b)) for b in _SETS] for a in _SETS]
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_rows, 2))
    image = np.column_stack([rows**2, np.sqrt(2.0) * rows.prod(axis=1)])
    induced = kernel_distance(gram(rows, kernel="polynomial", degree=2, gamma=1.0, coef0=0.0))
    direct = np.linalg.norm(image[:, None] - image, axis=2)
    radial = kernel_distance(gram(rows, kernel="rbf", gamma=1.0))
    facts = (
        Fact(
            "Tanimoto's distance of the first two sets",
            float(sets[0, 1]),
            by_hand[0][1],
            "Two words shared of four: 1/2.",
        ),
        Fact("largest difference from the formula", float(np.abs(sets - by_hand).max()), digits=15),
        Fact(
            "largest difference of the induced distance, quadratic kernel",
            float(np.abs(induced - direct).max()),
            why="K(x, x) + K(y, y) - 2 K(x, y) against the distance of the images themselves, all pairs; small "
            "distances lose digits in the difference.",
            digits=10,
        ),
        Fact(
            "largest distance a radial kernel can induce",
            float(radial.max()),
            why="√2 at most: far points are equally far. The notes' exp(+beta d²) would grow without end.",
            digits=4,
        ),
    )
    sample = rng.integers(0, n_rows, (1500, 2))
    data = {
        "x": direct[tuple(sample.T)],
        "y": induced[tuple(sample.T)],
        "plain": np.linalg.norm(rows[sample[:, 0]] - rows[sample[:, 1]], axis=1),
        "radial": radial[tuple(sample.T)],
    }
    return Result("Both formulas hold to rounding.", facts, data)


def draw(result: Result) -> Any:
    """Induced against direct distance, and the radial one over the plain."""
    data = result.data
    figure, axes = new_panels(1, 2, (4.8, 3.8))
    left, right = axes[0]
    left.axline((0, 0), slope=1.0, color="#6b7480", linewidth=0.8)
    left.scatter(data["x"], data["y"], s=8, color="#0072b2", alpha=0.5, linewidths=0)
    left.set(xlabel="distance of the images", ylabel="distance from the kernel", title="quadratic kernel")
    right.scatter(data["plain"], data["radial"], s=8, color="#0072b2", alpha=0.5, linewidths=0)
    right.axhline(np.sqrt(2.0), color="#6b7480", linestyle=":")
    right.set(xlabel="Euclidean distance", ylabel="distance from the kernel", title="radial kernel, at most √2")
    for ax in (left, right):
        quiet_frame(ax)
    return figure
