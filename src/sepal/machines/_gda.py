"""Generalized discriminant analysis: Fisher's discriminant in the feature space of a kernel, regularised.

Coordinates on feature vectors are orthonormal in feature space, and enough of them span all training rows. Fisher's
problem with a ridge, max v'Bv / v'(T + mu I)v, does not depend on the choice of orthonormal coordinates, so the
analysis on all vectors is the one on the full kernel, and fewer vectors make it sparse.

References
----------
G. Baudat, F. Anouar, "Generalized discriminant analysis using a kernel approach", Neural Computation 12, 2000.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, solve_triangular
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sepal.exceptions import DataError, ParameterError
from sepal.machines._kernel_rows import (
    Array,
    KernelChoice,
    checked_labels,
    checked_rows,
    checked_weights,
)
from sepal.machines._parzen import log_priors
from sepal.machines._vector_map import kept_rows, vectors_solve, whole_number
from sepal.machines._vector_models import softmax
from sepal.machines._vector_selector import VectorParameters


@dataclass(frozen=True, eq=False)
class Discriminant:
    """Axes in coordinates Z: (Z - mean) @ axes; the ratios of between to total scatter; class means on the axes.

    ``within`` is the pooled within-class variance on the axes, ridge included, which is never 0.
    """

    mean: Array
    axes: Array
    ratios: Array
    means: Array
    within: Array


def discriminant_solve(
    Z: Array, codes: NDArray[np.int32], weights: Array, n_classes: int, alpha: float, n_components: int
) -> Discriminant:
    """Fisher's axes of weighted rows. The ridge is ``alpha`` times the largest eigenvalue of the total scatter."""
    mass = weights.sum()
    mean = weights @ Z / mass
    centered = Z - mean
    masses = np.bincount(codes, weights=weights, minlength=n_classes)
    membership = np.zeros((len(Z), n_classes))
    membership[np.arange(len(Z)), codes] = weights
    class_means = membership.T @ centered / masses[:, None]
    total = centered.T @ (centered * weights[:, None])
    values, vectors = eigh(total)
    if not values[-1] > 0:
        raise DataError("all rows are equal in feature space: there is no direction to discriminate by")
    # Directions in which the rows do not vary hold nothing but rounding errors.
    kept = values > values[-1] * len(values) * np.finfo(np.float64).eps
    ridge = alpha * values[-1]
    whitening = vectors[:, kept] / np.sqrt(values[kept] + ridge)
    between = (whitening.T @ class_means.T) * np.sqrt(masses)
    left, singular, _ = np.linalg.svd(between, full_matrices=False)
    size = min(n_components, n_classes - 1, int(kept.sum()))
    # Signs are free: the largest entry of an axis is positive.
    axes = whitening @ left[:, :size]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(size)])
    means = class_means @ axes
    inside = centered @ axes - means[codes]
    within = (inside.T @ (inside * weights[:, None]) + ridge * axes.T @ axes) / mass
    floor = np.finfo(np.float64).eps * max(float(np.trace(axes.T @ total @ axes)) / mass, np.finfo(np.float64).tiny)
    return Discriminant(mean, axes, singular[:size] ** 2, means, within + floor * np.eye(size))


class GeneralizedDiscriminant(ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, VectorParameters):  # type: ignore[misc]
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
        Of the classes, in sorted order, for ``predict``: costs of errors and class weights go in here. Weights of rows
        go into ``fit``.
    kernel, width, gamma, degree, coef0, scale, criterion, n_candidates, fitness, tol, random_state, n_jobs
        As in :class:`FeatureVectorClassifier`; the width is a number, "aligned" or "scale".

    Attributes
    ----------
    classes_ : ndarray
    scatter_ratio_ : ndarray
        Between-class share of the (regularised) total scatter on each axis, between 0 and 1.
    means_ : ndarray, shape (classes, axes)
        The class means.
    vector_rows_, n_vectors_, fitness_, width_, gamma_
        As in :class:`FeatureVectorSelector`.
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 1e-3,
        n_vectors: int | None = None,
        priors: Any = "empirical",
        fitness: float = 1.0,
        criterion: str = "local",
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> GeneralizedDiscriminant:
        """Find the axes."""
        self._check_parameters()
        table = checked_rows(self, X, reset=True)
        codes, self.classes_ = checked_labels(table, X, y)
        copies = checked_weights(sample_weight, table.n_rows)
        table, keep = kept_rows(table, copies)
        codes, copies = codes[keep], copies[keep]
        if len(np.unique(codes)) < len(self.classes_):
            raise DataError("sample_weight: every class needs a row of positive weight")
        kernel = KernelChoice.of(self).fit(table, codes, copies)
        most = table.n_rows if self.n_vectors is None else whole_number("n_vectors", self.n_vectors)
        mapping, selection = vectors_solve(table, kernel, self._choice(most), copies, keep)
        self._keep(mapping, selection, keep, len(selection.rows))
        size = len(self.classes_) - 1 if self.n_components is None else self.n_components
        self._found = discriminant_solve(
            selection.coordinates, codes, copies, len(self.classes_), float(self.alpha), size
        )
        masses = np.bincount(codes, weights=copies, minlength=len(self.classes_)).astype(np.float64)
        self._log_priors = log_priors(self.priors, masses)
        self._root = np.linalg.cholesky(self._found.within)
        self.scatter_ratio_, self.means_ = self._found.ratios, self._found.means
        return self

    def _check_parameters(self) -> None:
        if not np.isfinite(self.alpha) or self.alpha < 0:
            raise ParameterError(f"alpha must be a finite number of at least 0; got {self.alpha!r}")
        if self.n_components is not None:
            whole_number("n_components", self.n_components)

    def transform(self, X: Any) -> Array:
        """The rows on the discriminant axes."""
        check_is_fitted(self)
        Z = self._map.transform(checked_rows(self, X, reset=False))
        return np.asarray((Z - self._found.mean) @ self._found.axes)

    @property
    def _n_features_out(self) -> int:
        return int(self._found.axes.shape[1])

    def _scores(self, X: Any) -> Array:
        """Log prior less half the squared distance to each class mean, in units of the within-class spread."""
        rows = solve_triangular(self._root, self.transform(X).T, lower=True).T
        means = solve_triangular(self._root, self.means_.T, lower=True).T
        return np.asarray(self._log_priors - 0.5 * ((rows[:, None, :] - means[None]) ** 2).sum(axis=2))

    def decision_function(self, X: Any) -> Array:
        """The log odds for two classes (positive: the second), else one score per class."""
        check_is_fitted(self)
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self._scores(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> Array:
        """Probabilities if the classes were Gaussian with one covariance on the axes."""
        check_is_fitted(self)
        return softmax(self._scores(X))
