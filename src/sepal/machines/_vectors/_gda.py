"""Generalized discriminant analysis: Fisher's discriminant in the feature space of a kernel, regularised.

Coordinates on feature vectors are orthonormal in feature space, and enough of them span all training rows. Fisher's
problem with a ridge, max v'Bv / v'(T + mu I)v, does not depend on the choice of orthonormal coordinates, so the
analysis on all vectors is the one on the full kernel, and fewer vectors make it sparse.

References
----------
G. Baudat, F. Anouar, "Generalized discriminant analysis using a kernel approach", Neural Computation 12, 2000.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sepal.exceptions import DataError
from sepal.machines._class_scores import ClassScores
from sepal.machines._kernel_rows import Array, KernelChoice, class_weight_factors, labelled_table
from sepal.machines._parameters import DISCRIMINANT
from sepal.machines._parzen import log_priors
from sepal.machines._vectors._map import vectors_solve
from sepal.machines._vectors._models import without_group
from sepal.machines._vectors._selector import VectorParameters

_LEAST_RIDGE = 1e-8  # for left-out rows: without any ridge a kernel of full rank lets every row decide its own fit
_NO_DIFFERENCE = 1e-12  # the root of a scatter ratio: class means that do not differ on an axis
_NO_AGREEMENT = 1e-8  # the share of the difference of class means that is left for rows left out: rounding errors
_ROUNDED = 1e-9  # part of a direction that is nothing but rounding
_LEAST_SPREAD = 1e-3  # the variance of rows left out, in units of that of the class means of the rows themselves


@dataclass(frozen=True, eq=False)
class Discriminant:
    """Axes in coordinates Z: (Z - mean) @ axes; the ratios of between to total scatter.

    ``means`` and ``within`` are the class means and the pooled covariance of the training rows on the axes, each row
    projected by an analysis that was not given it: where unseen rows will fall. ``within`` is never singular. In
    directions that tell nothing of rows left out all means are equal.
    """

    mean: Array
    axes: Array
    ratios: Array
    means: Array
    within: Array


def discriminant_solve(
    Z: Array,
    codes: NDArray[np.int32],
    weights: Array,
    taken: Array,
    n_classes: int,
    alpha: float,
    n_components: int,
    groups: NDArray[np.intp] | None = None,
) -> Discriminant:
    """Fisher's axes of weighted rows. The ridge is ``alpha`` times the largest eigenvalue of the total scatter.

    ``taken`` is the weight that leaves with one copy of a row, or with the row where ``groups`` leave.
    """
    mass = weights.sum()
    mean = weights @ Z / mass
    centered = Z - mean
    values, vectors = eigh(centered.T @ (centered * weights[:, None]))
    if not values[-1] > 0:
        raise DataError("all rows are equal in feature space: there is no direction to discriminate by")
    # Directions in which the rows do not vary hold nothing but rounding errors.
    kept = values > values[-1] * len(values) * np.finfo(np.float64).eps
    values, vectors = values[kept], vectors[:, kept]
    principal = centered @ vectors
    membership = np.eye(n_classes)[codes]
    masses = weights @ membership
    sums = principal.T @ (membership * weights[:, None])
    roots = np.sqrt(values + alpha * values[-1])
    left, singular, right = np.linalg.svd(sums / roots[:, None] / np.sqrt(masses), full_matrices=False)
    size = min(n_components, n_classes - 1, len(values))
    axes = (vectors / roots) @ left[:, :size]
    # The class means on the axes are these times the singular values. Signs are free: the last class is positive.
    places = right[:size].T / np.sqrt(masses)[:, None]
    apart = np.abs(places) > 1e-6 * np.abs(places).max(axis=0)
    signs = np.sign(places[n_classes - 1 - apart[::-1].argmax(axis=0), np.arange(size)])
    # Optimal scoring (Hastie, Tibshirani, Buja 1994): the axes are the ridge regression of the membership times these.
    told = singular[:size] > _NO_DIFFERENCE
    scoring = signs * places * np.where(told, 1.0 / np.where(told, singular[:size], 1.0), 0.0)
    outputs = _left_out_outputs(principal, values, sums, membership, weights, taken, max(alpha, _LEAST_RIDGE))
    if groups is not None:
        _leave_groups_out(outputs, principal, values, sums, membership, weights, groups, max(alpha, _LEAST_RIDGE))
    means, within = _spread(outputs @ scoring, codes, weights, masses)
    means, within = _believed(means, within, signs * places * singular[:size], masses)
    return Discriminant(mean, axes * signs, singular[:size] ** 2, means, within)


def _left_out_outputs(
    principal: Array, values: Array, sums: Array, membership: Array, weights: Array, taken: Array, alpha: float
) -> Array:
    """What ridge regressions of the class membership, each without its row, say of that row, less their mean output.

    Exact: with q the leverage of a row of weight 1, the residual without the row is residual / (1 - taken q).
    """
    mass = weights.sum()
    shrunk = values + alpha * values[-1]
    shares = weights @ membership / mass
    leverage = 1.0 / mass + np.einsum("ij,ij,j->i", principal, principal, 1.0 / shrunk)
    rest = np.maximum(1.0 - taken * leverage, np.finfo(np.float64).eps)
    outputs = membership - (membership - shares - principal @ (sums / shrunk[:, None])) / rest[:, None]
    remain = np.maximum(mass - taken, np.finfo(np.float64).tiny)[:, None]
    return np.asarray(outputs - (mass * shares - taken[:, None] * membership) / remain)


def _leave_groups_out(
    outputs: Array,
    principal: Array,
    values: Array,
    sums: Array,
    membership: Array,
    weights: Array,
    groups: NDArray[np.intp],
    alpha: float,
) -> None:
    """The same for rows of groups of several, each by the regression without its group, into ``outputs``."""
    mass = weights.sum()
    roots = np.sqrt(values + alpha * values[-1])
    totals = weights @ membership
    scores = np.vstack([totals / np.sqrt(mass), sums / roots[:, None]])
    for group in np.flatnonzero(np.bincount(groups) > 1):
        rows = np.flatnonzero(groups == group)
        Q = np.vstack([np.full(len(rows), 1.0 / np.sqrt(mass)), principal[rows].T / roots[:, None]])
        found = without_group(Q, scores, membership[rows], weights[rows])[:, -1].T
        rest = totals - weights[rows] @ membership[rows]
        outputs[rows] = found - rest / max(float(rest.sum()), np.finfo(np.float64).tiny)


def _spread(rows: Array, codes: NDArray[np.int32], weights: Array, masses: Array) -> tuple[Array, Array]:
    """Class means and pooled covariance of weighted rows."""
    means = np.stack([np.bincount(codes, weights=weights * column) / masses for column in rows.T], axis=1)
    inside = rows - means[codes]
    within = inside.T @ (inside * weights[:, None]) / weights.sum()
    total = float(weights @ (rows**2).sum(axis=1)) / weights.sum()
    floor = np.finfo(np.float64).eps * max(total, np.finfo(np.float64).tiny)
    return means, within + floor * np.eye(rows.shape[1])


def _believed(means: Array, within: Array, fitted: Array, masses: Array) -> tuple[Array, Array]:
    """Means and covariance of rows left out, where they bear out those of the rows that found the axes, ``fitted``.

    With a kernel near the identity rows left out all fall on one point, up to rounding errors, and the rows themselves
    far from it: that point must not decide their classes, and least of all with certainty. Directions are judged, and
    not axes: where singular values are equal, any rotation of their axes is as good.
    """
    share = masses / masses.sum()
    units = np.sqrt(share @ fitted**2)
    units[units == 0.0] = 1.0
    agreement = (fitted / units).T @ (share[:, None] * (means / units))
    told, directions = eigh((agreement + agreement.T) / 2)
    directions[np.abs(directions) < _ROUNDED] = 0.0  # an axis stays that axis
    kept = directions * (told > _NO_AGREEMENT)
    project = kept @ kept.T
    relative = project @ (within / np.outer(units, units)) @ project + np.eye(len(units)) - project
    values, vectors = eigh(relative)
    if np.all(told > _NO_AGREEMENT) and values[0] >= _LEAST_SPREAD:
        return means, within
    relative = (vectors * np.maximum(values, _LEAST_SPREAD)) @ vectors.T
    return means / units @ project * units, relative * np.outer(units, units)


class GeneralizedDiscriminant(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    ClassScores,
    TransformerMixin,  # type: ignore[misc]
    VectorParameters,
):
    """Kernel Fisher discriminant: at most (classes - 1) axes that part the classes best, and the classifier on them.

    Parameters
    ----------
    n_components : int, optional
        How many axes; classes - 1 by default.
    alpha : float
        The ridge, as a share of the largest eigenvalue of the total scatter. With 0 and a kernel of full rank every
        class of the training rows collapses to a point.
    n_vectors : int or None
        Work on this many feature vectors. None: on the full kernel, O(n^3).
    priors : {"empirical", "equal"} or array-like
        Of the classes, in sorted order, for ``predict``.
    class_weight : mapping, "balanced" or None
        Multiplies the weights of the rows of each class, in means, scatter and empirical priors; given priors are
        multiplied too.
    kernel, width, gamma, degree, coef0, scale, criterion, n_candidates, fitness, tol, random_state, n_jobs
        As in :class:`FeatureVectorClassifier`; the width is a number, "aligned" or "scale".

    Attributes
    ----------
    classes_ : ndarray
    scatter_ratio_ : ndarray
        Between-class share of the (regularised) total scatter on each axis, between 0 and 1.
    means_ : ndarray, shape (classes, axes)
        The class means of the training rows on the axes, each row projected by the analysis of the others: where rows
        of the class are to be expected. Together with the spread around them these make ``predict``; rows that took
        part in finding the axes lie further apart. 0 on an axis on which rows left out do not fall to the side of their
        class: such an axis has no part in the answers.
    vector_rows_, n_vectors_, fitness_, width_, gamma_
        As in :class:`FeatureVectorSelector`.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> GeneralizedDiscriminant().fit(table).transform(table).shape
    (20, 1)
    """

    parameter_table = DISCRIMINANT

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 1e-3,
        n_vectors: int | None = None,
        priors: Any = "empirical",
        class_weight: Any = None,
        fitness: float = 1.0,
        criterion: str = "global",
        n_candidates: int | None = 59,
        kernel: Any = "rbf",
        width: Any = "aligned",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        scale: Any = "minmax",
        tol: float = 1e-10,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.n_vectors = n_vectors
        self.priors = priors
        self.class_weight = class_weight
        self.fitness = fitness
        self.criterion = criterion
        self.n_candidates = n_candidates
        self.kernel = kernel
        self.width = width
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.scale = scale
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> GeneralizedDiscriminant:
        """Find the axes.

        Parameters
        ----------
        X, y, sample_weight
            Rows, their classes (a Table brings its own), and how often each row counts.
        groups : array-like, "rows", "copies" or None
            For ``means_`` and the spread around them. Labels: rows of one group are left out together; "rows": each
            row alone; "copies": with all rows equal to it. None: copies where their numbers show that records were
            repeated, else each alone.
        """
        training = labelled_table(self, self._training_table(X), X, y, sample_weight, groups, kernel=self.kernel)
        table, codes, copies = training.table, training.codes, training.copies
        kernel = KernelChoice.of(self).fit(table, codes, copies)
        most = table.n_rows if self.n_vectors is None else int(self.n_vectors)
        choice = self._choice(most)
        if self.n_vectors is None:  # all of the span: which rows come first does not matter
            choice = replace(choice, criterion="local")
        mapping, selection = vectors_solve(table, kernel, choice, copies, training.places)
        self._keep(mapping, selection, training.places, len(selection.rows))
        size = len(self.classes_) - 1 if self.n_components is None else self.n_components
        factors = class_weight_factors(self.class_weight, self.classes_, codes, copies)
        weights, taken = copies * factors[codes], training.taken * factors[codes]
        self._found = discriminant_solve(
            selection.coordinates,
            codes,
            weights,
            taken,
            len(self.classes_),
            float(self.alpha),
            size,
            training.groups,
        )
        masses = np.bincount(codes, weights=copies, minlength=len(self.classes_)).astype(np.float64)
        self._log_priors = log_priors(self.priors, masses) + np.log(factors)
        self._normals = cho_solve(cho_factor(self._found.within), self._found.means.T)
        self.scatter_ratio_, self.means_ = self._found.ratios, self._found.means
        return self

    def transform(self, X: Any) -> Array:
        """The rows on the discriminant axes."""
        check_is_fitted(self)
        Z = self._map.transform(self._new_numbers(X))
        return np.asarray((Z - self._found.mean) @ self._found.axes)

    @property
    def _n_features_out(self) -> int:
        return int(self._found.axes.shape[1])

    def _scores(self, X: Any) -> Array:
        """Log prior times Gaussian density of each class, less what all classes share: x'S^-1 m - m'S^-1 m / 2."""
        on_axes = self.transform(X)
        offsets = self._log_priors - 0.5 * np.einsum("cj,jc->c", self.means_, self._normals)
        return np.asarray(on_axes @ self._normals + offsets)
