"""D5: locally weighted averaging on a curve, with three widths."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.learners import KNNRegressor
from sepal.plots import draw_lines, new_panels
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"n_rows": 80, "noise": 0.25, "widths": (0.02, 0.3, 3.0), "seed": 0}
QUICK = FULL


def run(n_rows: int, noise: float, widths: tuple[float, ...], seed: int) -> Result:
    """All rows vote with Gaussian weights; errors against the curve itself."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0.0, 2 * np.pi, n_rows))
    y = np.sin(x) + rng.normal(scale=noise, size=n_rows)
    at = np.linspace(0.1, 2 * np.pi - 0.1, 300)
    fits = {
        f"width {width:g}": KNNRegressor(n_rows, weights="gaussian", width=width, scale=None)
        .fit(x[:, None], y)
        .predict(at[:, None])
        for width in widths
    }
    errors = {name: float(np.sqrt(np.mean((fit - np.sin(at)) ** 2))) for name, fit in fits.items()}
    facts = (
        *(Fact(f"root mean squared error, {name}", error, digits=3) for name, error in errors.items()),
        Fact(
            "weight at distance 1, KernelWidth 0.3 and 3",
            f"{np.exp(-0.3):.2f} and {np.exp(-3.0):.2f}",
            why="By the lecture's formula exp(-KernelWidth · distance) a large KernelWidth means a small "
            "neighbourhood: the reverse of what it says.",
        ),
    )
    return Result(
        "A narrow width follows the noise, a wide one flattens the curve, one between finds it.",
        facts,
        {"x": x, "y": y, "at": at, "fits": fits},
    )


def draw(result: Result) -> Any:
    """The rows, the curve and three averages."""
    data = result.data
    figure, axes = new_panels(size=(7.0, 4.2))
    ax = axes[0, 0]
    ax.plot(data["x"], data["y"], ".", color="#6b7480", label="rows")
    draw_lines(data["at"], data["fits"], xlabel="x", ylabel="y", ax=ax)
    ax.plot(data["at"], np.sin(data["at"]), color="#22272e", linewidth=1.0, linestyle=(0, (1, 1)), label="the curve")
    ax.legend()
    return figure
