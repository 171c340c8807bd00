"""Linear models on feature-vector coordinates, for every number of vectors at once, with exact leave-one-out.

The columns of [1, Z] are orthogonalised in order (A = QR). With the first L + 1 columns of Q the fit, the leverages and
so the leave-one-out residuals e / (1 - h) of the model on L vectors come by addition, O(n L) for all L. A ridge is one
more row sqrt(alpha) per column of Z, which keeps the order and so the recursion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular

Array = NDArray[np.float64]
_BLOCK_NUMBERS = 4_000_000
_CACHED_NUMBERS = 200_000  # of a block that stays in cache over many passes
_DEPENDENT = 1e-12  # what is left of a squared column after those before it
_LEAST = 1e-10  # 1 - h below this: the row alone decides its own fit


@dataclass(frozen=True, eq=False)
class RidgePath:
    """Ridge regression on the first L coordinates, for every L.

    ``squared`` and ``wrong`` are the exact leave-one-out errors by L = 0, 1, ...: mean squared, and the share of rows
    whose largest output is not their class (NaN for regression).
    """

    R: Array
    scores: Array  # Q'y
    squared: Array
    wrong: Array

    def coefficients(self, n_vectors: int) -> tuple[Array, Array]:
        """Intercept (outputs,) and weights (L, outputs) of the model on the first vectors."""
        size = n_vectors + 1
        beta = solve_triangular(self.R[:size, :size], self.scores[:size])
        return beta[0], np.ascontiguousarray(beta[1:])


def _blocks(Z: Array, numbers: int = _BLOCK_NUMBERS) -> Iterator[tuple[slice, Array]]:
    step = max(64, numbers // (Z.shape[1] + 1))
    for start in range(0, len(Z), step):
        rows = slice(start, min(start + step, len(Z)))
        part = Z[rows]
        yield rows, np.hstack([np.ones((len(part), 1)), part])


@dataclass(frozen=True, eq=False)
class PathRows:
    """Rows that models are fitted to, and the sums over them that the models need.

    Attributes
    ----------
    Z : ndarray, shape (n, L)
        Coordinates in order of selection.
    targets : ndarray, shape (n, outputs)
        Numbers to predict.
    weights, taken : ndarray, shape (n,)
        The weight of each row in the fit, and how much of it leaves when one copy is left out.
    codes : ndarray of int or None
        For classification: which output should be the largest.
    groups : ndarray of int or None
        Rows of one number leave together, with all their weight.
    """

    Z: Array
    targets: Array
    weights: Array
    taken: Array
    codes: NDArray[np.int32] | None = None
    groups: NDArray[np.intp] | None = None

    def products(self, R: Array | None, start: Array) -> Array:
        """A'A of the weighted rows, or Q'Q with Q = A R^-1, added to ``start``."""
        total, roots = start.copy(), np.sqrt(self.weights)
        for rows, A in _blocks(self.Z):
            part = _orthogonal(A * roots[rows, None], R)
            total += part.T @ part
        return total

    def triangle(self, start: Array) -> Array:
        """R of the rows of ``start`` and the weighted rows, by orthogonal steps."""
        R, roots = start, np.sqrt(self.weights)
        for rows, A in _blocks(self.Z):
            R = np.asarray(np.linalg.qr(np.vstack([R, A * roots[rows, None]]), mode="r"))
        return R

    def scores(self, R: Array) -> Array:
        """Q'y."""
        found = np.zeros((R.shape[0], self.targets.shape[1]))
        for part, A in _blocks(self.Z):
            weighted = self.targets[part] * self.weights[part, None]
            found += solve_triangular(R, A.T, trans="T", check_finite=False) @ weighted
        return found

    def losses(self, R: Array, scores: Array) -> tuple[Array, Array]:
        """Sums over the rows, each left out: squared errors, and weights of wrong rows, by the number of vectors."""
        squared, wrong = np.zeros(len(R)), np.zeros(len(R))
        parts = _left_out_parts(R, scores, self.Z, self.targets, self.weights, self.taken, self.groups)
        for rows, left_outs in parts:
            y, w = self.targets[rows], self.weights[rows]
            best = np.full((len(R), len(y)), -np.inf)
            right = np.zeros((len(R), len(y)), dtype=bool)
            for output, left_out in enumerate(left_outs):
                if self.codes is not None:
                    right = np.where(left_out > best, self.codes[rows] == output, right)
                    np.maximum(best, left_out, out=best)
                left_out -= y[:, output]
                left_out *= left_out
                squared += left_out @ w
            wrong += w.sum() - right @ w
        return squared, wrong if self.codes is not None else np.full(len(R), np.nan)

    @property
    def total(self) -> float:
        """Of the weights."""
        return float(self.weights.sum())


class PathSums(Protocol):
    """Rows in memory or in partitions that provide these sums."""

    def products(self, R: Array | None, start: Array) -> Array: ...

    def triangle(self, start: Array) -> Array: ...

    def scores(self, R: Array) -> Array: ...

    def losses(self, R: Array, scores: Array) -> tuple[Array, Array]: ...

    @property
    def total(self) -> float: ...


def _orthogonal(A: Array, R: Array | None) -> Array:
    return A if R is None else np.asarray(solve_triangular(R, A.T, trans="T", check_finite=False).T)


def _cholesky(products: Array) -> Array | None:
    """The upper factor; None if the columns are numerically dependent."""
    try:
        return np.asarray(cholesky(products))
    except LinAlgError:
        return None


