"""Fisher's linear discriminant, singular covariance included.

Class c gets x'S(k)^-1 m_c - m_c'S(k)^-1 m_c / 2 + log prior, with S(k)^-1 = S^+ + Q/k. For two classes with equal
priors that is the paper's rule.

Reference: A. Ben-Israel and Y. Levin, "The geometry of linear separability in data sets", 2005.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sepal.data import Table, unit_of
from sepal.estimators import Diet, TableClassifierMixin, TableEstimator
from sepal.exceptions import DataError, ParameterError, SepalWarning
from sepal.machines._kernel_rows import class_weight_factors, machine_weights
from sepal.machines._parameters import FISHER
from sepal.measures import ClassScatter, Within, check_spread, length, within_classes, within_scatters
from sepal.parameters import check_numbers

Floats = NDArray[np.float64]
_SMALLEST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class FisherSolution:
    """Weights of each class and the directions that spread the class means most."""

    weights: Floats  # (n_classes, n_columns): S(k)^-1 m_c
    offsets: Floats  # (n_classes,)
    axes: Floats  # (n_columns, n_axes), unit spread inside classes
    ratios: Floats  # spread between class means along each axis
    null_norms: Floats  # (n_classes,): |Q (m_c - mean)|
    kappa: float


def fisher_solve(within: Within, priors: Floats, kappa: float | None) -> FisherSolution:
    """The discriminant from class means and the pooled covariance."""
    if kappa is None:
        kappa = within.mean_variance() or 1.0
    null = within.null_part(within.means)
    weights = within.solve(within.means) + null / kappa
    about = priors @ within.means
    offsets = -0.5 * np.sum(weights * within.means, axis=1) + np.log(priors)
    # Axes: eigenvectors of the class means in the metric of S(k)^-1, from a matrix of classes x classes.
    roots = np.sqrt(priors)[:, None]
    gram = (roots * (within.means - about)) @ (roots * (weights - priors @ weights)).T
    ratios, vectors = np.linalg.eigh((gram + gram.T) / 2)
    order = np.argsort(ratios)[::-1][: min(len(priors) - 1, within.means.shape[1])]
    order = order[ratios[order] > max(float(ratios.max()), 0.0) * 1e-12] if len(order) else order
    axes = (roots * (weights - priors @ weights)).T @ vectors[:, order] / np.sqrt(ratios[order])
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.sign(axes[largest, np.arange(axes.shape[1])])
    return FisherSolution(weights, offsets, axes, ratios[order], length(null), float(kappa))


class FisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TableClassifierMixin, TableEstimator):  # type: ignore[misc]
    """Fisher's linear discriminant; regular or singular covariance, few or many columns, two or more classes.

    Parameters
    ----------
    kappa : float, optional
        Variance given to the directions without any spread inside classes, S + kappa Q. Small values trust these
        directions, large ones ignore them. Has the unit of a variance; by default the mean of the nonzero eigenvalues
        of S. Without effect while S is regular.
    priors : None, "empirical" or array-like
        Class probabilities: equal by default, as in the paper; those of the training rows; or given, in the order of
        ``classes_``. They move the planes and do not change the covariance.
    class_weight : mapping, "balanced" or None
        Costs of errors: factors of the priors.

    Attributes
    ----------
    classes_ : ndarray
    coef_, intercept_ : ndarray
        The separating plane of two classes, shape (1, n_features) and (1,), positive side ``classes_[1]``; with more
        classes one row each, and the largest wins.
    scalings_ : (n_features, n_axes) ndarray
        Directions that :meth:`transform` projects on, best first, unit variance inside classes.
    explained_ratios_ : (n_axes,) ndarray
        Variance of the class means along each of them.
    means_, priors_ : ndarray
    kappa_ : float
    rank_ : int
        Of the pooled covariance.
    null_norms_ : (n_classes,) ndarray
        How far each class mean lies from the overall mean where there is no spread inside classes. Not zero: the
        training rows are separated perfectly, and fit warns.

    References
    ----------
    A. Ben-Israel and Y. Levin, "The geometry of linear separability in data sets", 2005.

    Examples
    --------
    >>> machine = FisherDiscriminant().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> machine.predict([[2.0], [3.0]]).tolist()
    ['a', 'b']
    """

    parameter_table = FISHER

    def __init__(
        self, *, kappa: float | None = None, priors: ArrayLike | str | None = None, class_weight: Any = None
    ) -> None:
        self.kappa = kappa
        self.priors = priors
        self.class_weight = class_weight

    def _diet(self) -> Diet:
        return Diet(hint="code it as numbers first, for instance with sklearn.preprocessing.OneHotEncoder")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> FisherDiscriminant:
        """Fit to labelled rows: X and y, or a Table with a target. A row of weight w counts as w rows."""
        table, y = self._training_numbers(X, y, ensure_min_samples=2)
        X = table.values
        self.classes_, places = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(
                f"y: expected at least two classes, found one class only, {self.classes_.tolist()[0]!r}",
                hint="a discriminant tells classes apart",
            )
        codes, weights = places.astype(np.int32), machine_weights(sample_weight, len(X))
        kept = weights > 0  # rows of weight 0 must not matter, not even as values of a column
        X, codes, weights = X[kept], codes[kept], weights[kept]
        if len(np.unique(codes)) < len(self.classes_):
            raise DataError("sample_weight: every class needs a row of positive weight")
        if weights.sum() <= len(self.classes_):
            raise DataError(
                f"n_samples={weights.sum():g}: a covariance inside {len(self.classes_)} classes needs more rows",
                hint=None if sample_weight is None else "weights count rows: multiply them",
            )
        self._unit = unit_of(X)
        within = within_classes(X * self._unit, codes, len(self.classes_), None if sample_weight is None else weights)
        return self._solve(within)

    def fit_scatters(
        self, like: Any, classes: NDArray[Any], scatters: Sequence[ClassScatter], shift: Floats
    ) -> FisherDiscriminant:
        """Fit from the scatter of each class, which sums over rows in partitions give.

        Parameters
        ----------
        like : Table or ndarray
            The columns, and some rows.
        classes : ndarray
            In the order of ``scatters``.
        scatters : sequence of ClassScatter
            Of every class, after ``shift`` was taken off its rows.
        shift : ndarray
            One number for each column.
        """
        self._training_numbers(like, np.resize(classes, len(like.values if isinstance(like, Table) else like)))
        order = np.argsort(classes, kind="stable")
        self.classes_, scatters = classes[order], [scatters[at] for at in order]
        self._unit = unit = unit_of(np.array([[each.low, each.high] for each in scatters]) + shift)
        within = within_scatters([each.times(unit) for each in scatters], shift * unit)
        check_spread(within.varying_spread)
        return self._solve(within)

    def _solve(self, within: Within) -> FisherDiscriminant:
        """The plane, from rows times ``_unit``."""
        counts = within.counts.astype(np.float64)
        costs = class_weight_factors(self.class_weight, self.classes_, np.arange(len(counts)), counts)
        self.priors_ = _priors(self.priors, counts) * costs
        self.priors_ /= self.priors_.sum()
        kappa = None if self.kappa is None else max(float(self.kappa) * self._unit * self._unit, _SMALLEST)
        found = fisher_solve(within, self.priors_, kappa)
        self._store(within, found)
        if np.any(found.null_norms > 0):
            warnings.warn(
                "the class means differ in a direction without any spread inside classes: the training rows are "
                f"separated perfectly there (rank {self.rank_} for {within.means.shape[1]} columns), and "
                f"kappa={self.kappa_:.4g} decides how far that direction is trusted",
                SepalWarning,
                stacklevel=3,
            )
        return self

    def _store(self, within: Within, found: FisherSolution) -> None:
        unit = self._unit  # the rows were taken times it: everything is told in the units given
        self.kappa_, self.rank_, self.null_norms_ = found.kappa / unit / unit, within.rank, found.null_norms / unit
        self._center = self.priors_ @ (within.means + within.center)
        self.means_, self.xbar_ = (within.means + within.center) / unit, self._center / unit
        with np.errstate(over="ignore"):  # in the units of the smallest floats they may be beyond the largest
            self.scalings_ = found.axes * unit
        self._axes, self.explained_ratios_ = found.axes, found.ratios
        self._n_features_out = found.axes.shape[1]
        coef = found.weights
        intercept = found.offsets - coef @ within.center
        if len(self.classes_) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        with np.errstate(over="ignore"):
            self.coef_ = coef * unit
        self._normals, self.intercept_ = coef, intercept

    def decision_function(self, X: Any) -> Floats:
        """Signed score of two classes (positive: ``classes_[1]``), or one score per class."""
        X = self._new_numbers(X).values
        scores = np.asarray((X * self._unit) @ self._normals.T + self.intercept_)
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        scores = self.decision_function(X)
        picked = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[picked])

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, if the classes were normal with the one covariance."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros_like(scores), scores])
        return np.asarray(softmax(scores, axis=1))

    def transform(self, X: Any) -> Floats:
        """Rows projected on the discriminant axes, overall mean at the origin."""
        X = self._new_numbers(X).values
        return np.asarray((X * self._unit - self._center) @ self._axes)

    def hyperplane(self, first: Any = None, second: Any = None) -> tuple[Floats, float]:
        """The plane between two classes: unit normal towards ``second``, and the offset with normal'x = offset on it.

        With two classes both may be left out.
        """
        check_is_fitted(self)
        if len(self.classes_) == 2 and first is None and second is None:
            normal, intercept = self._normals[0], float(self.intercept_[0])
        else:
            a, b = (_position(self.classes_, label) for label in (first, second))
            coef, intercepts = self._normals, self.intercept_
            if len(self.classes_) == 2:
                coef, intercepts = np.vstack([np.zeros_like(coef), coef]), np.append(0.0, intercepts)
            normal, intercept = coef[b] - coef[a], float(intercepts[b] - intercepts[a])
        size = float(length(normal))
        if size == 0:
            raise DataError("the means of the two classes are equal: there is no plane between them")
        return normal / size, -intercept / size / self._unit


def _position(classes: NDArray[Any], label: Any) -> int:
    found = np.flatnonzero(classes == label)
    if len(found) != 1:
        raise ParameterError(f"first, second: expected two of the classes {classes.tolist()}; got {label!r}")
    return int(found[0])


def _priors(given: ArrayLike | str | None, counts: NDArray[Any]) -> Floats:
    if given is None:
        return np.full(len(counts), 1.0 / len(counts))
    if isinstance(given, str):
        if given != "empirical":
            raise ParameterError(f"priors must be None, 'empirical' or one number per class; got {given!r}")
        return np.asarray(counts / counts.sum())
    priors = check_numbers("priors", given, length=len(counts), above=0.0)
    if abs(priors.sum() - 1) > 1e-8:
        raise ParameterError(f"priors must be {len(counts)} numbers above 0 that sum to 1; got {given!r}")
    return priors
