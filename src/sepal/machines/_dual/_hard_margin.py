"""The hard margin, C = inf: weights may grow until no row is inside the margin, or until the classes are seen to meet.

Solvers take bounded weights, so the bound grows tenfold from solution to solution, each of which starts from the one
before. A solution also says how wide the margin is at most: divided by half its sum, the weights of a class are those
of a point in its convex hull, and |w| / sum(alpha) is half the distance of two such points. Where the bound of the
margin is so small that rounding of the decisions would reach the tolerance, the classes are not separable, or by too
little to be told in floating point. The same is said after some millions of steps: with narrow kernels, under which all
distinct rows are separable, the margin of classes that overlap is so small that no search for it ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import DataError
from sepal.machines._dual._pairs import TrainingRows
from sepal.machines._dual._solvers import PairSolution, Status, kernel_matrix, pair_members, solve_pairs

Floats = NDArray[np.float64]
BoundedSolver = Callable[[float, PairSolution | None], PairSolution]
_INSIDE = 4.0  # tolerances that a row may be inside the margin
_MOST_STEPS, _STEPS_PER_ROW = 2_000_000, 200  # for the support vector machine of two classes, all bounds together
_LOOKED_AT = 500  # rows whose kernel values say where bounds begin


def solve_hard_margin(solve: BoundedSolver, gram: Floats, tol: float, names: str) -> PairSolution:
    """The solution with unbounded weights.

    Parameters
    ----------
    solve : callable
        (bound, solution before or None) -> the solution with weights up to ``bound``, its steps counted from the first.
    gram : ndarray
        The kernel matrix of the rows, or of some of them: where bounds begin, and how large rounding is.
    tol : float
        The tolerance of the solutions.
    names : str
        The two classes, for the error.

    Returns
    -------
    PairSolution
        With the finite bound that was enough, so that its gap is finite too. One that was cut short (out of time or of
        steps) as it is.

    Raises
    ------
    DataError
        If the classes are not separable.
    """
    length = np.abs(np.diag(gram))
    least_margin = np.sqrt(np.finfo(np.float64).eps * float(length.max()) / tol)
    found, margin = None, np.inf
    for power in count(1):
        found = solve(10.0**power / (float(length.mean()) or 1.0), found)
        inside = float((1.0 - found.sign * (found.product + found.bias)).max())
        if inside <= _INSIDE * tol:
            return found
        if found.status not in (Status.SOLVED, Status.STALLED):
            return replace(found, violation=max(found.violation, inside))
        margin = min(margin, float(np.sqrt(found.norm_square) / np.abs(found.beta).sum()))
        if found.status == Status.STALLED or not margin > least_margin:
            break
    raise DataError(
        f"C=inf asks for a hard margin, but the classes {names} are not separable with this kernel, or by a margin "
        f"below {max(margin, least_margin):.1g} in feature space",
        hint="use a finite C, or a narrower kernel",
    )


def hard_margins(
    training: TrainingRows, classes: NDArray[Any], *, time_limit: float | None, **limits: Any
) -> list[PairSolution]:
    """The support vector machine with a hard margin for each pair of classes; ``limits`` as in ``solve_pairs``."""
    rows = training.rows
    pairs = list(combinations(range(rows.n_classes), 2))
    members = [pair_members(rows.start, a, b)[0] for a, b in pairs]
    work = np.array([float(len(at)) ** 2 for at in members])
    end = np.inf if time_limit is None else time.monotonic() + time_limit
    solutions = []
    for k, (a, b) in enumerate(pairs):
        own_share = work[k] / work[k:].sum()  # what one pair leaves of the time, others may use
        own_end = end if np.isinf(end) else time.monotonic() + (end - time.monotonic()) * own_share
        start = [0, rows.start[a + 1] - rows.start[a], len(members[k])]
        names = f"{classes[a]} and {classes[b]}"
        solutions.append(_hard_pair(training, members[k], start, names, own_end, limits))
    return solutions


def _hard_pair(
    training: TrainingRows, at: NDArray[np.int64], start: list[int], names: str, end: float, limits: dict[str, Any]
) -> PairSolution:
    source = training.rows.x[at] if training.gram is None else np.ascontiguousarray(training.gram[np.ix_(at, at)])
    most, own_most = limits["max_iter"], _MOST_STEPS + _STEPS_PER_ROW * len(at)

    def solve(bound: float, before: PairSolution | None) -> PairSolution:
        used = 0 if before is None else before.n_iter
        own = {
            "time_limit": None if np.isinf(end) else max(0.0, end - time.monotonic()),
            "warm": None if before is None else [before.beta],
            "max_iter": max(0, (own_most if most == -1 else min(most, own_most)) - used),
        }
        (found,) = solve_pairs(source, start, np.full(len(at), bound), training.kernel, **(limits | own))
        found = replace(found, rows=at, n_iter=used + found.n_iter)
        patient = most == -1 or found.n_iter < most
        return replace(found, status=Status.STALLED) if found.status == Status.OUT_OF_STEPS and patient else found

    some = np.unique(np.linspace(0, len(at) - 1, min(len(at), _LOOKED_AT)).astype(np.intp))
    if training.gram is None:
        gram = kernel_matrix(source[some], source[some], training.kernel, limits["threads"])
    else:
        gram = source[np.ix_(some, some)]
    return solve_hard_margin(solve, gram, limits["tol"], names)
