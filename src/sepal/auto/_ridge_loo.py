"""Ridge regression on a kernel, for every ridge at once, with exact leave-one-out.

The model is f(x) = b + sum_j a_j k(x, x_j) with a free intercept b: ridge on the centred kernel H K H = U diag(l) U'.
With s = l / (l + alpha) the fit is mean + U s U'y, the leverage of row i is h_i = 1/n + sum_k U_ik^2 s_k, and the
prediction for row i by the model of the others is y_i - (y_i - fit_i) / (1 - h_i), exactly. One decomposition serves
all ridges and all targets. On feature vectors, a few rows M, the kernel is k(x, M) K_MM^-1 k(M, z): the decomposition
is that of the centred coordinates Z with Z Z' = K_nM K_MM^-1 K_Mn, and leave-one-out is exact for these vectors.

Rows of masses w minimize sum w_i (y_i - f(x_i))^2 + alpha |f|^2, as w_i copies would. With r = sqrt(w) that is the same
problem for rows and targets times r, centred by means that are weighed; r / |r| stands for the constant. A row is left
out with all its mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.linalg.lapack import dpotrf, dpotrs, dpstrf, dtrtri

from sepal.auto._group_left_out import Groups, left_out_by_group, left_out_by_inverse

Array = NDArray[np.float64]
_LEAST = 1e-12  # 1 - h below this: the row alone decides its own fit
DIAGONAL_JITTER = 1e-10  # added to the diagonal of K_MM, so that vectors that nearly repeat each other do no harm
_LOW_RANK = 0.8  # share of the rows up to which two steps are cheaper than one decomposition of all of them


def left_out_of_fit(targets: Array, fit: Array, leverage: Array) -> Array:
    """Y - (y - fit) / (1 - h): what the model of the others says."""
    return np.asarray(targets - (targets - fit) / np.maximum(1.0 - leverage, _LEAST)[..., None])


@dataclass(frozen=True, eq=False)
class Spectrum:
    """A centred kernel, decomposed.

    Attributes
    ----------
    vectors : ndarray, shape (n, r)
        Orthonormal; orthogonal to the constant wherever the value is not zero.
    values : ndarray, shape (r,)
    scale : float
        The mean of k_c(x, x): the unit of the ridge.
    mass : ndarray, shape (n,), or None
        Of the rows; None: 1 each.
    """

    vectors: Array
    values: Array
    scale: float
    mass: Array | None

    def left_out(self, targets: Array, ridges: Array, groups: Groups | None = None) -> Array:
        """For each ridge and row the prediction by the model of the others, shape (ridges, n, outputs).

        With ``groups`` the others are those that are not in the row's group.
        """
        n, mean, root = len(targets), mean_of(targets, self.mass), _root(self.mass)
        shrink = self.values / (self.values + np.outer(ridges, np.full(len(self.values), self.scale)))
        scores = self.vectors.T @ ((targets - mean) * root)
        parts = (shrink[:, :, None] * scores).transpose(1, 0, 2).reshape(len(self.values), -1)
        fit = (self.vectors @ parts).reshape(n, len(ridges), -1).transpose(1, 0, 2) / root + mean
        if groups is None:
            share = 1.0 / n if self.mass is None else self.mass / self.mass.sum()
            return left_out_of_fit(targets, fit, share + shrink @ (self.vectors**2).T)
        constant = constant_root(n, self.mass)
        roots = (np.column_stack([constant, self.vectors * np.sqrt(each)]) for each in shrink)
        scaled = [left_out_by_group(targets * root, own * root, B, groups) for own, B in zip(fit, roots, strict=True)]
        return np.asarray(np.stack(scaled) / root)


@dataclass(frozen=True, eq=False)
class VectorSpectrum(Spectrum):
    """Of a kernel on feature vectors, with the way back from it to coefficients on these.

    Attributes
    ----------
    back : ndarray, shape (m, r)
        From scores on the vectors of the decomposition to coefficients.
    means : ndarray, shape (m,)
        Mean kernel value of all rows with each feature vector.
    """

    back: Array
    means: Array

    def fit(self, targets: Array, ridge: float, groups: Groups | None = None) -> RidgeFit:
        """The coefficients of f(x) = b + sum_j a_j k(x, m_j), and what f answers to the rows with and without them."""
        mean, root = mean_of(targets, self.mass), _root(self.mass)
        weights = (self.vectors.T @ ((targets - mean) * root)) / (self.values + ridge * self.scale)[:, None]
        a = self.back @ (weights * np.sqrt(self.values)[:, None])
        fit = mean + (self.vectors @ (self.values[:, None] * weights)) / root
        return RidgeFit(a, mean - self.means @ a, fit, self.left_out(targets, np.array([ridge]), groups)[0])


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """One ridge on a kernel: coefficients, intercept, and the answers to the training rows with and without them."""

    a: Array
    b: Array
    fit: Array
    left_out: Array


def without_mean(a: Array, root: Any = 1.0) -> Array:
    """Coefficients that, times ``root``, add up to 0, as those of the optimum do.

    The centred kernel does not see their sum, so that rounding may leave any there (at a small ridge hundreds, beside
    coefficients of millions); the kernel that answers is not centred and would see it.
    """
    if isinstance(root, float):
        return np.asarray(a - a.mean(axis=0))
    return np.asarray(a - root * ((root * a).sum(axis=0) / (root * root).sum()))


def _root(mass: Array | None) -> Any:
    """The roots of the masses as a column; 1 for rows of mass 1."""
    return 1.0 if mass is None else np.sqrt(mass)[:, None]


def mean_of(values: Array, mass: Array | None) -> Array:
    """Of each column, rows counted by their mass."""
    return np.asarray(values.mean(axis=0) if mass is None else (mass @ values) / mass.sum())


def constant_root(n: int, mass: Array | None) -> Array:
    """The unit vector that stands for the intercept, one number for each of n rows."""
    return np.full(n, n**-0.5) if mass is None else np.sqrt(mass / mass.sum())


def _total(n: int, mass: Array | None) -> float:
    return float(n) if mass is None else float(mass.sum())


def kernel_spectrum(K: Array, mass: Array | None = None) -> Spectrum:
    """Of the kernel matrix of all rows.

    Rows that repeat each other, and wide kernels of few columns, leave a matrix of lower rank. Cholesky with pivots
    finds a Z with Z Z' = K up to rounding (it stops where no diagonal entry exceeds n eps times the largest), for a
    tenth of the price of a decomposition; then Z' Z, which is smaller, has the same values.
    """
    factor, pivots, rank, _ = dpstrf(K.T, lower=1)
    if 1 < rank <= _LOW_RANK * len(K):
        Z = np.empty((len(K), rank))
        Z[pivots - 1] = np.tril(factor[:, :rank])
        Z = (Z - mean_of(Z, mass)) * _root(mass)
        values, axes = _kept(Z)
        return Spectrum((Z @ axes) / np.sqrt(values), values, _scale(values, _total(len(K), mass)), mass)
    means = mean_of(K, mass)
    centred = K - means - means[:, None] + mean_of(means, mass)
    if mass is not None:
        centred *= _root(mass) * _root(mass).T
    values, vectors = eigh(centred, overwrite_a=True, check_finite=False, driver="evd")
    values = np.maximum(values, 0.0)
    return Spectrum(np.asarray(vectors), values, _scale(values, _total(len(K), mass)), mass)


def kernel_fit(
    K: Array, targets: Array, ridge: float, groups: Groups | None = None, mass: Array | None = None
) -> RidgeFit:
    """One ridge, from the kernel matrix of all rows.

    A fifth of the price of a decomposition. With G = H K H + alpha I + c 11' = L L' the coefficients are
    a = G^-1 (y - mean), the residuals alpha a, and 1 - h_i = alpha (G^-1)_ii - alpha / (n (alpha + c n)), where
    (G^-1)_ii is the squared length of column i of L^-1. The constant c changes none of this and keeps the direction in
    which all coefficients are equal, which H K H does not see, as well conditioned as any other. ``K`` is overwritten.
    """
    n, means, mean, root = len(K), mean_of(K, mass), mean_of(targets, mass), _root(mass)
    total = _total(n, mass)
    K -= means
    K -= means[:, None]
    K += mean_of(means, mass)
    outer: Any = 1.0
    if mass is not None:
        outer = root * root.T
        K *= outer
    spread = float(np.trace(K)) / total
    unit = spread if spread > 1e-12 else 1.0
    alpha = ridge * unit
    K += unit * outer
    K[np.diag_indices(n)] += alpha
    factor, failed = dpotrf(K.T, lower=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError(f"a kernel of {n} rows and ridge {ridge:g} is not positive definite")
    u = without_mean(dpotrs(factor, (targets - mean) * root, lower=1)[0], root)
    inverse, _ = dtrtri(factor, lower=1, overwrite_c=1)
    less = alpha / (total * (alpha + unit * total))
    if groups is None:
        left = alpha * np.einsum("ij,ij->j", inverse, inverse) - (less if mass is None else less * mass)
        left_out = np.asarray(targets - alpha * u / np.maximum(left, _LEAST)[:, None] / root)
    else:
        own = None if mass is None else np.sqrt(mass)
        left_out = left_out_by_inverse(targets * root, u, np.tril(inverse), alpha, less, groups, own) / root
    a = u * root
    return RidgeFit(a, mean - means @ a, targets - alpha * u / root, left_out)


def vector_spectrum(columns: Array, square: Array, mass: Array | None = None) -> VectorSpectrum:
    """From the kernel values of all rows with some, shape (n, m), and of these among each other, shape (m, m)."""
    factor = cholesky(square + DIAGONAL_JITTER * np.eye(len(square)), lower=True, check_finite=False)
    Z = solve_triangular(factor, columns.T, lower=True, check_finite=False).T
    Z = (Z - mean_of(Z, mass)) * _root(mass)
    values, axes = _kept(Z)
    back = solve_triangular(factor, axes, lower=True, trans="T", check_finite=False)
    vectors = (Z @ axes) / np.sqrt(values)
    scale = _scale(values, _total(len(columns), mass))
    return VectorSpectrum(vectors, values, scale, mass, np.asarray(back), mean_of(columns, mass))


def _kept(Z: Array) -> tuple[Array, Array]:
    """Values and axes of Z' Z, without those that rounding made."""
    values, axes = eigh(Z.T @ Z, overwrite_a=True, check_finite=False, driver="evd")
    kept = values > values[-1] * len(values) * np.finfo(np.float64).eps
    return values[kept], np.asarray(axes)[:, kept]


def _scale(values: Array, n: float) -> float:
    """The mean of the centred kernel's diagonal; 1 where rows cannot be told apart."""
    mean = float(values.sum()) / n
    return mean if mean > 1e-12 else 1.0
