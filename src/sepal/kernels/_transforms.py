"""What is done to Gram matrices: centring, normalising, and the distance a kernel induces."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.exceptions import DataError
from sepal.parameters import check_cells


def as_gram(K: ArrayLike, name: str = "K", *, symmetric: bool = True) -> NDArray[np.float64]:
    """A checked matrix of finite numbers; square and symmetric if so wanted. Not copied if it is float64."""
    matrix = check_cells(name, K)
    if matrix.ndim != 2 or matrix.size == 0:
        raise DataError(f"{name}: expected a matrix, found an array of shape {matrix.shape}")
    if not np.all(np.isfinite(matrix)):
        raise DataError(f"{name}: expected finite numbers, found NaN or infinity")
    if symmetric:
        if matrix.shape[0] != matrix.shape[1]:
            raise DataError(f"{name}: expected a square matrix, found shape {matrix.shape}")
        scale = np.abs(matrix).max()
        if not np.allclose(matrix, matrix.T, rtol=0.0, atol=1e-8 * scale):
            raise DataError(f"{name}: expected a symmetric matrix, found one that is not")
    return matrix


def center_gram(K: ArrayLike, K_train: ArrayLike | None = None) -> NDArray[np.float64]:
    """The centred Gram matrix: of rows moved so that the training rows have mean zero in feature space.

    Parameters
    ----------
    K : array-like
        The training Gram matrix, or kernel values of other rows (lines) with the training rows (columns).
    K_train : array-like, optional
        The training Gram matrix, if K is not that itself.

    Returns
    -------
    ndarray
        HKH with H = I - 11'/n for the training matrix.

    Examples
    --------
    >>> center_gram([[2.0, 0.0], [0.0, 2.0]]).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    if K_train is None:
        matrix = as_gram(K)
        train_means = matrix.mean(axis=0)
    else:
        matrix = as_gram(K, symmetric=False)
        train_means = as_gram(K_train, "K_train").mean(axis=0)
        if matrix.shape[1] != train_means.size:
            raise DataError(f"K has {matrix.shape[1]} columns, K_train has {train_means.size} rows; they must agree")
    centered: NDArray[np.float64] = matrix - matrix.mean(axis=1, keepdims=True)
    centered -= train_means
    centered += train_means.mean()
    return centered


def normalize_gram(
    K: ArrayLike, diagonal: ArrayLike | None = None, diagonal_columns: ArrayLike | None = None
) -> NDArray[np.float64]:
    """The normalized Gram matrix, cosines in feature space: K_ij / sqrt(k_ii k_jj).

    Parameters
    ----------
    K : array-like
        Kernel values.
    diagonal, diagonal_columns : array-like, optional
        k(x, x) of the rows and of the columns, for a matrix between different rows. Without them K is square and its
        own diagonal is used.

    Returns
    -------
    ndarray
        A row with k(x, x) = 0 is at right angles to every other.

    Examples
    --------
    >>> normalize_gram([[4.0, 2.0], [2.0, 4.0]]).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    matrix, rows, columns = _with_diagonals(K, diagonal, diagonal_columns)
    if (rows < 0).any() or (columns < 0).any():
        raise DataError("a kernel has no negative values on its diagonal; found one")
    return np.asarray(matrix * _inverse_root(rows)[:, None] * _inverse_root(columns)[None, :])


def _with_diagonals(
    K: ArrayLike, diagonal: ArrayLike | None, diagonal_columns: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The kernel values, and k(x, x) of the rows and of the columns."""
    if (diagonal is None) != (diagonal_columns is None):
        raise DataError("diagonal and diagonal_columns: give both, or none for a square matrix")
    matrix = as_gram(K, symmetric=diagonal is None)
    rows = np.diag(matrix) if diagonal is None else check_cells("diagonal", diagonal)
    columns = rows if diagonal_columns is None else check_cells("diagonal_columns", diagonal_columns)
    if rows.shape != (matrix.shape[0],) or columns.shape != (matrix.shape[1],):
        raise DataError(f"diagonals of length {rows.size} and {columns.size} do not fit a matrix of {matrix.shape}")
    return matrix, rows, columns


def _inverse_root(diagonal: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(diagonal > 0.0, 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)), 0.0)


def kernel_distance(
    K: ArrayLike, diagonal: ArrayLike | None = None, diagonal_columns: ArrayLike | None = None
) -> NDArray[np.float64]:
    """The distance in feature space, sqrt(k_ii + k_jj - 2 K_ij).

    Parameters
    ----------
    K, diagonal, diagonal_columns
        As in :func:`normalize_gram`.

    Returns
    -------
    ndarray
        Distances between images, rows by columns; values that rounding makes negative count as 0.

    Examples
    --------
    >>> kernel_distance([[1.0, 0.0], [0.0, 1.0]]).round(4).tolist()
    [[0.0, 1.4142], [1.4142, 0.0]]
    """
    matrix, rows, columns = _with_diagonals(K, diagonal, diagonal_columns)
    squares = rows[:, None] + columns[None, :] - 2.0 * matrix
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))
