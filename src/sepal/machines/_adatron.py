"""The kernel Adatron: the founding paper's solver, a perceptron that finds the largest margin."""

from __future__ import annotations

from itertools import combinations
from numbers import Real
from typing import Any, Literal
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName
from sepal.exceptions import DataError, ParameterError, SepalWarning
from sepal.machines._dual import (
    ADATRON_DIVERGED,
    ADATRON_OUT_OF_SWEEPS,
    PairSolution,
    kernel_matrix,
    pair_members,
    solve_adatron,
)
from sepal.machines._kernel_choice import KernelFunction
from sepal.machines._machine import KernelMachine
from sepal.machines._pairs import TrainingRows
from sepal.machines._parameters import ADATRON

Floats = NDArray[np.float64]
MOST_ROWS = 12_000  # distinct rows of two classes; their kernel matrix is kept whole


class KernelAdatronClassifier(KernelMachine):
    """Kernel Adatron: one row after the other is moved along its own gradient, over-relaxed and kept in its box.

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
        self._check_parameters()
        rows = training.rows
        costs = self._class_factors(rows)
        solutions = []
        for a, b in combinations(range(rows.n_classes), 2):
            at, sign = pair_members(rows.start, a, b)
            if len(at) > MOST_ROWS:
                raise ParameterError(
                    f"KernelAdatronClassifier keeps the whole kernel matrix of two classes and takes at most "
                    f"{MOST_ROWS} distinct rows of them; found {len(at)}",
                    hint="use SVMClassifier, which finds the same model and keeps only some kernel rows",
                )
            if training.gram is None:
                gram = kernel_matrix(rows.x[at], rows.x[at], training.kernel, threads)
            else:
                gram = training.gram[np.ix_(at, at)]
            bias = True if self.bias else float((costs[b] - costs[a]) / (costs[b] + costs[a]))
            found = solve_adatron(
                gram, sign, box[at], at, omega=self.omega, tol=self.tol, max_iter=self.max_iter, bias=bias
            )
            self._refuse_or_warn(found, a, b)
            solutions.append(found)
        return solutions

    def _refuse_or_warn(self, found: PairSolution, a: int, b: int) -> None:
        names = f"{self.classes_[a]} and {self.classes_[b]}"
        hard = bool(np.isinf(found.box).any())
        if found.status == ADATRON_DIVERGED or (hard and found.status == ADATRON_OUT_OF_SWEEPS):
            if hard:
                raise DataError(
                    f"C=inf asks for a hard margin, but the classes {names} are not separable with this kernel "
                    f"(or by too little): weights grow without end after {found.n_iter} sweeps",
                    hint="use a finite C, or a narrower kernel",
                )
            raise DataError(f"the classes {names} cannot be balanced by any bias; check sample_weight and the kernel")
        if found.status == ADATRON_OUT_OF_SWEEPS:
            warn(
                f"KernelAdatronClassifier used up max_iter={self.max_iter} sweeps on the classes {names}: conditions "
                f"are violated by up to {found.violation:.2g}, tol is {self.tol:g}",
                SepalWarning,
                stacklevel=5,
            )

    def _check_parameters(self) -> None:
        for name, low, high in (("omega", 0.0, 2.0), ("tol", 0.0, np.inf)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real) or not low < float(value) < high:
                raise ParameterError(f"{name} must be a number above {low:g} and below {high:g}; got {value!r}")
        if isinstance(self.max_iter, bool) or not isinstance(self.max_iter, (int, np.integer)) or self.max_iter < 1:
            raise ParameterError(f"max_iter must be an integer of at least 1; got {self.max_iter!r}")
