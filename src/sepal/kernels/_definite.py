"""Is a matrix a kernel at all? Positive semidefinite or not, and a warning that says how far from it."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, cholesky, eigh
from scipy.sparse.linalg import eigsh

from sepal.exceptions import SepalWarning
from sepal.kernels._transforms import as_gram
from sepal.parameters import Parameter, checked

_DENSE_ROWS = 2000  # above this the smallest eigenvalue comes from Lanczos iterations


def smallest_eigenvalue(K: ArrayLike) -> float:
    """The smallest eigenvalue of a symmetric matrix.

    >>> round(smallest_eigenvalue([[1.0, 2.0], [2.0, 1.0]]), 12)
    -1.0
    """
    matrix = as_gram(K)
    if len(matrix) <= _DENSE_ROWS:
        return float(eigh(matrix, eigvals_only=True, subset_by_index=[0, 0])[0])
    start = np.cos(np.arange(len(matrix)))  # fixed, so that the answer is
    return float(eigsh(matrix, k=1, which="SA", v0=start, return_eigenvectors=False)[0])


def _is_psd(matrix: NDArray[np.float64], slack: float) -> bool:
    shifted = matrix + slack * np.eye(len(matrix))
    try:
        cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def negative_eigenvalue(matrix: NDArray[np.float64], tol: float) -> float | None:
    """The smallest eigenvalue of a symmetric matrix if it is below ``-tol`` times the trace, else None."""
    slack = tol * max(float(np.abs(np.diag(matrix)).sum()), np.finfo(np.float64).tiny)
    if _is_psd(matrix, slack):
        return None
    low = smallest_eigenvalue(matrix)
    return low if low < -slack else None


@checked(Parameter("tol", "number", "eigenvalues down to minus this times the trace count as 0", at_least=0.0))
def check_psd(K: ArrayLike, *, tol: float = 1e-10) -> bool:
    """Whether a Gram matrix is positive semidefinite; warns if it is not.

    Kernel machines solve convex problems only for such matrices; with another one their answers may be local or
    meaningless.

    Parameters
    ----------
    K : array-like
        Square and symmetric.
    tol : float
        Eigenvalues down to ``-tol`` times the trace count as rounding errors of 0.

    Returns
    -------
    bool

    Warns
    -----
    SepalWarning
        With the smallest eigenvalue, and what can be done.

    Examples
    --------
    >>> check_psd([[1.0, 0.5], [0.5, 1.0]])
    True
    """
    matrix = as_gram(K)
    low = negative_eigenvalue(matrix, tol)
    if low is None:
        return True
    warnings.warn(
        f"the kernel matrix is not positive semidefinite: its smallest eigenvalue is {low:.3g}, its trace "
        f"{float(np.trace(matrix)):.3g}. Machines on it may find local optima only. "
        f"hint: use another kernel, or add {-low:.3g} to the diagonal",
        SepalWarning,
        stacklevel=2,
    )
    return False
