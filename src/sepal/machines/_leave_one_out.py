"""The leave-one-out error of support vector machines: exact, or between bounds where exact would take too long."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.machines._dual import PairSolution, leave_one_out
from sepal.machines._pairs import TrainingRows, gather, winners

Floats = NDArray[np.float64]
MOST_ROWS = 1000  # up to here the kernel matrix is kept, and every row that could turn is solved again
_MOST_WORK = 2e6  # above: rows solved again times rows of the problem
_FEWEST = 200  # rows solved again, however large the problem
_MOST_STEPS = 1000  # for one row of a large problem; one that is not solved by then keeps the sign it has


@dataclass(frozen=True)
class LeftOut:
    """The share of rows that the machine trained without them gets wrong.

    Attributes
    ----------
    error : float
        The share; an estimate where ``lower`` and ``upper`` differ.
    lower, upper : float
        What it cannot be below or above: rows known to be wrong, and those together with the rows not looked at.
    standard_error : float
        Of ``error``, since only a sample of the rows in question was solved again; 0 where all of them were.
    """

    error: float
    lower: float
    upper: float
    standard_error: float


def left_out(training: TrainingRows, solutions: list[PairSolution], *, tol: float, threads: int) -> LeftOut:
    """The leave-one-out error from the solutions of all rows; a distinct row goes one copy at a time.

    A row without weight changes nothing when it goes, and a row that is wrong stays wrong: a row's hinge loss cannot
    fall when it leaves the training set, in any of its pairs, so neither can its class gain a vote. Only support rows
    that are right are in question. They are solved again from where the whole solution stands: all of them up to 1,000
    distinct rows, else as many as fit the work; which ones depends on the values of the rows and not on C, so that
    errors at several C are compared on the same rows.
    """
    rows = training.rows
    n = len(rows.codes)
    decisions = _decisions(training, solutions, threads)
    wrong = winners(decisions, rows.n_classes) != rows.codes
    left = [solution.box * (1.0 - 1.0 / rows.n_copies[solution.rows]) for solution in solutions]
    carries = [np.abs(solution.beta) > spare for solution, spare in zip(solutions, left, strict=True)]
    in_question = np.zeros(n, dtype=bool)
    for solution, carrying in zip(solutions, carries, strict=True):
        in_question[solution.rows[carrying]] = True
    in_question &= ~wrong
    small = n <= MOST_ROWS
    sample = np.flatnonzero(in_question) if small else _sample(in_question)
    most = 2**62 if small else _MOST_STEPS
    chosen, unsolved = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    chosen[sample] = True
    for k, (solution, spare, carrying) in enumerate(zip(solutions, left, carries, strict=True)):
        which = np.flatnonzero(chosen[solution.rows] & carrying)
        found, solved = leave_one_out(
            training.source, training.kernel, solution, spare, which, most=most, tol=tol, threads=threads
        )
        decisions[solution.rows[which], k] = found
        unsolved[solution.rows[which[~solved]]] = True
    wrong = winners(decisions, rows.n_classes) != rows.codes
    return _summary(rows.weight / rows.weight.sum(), wrong, chosen, unsolved, in_question & ~chosen)


def _decisions(training: TrainingRows, solutions: list[PairSolution], threads: int) -> Floats:
    """What the machines of all rows say of each."""
    if len(solutions) == 1:
        return (solutions[0].product + solutions[0].bias)[:, None]
    machines = gather(training, solutions)
    queries = training.rows.x if training.gram is None else training.gram[:, machines.support]
    return machines.decisions(np.ascontiguousarray(queries), threads)


def _sample(in_question: NDArray[np.bool_]) -> NDArray[np.intp]:
    """As many of the rows as the work allows. Distinct rows are sorted by values: row order does not matter."""
    n = len(in_question)
    turn = np.random.default_rng(0).permutation(n)
    asked = np.flatnonzero(in_question)
    return asked[np.argsort(turn[asked])][: max(_FEWEST, int(_MOST_WORK / n))]


def _summary(
    share: Floats,
    wrong: NDArray[np.bool_],
    chosen: NDArray[np.bool_],
    unsolved: NDArray[np.bool_],
    unknown: NDArray[np.bool_],
) -> LeftOut:
    lower = float(share[wrong & ~unsolved & ~unknown].sum())
    upper = lower + float(share[unsolved | unknown].sum())
    error, rest = float(share[wrong & ~unknown].sum()), float(share[unknown].sum())
    if rest == 0:
        return LeftOut(error, lower, max(upper, error), 0.0)
    rate = float(np.average(wrong[chosen], weights=share[chosen]))
    count, others = int(chosen.sum()), int(unknown.sum())
    likely = (count * rate + 1.0) / (count + 2.0)  # Laplace: no certainty from a sample without errors
    spread = np.sqrt(likely * (1.0 - likely) * (1.0 / count + 1.0 / others))
    return LeftOut(error + rate * rest, lower, upper, rest * float(spread))
