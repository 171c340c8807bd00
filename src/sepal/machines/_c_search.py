"""The C of least error: by leave-one-out from warm starts, or by folds where that would take too long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal.machines._dual import PairSolution, kernel_matrix
from sepal.machines._leave_one_out import MOST_ROWS, left_out_decisions
from sepal.machines._machine import cross_fitted
from sepal.machines._pairs import TrainingRows, winners

if TYPE_CHECKING:
    import pandas as pd

    from sepal.machines._svm import SVMClassifier

Floats = NDArray[np.float64]
C_GRID: Floats = np.exp2(np.arange(-4.0, 11.0))
_PATIENCE = 4  # larger values of C in a row without a better error end the search: they only take longer


@dataclass(frozen=True, eq=False)
class CSearch:
    """The values of C that were tried, and the share of rows each gets wrong.

    Attributes
    ----------
    C, error : ndarray
    method : {"leave-one-out", "five folds"}
    best : float
        The smallest C of least error.
    """

    C: Floats
    error: Floats
    method: str

    @property
    def best(self) -> float:
        """The smallest C of least error."""
        return float(self.C[int(np.argmin(self.error))])

    def frame(self) -> pd.DataFrame:
        """C and error as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame({"C": self.C, "error": self.error})

    def plot(self, ax: Any = None) -> Any:
        """Error over C, on matplotlib axes, which are returned."""
        from matplotlib import pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        ax.semilogx(self.C, self.error, marker="o", base=2)
        ax.axvline(self.best, linestyle="--")
        ax.set_xlabel("C")
        ax.set_ylabel(f"error ({self.method})")
        return ax


def warm_start(solutions: list[PairSolution], ratio: float) -> list[Floats]:
    """Feasible starts for a C that is ``ratio`` times as large: rows at the bound stay there."""
    return [s.beta * ratio for s in solutions]


def search_c(machine: SVMClassifier, training: TrainingRows, unit_box: Floats, threads: int) -> CSearch:
    """Try the grid from the smallest C up, until four values in a row have brought nothing."""
    rows = training.rows
    exact = len(rows.codes) <= MOST_ROWS
    if exact and training.gram is None:
        gram = kernel_matrix(rows.x, rows.x, training.kernel, threads)
        training = TrainingRows(rows, type(training.kernel)("precomputed"), gram)
    errors: list[float] = []
    solutions: list[PairSolution] | None = None
    for k, C in enumerate(C_GRID):
        if exact:
            warm = None if solutions is None else warm_start(solutions, C / C_GRID[k - 1])
            solutions = machine._solve(training, C * unit_box, threads, warm)
            decisions = left_out_decisions(training, solutions, tol=machine.tol, threads=threads)
        else:
            decisions = cross_fitted(machine, training, C * unit_box, threads)
        wrong = winners(decisions, rows.n_classes) != rows.codes
        errors.append(float(np.average(wrong, weights=rows.weight)))
        if len(errors) > int(np.argmin(errors)) + _PATIENCE:
            break
    return CSearch(C_GRID[: len(errors)].copy(), np.array(errors), "leave-one-out" if exact else "five folds")
