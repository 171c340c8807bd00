"""E3: labels flipped by chance against k, and what k as large as the data answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.evaluation import leave_one_out_curve
from sepal.plots import draw_lines, new_panels
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_rows": 300, "n_test": 4000, "k_max": 150, "noises": (0.0, 0.1, 0.2), "share": 0.7, "seed": 0}
QUICK = {**FULL, "n_rows": 120, "n_test": 1000, "k_max": 60}


def _draw_rows(n: int, share: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Two classes that do not overlap, the first with the larger share."""
    first = rng.random(n) < share
    return rng.normal(size=(n, 2)) * 0.5 + np.where(first, 0.0, 4.0)[:, None], np.where(first, "many", "few")


def run(n_rows: int, n_test: int, k_max: int, noises: tuple[float, ...], share: float, seed: int) -> Result:
    """Errors on clean rows of k-NN that learned from noisy ones."""
    rng = np.random.default_rng(seed)
    rows, clean = _draw_rows(n_rows, share, rng)
    test, truth = _draw_rows(n_test, share, rng)
    order = rng.random(n_rows)
    errors = {}
    for noise in noises:
        labels = np.where(order < noise, np.where(clean == "many", "few", "many"), clean)
        curve = leave_one_out_curve(rows, labels, k_max=n_rows - 1, test=(test, truth), scale=None)
        errors[noise] = 1.0 - np.asarray(curve.test)
    most = max(noises)
    flipped = float((order < most).mean())
    facts = (
        Fact(
            f"error of 1-NN with {most:.0%} of the labels flipped",
            float(errors[most][0]),
            why=f"Apart classes: 1-NN errs as often as a label is wrong, here {flipped:.1%}.",
            digits=3,
        ),
        Fact("error of 15-NN on the same rows", float(errors[most][14]), why="Fifteen outvote the noise.", digits=3),
        Fact(
            "error with k as large as the data",
            float(errors[0.0][-1]),
            why=f"All rows vote, and the largest class wins: the share of the other is {np.mean(truth == 'few'):.3f}.",
            digits=3,
        ),
    )
    data = {
        "k": np.arange(1, n_rows),
        "errors": {f"{noise:.0%} noise": e for noise, e in errors.items()},
        "k_max": k_max,
    }
    return Result(
        "One neighbour copies the noise, a few outvote it, and all of them know only the largest class.", facts, data
    )


def draw(result: Result) -> Any:
    """Error over small k, and over all k."""
    data = result.data
    figure, axes = new_panels(1, 2, (5.4, 3.8))
    few = data["k"] <= 30
    words: dict[str, Any] = {"xlabel": "k", "ylabel": "error on clean rows"}
    draw_lines(data["k"][few], {n: e[few] for n, e in data["errors"].items()}, ax=axes[0, 0], **words)
    draw_lines(data["k"], data["errors"], ax=axes[0, 1], **words)
    axes[0, 0].set_title("noise and k")
    axes[0, 1].set_title("the majority as k grows to n")
    return figure
