"""The kernel Adatron: the founding paper's solver, a perceptron that finds the largest margin."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any, Literal
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName
from sepal.exceptions import DataError, ParameterError, SepalWarning
from sepal.kernels import KernelFunction
from sepal.machines._dual._hard_margin import solve_hard_margin
from sepal.machines._dual._machine import KernelMachine
from sepal.machines._dual._pairs import TrainingRows
from sepal.machines._dual._solvers import PairSolution, Status, kernel_matrix, pair_members, solve_adatron
from sepal.machines._parameters import ADATRON

Floats = NDArray[np.float64]
MOST_ADATRON_ROWS = 12_000  # distinct rows of two classes; their kernel matrix is kept whole


class KernelAdatronClassifier(KernelMachine):
    """Kernel Adatron: coordinate ascent on the dual, over-relaxed, each weight kept in its box from 0 to C.

    Without a bias this is the dual of the support vector machine through the origin; with one, an outer search
    (bisection with secant guesses) finds the bias at which the weights of both classes balance, which makes it the
    same model as :class:`SVMClassifier`.

    Parameters
    ----------
    C : float
        The largest weight of a row; ``float("inf")`` is the hard margin, an error if the classes are not separable.
    kernel, width, gamma, degree, coef0, scale, class_weight, probability, decision_function_shape, n_jobs
        As in :class:`SVMClassifier`.
    bias : bool
        Whether to search for a bias. Without one the decision is the bare sum of kernels, which is 0 where no row is
        near; class weights, as costs of errors, then decide: the bias is held at the mean of -1 and 1 under the weights
        of the two classes, which is 0 when they are equal.
    omega : float
        Over-relaxation, above 0 and below 2. 1 is exact for one row at a time; 1.5 needs fewest sweeps.
    tol : float
        The largest violation of the optimality conditions that is let pass.
    max_iter : int
        Sweeps over all rows, those of the search for the bias included.

    Attributes
    ----------
    n_iter_ : ndarray
        Sweeps of each pair of classes.
    violation_, duality_gap_, dual_objective_, margin_, support_, dual_coef_, intercept_, ...
        As in :class:`SVMClassifier`.

    References
    ----------
    T.-T. Friess, N. Cristianini and C. Campbell (1998). The kernel-Adatron algorithm: a fast and simple learning
    procedure for support vector machines. ICML 15, 188-196.

    Examples
    --------
    >>> from sepal.machines import KernelAdatronClassifier
    >>> machine = KernelAdatronClassifier(C=float("inf"), kernel="linear", scale=None, tol=1e-9)
    >>> machine = machine.fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> machine.support_.tolist(), round(float(machine.intercept_[0]), 6)
    ([1, 2], -2.0)
    """

    parameter_table = ADATRON

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | KernelFunction = "rbf",
        width: float | Literal["aligned"] = "aligned",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        scale: ScaleName | None = "minmax",
        bias: bool = True,
        omega: float = 1.5,
        tol: float = 1e-4,
        max_iter: int = 100_000,
        class_weight: Any = None,
        probability: bool = False,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.width = width
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.scale = scale
        self.bias = bias
        self.omega = omega
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.probability = probability
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs

    def _solve(self, training: TrainingRows, box: Floats, threads: int) -> list[PairSolution]:
        rows = training.rows
        costs = self._class_factors(rows)
        solutions = []
        for a, b in combinations(range(rows.n_classes), 2):
            at, sign = pair_members(rows.start, a, b)
            if len(at) > MOST_ADATRON_ROWS:
                raise ParameterError(
                    f"KernelAdatronClassifier keeps the whole kernel matrix of two classes and takes at most "
                    f"{MOST_ADATRON_ROWS} distinct rows of them; found {len(at)}",
                    hint="use SVMClassifier, which finds the same model and keeps only some kernel rows",
                )
            if training.gram is None:
                gram = kernel_matrix(rows.x[at], rows.x[at], training.kernel, threads)
            else:
                gram = training.gram[np.ix_(at, at)]
            bias = True if self.bias else float((costs[b] - costs[a]) / (costs[b] + costs[a]))
            names = f"{self.classes_[a]} and {self.classes_[b]}"
            if np.isinf(box[at]).any():
                found = self._hard_margin(gram, sign, at, bias, names)
            else:
                found = self._bounded(gram, sign, box[at], at, bias, self.max_iter)
                self._refuse_or_warn(found, names)
            solutions.append(found)
        return solutions

    def _bounded(
        self, gram: Floats, sign: Floats, box: Floats, at: NDArray[np.int64], bias: bool | float, sweeps: int
    ) -> PairSolution:
        return solve_adatron(gram, sign, box, at, omega=self.omega, tol=self.tol, max_iter=sweeps, bias=bias)

    def _hard_margin(
        self, gram: Floats, sign: Floats, at: NDArray[np.int64], bias: bool | float, names: str
    ) -> PairSolution:
        """At a wrong bias the hard margin has no solution; with bounds the search for the bias ends at every bias."""

        def solve(bound: float, before: PairSolution | None) -> PairSolution:
            used = 0 if before is None else before.n_iter
            found = self._bounded(gram, sign, np.full(len(at), bound), at, bias, self.max_iter - used)
            return replace(found, n_iter=used + found.n_iter)

        found = solve_hard_margin(solve, gram, self.tol, names)
        if found.status != Status.SOLVED:
            raise DataError(
                f"max_iter={self.max_iter} sweeps were not enough for C=inf: the classes {names} are not separable "
                "with this kernel, or by little",
                hint="SVMClassifier(C=float('inf')) finds the same model in less time; or use a finite C",
            )
        return found

    def _refuse_or_warn(self, found: PairSolution, names: str) -> None:
        if found.status == Status.DIVERGED:
            raise DataError(f"the classes {names} cannot be balanced by any bias; check sample_weight and the kernel")
        if found.status == Status.OUT_OF_STEPS:
            warn(
                f"KernelAdatronClassifier used up max_iter={self.max_iter} sweeps on the classes {names}: conditions "
                f"are violated by up to {found.violation:.2g}, tol is {self.tol:g}",
                SepalWarning,
                stacklevel=5,
            )
