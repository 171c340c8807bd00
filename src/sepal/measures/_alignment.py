"""Kernel alignment: the cosine between a Gram matrix and the target matrix T, which says what rows share a class.

A(K, T) = <K, T> / (|K| |T|), for the centred form with HKH and HTH in their place (H = I - 11'/n). T depends on the
classes of a pair only, T_ij = a_c [both in class c] + b, so that both need no more than the sums of K within classes,
its row sums and its squares. :func:`pair_sums` gets these from the native code for many widths in one pass over the
rows; this file is the only door to that code.

References
----------
N. Cristianini, J. Shawe-Taylor, A. Elisseeff, J. Kandola, "On kernel-target alignment", NIPS 2001.
C. Cortes, M. Mohri, A. Rostamizadeh, "Algorithms for learning kernels based on centered alignment", JMLR 13, 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

import sepal._native as _native
from sepal.data import as_weights, class_codes, row_groups
from sepal.exceptions import DataError, ParameterError
from sepal.kernels import as_gram
from sepal.parameters import checked
from sepal.progress import Share

Target = Literal["signed", "indicator", "balanced"]
Array = NDArray[np.float64]
_BLOCK_ROWS = 512


@dataclass(frozen=True, eq=False)
class ClassTarget:
    """The matrix T_ij = within_c [both in class c] + offset, by class; masses are the weights of the classes."""

    within: Array
    offset: float
    masses: Array

    def norm(self, centered: bool) -> float:
        """|T| or |HTH| over all pairs of rows."""
        T = np.diag(self.within) + self.offset
        shares = self.masses / self.masses.sum()
        if centered:
            means = T @ shares
            T = T - means[:, None] - means[None, :] + shares @ means
        return float(np.sqrt(self.masses @ T**2 @ self.masses))


def class_target(masses: ArrayLike, target: Target) -> ClassTarget:
    """The target of one of the three codings.

    "signed": 1 for the same class, -1/(C-1) for different ones, which for two classes is the product of labels ±1.
    "indicator": 1 and 0. "balanced": 1/n_c and 0, which gives every class the same weight.
    """
    n_c = np.asarray(masses, dtype=np.float64)
    others = max(1, n_c.size - 1)
    codings: dict[str, tuple[Array, float]] = {
        "signed": (np.full(n_c.size, 1.0 + 1.0 / others), -1.0 / others),
        "indicator": (np.ones(n_c.size), 0.0),
        "balanced": (1.0 / n_c, 0.0),
    }
    if target not in codings:
        raise ParameterError(f"target must be one of {', '.join(codings)}; got {target!r}")
    return ClassTarget(*codings[target], n_c)


@dataclass(frozen=True, eq=False)
class PairRows:
    """Distinct labelled rows, sorted by class, with the weight of each: what the native pass reads."""

    points: Array
    weights: Array
    codes: NDArray[np.int32]
    n_classes: int
    absolute: bool

    @property
    def masses(self) -> Array:
        """The weight of each class."""
        return np.bincount(self.codes, weights=self.weights, minlength=self.n_classes).astype(np.float64)

    @property
    def mean_distance(self) -> float:
        """The mean over all pairs of rows of D: squared differences, or absolute ones."""
        w = self.weights / self.weights.sum()
        if not self.absolute:
            centered = self.points - w @ self.points
            return float(2.0 * (w @ centered**2).sum())
        total = 0.0
        for column in self.points.T:
            order = np.argsort(column, kind="stable")
            below = np.cumsum(w[order])[:-1]
            total += 2.0 * float(np.sum(np.diff(column[order]) * below * (1.0 - below)))
        return total


def pair_rows(points: Array, codes: NDArray[np.int32], weights: Array, n_classes: int, *, absolute: bool) -> PairRows:
    """Merge equal rows of one class, whose weights add up, and sort by class."""
    group_of, first = row_groups(np.column_stack([points, codes]))
    mass = np.bincount(group_of, weights=weights, minlength=len(first)).astype(np.float64)
    order = np.argsort(codes[first], kind="stable")
    rows = first[order]
    return PairRows(
        np.ascontiguousarray(points.take(rows, axis=0), dtype=np.float64),
        mass[order],
        np.ascontiguousarray(codes[rows], dtype=np.int32),
        n_classes,
        absolute,
    )


@dataclass(frozen=True, eq=False)
class PairSums:
    """Sums over pairs of v = exp(-g D) - shift, and of D exp(-g D) in its place, one line per g."""

    shift: Array
    within: Array  # by class
    by_class: Array  # row sums, added up over the rows of each class
    rows_squared: Array  # sum_i w_i (row sum)^2
    squares: Array
    d_within: Array
    d_by_class: Array
    d_rows_product: Array  # sum_i w_i (row sum) (row sum of the derivative)
    d_squares: Array


def _chains(gammas: Array) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """An order in which a g that is twice an earlier one follows it directly, and which ones do."""
    ascending = np.argsort(gammas, kind="stable")
    left = list(ascending)
    order: list[int] = []
    doubles: list[int] = []
    while left:
        at = left.pop(0)
        order.append(at)
        doubles.append(0)
        while True:
            twice = [i for i in left if abs(gammas[i] - 2.0 * gammas[at]) <= 4e-16 * gammas[i]]
            if not twice:
                break
            at = twice[0]
            left.remove(at)
            order.append(at)
            doubles.append(1)
    return np.array(order, dtype=np.intp), np.array(doubles, dtype=np.int32)


def pair_sums(
    rows: PairRows,
    gammas: Array,
    *,
    threads: int,
    derivative: bool = False,
    progress: Share | None = None,
) -> PairSums:
    """All sums of :class:`PairSums` for every g, in one pass over the pairs of rows."""
    order, doubles = _chains(gammas)
    # Centred sums of a wide kernel cancel; those of exp(-gD) - 1 do not. For narrow ones it is the other way round.
    shifted = (gammas * rows.mean_distance < 0.5)[order]
    found = _native.alignment_sums(
        points=rows.points,
        weights=rows.weights,
        classes=rows.codes,
        n_classes=rows.n_classes,
        gammas=np.ascontiguousarray(gammas[order]),
        doubles=doubles,
        shifted=shifted.astype(np.int32),
        absolute=rows.absolute,
        derivative=derivative,
        threads=threads,
        progress=progress,
    )
    back = np.argsort(order)
    n_steps, w = len(order), rows.weights
    row_sums, within, squares = (a.reshape(n_steps, -1) for a in (found.rows, found.within, found.squares))
    d_rows, d_within, d_squares = (a.reshape(n_steps, -1) for a in (found.d_rows, found.d_within, found.d_squares))
    membership = np.zeros((len(w), rows.n_classes))
    membership[np.arange(len(w)), rows.codes] = w
    if not derivative:
        d_rows, d_within, d_squares = np.zeros_like(row_sums), np.zeros_like(within), np.zeros_like(squares)
    return PairSums(
        shifted.astype(np.float64)[back],
        within[back],
        (row_sums @ membership)[back],
        (row_sums**2 @ w)[back],
        squares[back, 0],
        d_within[back],
        (d_rows @ membership)[back],
        ((row_sums * d_rows) @ w)[back],
        d_squares[back, 0],
    )


def alignment_solve(sums: PairSums, target: ClassTarget, *, centered: bool) -> tuple[Array, Array]:
    """The alignment for every g, and its derivative by g (0 if the sums hold none)."""
    n_c, n = target.masses, target.masses.sum()
    shares = n_c / n
    total, d_total = sums.by_class.sum(axis=1), sums.d_by_class.sum(axis=1)
    if centered:
        # <HKH, T> and |HKH|^2 do not change when a constant is taken off K.
        inner = (sums.within - 2.0 * shares * sums.by_class + shares**2 * total[:, None]) @ target.within
        d_inner = -(sums.d_within - 2.0 * shares * sums.d_by_class + shares**2 * d_total[:, None]) @ target.within
        square = sums.squares - 2.0 / n * sums.rows_squared + total**2 / n**2
        d_square = -2.0 * (sums.d_squares - 2.0 / n * sums.d_rows_product + total * d_total / n**2)
    else:
        inner = (sums.within + sums.shift[:, None] * n_c**2) @ target.within
        inner += target.offset * (total + sums.shift * n**2)
        d_inner = -(sums.d_within @ target.within + target.offset * d_total)
        square = sums.squares + sums.shift * (2.0 * total + n**2)
        d_square = -2.0 * (sums.d_squares + sums.shift * d_total)
    norm = target.norm(centered)
    safe = np.where(square > 0.0, square, 1.0)
    scores = np.where(square > 0.0, inner / (np.sqrt(safe) * norm), 0.0)
    slopes = np.where(square > 0.0, (d_inner - inner * d_square / (2.0 * safe)) / (np.sqrt(safe) * norm), 0.0)
    return scores, slopes


@checked()
def kernel_alignment(
    K: ArrayLike,
    y: ArrayLike | Any,
    *,
    centered: bool = True,
    target: Target = "signed",
    sample_weight: ArrayLike | None = None,
) -> float:
    """How well a Gram matrix agrees with the classes: 1 for perfect agreement, about 0 for none.

    Parameters
    ----------
    K : array-like, shape (n, n)
        A symmetric kernel matrix.
    y : array-like
        Class labels, two or more classes.
    centered : bool
        Centre both matrices first. Plain alignment rewards constant offsets and unequal class sizes: the matrix of
        ones scores ((n1 - n2) / n)^2.
    target : {"signed", "indicator", "balanced"}
        What pairs should look like: 1 within a class and -1/(C-1) across (the product of labels ±1 for two classes);
        1 and 0; or 1/n_c and 0, which gives every class the same weight. The first two agree when centred.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    float
        Between -1 and 1; not below 0 for a positive semidefinite K when centred. A matrix that is constant has no
        direction: 0.

    References
    ----------
    Cristianini et al. 2001 (plain); Cortes, Mohri, Rostamizadeh 2012 (centred).

    Examples
    --------
    >>> kernel_alignment([[1, 1, 0], [1, 1, 0], [0, 0, 1]], ["a", "a", "b"])
    1.0
    >>> round(kernel_alignment([[1, 0, 0], [0, 1, 0], [0, 0, 1]], ["a", "a", "b"], centered=False), 4)
    0.5774
    """
    matrix = as_gram(K)
    codes, classes = class_codes(y)
    if len(codes) != len(matrix):
        raise DataError(f"K has {len(matrix)} rows and y has {len(codes)} labels", hint="give one label for every row")
    weights = row_weights(sample_weight, len(codes))
    masses = np.bincount(codes, weights=weights, minlength=len(classes))
    if np.any(masses == 0):
        raise DataError("sample_weight: every class needs a row of positive weight")
    wanted = class_target(masses, target)
    means = matrix @ weights / weights.sum() if centered else np.zeros(len(matrix))
    middle = float(weights @ means / weights.sum())
    membership = np.eye(len(classes))[codes] * weights[:, None]
    inner = square = 0.0
    for start in range(0, len(matrix), _BLOCK_ROWS):
        part = slice(start, start + _BLOCK_ROWS)
        block = matrix[part] - means[part, None] - means[None, :] + middle
        to_classes = block @ membership
        within = to_classes[np.arange(len(block)), codes[part]] * wanted.within[codes[part]]
        inner += float(weights[part] @ (within + wanted.offset * to_classes.sum(axis=1)))
        square += float(weights[part] @ block**2 @ weights)
    # What centring leaves of a constant matrix is rounding noise.
    if square <= (1e-13 * np.abs(matrix).max() * weights.sum()) ** 2:
        return 0.0
    return float(np.clip(inner / (np.sqrt(square) * wanted.norm(centered)), -1.0, 1.0))


def row_weights(sample_weight: ArrayLike | None, n_rows: int) -> Array:
    """Checked weights, 1 per row if none are given."""
    if sample_weight is None:
        return np.ones(n_rows)
    return as_weights(sample_weight, n_rows)
