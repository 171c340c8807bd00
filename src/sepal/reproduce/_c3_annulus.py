"""C3: a ring around a cloud, and its image under the quadratic map."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.kernels import gram
from sepal.machines import FisherDiscriminant
from sepal.measures import thornton_score
from sepal.plots import draw_points, new_panels
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_rows": 300, "seed": 0}
QUICK = FULL


def _image(rows: Any) -> Any:
    """(x1^2, x2^2, sqrt(2) x1 x2)."""
    return np.column_stack([rows**2, np.sqrt(2.0) * rows.prod(axis=1)])


def run(n_rows: int, seed: int) -> Result:
    """A line before and after, and the kernel that is the inner product of the images."""
    rng = np.random.default_rng(seed)
    turn, radius = rng.uniform(0, 2 * np.pi, n_rows), rng.normal(3.0, 0.25, n_rows)
    ring = np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])
    rows = np.concatenate([ring, rng.normal(scale=0.7, size=(n_rows, 2))])
    labels = np.repeat(["ring", "cloud"], n_rows)
    image = _image(rows)
    straight = FisherDiscriminant().fit(rows, labels).score(rows, labels)
    mapped = FisherDiscriminant().fit(image, labels).score(image, labels)
    trick = gram(rows, kernel="polynomial", degree=2, gamma=1.0, coef0=0.0)
    facts = (
        Fact(
            "right by a line in the plane", float(straight), why="A line cannot part a ring from its middle.", digits=3
        ),
        Fact("right by a plane in the image", float(mapped), digits=3),
        Fact(
            "Thornton's index in the plane",
            thornton_score(rows, labels),
            why="Neighbours see the ring at once.",
            digits=3,
        ),
        Fact(
            "largest difference of (x.y)² and the inner product of the images",
            float(np.abs(trick - image @ image.T).max() / np.abs(trick).max()),
            why="The kernel trick, on all pairs of rows; what is left is rounding.",
            unit="relative",
            digits=15,
        ),
    )
    return Result(
        "A line fails on the ring, a plane parts its quadratic image; the kernel gives that image without making it.",
        facts,
        {"rows": rows, "image": image[:, :2], "labels": labels},
    )


def draw(result: Result) -> Any:
    """Before and after."""
    figure, axes = new_panels(1, 2, (4.8, 4.0))
    data = result.data
    draw_points(data["rows"], data["labels"], xlabel="x1", ylabel="x2", ax=axes[0, 0])
    draw_points(data["image"], data["labels"], xlabel="x1²", ylabel="x2²", ax=axes[0, 1])
    axes[0, 0].set_title("as given")
    axes[0, 1].set_title("quadratic image")
    return figure
