"""Parzen windows, or the probabilistic neural network: a Gaussian around every row, the class of highest density.

References
----------
E. Parzen, "On estimation of a probability density function and mode", Ann. Math. Stat. 33, 1962.
D. F. Specht, "Probabilistic neural networks", Neural Networks 3, 1990.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from sepal.data import fit_scaling, unit_of
from sepal.estimators import Diet, TableEstimator
from sepal.exceptions import ParameterError
from sepal.kernels import squared_distances
from sepal.machines._class_scores import ClassScores
from sepal.machines._equal_rows import order_keys
from sepal.machines._kernel_rows import (
    Array,
    aligned_width,
    class_sample,
    class_weight_factors,
    labelled_table,
)
from sepal.machines._parameters import PARZEN
from sepal.parameters import check_numbers

_BLOCK_NUMBERS = 4_000_000
_LOO_ROWS = 5000  # widths are compared by leaving out at most this many rows, each against all others
# Widths for "loo": the root mean squared distance times these. Gamma doubles with every other one.
_WIDTHS = (1e-150, 1e150)  # beyond these the square of a width is no number; rows are near 1
_NOTHING = 1e-12  # the share of a class that rounding leaves when all of it went
_LOO_FACTORS = 2.0 ** (np.arange(-24, 9) / 4.0)


def log_densities(
    queries: Array, rows: Array, codes: NDArray[np.int32], weights: Array, gamma: float, n_classes: int
) -> Array:
    """Log sum_j w_j exp(-gamma |x - x_j|^2) over the rows of each class, shape (queries, classes)."""
    out = np.empty((len(queries), n_classes))
    step = max(16, _BLOCK_NUMBERS // len(rows))
    members = [np.flatnonzero(codes == c) for c in range(n_classes)]
    for start in range(0, len(queries), step):
        part = queries[start : start + step]
        for c, inside in enumerate(members):
            D = squared_distances(part, rows[inside])
            nearest = D.min(axis=1, keepdims=True)
            D -= nearest
            D *= -gamma
            out[start : start + step, c] = np.log(np.exp(D, out=D) @ weights[inside]) - gamma * nearest[:, 0]
    return out


def left_out_log_densities(
    rows: Array,
    codes: NDArray[np.int32],
    weights: Array,
    gammas: Array,
    n_classes: int,
    left_out: NDArray[np.intp],
    groups: NDArray[np.intp] | None = None,
) -> Array:
    """The same for training rows, each without one copy of itself, for every gamma: shape (gammas, left_out, classes).

    Where there are groups, each without all rows of its own.
    -inf where nothing of a class is left. ``gammas`` ascend; one that is twice an earlier one costs a square only.
    """
    out = np.full((len(gammas), len(left_out), n_classes), -np.inf)
    step = max(16, _BLOCK_NUMBERS // len(rows))
    before = {i: j for i in range(len(gammas)) for j in range(i) if gammas[i] == 2.0 * gammas[j]}
    last_use = {j: i for i, j in before.items()}
    for start in range(0, len(left_out), step):
        part = left_out[start : start + step]
        for c in range(n_classes):
            inside = np.flatnonzero(codes == c)
            mass = np.broadcast_to(weights[inside], (len(part), len(inside))).copy()
            if groups is None:
                own = inside[None, :] == part[:, None]
                mass[own] -= np.minimum(mass[own], 1.0)
            else:
                own = groups[inside][None, :] == groups[part][:, None]
                mass[own] = 0.0
            D = squared_distances(rows[part], rows[inside])
            D[own] = 0.0
            nearest = np.where(mass > 0, D, np.inf).min(axis=1)
            some = np.isfinite(nearest)
            gap = np.where(mass > 0, D - np.where(some, nearest, 0.0)[:, None], np.inf)
            kept: dict[int, Array] = {}
            for i, gamma in enumerate(gammas):
                K = kept.pop(before[i]) ** 2 if i in before else np.exp(-gamma * gap)
                if i in last_use:
                    kept[i] = K
                total = np.einsum("ij,ij->i", K, mass)
                log_total = np.log(np.where(some, total, 1.0)) - gamma * np.where(some, nearest, 0.0)
                out[i, start : start + step, c] = np.where(some, log_total, -np.inf)
    return out


def log_priors(priors: Any, masses: Array) -> Array:
    """Log of prior / mass of the class: what a class's sum of kernels is multiplied by."""
    if isinstance(priors, str):
        if priors not in ("equal", "empirical"):
            raise ParameterError(f"priors must be 'equal', 'empirical' or one number per class; got {priors!r}")
        shares = np.full(len(masses), 1.0 / len(masses)) if priors == "equal" else masses / masses.sum()
    else:
        shares = check_numbers("priors", priors, length=len(masses), above=0.0)
        shares = shares / shares.sum()
    return np.asarray(np.log(shares))


