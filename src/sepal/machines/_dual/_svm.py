"""The support vector machine: exact dual solution, true bias."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self, TypedDict
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import _num_samples

from sepal.data import ScaleName, SparseRows, Table, as_table, group_codes, left_out_together
from sepal.exceptions import SepalWarning
from sepal.kernels import KernelFunction
from sepal.machines._dual._c_by_groups import search_c_by_groups
from sepal.machines._dual._c_search import search_c
from sepal.machines._dual._hard_margin import hard_margins
from sepal.machines._dual._machine import KernelMachine
from sepal.machines._dual._pairs import TrainingRows
from sepal.machines._dual._solvers import PairSolution, Status, solve_pairs
from sepal.machines._parameters import SVM

Floats = NDArray[np.float64]


class _Limits(TypedDict):
    tol: float
    cache_size: float
    time_limit: float | None
    threads: int
    max_iter: int


class SVMClassifier(KernelMachine):
    """Support vector machine with a free bias; several classes by one against one.

    Parameters
    ----------
    C : float or "auto"
        The largest weight of a row; ``float("inf")`` is the hard margin, an error if the classes are not separable.
        "auto" takes the C of least leave-one-out error, the smallest among equals. The error is exact up to ``tol``:
        every support row that is right is taken out of the solution, which is followed meanwhile. Only with many tens
        of thousands of rows these are a sample, and ``C_search_`` says how sure it is.
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"}, another of ``sepal.kernels.KERNELS``, or callable
        A function gets two arrays of scaled rows and returns their kernel matrix. Rows that form no table (a list of
        texts, graphs, sequences of several lengths) it gets as they are, and new rows with all training rows, as in
        scikit-learn. "mixed" takes nominal columns and missing cells. For all but the first four the whole kernel
        matrix is kept. One that is not positive semidefinite on the training rows (a thousand of them if they are many)
        is warned of.
    width : float or "aligned"
        The width s of the rbf kernel ``exp(-|x - z|^2 / (2 s^2))``, in scaled units. "aligned" takes the width whose
        centred kernel is best aligned with the classes, at most the root mean squared distance between rows.
    gamma : float, "scale", "auto" or None
        As in scikit-learn; replaces ``width``. None: by ``width`` (rbf) or "scale" (poly, sigmoid).
    degree, coef0 : int, float
        Of poly, (gamma x.z + coef0)^degree, and sigmoid, tanh(gamma x.z + coef0).
    scale : {"minmax", "standard"} or None
        Scaling of the columns by the training rows.
    tol : float
        The largest violation of the optimality conditions that is let pass.
    time_limit : float, optional
        Seconds for the machine, all pairs of classes together; after that the model so far is kept, with a warning.
        ``C="auto"`` then takes the best C so far. ``probability=True`` needs five machines more.
    max_iter : int
        Steps for each pair of classes, -1 for no limit; after that the model so far is kept, with a warning.
    class_weight : dict, "balanced" or None
        Multiplies C for the rows of each class, as if there were so many copies of them.
    probability : bool
        Whether ``predict_proba`` is wanted. It takes five further fits on four fifths of the rows.
    decision_function_shape : {"ovr", "ovo"}
        What ``decision_function`` gives for more than two classes: one score per class, or the value of every pair.
    cache_size : float
        Megabytes for kernel rows.
    n_jobs : int, optional
        Threads; all cores by default. The model does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
    support_, n_support_, support_vectors_ : ndarray
        The support rows, sorted by class, in the units given; sparse if ``fit`` got sparse rows. Copies of a row share
        its weight.
    dual_coef_, intercept_ : ndarray
        As in scikit-learn: alpha times the sign of the class; the bias of each pair.
    coef_ : ndarray, shape (n_pairs, n_features)
        With ``kernel="linear"`` only: the normals of the planes in the units given, whatever ``scale`` is, and
        ``intercept_`` goes with them: ``X @ coef_.T + intercept_`` are the decision values of all pairs.
    C_, gamma_, width_ : float or None
        What was used.
    n_iter_, violation_, dual_objective_, duality_gap_ : ndarray, one per pair of classes
        Pair steps, worst violation left, dual objective, and how far at most it is from the best.
    margin_ : ndarray
        Distance from the decision surface to where the decision is 1, in feature space: ``1/|w|``.
    C_search_ : CSearch
        With ``C="auto"``: the values tried, their errors and how sure these are.

    Notes
    -----
    Ties of the votes of several classes are always broken by the decision values, as by scikit-learn's
    ``break_ties=True``: the predicted class is the one with the largest score.

    Problems of more than 1,500 rows with ``tol`` of at least 1e-5 keep kernel rows in float32; where weights are so
    large that this could violate the conditions by ``tol``, the solution is completed in float64. Decisions of the
    fitted model are always computed in float64. Equal rows of one class are solved as one row with their joint weight.

    Sparse rows give the model of the same rows written out. With more columns than rows and the kernels linear, poly,
    rbf, sigmoid and cosine they are never written out; the kernel matrix of the training rows is kept instead.

    References
    ----------
    C. Cortes and V. Vapnik (1995). Support-vector networks. Machine Learning 20, 273-297.
    R.-E. Fan, P.-H. Chen and C.-J. Lin (2005). Working set selection using second order information for training
    support vector machines. Journal of Machine Learning Research 6, 1889-1918.

    Examples
    --------
    >>> from sepal.machines import SVMClassifier
    >>> machine = SVMClassifier(C=1000, kernel="linear", scale=None).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> machine.support_.tolist(), round(float(machine.intercept_[0]), 6), machine.predict([[1.9], [2.1]]).tolist()
    ([1, 2], -2.0, [0, 1])
    """

    parameter_table = SVM

    def __init__(
        self,
        *,
        C: float | Literal["auto"] = 1.0,
        kernel: str | KernelFunction = "rbf",
        width: float | Literal["aligned"] = "aligned",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        scale: ScaleName | None = "minmax",
        tol: float = 1e-3,
        time_limit: float | None = None,
        max_iter: int = -1,
        class_weight: Any = None,
        probability: bool = False,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        cache_size: float = 500.0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.width = width
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.scale = scale
        self.tol = tol
        self.time_limit = time_limit
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.probability = probability
        self.decision_function_shape = decision_function_shape
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Train on rows and their classes.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`KernelAdatronClassifier.fit`: a row of weight 0 or less is as good as absent.
        groups : array-like, "rows", "copies" or None
            For ``C="auto"``. Labels: rows of the same group are held out together, in up to ten folds. "rows": each row
            is left out alone; "copies": with all rows of its class that are equal to it. None: copies where their
            numbers show that records were repeated, else each alone. Labels also for the calibration of
            ``probability=True``, where equal rows of one class are always held out together.
        """
        self.__dict__.pop("C_search_", None)  # that of an earlier fit
        self._copies_go = groups
        if isinstance(self.C, str) and self.C == "auto" and groups is not None and not isinstance(groups, str):
            n_rows = X.n_rows if isinstance(X, Table) else _num_samples(X)
            self.C_search_ = search_c_by_groups(self, X, y, sample_weight, group_codes(groups, n_rows))
        try:
            return super().fit(X, y, sample_weight, groups=groups)
        finally:
            del self._copies_go

    def _solved(self, training: TrainingRows, unit_box: Floats, threads: int) -> tuple[float, list[PairSolution]]:
        if not isinstance(self.C, str) or self.C != "auto":
            return super()._solved(training, unit_box, threads)
        if hasattr(self, "C_search_"):  # by groups
            C = self.C_search_.best
            return C, self._solve(training, C * unit_box, threads)
        if not self._by_matrix and self._copies_leave_together(training):
            whole = replace(training.rows, leaves=np.ones(len(training.rows.codes)))
            training = replace(training, rows=whole)
        self.C_search_, solutions = search_c(self, training, unit_box, threads)
        self._warn_of_early_ends(solutions)
        return self.C_search_.best, solutions

    def _copies_leave_together(self, training: TrainingRows) -> bool:
        values, rows_used = self._given, training.rows
        weight: Floats = np.where(rows_used.member_of < 0, 0.0, rows_used.weight[rows_used.member_of] * rows_used.share)
        rows = SparseRows(values) if isinstance(values, csr_array) else as_table(values)
        return (
            left_out_together(rows, self._copies_go, np.asarray(np.round(weight, 9), dtype=np.float64)).together
            == "copies"
        )

    def _solve(
        self, training: TrainingRows, box: Floats, threads: int, warm: list[Floats] | None = None
    ) -> list[PairSolution]:
        solutions = self._solutions(training, box, threads, warm, self.time_limit)
        self._warn_of_early_ends(solutions)
        return solutions

    def _solutions(
        self,
        training: TrainingRows,
        box: Floats,
        threads: int,
        warm: list[Floats] | None,
        time_limit: float | None,
    ) -> list[PairSolution]:
        limits = _Limits(
            tol=self.tol,
            cache_size=self.cache_size,
            time_limit=time_limit,
            threads=threads,
            max_iter=int(self.max_iter),
        )
        if np.isinf(box).any():
            return hard_margins(training, self.classes_, **limits)
        return solve_pairs(training.source, training.rows.start, box, training.kernel, warm=warm, **limits)

    def _warn_of_early_ends(self, solutions: list[PairSolution]) -> None:
        worst = max(s.violation for s in solutions)
        if any(s.status == Status.OUT_OF_TIME for s in solutions):
            warn(
                f"SVMClassifier stopped after time_limit={self.time_limit} s with the model it had: conditions are "
                f"violated by up to {worst:.2g}, tol is {self.tol:g}",
                SepalWarning,
                stacklevel=4,
            )
        elif any(s.status == Status.OUT_OF_STEPS for s in solutions):
            warn(
                f"SVMClassifier used up max_iter={self.max_iter} steps: conditions are violated by up to {worst:.2g}, "
                f"tol is {self.tol:g}; hint: scale the columns, lower C, or give more steps",
                SepalWarning,
                stacklevel=4,
            )
        elif any(s.status == Status.STALLED for s in solutions):
            warn(
                f"SVMClassifier cannot come nearer to the optimum in floating point: conditions are violated by up to "
                f"{worst:.2g}, tol is {self.tol:g}; hint: scale the columns, lower C, or check that the kernel is "
                "positive semidefinite",
                SepalWarning,
                stacklevel=4,
            )
