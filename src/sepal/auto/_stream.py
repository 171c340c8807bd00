"""Ridge on feature vectors for more rows than a matrix can hold: two passes over blocks of rows.

The first pass adds up the products of the coordinates, the second decides on each row without it. Both are those of
``vector_spectrum``, block by block; memory is O(block * m + m^2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, eigh, solve_triangular

from sepal.auto._group_left_out import Groups, left_out_by_group
from sepal.auto._kernel_member import KernelMember, MemberFit, gaussian
from sepal.auto._ridge_loo import DIAGONAL_JITTER, left_out_of_fit, mean_of
from sepal.data import Table
from sepal.estimators import View
from sepal.kernels import squared_distances
from sepal.progress import silent, stage

Array = NDArray[np.float64]
_BLOCK_ROWS = 8192


def stream_ridge(
    view: View,
    table: Table,
    targets: Array,
    points: Array,
    width: float,
    ridge: float,
    step: Callable[[float], object] | None = None,
    groups: Groups | None = None,
    mass: Array | None = None,
) -> MemberFit:
    """Fit to all rows with the kernel taken at a few points; also the exact leave-one-out decisions.

    ``step`` hears after each block which share of the work it was. ``groups`` are left out whole; ``mass`` says
    how many rows each row counts as.
    """
    n, m = len(targets), len(points)
    w = np.ones(n) if mass is None else mass
    total, mean = float(w.sum()), mean_of(targets, mass)
    step = step or stage(silent, "")
    whitened = Whitened.of(view, points, width)
    products, sums = np.zeros((m, m)), np.zeros(m)
    centred = w[:, None] * (targets - mean)  # and weighed
    scores = np.zeros((m, targets.shape[1]))
    for rows, K in _blocks(view, table, points, width):
        Z = whitened.of_kernel(K)
        products += (Z if mass is None else Z * w[rows]) @ Z.T
        sums += Z.sum(axis=1) if mass is None else Z @ w[rows]
        scores += Z @ centred[rows]
        step(0.5 * len(rows) / n)
    solved = solve_sums(whitened, products, sums, scores, mean, total, ridge)
    fit, left_out = np.empty_like(targets), np.empty_like(targets)
    for rows, K in _blocks(view, table, points, width, groups):
        U = K @ solved.back - solved.means
        fit[rows] = mean + U @ solved.weights
        if groups is None:
            leverage = w[rows] * (1.0 / total + U**2 @ (1.0 / solved.values))
            left_out[rows] = left_out_of_fit(targets[rows], fit[rows], leverage)
        else:
            root = np.sqrt(w[rows])[:, None]
            roots = root * np.column_stack([np.full(len(rows), total**-0.5), U / np.sqrt(solved.values)])
            own = left_out_by_group(root * targets[rows], root * fit[rows], roots, groups[rows])
            left_out[rows] = own / root
        step(0.5 * len(rows) / n)
    return MemberFit(solved.member, fit, left_out)


@dataclass(frozen=True, eq=False)
class Whitened:
    """From rows to coordinates in which the kernel at a few points is the identity; they are between -1 and 1."""

    view: View
    points: Array
    width: float
    factor: Array

    @classmethod
    def of(cls, view: View, points: Array, width: float) -> Whitened:
        """For a kernel of this width."""
        square = gaussian(squared_distances(points, points), width)
        factor = cholesky(square + DIAGONAL_JITTER * np.eye(len(points)), lower=True, check_finite=False)
        return cls(view, points, width, np.asarray(factor))

    def of_kernel(self, K: Array) -> Array:
        """Coordinates, one column a row, from kernel values; these are overwritten."""
        return np.asarray(solve_triangular(self.factor, K.T, lower=True, check_finite=False, overwrite_b=True))

    def blocks(self, table: Table) -> Iterator[tuple[NDArray[np.intp], Array]]:
        """Some rows at a time, and their coordinates, one column a row."""
        for rows, K in _blocks(self.view, table, self.points, self.width):
            yield rows, self.of_kernel(K)


@dataclass(frozen=True, eq=False)
class SolvedSums:
    """A member that sums over rows gave, and what is needed to leave rows out: see :func:`stream_ridge`."""

    member: KernelMember
    values: Array  # eigenvalues and the ridge
    back: Array
    means: Array
    weights: Array
    mean: Array

    def fit_of(self, K: Array) -> Array:
        """What the solver says of rows with these kernel values."""
        return np.asarray(self.mean + (K @ self.back - self.means) @ self.weights)


def solve_sums(
    whitened: Whitened, products: Array, sums: Array, scores: Array, mean: Array, total: float, ridge: float
) -> SolvedSums:
    """Ridge regression from sums over rows.

    Parameters
    ----------
    whitened : Whitened
        The coordinates Z of the rows.
    products, sums : ndarray
        Z'Z and the column sums of Z.
    scores : ndarray, shape (m, outputs)
        Z'(Y - mean).
    mean, total
        Of the targets Y, and the rows.
    ridge : float
        Relative to the mean of the centred kernel's diagonal.
    """
    m = len(sums)
    values, axes = eigh(products - np.outer(sums, sums) / total, overwrite_a=True, check_finite=False, driver="evd")
    kept = values > values[-1] * m * np.finfo(np.float64).eps * 100.0
    values, axes = values[kept], np.asarray(axes)[:, kept]
    alpha = ridge * float(values.sum()) / total
    back = np.asarray(solve_triangular(whitened.factor, axes, lower=True, trans="T", check_finite=False))
    means = axes.T @ (sums / total)
    weights = (axes.T @ scores) / (values + alpha)[:, None]
    width, intercept = np.array([whitened.width]), mean - means @ weights
    member = KernelMember(whitened.view, whitened.points, width, (back @ weights)[None], intercept, ridge)
    return SolvedSums(member, values + alpha, back, means, weights, mean)


def _blocks(
    view: View, table: Table, points: Array, width: float, groups: Groups | None = None
) -> Iterator[tuple[NDArray[np.intp], Array]]:
    """Rows and their kernel values; groups stay whole."""
    order, ends = np.arange(table.n_rows), np.arange(_BLOCK_ROWS, table.n_rows, _BLOCK_ROWS)
    if groups is not None:
        order = np.argsort(groups, kind="stable")
        last = np.cumsum(np.bincount(groups))
        ends = np.unique(last[np.searchsorted(last, ends)])
    for rows in np.split(order, ends[ends < table.n_rows]):
        yield rows, gaussian(squared_distances(view.coordinates(table.take(rows)), points), width)
