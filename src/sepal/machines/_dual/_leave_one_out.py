"""The leave-one-out error of support vector machines: exact, and of a sample where that would take minutes."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.machines._dual._pairs import TrainingRows, gather, winners
from sepal.machines._dual._removal import removed
from sepal.machines._dual._solvers import PairSolution, Status, leave_one_out

Floats = NDArray[np.float64]
WHOLE_GRAM_ROWS = 1000  # up to here the kernel matrix is kept
_MOST_WORK = 2e11  # multiplications; every row whose sign may change is removed exactly if that needs less
_MOST_STEPS = 1000  # for a row of a large problem that has no path; one not solved by then keeps the sign it has


@dataclass(frozen=True)
class LeaveOneOutEstimate:
    """The share of rows that the machine trained without them gets wrong.

    Attributes
    ----------
    error : float
        The share; an estimate where ``lower`` and ``upper`` differ.
    lower, upper : float
        What it cannot be below or above: rows known to be wrong, and those together with the rows not looked at.
    standard_error : float
        Of ``error``, if only a sample of the rows in question was taken out; 0 where all of them were.
    """

    error: float
    lower: float
    upper: float
    standard_error: float


def left_out(
    training: TrainingRows, solutions: list[PairSolution], *, tol: float, threads: int, end: float = np.inf
) -> LeaveOneOutEstimate:
    """The leave-one-out error from the solutions of all rows; a distinct row goes one unit of its weight
    at a time, as one of its copies would.

    With a positive semidefinite kernel a row without weight changes nothing when it goes, unless no row is free and its
    going leaves the bias more room; and a row that is wrong stays wrong: a row's hinge loss cannot fall when it leaves
    the training set, in any of its pairs, so neither can its class gain a vote. So rows that are right and have weight
    are in question. Each is taken out of the solution, from where that stands; with very many rows as many as the work
    allows. Which ones depends on the values of the rows and not on C, so that errors at several C are compared on the
    same rows. Rows whose turn has not come at the monotonic time ``end`` keep their sign.
    """
    rows = training.rows
    n = len(rows.codes)
    decisions = _decisions(training, solutions, threads)
    wrong = winners(decisions, rows.n_classes) != rows.codes
    left = [solution.box * (1.0 - rows.leaves[solution.rows]) for solution in solutions]
    carries = [_carries(solution, spare) for solution, spare in zip(solutions, left, strict=True)]
    in_question = np.zeros(n, dtype=bool)
    for solution, carrying in zip(solutions, carries, strict=True):
        in_question[solution.rows[carrying]] = True
    in_question &= ~wrong
    share = _affordable(solutions, carries, in_question)
    chosen, unsolved = _sample(in_question, share), np.zeros(n, dtype=bool)
    for k, (solution, spare, carrying) in enumerate(zip(solutions, left, carries, strict=True)):
        which = np.flatnonzero(chosen[solution.rows] & carrying)
        found, solved = _without(training, solution, spare, which, tol, threads, end)
        decisions[solution.rows[which[solved]], k] = found[solved]
        unsolved[solution.rows[which[~solved]]] = True
    wrong = winners(decisions, rows.n_classes) != rows.codes
    if any(solution.status == Status.OUT_OF_TIME for solution in solutions):
        unsolved[:] = True
    return _summary(rows.weight / rows.weight.sum(), wrong, chosen, unsolved, in_question & ~chosen)


def _carries(solution: PairSolution, left: Floats) -> NDArray[np.bool_]:
    """Rows whose removal, or that of one copy, may change the solution: all where no row is free."""
    weight = np.abs(solution.beta)
    return ((weight > 0) & (weight >= left * (1 - 1e-9))) | ~np.any(solution.free)


def _without(
    training: TrainingRows,
    solution: PairSolution,
    left: Floats,
    which: NDArray[np.intp],
    tol: float,
    threads: int,
    end: float,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Decisions for rows that are taken out, by the path of the solution, and by pair steps where there is none."""
    two = training.rows.n_classes == 2  # then the sign says all
    found, solved = removed(training, solution, left, which, until_sign_change=two, tol=tol, threads=threads, end=end)
    rest = np.flatnonzero(~solved)
    if len(rest) and time.monotonic() < end:
        most = 2**62 if len(solution.beta) <= WHOLE_GRAM_ROWS else _MOST_STEPS
        found[rest], solved[rest] = leave_one_out(
            training.source, training.kernel, solution, left, which[rest], most=most, tol=tol, threads=threads
        )
    return found, solved


def _affordable(
    solutions: list[PairSolution], carries: list[NDArray[np.bool_]], in_question: NDArray[np.bool_]
) -> float:
    """The share of the rows in question that the work allows: a row costs all rows times the free ones."""
    work = 0.0
    for solution, carrying in zip(solutions, carries, strict=True):
        n_asked = np.count_nonzero(in_question[solution.rows] & carrying)
        work += n_asked * len(solution.rows) * (100 + np.count_nonzero(solution.free))
    return min(1.0, _MOST_WORK / max(work, 1.0))


def _decisions(training: TrainingRows, solutions: list[PairSolution], threads: int) -> Floats:
    """What the machines of all rows say of each."""
    if len(solutions) == 1:
        return (solutions[0].product + solutions[0].bias)[:, None]
    machines = gather(training, solutions)
    queries = training.rows.x if training.gram is None else training.gram[:, machines.support]
    return machines.decisions(np.ascontiguousarray(queries), threads)


def _sample(in_question: NDArray[np.bool_], share: float) -> NDArray[np.bool_]:
    """A share of the rows. Distinct rows are sorted by values: row order does not matter."""
    turn = np.random.default_rng(0).permutation(len(in_question))
    asked = np.flatnonzero(in_question)
    chosen = np.zeros(len(in_question), dtype=bool)
    chosen[asked[np.argsort(turn[asked])][: int(np.ceil(share * len(asked)))]] = True
    return chosen


def _summary(
    share: Floats,
    wrong: NDArray[np.bool_],
    chosen: NDArray[np.bool_],
    unsolved: NDArray[np.bool_],
    unknown: NDArray[np.bool_],
) -> LeaveOneOutEstimate:
    lower = float(share[wrong & ~unsolved & ~unknown].sum())
    upper = lower + float(share[unsolved | unknown].sum())
    error, rest = float(share[wrong & ~unknown].sum()), float(share[unknown].sum())
    if rest == 0:
        return LeaveOneOutEstimate(error, lower, max(upper, error), 0.0)
    rate = float(np.average(wrong[chosen], weights=share[chosen]))
    count, others = int(chosen.sum()), int(unknown.sum())
    likely = (count * rate + 1.0) / (count + 2.0)  # Laplace: no certainty from a sample without errors
    spread = np.sqrt(likely * (1.0 - likely) * (1.0 / count + 1.0 / others))
    return LeaveOneOutEstimate(error + rate * rest, lower, upper, rest * float(spread))
