"""The door to the native dual solvers: kernel matrices, expansions, support vector and Adatron solutions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal._lazy import cached_property

Floats = NDArray[np.float64]
NativeKernelName = Literal["linear", "poly", "rbf", "sigmoid"]
NATIVE_KERNELS: tuple[NativeKernelName, ...] = ("linear", "poly", "rbf", "sigmoid")

NATIVE_NAMES = {"polynomial": "poly", "gaussian": "rbf"}  # what sepal.kernels calls them too

Status = _native.SolverStatus  # how a solution ended

# Kernel rows are kept in float32 where neither the tolerance nor the data ask for more: the exponent of the rbf
# kernel must not be wrong by more than this.
_NARROW_ERROR = 2e-5
_NARROW_TOLERANCE = 1e-5
_NARROW_PEAK = 1e4  # larger kernel values have larger rounding errors
_NARROW_ROWS = 1500  # smaller problems gain nothing
_LEFT_OUT_CACHE = 5e8  # bytes of kernel rows that leave-one-out keeps


class _KernelArguments(TypedDict):
    kernel: str
    gamma: float
    coef0: float
    degree: int


@dataclass(frozen=True)
class NativeKernel:
    """A kernel the native code knows, or ``"precomputed"``: rows are kernel values already."""

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3

    @property
    def arguments(self) -> _KernelArguments:
        """The kernel as keyword arguments of native functions."""
        return {"kernel": self.name, "gamma": self.gamma, "coef0": self.coef0, "degree": self.degree}


@dataclass(frozen=True, eq=False)
class PairSolution:
    """The machine of one class against another.

    ``rows`` are those of the earlier class, then of the later, which is the positive one. ``beta`` is alpha times
    the sign of the class, ``product`` the kernel matrix times beta; the decision is ``product + bias``.
    """

    rows: NDArray[np.int64]
    sign: Floats
    box: Floats
    beta: Floats
    product: Floats
    bias: float
    violation: float
    n_iter: int
    status: _native.SolverStatus

    @cached_property
    def norm_square(self) -> float:
        """The squared length of the normal vector in feature space."""
        return max(0.0, float((self.beta * self.product).sum()))

    @property
    def free(self) -> NDArray[np.bool_]:
        """Rows between their bounds; one that rounding alone keeps from a bound is at it, as for the bias."""
        weight, rounding = np.abs(self.beta), 1e-12 * self.box
        return (weight > rounding) & (weight < self.box - rounding)

    @property
    def objective(self) -> float:
        """The dual objective, sum alpha (1 - t bias) - |w|^2 / 2: a free bias has weights that sum to 0."""
        return float(np.abs(self.beta).sum()) - self.bias * float(self.beta.sum()) - 0.5 * self.norm_square

    @property
    def gap(self) -> float:
        """Primal less dual objective: how far, at most, the objective is from the best."""
        slack = np.maximum(0.0, 1.0 - self.sign * (self.product + self.bias))
        held = slack > 0  # an unbounded box times no slack is nothing
        return 0.5 * self.norm_square + float(self.box[held] @ slack[held]) - self.objective


def kernel_matrix(a: Floats, b: Floats, kernel: NativeKernel, threads: int) -> Floats:
    """The kernel between all rows of two arrays, in float64."""
    a, b = _centred(kernel, a, b)
    flat = _native.kernel_matrix(
        a=a,
        b=b,
        **kernel.arguments,
        threads=threads,
        progress=None,
    )
    return flat.reshape(len(a), len(b))


def expansion(
    support: Floats, start: list[int], coef: Floats, queries: Floats, kernel: NativeKernel, threads: int
) -> Floats:
    """``out[q, g, m]``: the sum over the support rows of group g of ``coef[m]`` times their kernel with query q.

    In float64; for the rbf kernel squared distances come from norms and products around the mean of the support
    rows, which costs at most about 1e-15 times gamma times the largest squared distance from that mean.
    """
    support, queries = _centred(kernel, support, queries)
    flat = _native.kernel_expansion(
        support=support,
        start=start,
        coef=np.ascontiguousarray(coef),
        queries=queries,
        **kernel.arguments,
        threads=threads,
        progress=None,
    )
    return flat.reshape(len(queries), len(start) - 1, len(coef))


def solve_pairs(
    x: Floats,
    start: list[int],
    box: Floats,
    kernel: NativeKernel,
    *,
    tol: float,
    cache_size: float,
    time_limit: float | None,
    threads: int,
    warm: list[Floats] | None = None,
    max_iter: int = -1,
) -> list[PairSolution]:
    """One support vector machine for each pair of classes.

    Parameters
    ----------
    x : ndarray
        Rows sorted by class, or their kernel matrix.
    start : list of int
        Where each class begins, and the number of rows.
    box : ndarray
        The largest weight of each row.
    kernel : NativeKernel
        What ``x`` is to be compared by.
    tol : float
        The largest violation of optimality by any pair of rows.
    cache_size : float
        Megabytes of kernel rows to keep.
    time_limit : float, optional
        Seconds for all pairs together; each has a share by its number of rows.
    threads : int
        How many.
    warm : list of ndarray, optional
        A feasible ``beta`` for each pair to start from.
    max_iter : int
        Steps for each pair of classes; -1 for no limit.
    """
    (rows,) = _centred(kernel, x)
    found = _native.dual_solve_pairs(
        x=rows,
        **kernel.arguments,
        start=start,
        box=np.ascontiguousarray(box),
        start_beta=np.concatenate(warm) if warm else np.zeros(0),
        tol=tol,
        narrow=_may_be_narrow(rows, kernel, tol),
        cache_bytes=cache_size * 1e6,
        deadline=np.inf if time_limit is None else time_limit,
        most_steps=np.iinfo(np.int64).max if max_iter == -1 else max_iter,
        threads=threads,
        progress=None,
    )
    solutions, at = [], 0
    for k, (a, b) in enumerate(combinations(range(len(start) - 1), 2)):
        pair_rows, sign = pair_members(start, a, b)
        part = slice(at, at + len(pair_rows))
        at += len(pair_rows)
        solutions.append(
            PairSolution(
                pair_rows,
                sign,
                box[pair_rows],
                found.beta[part],
                found.product[part],
                float(found.bias[k]),
                float(found.violation[k]),
                int(found.iterations[k]),
                Status(int(found.status[k])),
            )
        )
    return solutions


def pair_members(start: list[int], a: int, b: int) -> tuple[NDArray[np.int64], Floats]:
    """The rows of two classes and their signs: the earlier class is negative."""
    first, second = np.arange(start[a], start[a + 1]), np.arange(start[b], start[b + 1])
    sign = np.concatenate([np.full(len(first), -1.0), np.full(len(second), 1.0)])
    return np.concatenate([first, second]).astype(np.int64), sign


def leave_one_out(
    x: Floats,
    kernel: NativeKernel,
    solution: PairSolution,
    left: Floats,
    which: NDArray[np.intp],
    *,
    most: int,
    tol: float,
    threads: int,
) -> tuple[Floats, NDArray[np.bool_]]:
    """What the machines without each of some rows say of those rows, and which of them ended within ``most`` steps.

    ``x`` and ``kernel`` are as for :func:`solve_pairs`, ``left`` the weight that copies of a row may still have when
    one of them goes, and ``which`` places among the rows of the solution.
    """
    (rows,) = _centred(kernel, x)
    low, high = np.minimum(0.0, solution.sign * solution.box), np.maximum(0.0, solution.sign * solution.box)
    decision, solved = _native.dual_leave_one_out(
        x=rows,
        **kernel.arguments,
        members=solution.rows.tolist(),
        t=solution.sign,
        low=low,
        high=high,
        left=np.ascontiguousarray(left),
        beta=solution.beta,
        product=solution.product,
        which=which.tolist(),
        most=most,
        tol=tol,
        narrow=_may_be_narrow(rows, kernel, tol),
        cache_bytes=_LEFT_OUT_CACHE,
        threads=threads,
        progress=None,
    )
    return decision, solved.astype(np.bool_)


@dataclass(frozen=True, eq=False)
class NearMargin:
    """Rows that may change while another row goes: weights, bounds, slacks, and what they have to do with each other.

    ``free`` are places. With M = [0 1'; 1 K + ridge] of the free rows and u = (1, K_free) of any row, ``inverse`` is
    that of M, ``solved`` has the rows u' M^-1, and ``residual`` is K less solved u'.
    """

    residual: Floats
    beta: Floats
    low: Floats
    high: Floats
    slack: Floats
    free: NDArray[np.int32]
    inverse: Floats
    solved: Floats
    ridge: float


@dataclass(frozen=True, eq=False)
class LeavingRows:
    """Rows to take out, one by one: ``residual`` with the rows near the margin, ``place`` among these or -1."""

    residual: Floats
    solved: Floats
    own: Floats
    place: NDArray[np.int32]
    taken: Floats
    decision: Floats
    sign: Floats


@dataclass(frozen=True, eq=False)
class Removals:
    """For each row that went: the change of the bias and of the weights, and what was taken of its own weight.

    ``turned``: the decision changed its sign when ``gone`` of the weight was taken, and the path ended there.
    ``alone``: no row near the margin can take what is left.
    """

    shift: Floats
    gone: Floats
    change: Floats
    turned: NDArray[np.bool_]
    alone: NDArray[np.bool_]
    failed: NDArray[np.bool_]


def removals(near: NearMargin, going: LeavingRows, *, until_sign_change: bool, threads: int) -> Removals:
    """Follow the solution while the weight of each row is taken out."""
    found = _native.dual_removals(
        residual=near.residual,
        beta=near.beta,
        low=near.low,
        high=near.high,
        slack=near.slack,
        free=near.free,
        inverse=near.inverse,
        solved=near.solved,
        solved_across=np.ascontiguousarray(near.solved.T),
        ridge=near.ridge,
        residual_going=going.residual,
        solved_going=going.solved,
        own=going.own,
        place=going.place,
        taken=going.taken,
        decision=going.decision,
        sign=going.sign,
        until_sign_change=until_sign_change,
        threads=threads,
    )
    change = found.change.reshape(len(found.shift), len(near.beta))
    ends = _native.RemovalStatus
    turned, alone, failed = (found.status == end for end in (ends.TURNED, ends.ALONE, ends.FAILED))
    return Removals(found.shift, found.gone, change, turned, alone, failed)


def solve_adatron(
    gram: Floats,
    sign: Floats,
    box: Floats,
    rows: NDArray[np.int64],
    *,
    omega: float,
    tol: float,
    max_iter: int,
    bias: bool | float,
) -> PairSolution:
    """The kernel Adatron on one kernel matrix, with a ``bias`` that is searched for (True) or held at a number."""
    search = bias is True
    found = _native.adatron(
        gram=np.ascontiguousarray(gram),
        t=sign,
        box=np.ascontiguousarray(box),
        omega=omega,
        tol=tol,
        max_sweeps=max_iter,
        with_bias=search,
        offset=0.0 if search else float(bias),
        balance=1e-12 * box.sum(),
    )
    return PairSolution(
        rows,
        sign,
        box,
        found.alpha * sign,
        found.product,
        found.bias,
        found.violation,
        found.sweeps,
        found.status,
    )


def _centred(kernel: NativeKernel, *arrays: Floats) -> tuple[Floats, ...]:
    """Distances do not change when the origin moves; around the mean less is lost to rounding."""
    if kernel.name != "rbf":
        return tuple(np.ascontiguousarray(a) for a in arrays)
    mean = arrays[0].mean(axis=0) if len(arrays[0]) else 0.0  # no support row: the bias alone decides
    return tuple(np.ascontiguousarray(a - mean) for a in arrays)


def _may_be_narrow(rows: Floats, kernel: NativeKernel, tol: float) -> bool:
    if kernel.name == "precomputed" or tol < _NARROW_TOLERANCE or len(rows) < _NARROW_ROWS:
        return False
    largest = float(np.einsum("ij,ij->i", rows, rows).max())
    if kernel.name != "rbf":
        peak = (
            largest if kernel.name == "linear" else (abs(kernel.gamma) * largest + abs(kernel.coef0)) ** kernel.degree
        )
        return peak < _NARROW_PEAK
    return 4 * kernel.gamma * largest * 2.0**-24 <= _NARROW_ERROR
