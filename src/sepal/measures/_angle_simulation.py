"""The founding paper's experiment: two normal classes move apart, and the angle follows.

Reference: A. Ben-Israel and Y. Levin, "The geometry of linear separability in data sets", 2005, the simulated data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import data_frame, frame_html
from sepal.parameters import Parameter, RandomState, check_numbers, check_whole, checked, generator

# 0, 0.5, 1, ... 50 as in the paper.
SHIFTS = tuple(i / 2 for i in range(101))


@dataclass(frozen=True, eq=False)
class AngleSimulation:
    """Angles in degrees over many samples, for each distance between the class means.

    Attributes
    ----------
    shifts : (n_shifts,) array
        The distance of the means along the first column.
    population : (n_shifts,) array
        The angle if mean and covariance were known.
    angles : (n_shifts, n_repeats) array
        The angle of each sample.
    n_per_class : int

    Examples
    --------
    >>> from sepal.measures import simulate_angle
    >>> found = simulate_angle([0.0, 2.0], n_repeats=20)
    >>> found.population.tolist(), found.angles.shape
    ([0.0, 45.0], (2, 20))
    """

    shifts: NDArray[np.float64]
    population: NDArray[np.float64]
    angles: NDArray[np.float64]
    n_per_class: int

    def frame(self) -> Any:
        """One line per shift: mean, standard deviation and the middle 95 % of the samples."""
        low, high = np.quantile(self.angles, [0.025, 0.975], axis=1)
        std = self.angles.std(axis=1, ddof=1) if self.angles.shape[1] > 1 else np.full(len(self.shifts), np.nan)
        return data_frame(
            {
                "shift": self.shifts,
                "population": self.population,
                "mean": self.angles.mean(axis=1),
                "std": std,
                "low": low,
                "high": high,
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """The mean angle over the shift with its band, and the population's angle."""
        from sepal.plots import draw_simulation

        table = self.frame()
        return draw_simulation(
            self.shifts,
            table["mean"],
            table["low"],
            table["high"],
            self.population,
            n_per_class=self.n_per_class,
            ax=ax,
        )

    def _repr_html_(self) -> str:
        return frame_html(self, float_format="{:.2f}".format)


@checked(
    Parameter("n_repeats", "whole", "how many samples are drawn", at_least=1),
    Parameter("kappa", "number", "variance given to the height that the classes are lifted to", above=0.0),
)
def simulate_angle(
    shifts: Sequence[float] = SHIFTS,
    *,
    n_per_class: int = 100,
    variances: Sequence[float] = (1.0, 2.0),
    kappa: float = 1.0,
    n_repeats: int = 200,
    random_state: RandomState = 0,
) -> AngleSimulation:
    """Sample two normal classes whose means move apart along the first column, and take the angle each time.

    Parameters
    ----------
    shifts : sequence of float
        Distances between the means.
    n_per_class : int
        Rows of each class; the paper has 100.
    variances : sequence of float
        Of the columns, which are independent; the paper has 1 and 2.
    kappa : float
        As in :func:`angle_of_separability`.
    n_repeats : int
        Samples for each shift.
    random_state : int, Generator or None
        Decides the samples.

    Returns
    -------
    AngleSimulation

    Notes
    -----
    At shift 0 the paper speaks of the angle 0; that is the population's. A sample of 100 + 100 rows gives 4.4 degrees
    on average.

    Examples
    --------
    >>> simulate_angle([2.0], n_repeats=1).population.tolist()
    [45.0]
    """
    across, spread = check_numbers("shifts", shifts), check_numbers("variances", variances, above=0.0)
    check_whole("n_per_class", n_per_class, at_least=len(spread) + 1)
    rng = generator(random_state)
    angles = np.array(
        [[_sampled(rng, shift, spread, n_per_class, kappa) for _ in range(n_repeats)] for shift in across]
    )
    population = np.degrees(np.arctan(0.5 * kappa * np.abs(across) / spread[0]))
    return AngleSimulation(across, population, angles.reshape(len(across), n_repeats), int(n_per_class))


def _sampled(rng: np.random.Generator, shift: float, variances: NDArray[np.float64], n: int, kappa: float) -> float:
    rows = rng.normal(size=(2, n, len(variances))) * np.sqrt(variances)
    rows[1, :, 0] += shift
    means = rows.mean(axis=1)
    rest = (rows - means[:, None, :]).reshape(2 * n, -1)
    solved = np.linalg.solve(rest.T @ rest / (2 * n - 2), means[0] - means[1])
    return float(np.degrees(np.arctan(0.5 * kappa * np.linalg.norm(solved))))
