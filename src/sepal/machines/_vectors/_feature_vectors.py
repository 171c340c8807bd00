"""Machines on feature vectors: a classifier and a regressor that keep a few rows only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.utils.validation import column_or_1d

from sepal.data import Table, as_plain_array, far_unit, rows_inside
from sepal.estimators import TableRegressorMixin, as_data_errors
from sepal.exceptions import DataError, ParameterError
from sepal.machines._class_scores import ClassScores
from sepal.machines._kernel_rows import (
    Array,
    TrainingTable,
    class_weight_factors,
    labelled_table,
    training_table,
)
from sepal.machines._parameters import VECTOR_CLASSIFIER, VECTOR_REGRESSOR
from sepal.machines._vectors._map import VectorMap, VectorModel, chosen_number
from sepal.machines._vectors._models import PathSums, fit_temperature, left_out_predictions, ridge_path
from sepal.machines._vectors._vector_machine import VectorMachine
from sepal.parameters import check_parameters


class FeatureVectorClassifier(ClassScores, VectorMachine):
    """A sparse kernel classifier: a linear model on the coordinates of a few selected rows.

    The number of vectors is the complexity control: high fitness is not the goal, and more vectors overfit. By default
    it is the one with the least exact leave-one-out error, which costs no refits.

    Parameters
    ----------
    n_vectors : "loo" or int
        How many vectors; "loo" takes the number of least squared leave-one-out error.
    max_vectors : int
        The most that "loo" looks at.
    model : {"ridge", "logistic"}
        Least squares on class indicators, or logistic regression.
    alpha : float
        The ridge on the coordinates (for "logistic" 1/C). 0 is plain least squares.
    class_weight : mapping, "balanced" or None
    width : float, "aligned", "loo" or "scale"
        The width of the kernel on scaled columns: where centred alignment peaks, or the least leave-one-out error among
        six, or from the variance.
    criterion, n_candidates, fitness, kernel, gamma, degree, coef0, scale, tol, random_state, n_jobs
        As in :class:`FeatureVectorSelector`.

    Attributes
    ----------
    classes_ : ndarray
    vector_rows_, n_vectors_, fitness_, fitness_path_, stopped_, width_, gamma_
        As in :class:`FeatureVectorSelector`.
    loo_error_, loo_squared_ : float
        Exact leave-one-out error of the least-squares model with this number of vectors: share of wrong rows, and mean
        squared residual. The vectors themselves are not selected anew.
    loo_error_path_, loo_squared_path_ : ndarray
        The same for 0, 1, ... vectors; see :meth:`frame`.

    References
    ----------
    G. Baudat, F. Anouar, "Kernel-based methods and function approximation", IJCNN 2001.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> model = FeatureVectorClassifier(n_vectors=4).fit(table)
    >>> model.score(table)
    0.95
    """

    parameter_table = VECTOR_CLASSIFIER

    def __init__(
        self,
        n_vectors: int | str = "loo",
        *,
        max_vectors: int = 200,
        model: str = "ridge",
        alpha: float = 1e-3,
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
        self.n_vectors = n_vectors
        self.max_vectors = max_vectors
        self.model = model
        self.alpha = alpha
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> FeatureVectorClassifier:
        """Select vectors, and fit the model on their coordinates.

        Parameters
        ----------
        X, y, sample_weight
            Rows, their classes (a Table brings its own), and how often each row counts.
        groups : array-like, "rows", "copies" or None
            For leave-one-out. Labels: rows of one group are left out together; "rows": each row alone; "copies": with
            all rows equal to it. None: copies where their numbers show that records were repeated, else each alone.
        """
        training, factors, codes = self._learned_from(X, y, sample_weight, groups)
        model = self._solve(training, np.eye(len(self.classes_))[codes], factors, codes)
        return self._keep_classifier(model, training, factors, codes)

    def fit_by_sums(
        self, X: Any, y: Any, class_counts: Mapping[Any, int], sums_over: Callable[[VectorMap, Array], PathSums]
    ) -> FeatureVectorClassifier:
        """Fit to rows in partitions, from a sample of them and from sums over all.

        The sample gives scaling, width and vectors; the number of vectors, the model on them and its leave-one-out
        errors are those of all rows.

        Parameters
        ----------
        X, y
            The sample.
        class_counts : mapping
            How many rows each class has in all.
        sums_over : callable
            From the map of the vectors and a factor for each of ``classes_`` to sums over all rows.
        """
        if self.model != "ridge":
            raise ParameterError(f"model={self.model!r} needs its rows together; sums give model='ridge' only")
        training, _, codes = self._learned_from(X, y, None, None)
        counts = np.array([class_counts[label] for label in self.classes_.tolist()], dtype=np.float64)
        factors = class_weight_factors(self.class_weight, self.classes_, np.arange(len(counts)), counts)
        model = self._solve(training, np.eye(len(self.classes_))[codes], factors[codes], codes)
        sums = sums_over(model.mapping, factors)
        path = ridge_path(sums, model.selection.coordinates.shape[1], float(self.alpha))
        model = replace(model, path=path, n_vectors=chosen_number(path, self.n_vectors))
        # Rows of the sample are left out one by one, whatever groups they had.
        return self._keep_classifier(model, replace(training, groups=None), factors[codes], codes)

    def _learned_from(
        self, X: Any, y: Any, sample_weight: Any, groups: Any
    ) -> tuple[TrainingTable, Array, NDArray[np.int32]]:
        """Rows, what each counts by its class, and their classes."""
        check_parameters(self)
        training = labelled_table(self, self._training_table(X), X, y, sample_weight, groups, kernel=self.kernel)
        codes = training.codes
        return training, class_weight_factors(self.class_weight, self.classes_, codes, training.copies)[codes], codes

    def _keep_classifier(
        self, model: VectorModel, training: TrainingTable, factors: Array, codes: NDArray[np.int32]
    ) -> FeatureVectorClassifier:
        copies = training.copies
        self._keep_model(model, training.places)
        self.loo_error_path_ = model.path.wrong
        self.loo_error_ = float(model.path.wrong[model.n_vectors])
        if self.model == "logistic":
            self._fit_logistic(model, codes, copies * factors)
        else:
            self.intercept_, self.coef_ = model.path.coefficients(model.n_vectors)
            held_out = left_out_predictions(
                model.path,
                model.selection.coordinates,
                np.eye(len(self.classes_))[codes],
                training.taken * factors,
                model.n_vectors,
                copies * factors,
                training.groups,
            )
            self.temperature_ = fit_temperature(held_out, codes, copies * factors)
        return self

    def _fit_logistic(self, model: VectorModel, codes: NDArray[np.int32], weights: Array) -> None:
        from sklearn.linear_model import LogisticRegression  # late: slow to import

        C = np.inf if self.alpha == 0 else 1.0 / self.alpha
        fitted = LogisticRegression(C=C, tol=1e-8, max_iter=2000).fit(model.coordinates, codes, sample_weight=weights)
        intercept, coef = fitted.intercept_, fitted.coef_.T
        if coef.shape[1] == 1:  # two classes: give each half, so that their difference is the log odds
            intercept, coef = np.array([-0.5, 0.5]) * intercept, coef @ np.array([[-0.5, 0.5]])
        self.intercept_, self.coef_ = intercept, coef
        self.temperature_ = 1.0

    def _scores(self, X: Any) -> Array:
        return np.asarray(self._coordinates(X) @ self.coef_ + self.intercept_)

    def predict_proba(self, X: Any) -> Array:
        """Probabilities, largest for the predicted class.

        For "ridge" the softmax of the outputs times one factor, which is fitted on the exact leave-one-out outputs.
        """
        scores = self._scores(X)
        return np.asarray(softmax(self.temperature_ * scores, axis=1))


class FeatureVectorRegressor(TableRegressorMixin, VectorMachine):
    """A sparse kernel regression: ridge on the coordinates of a few selected rows.

    Parameters
    ----------
    n_vectors, max_vectors, alpha, fitness, criterion, n_candidates, kernel, gamma, degree, coef0, scale, tol, random_state, n_jobs
        As in :class:`FeatureVectorClassifier`.
    width : float, "loo" or "scale"
        The width of the kernel on scaled columns; "loo" takes the least leave-one-out error among six.

    Attributes
    ----------
    vector_rows_, n_vectors_, fitness_, fitness_path_, stopped_, width_, gamma_, loo_squared_, loo_squared_path_
        As in :class:`FeatureVectorClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 1, 200)[:, None]
    >>> machine = FeatureVectorRegressor(alpha=1e-9).fit(x, np.sin(6 * x[:, 0]))
    >>> bool(machine.score(x, np.sin(6 * x[:, 0])) > 0.9999)
    True
    """  # noqa: E501

    parameter_table = VECTOR_REGRESSOR

    def __init__(
        self,
        n_vectors: int | str = "loo",
        *,
        max_vectors: int = 200,
        alpha: float = 1e-3,
        fitness: float = 1.0,
        criterion: str = "global",
        n_candidates: int | None = 59,
        kernel: Any = "rbf",
        width: Any = "loo",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        scale: Any = "minmax",
        tol: float = 1e-10,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_vectors = n_vectors
        self.max_vectors = max_vectors
        self.alpha = alpha
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> FeatureVectorRegressor:
        """Select vectors, and fit the model on their coordinates; ``groups`` as in :class:`FeatureVectorClassifier`."""
        X = rows_inside(X)
        table = self._training_table(X)
        y = X.y if y is None and isinstance(X, Table) else y
        if y is None:
            raise DataError("requires y to be passed, but the target y is None")
        with as_data_errors():
            numbers = np.asarray(column_or_1d(as_plain_array(y), warn=True), dtype=np.float64)
        if len(numbers) != table.n_rows:
            raise DataError(f"X has {table.n_rows} rows and y has {len(numbers)} numbers; they must agree")
        if not np.all(np.isfinite(numbers)):
            raise DataError("Input y contains NaN or infinity; expected finite numbers")
        training = training_table(self.kernel, table, sample_weight, np.zeros(table.n_rows, np.int32), numbers, groups)
        targets = numbers[training.places, None] * (unit := far_unit(numbers))
        model = self._solve(training, targets, np.ones(len(targets)), None)
        self._keep_model(model, training.places)
        intercept, coef = model.path.coefficients(model.n_vectors)
        self.intercept_, self.coef_ = float(intercept[0]) / unit, coef[:, 0] / unit
        if unit != 1.0:
            with np.errstate(over="ignore"):  # the square of a very large error is infinite
                self.loo_squared_path_ = self.loo_squared_path_ / unit / unit
            self.loo_squared_ = float(self.loo_squared_path_[model.n_vectors])
        return self

    def predict(self, X: Any) -> Array:
        """The expected number for each row."""
        return np.asarray(self._coordinates(X) @ self.coef_ + self.intercept_)
