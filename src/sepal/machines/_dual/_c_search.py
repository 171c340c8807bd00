"""The C of least leave-one-out error, from warm starts."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from sepal.data import data_frame
from sepal.exceptions import SepalWarning
from sepal.machines._dual._leave_one_out import WHOLE_GRAM_ROWS, LeaveOneOutEstimate, left_out
from sepal.machines._dual._pairs import TrainingRows
from sepal.machines._dual._solvers import PairSolution, kernel_matrix

if TYPE_CHECKING:
    from sepal.machines._dual._svm import SVMClassifier

Floats = NDArray[np.float64]
C_GRID: Floats = np.exp2(np.arange(-4.0, 11.0))
PATIENCE = 4  # larger values of C in a row without a better error end the search: they only take longer


@dataclass(frozen=True, eq=False)
class CSearch:
    """The values of C that were tried, and the share of rows each gets wrong when they are left out.

    Attributes
    ----------
    C, error : ndarray
        The share is exact where ``lower`` and ``upper`` are equal, else an estimate.
    lower, upper : ndarray
        What the leave-one-out error cannot be below or above. They are equal unless there are so many rows that only
        a sample of those in question was taken out, or the time was over. For a kernel that is not positive
        semidefinite, whose machine need not be the only one, they are what was found and not certain.
    standard_error : ndarray
        Of ``error`` as an estimate of the leave-one-out error; 0 where it is exact.
    best : float
        The smallest C of least error.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> found = sepal.SVMClassifier(C="auto").fit(table).C_search_
    >>> float(found.best), float(found.error.min())
    (1.0, 0.05)
    """

    C: Floats
    error: Floats
    lower: Floats
    upper: Floats
    standard_error: Floats

    @property
    def best(self) -> float:
        """The smallest C of least error."""
        return float(self.C[int(np.argmin(self.error))])

    def frame(self) -> Any:
        """One line per C: error, its bounds and its standard error."""
        return data_frame({field.name: getattr(self, field.name) for field in fields(self)})

    def plot(self, ax: Any = None) -> Any:
        """Error over C, with two standard errors where it is an estimate; returns the matplotlib axes."""
        from sepal.plots import on_axes

        ax = on_axes(ax)
        ax.set_xscale("log", base=2)
        ax.errorbar(self.C, self.error, yerr=2 * self.standard_error, marker="o", capsize=3)
        ax.axvline(self.best, linestyle="--")
        ax.set_xlabel("C")
        ax.set_ylabel("error (leave-one-out)")
        return ax


def warm_start(solutions: list[PairSolution], ratio: float) -> list[Floats]:
    """Feasible starts for a C that is ``ratio`` times as large: rows at the bound stay there."""
    return [s.beta * ratio for s in solutions]


def search_c(
    machine: SVMClassifier, training: TrainingRows, unit_box: Floats, threads: int
) -> tuple[CSearch, list[PairSolution]]:
    """Try the grid from the smallest C up, until four values in a row have brought nothing or the time is over.

    Returns the solutions at the best C, too.
    """
    end = np.inf if machine.time_limit is None else time.monotonic() + machine.time_limit
    rows = training.rows
    if len(rows.codes) <= WHOLE_GRAM_ROWS and training.gram is None:
        gram = kernel_matrix(rows.x, rows.x, training.kernel, threads)
        training = TrainingRows(rows, type(training.kernel)("precomputed"), gram)
    found: list[LeaveOneOutEstimate] = []
    solutions: list[PairSolution] = []
    best: list[PairSolution] = []
    for k, C in enumerate(C_GRID):
        warm = warm_start(solutions, C / C_GRID[k - 1]) if solutions else None
        seconds = None if machine.time_limit is None else max(0.0, end - time.monotonic())
        solutions = machine._solutions(training, C * unit_box, threads, warm, seconds)
        error = left_out(training, solutions, tol=machine.tol, threads=threads, end=end)
        if found and time.monotonic() > end:  # and so this C was cut short
            warn(
                f"SVMClassifier compared {k} of up to {len(C_GRID)} values of C in time_limit={machine.time_limit} s",
                SepalWarning,
                stacklevel=5,
            )
            break
        if not found or error.error < min(each.error for each in found):
            best = solutions
        found.append(error)
        if len(found) > int(np.argmin([each.error for each in found])) + PATIENCE:
            break
    columns = np.array([[each.error, each.lower, each.upper, each.standard_error] for each in found]).T
    return CSearch(C_GRID[: len(found)].copy(), *columns), best