def left_out_scores(
    rows: Array,
    codes: NDArray[np.int32],
    weights: Array,
    gammas: Array,
    log_priors: Array,
    left_out: NDArray[np.intp],
    groups: NDArray[np.intp] | None = None,
) -> Array:
    """Log of prior times density of the left-out rows, shape (gammas, left_out, classes)."""
    masses = np.bincount(codes, weights=weights, minlength=len(log_priors))
    scores = left_out_log_densities(rows, codes, weights, gammas, len(masses), left_out, groups)
    if groups is None:
        own = np.minimum(weights[left_out], 1.0)[:, None] * (codes[left_out, None] == np.arange(len(masses)))
    else:
        gone = np.zeros((int(groups.max()) + 1, len(masses)))
        np.add.at(gone, (groups, codes), weights)
        own = gone[groups[left_out]]
    size = masses[None, :] - own
    scores += log_priors - np.log(np.where(size > _NOTHING * masses, size, 1.0))
    return np.asarray(scores)


def parzen_solve(
    rows: Array,
    codes: NDArray[np.int32],
    weights: Array,
    widths: Array,
    log_priors: Array,
    left_out: NDArray[np.intp],
    factors: Array,
    groups: NDArray[np.intp] | None = None,
) -> tuple[float, Array]:
    """The width of the highest leave-one-out accuracy, and that accuracy for every width.

    Of equally accurate widths the one with the higher mean log probability of the true class. Errors count by the
    factor of their class.
    """
    order = np.argsort(-widths)  # gammas ascend
    gammas = 1.0 / (2.0 * widths[order] ** 2)
    for i in range(len(gammas)):
        gammas[np.abs(gammas - 2.0 * gammas[i]) <= 1e-14 * gammas] = 2.0 * gammas[i]
    scores = left_out_scores(rows, codes, weights, gammas, log_priors, left_out, groups)
    true = codes[left_out]
    mass = weights[left_out] * factors[true]
    right = scores.argmax(axis=2) == true
    accuracy = right @ mass / mass.sum()
    top = scores.max(axis=2, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    log_sum = top[:, :, 0] + np.log(np.exp(scores - top).sum(axis=2))
    own = np.take_along_axis(scores, true[None, :, None], axis=2)[:, :, 0]
    likelihood = np.maximum(np.where(np.isfinite(own), own - log_sum, -700.0), -700.0) @ mass
    best = max(range(len(gammas)), key=lambda i: (round(accuracy[i], 12), likelihood[i]))
    by_width = np.empty(len(widths))
    by_width[order] = accuracy
    return float(widths[order[best]]), by_width


class ParzenClassifier(ClassScores, TableEstimator):
    """Kernel density classifier (Parzen windows): the class of the highest density, with a Gaussian around every row.

    Parameters
    ----------
    width : "loo", "aligned" or float
        The width sigma of ``exp(-|x-z|^2 / (2 sigma^2))`` on scaled columns: by exact leave-one-out accuracy over 33
        widths, where centred alignment peaks, or as given. As the width goes to 0 the rule becomes the nearest
        neighbour's.
    priors : {"equal", "empirical"} or array-like
        Of the classes, in sorted order. "empirical" is the plain sum of windows.
    class_weight : mapping, "balanced" or None
        Factors of the priors, and of errors in the leave-one-out accuracy.
    scale : {"minmax", "standard"} or None
        How columns are scaled first.
    random_state : int or RandomState
        For the rows that are left out, when there are more than 5000.
    n_jobs : int, optional
        Threads for the alignment.

    Attributes
    ----------
    classes_ : ndarray
    width_ : float
    loo_widths_, loo_scores_ : ndarray
        The widths tried and the leave-one-out accuracy of each (``width="loo"`` only).
    loo_score_ : float
        The leave-one-out accuracy at ``width_``, for any ``width``.

    Examples
    --------
    >>> import sepal.datasets
    >>> table = sepal.datasets.load("athletes")
    >>> ParzenClassifier().fit(table.values, table.y).predict([[3.0, 8.0]]).tolist()
    ['no']
    """

    parameter_table = PARZEN

    def __init__(
        self,
        width: Any = "loo",
        *,
        priors: Any = "equal",
        class_weight: Any = None,
        scale: Any = "minmax",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.width = width
        self.priors = priors
        self.class_weight = class_weight
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _diet(self) -> Diet:
        return Diet(hint="KNNClassifier and SepalClassifier take nominal columns")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> ParzenClassifier:
        """Keep the rows, and find the width.

        Parameters
        ----------
        X, y, sample_weight
            Rows, their classes (a Table brings its own), and how often each row counts.
        groups : array-like, "rows", "copies" or None
            For leave-one-out. Labels: rows of one group are left out together; "rows": each row alone; "copies": with
            all rows equal to it. None: copies where their numbers show that records were repeated, else each alone.
        """
        training = labelled_table(self, self._training_numbers(X)[0], X, y, sample_weight, groups, kernel="rbf")
        table, codes, weights = training.table, training.codes, training.copies
        masses = np.bincount(codes, weights=weights, minlength=len(self.classes_)).astype(np.float64)
        self._scaling = fit_scaling(table.values, table.kinds, self.scale, levels=table.levels, weights=weights)
        self._unit = unit_of(table.values) if self.scale is None else 1.0
        if self.scale is None:
            self._scaling = replace(self._scaling, shrink=np.full(table.n_columns, self._unit))
        scaled = self._scaling.apply(table.values)
        self._center = weights @ scaled / weights.sum()
        rows = scaled - self._center
        factors = class_weight_factors(self.class_weight, self.classes_, codes, weights)
        shares = log_priors(self.priors, masses) + np.log(factors)
        left_out = class_sample(codes, order_keys(scaled, codes), _LOO_ROWS, self.random_state)
        if isinstance(self.width, str) and self.width == "loo":
            spread = float(np.sqrt(2.0 * (weights @ rows**2).sum() / weights.sum())) or 1.0
            widths = spread * _LOO_FACTORS
            self._width, self.loo_scores_ = parzen_solve(
                rows, codes, weights, widths, shares, left_out, factors, training.groups
            )
            self.loo_score_ = float(self.loo_scores_[widths == self._width][0])
            self.loo_widths_ = widths / self._unit
        else:
            self._width = self._given_width(table, scaled, codes, weights)
            only = np.array([self._width])
            _, scores = parzen_solve(rows, codes, weights, only, shares, left_out, factors, training.groups)
            self.loo_score_ = float(scores[0])
        self.width_ = self._width / self._unit  # in the units given
        self._rows, self._codes, self._weights = rows, codes, weights
        self._offsets = shares - np.log(masses)
        self._log_total = float(logsumexp(shares))  # of priors that were given factors
        return self

    def _given_width(self, table: Any, scaled: Array, codes: NDArray[np.int32], weights: Array) -> float:
        if isinstance(self.width, str) and self.width == "aligned":
            return aligned_width(replace(table, values=scaled), codes, weights, "rbf", self.n_jobs)
        return float(np.clip(float(self.width) * self._unit, *_WIDTHS))

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self)
        table = self._new_numbers(X)
        queries = self._scaling.apply(table.values) - self._center
        gamma = 1.0 / (2.0 * self._width**2)
        return self._offsets + log_densities(queries, self._rows, self._codes, self._weights, gamma, len(self.classes_))

    def score_samples(self, X: Any) -> Array:
        """The log of the density of each row, whatever its class: that of the classes, mixed by their priors.

        Densities are in the units of the columns as given, whatever ``scale``: one column in millimetres instead of
        metres takes log 1000 off. Low numbers are rows unlike all training rows.

        Examples
        --------
        >>> machine = ParzenClassifier(1.0, scale=None).fit([[0.0], [0.0], [9.0]], [0, 0, 1])
        >>> machine.score_samples([[0.0], [99.0]]).round(3).tolist()  # log(1/2) - log(2 pi) / 2, and hardly anything
        [-1.612, -4051.612]
        """
        scores, n_columns = self._scores(X), self._rows.shape[1]
        # From scaled columns to those given.
        unit = np.log(self._scaling.shrink) - np.log(self._scaling.divisor)
        gauss = 0.5 * n_columns * np.log(2.0 * np.pi) + n_columns * np.log(self._width)
        return np.asarray(logsumexp(scores, axis=1) - self._log_total - gauss + unit.sum())
