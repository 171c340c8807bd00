"""What all dual machines share: input, scaling, kernel, weights, votes, probabilities."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from sepal.data import Kind, SparseRows, as_table, as_weights, fit_scaling, unit_of
from sepal.estimators import Diet, TableClassifierMixin, TableEstimator
from sepal.exceptions import DataError, SepalWarning
from sepal.kernels import find_kernel
from sepal.machines._dual._calibration import agree, couple, fit_slopes, pair_probabilities
from sepal.machines._dual._cross_fitting import cross_fitted, given_groups
from sepal.machines._dual._indefinite import warn_of_indefinite
from sepal.machines._dual._kernel_choice import check_products, choose_kernel
from sepal.machines._dual._object_rows import new_object_rows, object_array, object_rows
from sepal.machines._dual._pairs import PairMachines, TrainingRows, gather, votes, winners
from sepal.machines._dual._planes import planes
from sepal.machines._dual._solvers import NATIVE_KERNELS, NATIVE_NAMES, NativeKernel, PairSolution
from sepal.machines._dual._sparse_rows import SparseKernel, canonical, is_wide, row_ranks, sparse_training, written_out
from sepal.machines._equal_rows import MergedRows, distinct_rows, merge_rows
from sepal.machines._kernel_rows import (
    KernelChoice,
    check_square,
    check_symmetric,
    checked_labels,
    class_weight_factors,
    is_precomputed,
    kernel_diet,
)
from sepal.neighbors import thread_count
from sepal.parameters import check_parameters

Floats = NDArray[np.float64]
_HOW_PROBABLE = (
    "(probability=True, ...), given before fit: it fits five more machines on four fifths of the rows each. "
    "decision_function needs nothing of the kind"
)


class KernelMachine(TableClassifierMixin, TableEstimator):
    """The shell of the dual machines; each brings its own solver."""

    C: Any
    kernel: Any
    width: Any
    gamma: Any
    degree: Any
    coef0: Any
    scale: Any
    class_weight: Any
    probability: bool
    decision_function_shape: Any
    n_jobs: int | None
    _objects: list[Any] | None

    @property
    def _kernel_name(self) -> str | None:
        """The name of the kernel as the native code has it; None for a function."""
        return None if callable(self.kernel) else NATIVE_NAMES.get(self.kernel, self.kernel)

    @property
    def _by_matrix(self) -> bool:
        """Whether rows are known by their kernel values only: a matrix was given, or rows that form no table."""
        return is_precomputed(self.kernel) or self._objects is not None

    @property
    def _by_table(self) -> bool:
        """Whether the kernel is one of ``sepal.kernels`` that the native code does not know."""
        return not callable(self.kernel) and self._kernel_name not in ("precomputed", *NATIVE_KERNELS)

    @abstractmethod
    def _solve(self, training: TrainingRows, box: Floats, threads: int) -> list[PairSolution]:
        """The solutions of all pairs of classes."""

    def _solved(self, training: TrainingRows, unit_box: Floats, threads: int) -> tuple[float, list[PairSolution]]:
        """C, and the solutions at it."""
        C = float(self.C)
        return C, self._solve(training, C * unit_box, threads)

    def _diet(self) -> Diet:
        return replace(kernel_diet(self.kernel), sparse=True)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Train on rows and their classes.

        Parameters
        ----------
        X : Table, ndarray, data frame of numbers, sparse matrix, or list of objects
            With ``kernel="precomputed"`` the kernel matrix of the training rows; with ``kernel="mixed"`` nominal
            columns and missing cells are welcome; with a function as kernel a list of texts, or of whatever else it
            compares. A Table may bring its own target.
        y : array-like, optional
            The class of each row.
        sample_weight : array-like, optional
            Multiplies C for each row; a row of weight 0 or less is as good as absent.
        groups : array-like, "rows", "copies" or None
            For the calibration of ``probability=True``. Labels: rows of one group are held out together. Equal rows of
            one class always are.
        """
        check_parameters(self)
        apart = given_groups(groups, X)
        threads = thread_count(self.n_jobs)
        training, unit_box, _ = self._training(X, y, sample_weight, threads)
        if not self._by_table:  # those are semidefinite by theorem
            warn_of_indefinite(training, type(self).__name__, threads)
        self.C_, solutions = self._solved(training, unit_box, threads)
        self._machines = gather(training, solutions)
        self._publish(training.rows, solutions)
        self.__dict__.pop("_slopes", None)  # those of an earlier fit
        if self.probability:
            self._slopes = self._calibrate(training, unit_box, threads, apart)
        self._warn_of_one_class(training, solutions, threads)
        return self

    def _training(self, X: Any, y: Any, sample_weight: Any, threads: int) -> tuple[TrainingRows, Floats, NDArray[Any]]:
        """Checked, scaled and merged rows with their kernel; their boxes for C = 1; the classes."""
        self._given, labels = self._checked(X, y)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        weight = self._weights(self._given, codes, sample_weight)
        training = self._prepare(self._given, codes, weight)
        rows = training.rows
        return training, rows.weight * self._class_factors(rows)[rows.codes], self.classes_

    def decision_function(self, X: Any) -> Floats:
        """Two classes: the decision value, positive for ``classes_[1]``. More: one score per class, highest wins.

        With ``decision_function_shape="ovo"`` one value per pair of classes instead, (0, 1), (0, 2), ... (1, 2), ...,
        positive for the earlier class of the pair, as in scikit-learn.
        """
        decisions = self._decisions(X)
        if len(self.classes_) == 2:
            return decisions[:, 0]
        return -decisions if self.decision_function_shape == "ovo" else votes(decisions, len(self.classes_))

    @property
    def coef_(self) -> Floats:
        """The normals of the planes of all pairs, in the units given; there only with ``kernel="linear"``."""
        if self._kernel_name != "linear":
            raise AttributeError(f"coef_ is there with kernel='linear' only; kernel is {self.kernel!r}")
        check_is_fitted(self)
        return self._normals

    def fits_together(self) -> bool:
        """Whether a sparse kernel is there just where the columns are those of sparse rows; objects need a function."""
        if getattr(self, "_objects", None) is not None:
            return False
        sparse = isinstance(getattr(self, "columns_", None), SparseRows)
        return isinstance(getattr(self, "_sparse_kernel", None), SparseKernel if sparse else type(None))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: by the sign of the decision, or by the votes of all pairs of classes."""
        decisions = self._decisions(X)
        return np.asarray(self.classes_[winners(decisions, len(self.classes_))])

    @property
    def predict_proba(self) -> Callable[[Any], Floats]:
        """``predict_proba(X)``: the probability of each class; the predicted class always has the largest.

        There only with ``probability=True``, given before ``fit``, which then fits five more machines to calibrate by.
        """
        self._refuse_without_probability("predict_proba")
        return self._probabilities

    @property
    def predict_log_proba(self) -> Callable[[Any], Floats]:
        """``predict_log_proba(X)``: the logarithm of ``predict_proba(X)``, there where that is."""
        self._refuse_without_probability("predict_log_proba")
        return self._log_probabilities

    def _refuse_without_probability(self, asked: str) -> None:
        if not self.probability:
            raise AttributeError(f"{asked} needs {type(self).__name__}{_HOW_PROBABLE}")

    def _log_probabilities(self, X: Any) -> Floats:
        with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf
            return np.asarray(np.log(self._probabilities(X)))

    def _probabilities(self, X: Any) -> Floats:
        decisions = self._decisions(X)
        if not hasattr(self, "_slopes"):
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False; it needs "
                f"{type(self).__name__}{_HOW_PROBABLE}"
            )
        pairs = pair_probabilities(decisions, self._slopes)
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - pairs[:, 0], pairs[:, 0]])
        n_classes = len(self.classes_)
        return agree(couple(pairs, n_classes), winners(decisions, n_classes))

    def _decisions(self, X: Any) -> Floats:
        check_is_fitted(self)
        if self._sparse_kernel is not None:
            scaled = self._sparse_kernel.scaled(csr_array(self._new_matrix(X)))
            return self._machines.from_values(self._sparse_kernel.matrix(scaled, self._sparse_support))
        if self._objects is not None:
            similar = self._gram(new_object_rows(X), self._objects)
            return self._machines.from_values(similar[:, self._support_columns])
        X = written_out(X)
        if self._by_table:
            rows = self._row_kernel.coordinates(self._new_numbers(X))
            return self._machines.from_values(self._row_kernel.columns(rows, self._machines.x))
        return self._machines.decisions(self._embed(self._new_numbers(X).values), thread_count(self.n_jobs))

    def _embed(self, values: Floats) -> Floats:
        """What the machines take: scaled features, or kernel values with their support rows."""
        if self.kernel == "precomputed":
            return np.ascontiguousarray(values[:, self._support_columns])
        scaled = np.ascontiguousarray(self._scaling.apply(values))
        return self._gram(scaled, self._machines.x) if callable(self.kernel) else scaled

    def _checked(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        self._got_sparse = issparse(X)
        self._objects = object_rows(X) if callable(self.kernel) else None
        if self._objects is not None:
            return self._checked_objects(self._objects, y)
        if is_wide(X, self._kernel_name):
            given, labels = self._training_matrix(X, y)
            return canonical(given), labels
        X = written_out(X)
        if self._by_table:
            find_kernel(self.kernel)  # its name first
            self._table, _ = self._training_numbers(X)
            codes, classes = checked_labels(self._table, X, y)
            return self._table.values, classes[codes]
        table, labels = self._training_numbers(X, y)
        if is_precomputed(self.kernel):
            check_square(table.values)
        return table.values, labels

    def _checked_objects(self, rows: list[Any], y: Any) -> tuple[Any, NDArray[Any]]:
        for name in ("n_features_in_", "feature_names_in_", "columns_"):  # of an earlier fit: there are no columns
            self.__dict__.pop(name, None)
        codes, classes = checked_labels(as_table(np.zeros((len(rows), 1))), rows, y)
        return object_array(rows), classes[codes]

    def _weights(self, values: Any, codes: NDArray[np.intp], sample_weight: Any) -> Floats:
        weight = np.ones(len(codes))
        if sample_weight is not None:
            weight = np.maximum(as_weights(sample_weight, len(codes), negative=True), 0.0)
        present = np.unique(codes[weight > 0])
        if len(present) < 2:
            raise DataError(
                f"y: expected at least two classes with rows of positive weight, found {len(present)} class(es)",
                hint="check the labels and sample_weight",
            )
        if len(present) < len(self.classes_):
            missing = self.classes_[np.setdiff1d(np.arange(len(self.classes_)), present)[0]]
            raise DataError(f"sample_weight: all rows of the class {missing} have weight 0")
        return weight

    def _prepare(self, values: Any, codes: NDArray[np.intp], weight: Floats) -> TrainingRows:
        n_classes = len(self.classes_)
        self._sparse_kernel, unit = None, 1.0
        if isinstance(values, csr_array):
            ranks, first = row_ranks(values)
            rows = merge_rows(ranks[:, None].astype(np.float64), codes, weight, n_classes)
            distinct = values[first[rows.x[:, 0].astype(np.intp)]]
            found = sparse_training(str(self._kernel_name), KernelChoice.of(self), distinct, rows)
            self._sparse_kernel, self._sparse_support, self.width_, self.gamma_ = found
            self._unit = unit
            return TrainingRows(rows, NativeKernel("precomputed"), found.kernel.matrix(found.rows, found.rows))
        if self._by_matrix:
            places = np.arange(len(values), dtype=np.float64)[:, None]
            rows = merge_rows(places, codes, weight, n_classes, merge=False)
            at = rows.x[:, 0].astype(np.intp)
            kernel, self.width_ = NativeKernel("precomputed"), None
            matrix = values if self._objects is None else self._gram(self._objects, self._objects)
            given = np.ascontiguousarray(matrix[np.ix_(at, at)])
            if self._objects is None:
                check_symmetric(given, at)
            gram: Floats | None = given
        elif self._by_table:
            names = (self.kernel, self.width, self.gamma, self.degree, self.coef0, self.scale, self.n_jobs)
            kept, joint = distinct_rows(values, codes, weight)
            choice = KernelChoice(*names, capped=True)
            self._row_kernel = choice.fit(self._table.take(kept), codes[kept], joint)
            rows = merge_rows(self._row_kernel.coordinates(self._table), codes, weight, n_classes)
            del self._table
            kernel, self.width_ = NativeKernel("precomputed"), self._row_kernel.width
            gram = self._row_kernel.columns(rows.x, rows.x)
        else:
            rows = merge_rows(values, codes, weight, n_classes)
            kinds: list[Kind] = ["numeric"] * values.shape[1]
            self._scaling = fit_scaling(rows.x, kinds, self.scale, weights=rows.weight)
            if self.scale is None and self._kernel_name in ("rbf", "poly", "sigmoid"):
                unit = unit_of(rows.x)
                self._scaling = replace(self._scaling, shrink=np.full(values.shape[1], unit))
            rows = replace(rows, x=np.ascontiguousarray(self._scaling.apply(rows.x)))
            kernel, self.width_ = choose_kernel(
                self._kernel_name, self.width, self.gamma, self.degree, self.coef0, rows, self.n_jobs, unit
            )
            check_products(kernel, rows.x)
            gram = self._gram(rows.x, rows.x) if callable(self.kernel) else None
        self._unit = unit
        self.gamma_ = kernel.gamma * unit * unit if kernel.name in ("rbf", "poly", "sigmoid") else None
        if self._by_table and self._row_kernel.fitted is not None:
            self.gamma_ = self._row_kernel.fitted.gamma
        return TrainingRows(rows, kernel, gram)

    def _gram(self, a: Any, b: Any) -> Floats:
        values = np.ascontiguousarray(self.kernel(a, b), dtype=np.float64)
        if values.shape != (len(a), len(b)):
            raise DataError(f"kernel: expected a matrix of shape {(len(a), len(b))}, found {values.shape}")
        return values

    def _class_factors(self, rows: MergedRows) -> Floats:
        return class_weight_factors(self.class_weight, self.classes_, rows.codes, rows.weight)

    def _publish(self, rows: MergedRows, solutions: list[PairSolution]) -> None:
        machines: PairMachines = self._machines
        place = np.full(len(rows.codes), -1, dtype=np.intp)
        place[machines.support] = np.arange(len(machines.support))
        used = np.flatnonzero(rows.member_of >= 0)
        used = used[place[rows.member_of[used]] >= 0]
        used = used[np.argsort(rows.codes[rows.member_of[used]], kind="stable")]
        sign = 1.0 if rows.n_classes == 2 else -1.0  # as in scikit-learn: with several classes the earlier is positive
        self.support_ = used.astype(np.int32)
        self.n_support_ = np.bincount(rows.codes[rows.member_of[used]], minlength=rows.n_classes).astype(np.int32)
        self.dual_coef_ = sign * machines.coef[:, place[rows.member_of[used]]] * rows.share[used]
        self.intercept_ = sign * machines.bias
        if self._sparse_kernel is not None:
            self._sparse_support = self._sparse_support[machines.support]
        if self._kernel_name == "linear":
            normals, intercepts = self._planes()
            self._normals, self.intercept_ = sign * normals, sign * intercepts
            self._normals.flags.writeable = False
        if self._by_matrix:
            self._support_columns = rows.x[machines.support, 0].astype(np.intp)
        if not is_precomputed(self.kernel):
            self.support_vectors_ = self._given[used]
            if self._got_sparse:
                self.support_vectors_ = csr_array(self.support_vectors_)
        del self._given  # the training rows are not kept
        self.n_iter_ = np.array([s.n_iter for s in solutions])
        self.duality_gap_ = np.array([s.gap for s in solutions])
        self.dual_objective_ = np.array([s.objective for s in solutions])
        self.violation_ = np.array([s.violation for s in solutions])
        lengths = np.sqrt([s.norm_square for s in solutions])
        self.margin_ = np.divide(1.0, lengths, out=np.full(len(lengths), np.inf), where=lengths > 0)

    def _planes(self) -> tuple[Floats, Floats]:
        if self._sparse_kernel is not None:
            factor, origin = self._sparse_kernel.factor, self._sparse_kernel.origin
            return planes(self._machines, self._sparse_support, origin, factor, origin)
        factor, origin = self._scaling.shrink / self._scaling.divisor, self._scaling.offset / self._scaling.divisor
        return planes(self._machines, self._machines.x, np.zeros(len(origin)), factor, origin)

    def _calibrate(
        self, training: TrainingRows, unit_box: Floats, threads: int, groups: NDArray[np.intp] | None
    ) -> Floats:
        """Slopes of each pair, from decisions on rows that had no part in the machine that decided."""
        rows = training.rows
        decisions = cross_fitted(self, training, self.C_ * unit_box, threads, groups)
        slopes = []
        for k, (a, b) in enumerate(combinations(range(rows.n_classes), 2)):
            mask = (rows.codes == a) | (rows.codes == b)
            slopes.append(fit_slopes(decisions[mask, k], rows.codes[mask] == b, unit_box[mask]))
        return np.array(slopes)

    def _warn_of_one_class(self, training: TrainingRows, solutions: list[PairSolution], threads: int) -> None:
        if len(self.classes_) == 2:
            seen = np.unique(solutions[0].product + solutions[0].bias > 0)
        else:
            some = slice(None, None, max(1, len(training.rows.codes) // 1000))
            queries = training.rows.x[some] if training.gram is None else training.gram[some][:, self._machines.support]
            seen = np.unique(winners(self._machines.decisions(queries, threads), len(self.classes_)))
        if len(seen) == 1:
            warn(
                f"{type(self).__name__} predicts the class {self.classes_[int(seen[0])]} for every training row; "
                "hint: try a larger C, another width, or class_weight='balanced'",
                SepalWarning,
                stacklevel=3,
            )
