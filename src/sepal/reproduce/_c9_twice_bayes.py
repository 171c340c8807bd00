"""C9: the error of one nearest neighbour against twice the Bayes error, as rows become many."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from sepal.learners import KNNClassifier
from sepal.plots import draw_lines, legend_below, new_panels
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"sizes": (10, 30, 100, 300, 1000, 3000, 10000), "apart": 2.0, "n_test": 20000, "n_repeats": 20}
QUICK = {**FULL, "sizes": (10, 100, 1000), "n_test": 4000, "n_repeats": 5}


def _rows(n: int, apart: float, rng: np.random.Generator) -> tuple[Any, Any]:
    label = np.arange(n) % 2
    return rng.normal(label * apart)[:, None], label


def run(sizes: tuple[int, ...], apart: float, n_test: int, n_repeats: int) -> Result:
    """Mean test errors on two normal classes, and the limit by integration."""
    rng = np.random.default_rng(0)
    errors = np.zeros((len(sizes), n_repeats))
    for i, n in enumerate(sizes):
        for j in range(n_repeats):
            train, test = _rows(n, apart, rng), _rows(n_test, apart, rng)
            errors[i, j] = np.mean(KNNClassifier(1, scale=None).fit(*train).predict(test[0]) != test[1])
    bayes = float(norm.cdf(-apart / 2))

    def twice(x: float) -> float:
        a, b = norm.pdf(x), norm.pdf(x, loc=apart)
        return float(a * b / (a + b))

    limit = quad(twice, -12, 12 + apart)[0]
    mean = errors.mean(axis=1)
    facts = (
        Fact("Bayes error", bayes, why="Two normal classes two standard deviations apart.", digits=4),
        Fact("twice that, the notes' bound", 2 * bayes, digits=4),
        Fact("sharper bound, 2 R (1 - R)", 2 * bayes * (1 - bayes), why="Cover and Hart 1967, two classes.", digits=4),
        Fact("limit of 1-NN, by integration", limit, why="Expectation of 2 η (1 - η).", digits=4),
        Fact(f"error of 1-NN with {sizes[-1]:,} rows", float(mean[-1]), why=f"Mean of {n_repeats} samples.", digits=4),
        Fact(
            f"error of 1-NN with {sizes[0]:,} rows",
            float(mean[0]),
            why="The bound is for infinitely many rows; few can lie on either side of the limit.",
            digits=4,
        ),
    )
    data = {"sizes": np.array(sizes), "mean": mean, "spread": errors.std(axis=1), "bayes": bayes, "limit": limit}
    return Result("One nearest neighbour comes to its limit, which lies below twice the Bayes error.", facts, data)


def draw(result: Result) -> Any:
    """The error over the number of rows, with all levels."""
    data = result.data
    figure, axes = new_panels(size=(7.0, 4.2))
    mean, spread = np.asarray(data["mean"]), np.asarray(data["spread"])
    draw_lines(
        data["sizes"],
        {"1-NN": mean},
        bands={"1-NN": (mean - spread, mean + spread)},
        levels={
            "twice the Bayes error": 2 * data["bayes"],
            "limit of 1-NN": data["limit"],
            "Bayes error": data["bayes"],
        },
        xlabel="training rows",
        ylabel="error",
        log=True,
        ax=axes[0, 0],
    )
    legend_below(axes[0, 0], 4)
    return figure