def _triangle(rows: PathSums, n_vectors: int, alpha: float) -> Array:
    """R of [1, Z] with rows times sqrt(weight), and the rows of the ridge; block by block.

    The Cholesky factor of the products is much the fastest; done twice it is as good as Householder's R, unless the
    columns are so nearly dependent that the first one fails.
    """
    ridge = np.sqrt(alpha) * np.eye(n_vectors + 1)[1:]
    products = rows.products(None, ridge.T @ ridge)
    first = _cholesky(products)
    if first is not None and np.all(np.diag(first) ** 2 > _DEPENDENT * np.diag(products)):
        rest = _orthogonal(ridge, first)
        second = _cholesky(rows.products(first, rest.T @ rest))
        if second is not None:
            return np.asarray(second @ first)
    R = rows.triangle(ridge)
    signs = np.where(np.diag(R) < 0, -1.0, 1.0)
    return np.asarray(R * signs[:, None])


def ridge_path(rows: PathSums, n_vectors: int, alpha: float) -> RidgePath:
    """Fit the models on the first 0, 1, ..., n vectors, and leave each row out of each, or each group of rows.

    ``alpha`` is the ridge; the intercept has none.
    """
    R = _repaired(_triangle(rows, n_vectors, alpha))
    scores = rows.scores(R)
    squared, wrong = rows.losses(R, scores)
    return RidgePath(R, scores, squared / rows.total, wrong / rows.total)


def _repaired(R: Array) -> Array:
    """R with a huge diagonal where a coordinate depends on earlier ones and the diagonal is noise: its weight is 0."""
    noise = np.sqrt((R**2).sum(axis=0)) * len(R) * np.finfo(np.float64).eps
    repeats = np.flatnonzero(np.abs(np.diag(R)) <= noise)
    repaired = R.copy()
    repaired[repeats, repeats] = 1e100
    return repaired


def _left_out(R: Array, scores: Array, A: Array, targets: Array, taken: Array) -> Iterator[Array]:
    """For each output the leave-one-out predictions of a block of rows with 0, 1, ... vectors, shape (L + 1, rows)."""
    Q: Array = solve_triangular(R, A.T, trans="T", check_finite=False)
    rest = np.cumsum(Q * Q, axis=0)
    rest *= -taken
    rest += 1.0
    np.maximum(rest, _LEAST, out=rest)
    for output in range(targets.shape[1]):
        left_out = np.cumsum(Q * scores[:, output, None], axis=0)
        left_out -= targets[:, output]
        left_out /= rest
        left_out += targets[:, output]
        yield left_out


def _left_out_parts(
    R: Array,
    scores: Array,
    Z: Array,
    targets: Array,
    weights: Array,
    taken: Array,
    groups: NDArray[np.intp] | None,
) -> Iterator[tuple[NDArray[np.intp], Iterator[Array]]]:
    """Some rows at a time, and what :func:`_left_out` gives for them; rows of one group leave together."""
    alone = np.ones(len(Z), dtype=bool) if groups is None else np.bincount(groups)[groups] == 1
    singles = np.flatnonzero(alone)
    for part, A in _blocks(Z[singles] if groups is not None else Z, _CACHED_NUMBERS):
        rows = singles[part]
        yield rows, _left_out(R, scores, A, targets[rows], taken[rows])
    if groups is None:
        return
    for group in np.unique(groups[~alone]):
        rows = np.flatnonzero(groups == group)
        A = np.hstack([np.ones((len(rows), 1)), Z[rows]])
        Q: Array = solve_triangular(R, A.T, trans="T", check_finite=False)
        yield rows, iter(without_group(Q, scores, targets[rows], weights[rows]))


def without_group(Q: Array, scores: Array, targets: Array, weights: Array) -> Array:
    """What models without a group of rows say of these rows, shape (outputs, coordinates, rows).

    ``Q`` (coordinates, rows) are coordinates in which the normal equations of all rows are the identity, so that those
    without the group are I - Q W Q'. Its Cholesky factor C serves every number of first coordinates: the answers are
    the cumulative sums of C^-1 Q times C^-1 (scores - Q W targets).
    """
    heavy = Q * weights
    factor = np.linalg.cholesky((1.0 + _LEAST) * np.eye(len(Q)) - heavy @ Q.T)
    solved = solve_triangular(factor, np.hstack([Q, scores - heavy @ targets]), lower=True, check_finite=False)
    inner, outer = solved[:, : Q.shape[1]], solved[:, Q.shape[1] :]
    return np.asarray(np.stack([np.cumsum(inner * outer[:, [output]], axis=0) for output in range(targets.shape[1])]))


def left_out_predictions(
    path: RidgePath,
    Z: Array,
    targets: Array,
    taken: Array,
    n_vectors: int,
    weights: Array | None = None,
    groups: NDArray[np.intp] | None = None,
) -> Array:
    """Leave-one-out predictions of the model on the first vectors; ``weights`` are needed where there are groups."""
    out = np.empty_like(targets)
    size = n_vectors + 1
    mass = taken if weights is None else weights
    parts = _left_out_parts(path.R[:size, :size], path.scores[:size], Z[:, :n_vectors], targets, mass, taken, groups)
    for rows, steps in parts:
        for output, left_out in enumerate(steps):
            out[rows, output] = left_out[-1]
    return out


def fit_temperature(scores: Array, codes: NDArray[np.int32], weights: Array) -> float:
    """The factor that makes softmax(factor * scores) the most likely for held-out scores; it keeps the order."""
    from scipy.optimize import minimize_scalar  # late: slow to import

    def loss(log_factor: float) -> float:
        scaled = np.exp(log_factor) * scores
        top = scaled.max(axis=1)
        log_sum = top + np.log(np.exp(scaled - top[:, None]).sum(axis=1))
        return float(weights @ (log_sum - scaled[np.arange(len(codes)), codes]))

    return float(np.exp(minimize_scalar(loss, bounds=(np.log(0.1), np.log(50.0)), method="bounded").x))
