"""The spread inside classes, and the equations with it, singular or not.

S is the pooled covariance, Q the projector on its null space, S(k) = S + kQ, and S(k)^-1 = S^+ + Q/k with the
Moore-Penrose inverse S^+. Nothing of size columns x columns is formed: the thin decomposition of the rows serves both
many rows and many columns, and does not square the condition number.

Reference: A. Ben-Israel and Y. Levin, "The geometry of linear separability in data sets", 2005.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.data import unit_of
from sepal.exceptions import DataError

Matrix = NDArray[np.float64]
_NARROWEST = 1e-140  # of the widest column's spread: the square still has a place among the floats

# A difference of means outside the range of S, or a spread inside classes, is rounding below this share of the columns'
# own spread.
_NULL = 1e-9


@dataclass(frozen=True, eq=False)
class Within:
    """Class means and the pooled covariance of labelled rows, ready to solve with.

    Attributes
    ----------
    means : (n_classes, n_columns) array
        Class means, after ``center`` was subtracted.
    center : (n_columns,) array
    counts : (n_classes,) array
        Rows, or the sum of their weights.
    spread : (n_columns,) array
        Total standard deviation of each column, 1 for a constant one: the unit in which the rank is judged.
    vectors, variances : (n_columns, rank) and (rank,) arrays
        Eigenvectors and eigenvalues of the covariance of the columns in units of ``spread``.
    basis : (n_columns, rank) array or None
        Orthonormal basis of the range of S in the units given; None if S is regular.
    """

    means: Matrix
    center: NDArray[np.float64]
    counts: NDArray[np.int64] | NDArray[np.float64]
    spread: NDArray[np.float64]
    vectors: Matrix
    variances: NDArray[np.float64]
    basis: Matrix | None

    @property
    def rank(self) -> int:
        """Directions with spread inside classes."""
        return len(self.variances)

    @property
    def degrees_of_freedom(self) -> int:
        """Rows less classes."""
        return int(self.counts.sum()) - len(self.counts)

    @property
    def varying_spread(self) -> NDArray[np.float64]:
        """``spread``, NaN for constant columns."""
        flat = (self.spread == 1.0) & np.all(self.means == 0.0, axis=0) & np.all(self.vectors == 0.0, axis=1)
        return np.where(flat, np.nan, self.spread)

    @property
    def inside(self) -> NDArray[np.float64]:
        """Standard deviation of each column inside the classes; ``spread`` where there is none but rounding."""
        share = np.sqrt(np.sum(self.vectors**2 * self.variances, axis=1))
        return self.spread * np.where(share > _NULL, share, 1.0)

    def range_part(self, d: Matrix) -> Matrix:
        """The part of each vector (last axis: columns) that lies in the range of S."""
        return d if self.basis is None else (d @ self.basis) @ self.basis.T

    def null_part(self, d: Matrix) -> Matrix:
        """Qd: the rest, exactly zero where it is only rounding."""
        if self.basis is None:
            return np.zeros_like(d)
        scaled = d / self.spread
        outside = np.linalg.norm(scaled - (scaled @ self.vectors) @ self.vectors.T, axis=-1, keepdims=True)
        return np.where(
            outside > _NULL * np.maximum(1.0, np.abs(scaled).max(axis=-1, keepdims=True)), d - self.range_part(d), 0.0
        )

    def solve(self, d: Matrix) -> Matrix:
        """S^+ d. A generalized inverse between projectors on the range is the Moore-Penrose inverse."""
        inside = (self.range_part(d) / self.spread) @ self.vectors / self.variances
        return self.range_part((inside @ self.vectors.T) / self.spread)

    def squared_distance(self, d: NDArray[np.float64]) -> float:
        """Mahalanobis's d'S^+ d, infinite beyond the largest number; no part of it is divided by a spread twice."""
        with np.errstate(over="ignore"):
            return float(np.sum(((self.range_part(d) / self.spread) @ self.vectors) ** 2 / self.variances))

    def mean_variance(self) -> float:
        """Mean of the nonzero eigenvalues of S, in the units given: its trace over its rank."""
        if self.rank == 0:
            return 0.0
        return float(np.sum((self.spread[:, None] * self.vectors) ** 2 @ self.variances)) / self.rank


def within_classes(
    values: Matrix, codes: NDArray[np.int32], n_classes: int, weights: NDArray[np.float64] | None = None
) -> Within:
    """Means, counts and the decomposition of the pooled covariance; a row of weight w counts as w rows.

    The rank is cut at max(n, p) * eps of the largest singular value, on columns in units of their total spread.
    """
    n, p = values.shape
    counts = np.bincount(codes, weights=weights, minlength=n_classes)
    center = np.average(values, axis=0, weights=weights)
    constant = np.ptp(values, axis=0) == 0
    around = np.where(constant, 0.0, values - center)
    means = np.zeros((n_classes, p))
    for c in range(n_classes):
        rows = codes == c
        means[c] = np.average(around[rows], axis=0, weights=None if weights is None else weights[rows])
    units = column_units(around)
    squares = np.average((around * units) ** 2, axis=0, weights=weights)
    spread = np.where(constant, 1.0, np.sqrt(squares) / units)
    spread[spread == 0] = 1.0
    check_spread(np.where(constant, np.nan, spread))
    rest = (around - means[codes]) / spread
    if weights is not None:
        rest *= np.sqrt(weights)[:, None]
    return _decomposed(rest, n, means, center, counts, spread)


def check_spread(spread: NDArray[np.float64]) -> None:
    """Whether the columns, constant ones aside, have sizes that one covariance can hold."""
    if np.all(np.isnan(spread)):
        return
    wide, narrow = int(np.nanargmax(spread)), int(np.nanargmin(spread))
    if spread[wide] * _NARROWEST > spread[narrow]:
        raise DataError(
            f"the spread of column {wide + 1} is more than {1 / _NARROWEST:g} times that of column {narrow + 1}: "
            "no covariance holds both",
            hint="look for a wrong cell in the wide column, or bring the columns to like units",
        )


def _decomposed(
    rest: Matrix,
    n: int,
    means: Matrix,
    center: NDArray[np.float64],
    counts: NDArray[np.int64] | NDArray[np.float64],
    spread: NDArray[np.float64],
) -> Within:
    """From the ``n`` rows less their class means in units of ``spread``, or a triangle with the same Gram matrix."""
    p = rest.shape[1]
    if len(rest) > p:  # the triangle has the same singular values and vectors, in half the time
        rest = np.asarray(np.linalg.qr(rest, mode="r"))
    _, singular, vectors = np.linalg.svd(rest, full_matrices=False)
    # Rounding of the rows themselves: a column that is constant inside classes leaves about eps * |value| behind.
    noise = np.finfo(float).eps * max(n, p) * max(1.0, float(singular[0]) if len(singular) else 1.0)
    kept = singular > noise
    vectors = vectors[kept].T
    variances = singular[kept] ** 2 / max(float(counts.sum()) - len(counts), 1.0)
    basis = None
    if len(variances) < p:
        basis = np.linalg.qr(spread[:, None] * vectors)[0]
    return Within(means, center, counts, spread, vectors, variances, basis)


def column_units(values: Matrix) -> NDArray[np.float64]:
    """A power of two for each column, times which its squares neither overflow nor vanish."""
    return np.array([unit_of(column) for column in values.T])


def length(vectors: Matrix) -> NDArray[np.float64]:
    """The Euclidean length along the last axis, however large or small the numbers are."""
    unit = unit_of(vectors)
    return np.asarray(np.linalg.norm(vectors * unit, axis=-1) / unit)


@dataclass(frozen=True, eq=False)
class ClassScatter:
    """What the covariance of two classes needs of one of them: every pair of many classes is then a small problem.

    ``rest`` has the Gram matrix of the rows less their mean, and at most twice as many rows as columns.
    """

    count: int
    mean: NDArray[np.float64]
    rest: Matrix
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def times(self, unit: float | NDArray[np.float64]) -> ClassScatter:
        """The same of rows that were multiplied by something."""
        return ClassScatter(self.count, self.mean * unit, self.rest * unit, self.low * unit, self.high * unit)


def class_scatter(values: Matrix) -> ClassScatter:
    """The scatter of the rows of one class."""
    low, high = values.min(axis=0), values.max(axis=0)
    mean = np.where(low == high, low, values.mean(axis=0))
    rest = values - mean
    if len(rest) > 2 * rest.shape[1]:  # else a triangle saves less than it takes
        rest = np.asarray(np.linalg.qr(rest, mode="r"))
    return ClassScatter(len(values), mean, rest, low, high)


def within_pair(first: ClassScatter, second: ClassScatter) -> Within:
    """As :func:`within_classes` of the rows of two classes."""
    return within_scatters((first, second))


def within_scatters(scatters: Sequence[ClassScatter], shift: NDArray[np.float64] | float = 0.0) -> Within:
    """As :func:`within_classes` of the rows of these classes; ``shift`` was taken off all rows before."""
    counts = np.array([each.count for each in scatters])
    n = int(counts.sum())
    low, high = (np.array([getattr(each, end) for each in scatters]) for end in ("low", "high"))
    constant = low.min(axis=0) == high.max(axis=0)
    means = np.array([each.mean for each in scatters])
    center = counts @ means / n
    means = np.where(constant, 0.0, means - center)
    rest = np.where(constant, 0.0, np.concatenate([each.rest for each in scatters]))
    units = column_units(np.concatenate([rest, means]))
    spread = np.sqrt((np.sum((rest * units) ** 2, axis=0) + counts @ (means * units) ** 2) / n) / units
    spread[spread == 0] = 1.0
    return _decomposed(rest / spread, n, means, center + shift, counts, spread)
