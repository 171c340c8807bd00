"""A warning where a kernel is not positive semidefinite: the dual of such a matrix is not a convex problem."""

from __future__ import annotations

from warnings import warn

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import SepalWarning
from sepal.kernels import negative_eigenvalue
from sepal.machines._dual._pairs import TrainingRows
from sepal.machines._dual._solvers import kernel_matrix

_MOST_ROWS = 1000  # a part of a semidefinite matrix is semidefinite, so that a sample raises no false alarm
_ROUNDING = 1e-7  # of the trace: kernel values that were computed in float32 are forgiven
_DIGITS = 9


def warn_of_indefinite(training: TrainingRows, machine: str, threads: int) -> None:
    """Look at the kernel matrix of the training rows, or of a thousand of them that their order does not change."""
    kernel = training.kernel
    if kernel.name in ("rbf", "linear") or (kernel.name == "poly" and kernel.coef0 >= 0):
        return  # semidefinite by theorem
    rows = _some_rows(training)
    if training.gram is None:
        matrix = kernel_matrix(training.rows.x[rows], training.rows.x[rows], kernel, threads)
    else:
        matrix = training.gram[np.ix_(rows, rows)]
    lowest = negative_eigenvalue(0.5 * (matrix + matrix.T), _ROUNDING)
    if lowest is not None:
        warn(
            f"the kernel is not positive semidefinite: on {len(rows)} training rows its smallest eigenvalue "
            f"is {lowest:.3g}, the trace {float(np.trace(matrix)):.3g}. {machine} may end in a local optimum, and its "
            "duality gap and margin mean nothing; hint: use another kernel, or add to the diagonal of the matrix",
            SepalWarning,
            stacklevel=3,
        )


def _some_rows(training: TrainingRows) -> NDArray[np.intp]:
    """Distinct rows, evenly spaced in an order by their values; of a matrix by their mean kernel value."""
    n = len(training.rows.codes)
    if n <= _MOST_ROWS:
        return np.arange(n)
    order = np.arange(n)  # sorted by values already
    if training.gram is not None:
        means = training.gram.mean(axis=1)
        largest = max(np.abs(means).max(), np.finfo(np.float64).tiny)
        order = np.argsort(np.round(means / largest, _DIGITS), kind="stable")
    return order[((np.arange(_MOST_ROWS) + 0.5) * (n / _MOST_ROWS)).astype(np.intp)]
