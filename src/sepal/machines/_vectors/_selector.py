"""Feature vector selection as a transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sepal.data import Table
from sepal.estimators import Diet, TableEstimator
from sepal.machines._kernel_rows import (
    Array,
    KernelChoice,
    check_square,
    checked_labels,
    is_precomputed,
    kernel_diet,
    training_table,
)
from sepal.machines._parameters import VECTOR_SELECTOR
from sepal.machines._vectors._map import VectorChoice, VectorMap, vectors_solve
from sepal.machines._vectors._selection import VectorSelection


class VectorParameters(TableEstimator):
    """What the three estimators share."""

    def _diet(self) -> Diet:
        return kernel_diet(self.kernel)

    def _training_table(self, X: Any) -> Table:
        table, _ = self._training_numbers(X)
        if is_precomputed(self.kernel):
            check_square(table.values)
        return table

    def _choice(self, n_vectors: int) -> VectorChoice:
        return VectorChoice(n_vectors, self.fitness, self.criterion, self.n_candidates, self.tol, self.random_state)

    def _keep(self, mapping: VectorMap, selection: VectorSelection, keep: NDArray[np.intp], n_vectors: int) -> None:
        self._map = mapping.first(n_vectors)
        self.vector_rows_ = keep[selection.rows[:n_vectors]]
        self.n_vectors_ = n_vectors
        self.fitness_path_ = selection.fitness
        self.fitness_ = float(selection.fitness[n_vectors - 1])
        self.stopped_ = selection.stopped
        self.width_ = mapping.kernel.width
        self.gamma_ = None if mapping.kernel.fitted is None else mapping.kernel.fitted.gamma


class FeatureVectorSelector(ClassNamePrefixFeaturesOutMixin, TransformerMixin, VectorParameters):  # type: ignore[misc]
    """Nyström-like kernel features: coordinates in the span of a few selected rows, in the feature space of a kernel.

    Rows are added until the mean fitness, the squared cosine between a row's image and the span, is reached. Labels are
    not used, unless the width is to be aligned with them. Time O(n L^2), memory O(n L).

    Parameters
    ----------
    n_vectors : int
        At most this many.
    fitness : float
        Stop when the mean fitness reaches this.
    criterion : {"global", "local"}
        Add the row that helps the mean fitness most, or the one that is represented worst, as in the paper. "local" is
        a little cheaper and prefers outliers: with 10 to 50 vectors it misclassifies more than random rows do.
    n_candidates : int or None
        For "global": how many distinct rows are tried per step, spread evenly over all; None tries all.
    kernel : str or callable
        See ``sepal.kernels.KERNELS``; or "precomputed".
    width : float, "scale" or "aligned"
        The width of the kernel, on scaled columns. "scale": from the variance; "aligned": where centred alignment with
        the classes peaks.
    gamma : float, optional
        Replaces ``width``.
    degree, coef0
        Of the polynomial kernel.
    scale : {"minmax", "standard"} or None
        How columns are scaled first.
    tol : float
        A row whose residual is below this share of k(x, x) is in the span.
    random_state : int or RandomState
        For samples when rows are many.
    n_jobs : int, optional
        Threads for the alignment.

    Attributes
    ----------
    vector_rows_ : ndarray of int
        The selected training rows, in order.
    n_vectors_, fitness_, fitness_path_, stopped_
        How many, their mean fitness, that after each of them, and why no more: "fitness", "limit" or "span".
    width_, gamma_ : float or None

    References
    ----------
    G. Baudat, F. Anouar, "Feature vector selection and projection using kernels", Neurocomputing 55, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> FeatureVectorSelector(2, width=0.5).fit_transform(X).shape
    (50, 2)
    """

    parameter_table = VECTOR_SELECTOR

    def __init__(
        self,
        n_vectors: int = 100,
        fitness: float = 0.99,
        *,
        criterion: str = "global",
        n_candidates: int | None = 59,
        kernel: Any = "rbf",
        width: Any = "scale",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        scale: Any = "minmax",
        tol: float = 1e-10,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_vectors = n_vectors
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> FeatureVectorSelector:
        """Select vectors among the rows."""
        table = self._training_table(X)
        aligned = isinstance(self.width, str) and self.width == "aligned" and (y is not None or isinstance(X, Table))
        codes = checked_labels(table, X, y)[0] if aligned else np.zeros(table.n_rows, np.int32)
        training = training_table(self.kernel, table, sample_weight, codes)
        kernel = KernelChoice.of(self).fit(training.table, training.codes if aligned else None, training.copies)
        choice = self._choice(int(self.n_vectors))
        mapping, selection = vectors_solve(training.table, kernel, choice, training.copies, training.places)
        self._keep(mapping, selection, training.places, len(selection.rows))
        return self

    def transform(self, X: Any) -> Array:
        """The coordinates of rows, shape ``(rows, n_vectors_)``."""
        check_is_fitted(self)
        return self._map.transform(self._new_numbers(X))

    @property
    def _n_features_out(self) -> int:
        return int(self.n_vectors_)
