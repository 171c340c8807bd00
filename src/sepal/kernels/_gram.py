"""Gram matrices, whole or block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import DataError, ParameterError
from sepal.kernels._fitted import FittedKernel, KernelFunction, fit_kernel
from sepal.parameters import Parameter, check_whole, checked

_BLOCK_BYTES = 1 << 25  # of one block of the matrix


def _block_rows(n_columns: int) -> int:
    return max(16, _BLOCK_BYTES // (8 * max(1, n_columns)))


def gram_blocks(
    fitted: FittedKernel, A: NDArray[np.float64], B: NDArray[np.float64], *, block_rows: int | None = None
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Rows of the Gram matrix between two arrays of coordinates, a block at a time.

    Yields
    ------
    rows : slice
        Which rows of A.
    block : ndarray
        Their kernel values with all rows of B.
    """
    step = check_whole("block_rows", block_rows, optional=True) or _block_rows(len(B))
    for start in range(0, len(A), step):
        rows = slice(start, min(start + step, len(A)))
        yield rows, fitted.block(A[rows], B)


def _symmetric(fitted: FittedKernel, A: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    """Half of the blocks, mirrored, so that the matrix is symmetric to the last bit."""
    n = len(A)
    K = np.empty((n, n))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        block = fitted.block(A[rows], A[start:])
        K[rows, start:] = block
        K[start:, rows] = block.T
        square = K[rows, rows]
        upper = np.triu(square, 1)
        K[rows, rows] = upper + upper.T
    np.fill_diagonal(K, fitted.diagonal(A))
    return K


def _precomputed(X: Any, Z: Any, params: dict[str, Any]) -> NDArray[np.float64]:
    if params:
        raise ParameterError(f"a precomputed kernel takes no parameters; got {', '.join(sorted(params))}")
    if Z is not None:
        raise ParameterError("a precomputed kernel is one matrix: give it as X, and Z as None")
    K = np.array(X, dtype=np.float64)
    if K.ndim != 2 or not np.all(np.isfinite(K)):
        raise DataError(f"a precomputed kernel must be a matrix of finite numbers; got shape {K.shape}")
    return K


@checked(
    Parameter("kernel", "word", "how alike two rows are", looked_up=True, also=("function", "anything")),
    Parameter("block_rows", "whole", "rows worked on at a time; no answer depends on it", at_least=1, optional=True),
)
def gram(
    X: Any,
    Z: Any = None,
    kernel: str | KernelFunction | FittedKernel = "rbf",
    *,
    block_rows: int | None = None,
    **params: Any,
) -> NDArray[np.float64]:
    """The Gram matrix: the kernel of every row of X with every row of Z.

    Parameters
    ----------
    X : Table, array or data frame
        With ``kernel="precomputed"`` the matrix itself, which is checked and copied.
    Z : Table, array or data frame, optional
        Without it X is compared with itself; the result is then exactly symmetric.
    kernel : str, callable or FittedKernel
        See :func:`fit_kernel`. Parameters that depend on the rows are learned from X, or come fitted.
    block_rows : int, optional
        Rows worked on at a time; no answer depends on it.
    **params
        ``gamma`` or ``width``, ``degree``, ``coef0``, ...: what the kernel takes.

    Returns
    -------
    ndarray of float64, shape (rows of X, rows of Z)

    Examples
    --------
    >>> gram([[1.0, 0.0], [1.0, 1.0]], kernel="linear").tolist()
    [[1.0, 1.0], [1.0, 2.0]]
    >>> gram([[0.0, 0.0], [1.0, 1.0]], kernel="rbf", width=1.0).round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    """
    if isinstance(kernel, str) and kernel == "precomputed":
        return _precomputed(X, Z, params)
    if isinstance(kernel, FittedKernel):
        if params:
            raise ParameterError(f"a fitted kernel has its parameters already; got {', '.join(sorted(params))}")
        fitted = kernel
    else:
        fitted = fit_kernel(X, kernel, **params)
    A = fitted.coordinates(X)
    if Z is None:
        return _symmetric(fitted, A, block_rows or _block_rows(len(A)))
    B = fitted.coordinates(Z)
    K = np.empty((len(A), len(B)))
    for rows, block in gram_blocks(fitted, A, B, block_rows=block_rows):
        K[rows] = block
    return K
