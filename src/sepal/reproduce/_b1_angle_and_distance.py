"""B1: the angle of separability and its cosine against the distance of the class means."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.measures import simulate_angle
from sepal.plots import draw_lines, draw_simulation, new_panels
from sepal.reproduce._facts import Fact, Result

FULL: dict[str, Any] = {"step": 0.5, "n_repeats": 200}
QUICK: dict[str, Any] = {"step": 2.5, "n_repeats": 60}
_TOLD = (0.0, 0.5, 2.0, 10.0, 50.0)


def run(step: float, n_repeats: int) -> Result:
    """Samples of 100 + 100 rows, variances 1 and 2, means 0 to 50 apart."""
    shifts = np.unique(np.concatenate([np.arange(0.0, 50.0 + step, step), _TOLD]))
    found = simulate_angle(shifts.tolist(), n_repeats=n_repeats)
    low, high = np.quantile(found.angles, (0.025, 0.975), axis=1)
    told = simulate_angle(list(_TOLD), n_repeats=10 * n_repeats, random_state=1)
    ends = np.quantile(told.angles, (0.025, 0.975), axis=1).T
    why = {
        0.0: "The paper says 0: true of the population. No sample has means that coincide.",
        2.0: "Population: 45.",
    }
    facts = tuple(
        Fact(
            f"mean angle, means {shift:g} apart",
            float(told.angles[at].mean()),
            0.0 if shift == 0.0 else None,
            why.get(shift, f"Population: {told.population[at]:.1f}.")
            + f" 95 per cent of samples: {ends[at, 0]:.1f} to {ends[at, 1]:.1f}.",
            "degrees",
            1,
        )
        for at, shift in enumerate(_TOLD)
    )
    data = {
        "shifts": found.shifts,
        "mean": found.angles.mean(axis=1),
        "low": low,
        "high": high,
        "population": found.population,
        "cosine": np.cos(np.radians(found.angles)).mean(axis=1),
        "n_per_class": found.n_per_class,
    }
    return Result(
        "The angle grows from near 0 to 90 degrees as in the paper's figure; but where the means coincide samples have "
        "4 degrees and not 0, so that a test is needed and not a look.",
        facts,
        data,
    )


def draw(result: Result) -> Any:
    """The angle with the band of samples, and its cosine."""
    data = result.data
    figure, axes = new_panels(1, 2, (5.2, 3.9))
    band = (data["mean"], data["low"], data["high"], data["population"])
    draw_simulation(data["shifts"], *band, n_per_class=data["n_per_class"], ax=axes[0, 0])
    cosine = {"mean of samples": data["cosine"], "population": np.cos(np.radians(data["population"]))}
    draw_lines(data["shifts"], cosine, xlabel="distance between the class means", ylabel="cosine", ax=axes[0, 1])
    return figure
