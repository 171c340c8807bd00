"""One member of the average: Fisher's discriminant, for classes that a plane separates.

A wide kernel comes near to a plane, but has a coefficient for each row; with few rows the discriminant has the smaller
variance and the better probabilities. The ridge is chosen by the log-loss of the
left-out rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import softmax

from sepal.auto._candidates import Candidates
from sepal.auto._group_left_out import Groups, groups_by_size
from sepal.auto._judging import ClassJudge
from sepal.data import Table
from sepal.estimators import View

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
Factor = tuple[Array, bool]
_CELLS = 4_000_000  # numbers held at a time
LINEAR_RIDGES = (1e-6, 1e-3, 1e-2, 1e-1, 1.0, 10.0)  # shares of the mean variance within classes


@dataclass(frozen=True, eq=False)
class LinearMember:
    """P(c | x) proportional to exp(x'slopes_c + offsets_c).

    Attributes
    ----------
    view : View
    slopes : ndarray, shape (coordinates, classes)
    offsets : ndarray, shape (classes,)
    ridge : float
        By which it was fitted, a share of the mean variance within classes.
    """

    view: View
    slopes: Array
    offsets: Array
    ridge: float = 0.0

    name = "linear"

    def decisions(self, table: Table, threads: int = 1) -> Array:
        """Probabilities for new rows."""
        return np.asarray(softmax(self.view.coordinates(table) @ self.slopes + self.offsets, axis=1))


def fit_linear(view: View, table: Table, codes: Codes, judge: ClassJudge) -> tuple[LinearMember, Candidates]:
    """The discriminant with the best ridge, and for every ridge the probabilities of each row without itself."""
    X = view.coordinates(table)
    left_out = np.stack(
        [softmax(fisher_left_out(X, codes, ridge, judge.groups, judge.mass), axis=1) for ridge in LINEAR_RIDGES]
    )
    tried = Candidates(left_out, judge.surprise(left_out)[None])
    best = int((tried.losses[0] @ judge.weights).argmin())
    return linear_of(view, *_scatter(X, codes, judge.mass), LINEAR_RIDGES[best]), tried


def linear_of(view: View, counts: Array, means: Array, scatter: Array, ridge: float) -> LinearMember:
    """The discriminant from rows and mean of each class and the scatter within classes."""
    slopes = max(counts.sum() - len(counts), 1.0) * cho_solve(_factor(counts, scatter, ridge), means.T)
    offsets = np.log(counts) - 0.5 * np.einsum("cj,jc->c", means, slopes)
    return LinearMember(view, slopes, offsets, ridge)


def _factor(counts: Array, scatter: Array, ridge: float) -> Factor:
    """Cholesky factor of the scatter plus its ridge."""
    p = len(scatter)
    return cho_factor(scatter + np.eye(p) * (ridge * np.trace(scatter) / max(p, 1) + 1e-12 * counts.sum()))


def _within(X: Array, codes: Codes, ridge: float, mass: Array | None = None) -> tuple[Array, Array, Factor]:
    """Rows (or their mass) and mean of each class, and the factor of the scatter within classes with its ridge."""
    counts, means, scatter = _scatter(X, codes, mass)
    return counts, means, _factor(counts, scatter, ridge)


def _scatter(X: Array, codes: Codes, mass: Array | None = None) -> tuple[Array, Array, Array]:
    counts = np.bincount(codes, weights=mass).astype(np.float64)
    if mass is None:
        means = np.stack([X[codes == c].mean(axis=0) for c in range(len(counts))])
    else:
        means = np.stack([mass[codes == c] @ X[codes == c] / counts[c] for c in range(len(counts))])
    within = X - means[codes]
    return counts, means, (within if mass is None else mass[:, None] * within).T @ within


def fisher_left_out(
    X: Array, codes: Codes, ridge: float, groups: Groups | None = None, mass: Array | None = None
) -> Array:
    """Fisher's decisions for every row and class, the row itself (or its group) left out.

    That is minus half the squared distance to the class mean, plus the log of the prior.

    Without row x of class c (n_c rows, mean m, v = x - m) the scatter within classes W loses a v v' with
    a = n_c / (n_c - 1), and x - m becomes a v. With B = W + ridge I, u = B^-1 v and h = v'u (Sherman and Morrison)
    z' B_x^-1 z = z' B^-1 z + a (z'u)^2 / (1 - a h). A row of mass w leaves with it: then
    a = n_c / (n_c - w), and the scatter loses a w v v'.
    """
    if groups is not None:
        return _without_groups(X, codes, ridge, groups, mass)
    n = len(X)
    counts, means, factor = _within(X, codes, ridge, mass)
    solved, solved_means = cho_solve(factor, X.T).T, cho_solve(factor, means.T).T
    rows, own, w = np.arange(n), counts[codes], np.ones(n) if mass is None else mass
    remain = counts - np.eye(len(counts))[codes] * w[:, None]
    remain[(np.bincount(codes)[codes][:, None] == 1) & (np.eye(len(counts))[codes] == 1.0)] = 0.0  # no rounding
    square = (X * solved).sum(axis=1)[:, None] - 2.0 * X @ solved_means.T + (means * solved_means).sum(axis=1)
    u = solved - solved_means[codes]
    along = (X * u).sum(axis=1)[:, None] - u @ means.T
    with np.errstate(divide="ignore"):
        rest = remain[rows, codes]
        a = np.where(rest > 0.0, own / rest, 1.0)
        h = square[rows, codes]
        left = np.maximum(1.0 - w * a * h, 1e-12)
        distance = square + (w * a / left)[:, None] * along**2
        distance[rows, codes] = a**2 * h / left
        log_prior = np.log(remain)  # -inf: the class was this row alone
    freedom = np.maximum(counts.sum() - w - len(counts), 1.0)
    return np.asarray(-0.5 * freedom[:, None] * distance + log_prior)


def _without_groups(X: Array, codes: Codes, ridge: float, groups: Groups, mass: Array | None) -> Array:
    """Fisher's decisions without a row's group.

    Without the rows of a group, v_i = x_i - m_c(i) from the means of their classes, of which g_c are of class c, the
    scatter W loses V'M V, M_ij = [i = j] + [c(i) = c(j)] / (n_c - g_c), and the mean of class c moves by
    - sum v_i / (n_c - g_c). With B = W + ridge I (Woodbury)
    z'(B - V'M V)^-1 z = z'B^-1 z + (V B^-1 z)' (M^-1 - V B^-1 V')^-1 (V B^-1 z). Rows of mass
    w count as sqrt(w) v_i in V, with M_ij = [i = j] + [c(i) = c(j)] sqrt(w_i w_j) / (n_c - g_c).
    """
    counts, means, factor = _within(X, codes, ridge, mass)
    root = np.ones(len(X)) if mass is None else np.sqrt(mass)
    rows_of = np.bincount(codes)
    solved, solved_means = cho_solve(factor, X.T).T, cho_solve(factor, means.T).T
    v, solved_v = root[:, None] * (X - means[codes]), root[:, None] * (solved - solved_means[codes])
    membership = np.eye(len(counts))[codes]
    out = np.empty((len(X), len(counts)))
    for rows in groups_by_size(groups):
        step = max(1, _CELLS // (rows.shape[1] * len(counts) * max(X.shape[1], rows.shape[1])))
        for begin in range(0, len(rows), step):
            part = rows[begin : begin + step]  # (groups, size)
            own = membership[part] * root[part][:, :, None]
            # What remains of each class; nothing, and no rounding, where all its rows are in the group.
            whole = rows_of == membership[part].sum(axis=1)
            left = np.where(whole, 0.0, counts - (own**2).sum(axis=1))
            share = np.divide(1.0, left, out=np.zeros_like(left), where=left > 0)
            V, solved_V = v[part], solved_v[part]
            moved = np.einsum("gsc,gc,gsp->gcp", own, share, V)
            solved_moved = np.einsum("gsc,gc,gsp->gcp", own, share, solved_V)
            z = X[part][:, :, None] - means + moved[:, None]
            solved_z = solved[part][:, :, None] - solved_means + solved_moved[:, None]
            same = np.einsum("gsc,gc,gtc->gst", own, share, own)
            eye = np.eye(rows.shape[1])
            inner = np.linalg.inv(eye + same) - V @ solved_V.transpose(0, 2, 1) + 1e-12 * eye
            along = np.einsum("gtp,gscp->gtsc", solved_V, z)
            flat = along.reshape(*along.shape[:2], -1)
            more = (flat * np.linalg.solve(inner, flat)).sum(axis=1).reshape(z.shape[:3])
            distance = (z * solved_z).sum(axis=3) + more
            freedom = np.maximum(counts.sum() - (own**2).sum(axis=(1, 2)) - len(counts), 1.0)[:, None, None]
            with np.errstate(divide="ignore"):
                out[part] = -0.5 * freedom * distance + np.log(left)[:, None]  # -inf: the class was this group alone
    return out
