"""As many rows as there is time for.

Above the size at which widths are searched, time grows with the rows: every view goes through all of them twice. A
block of rows is timed, and where not all fit the fit is to a random part of them that keeps the shares of the classes.
What was measured decides, so such a fit is not the same on every machine; without a limit in sight nothing is cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sepal.auto._clock import StageClock
from sepal.auto._kernel_member import gaussian
from sepal.auto._solve import SEARCH_ROWS, Positions, Problem, Solution, most_vectors, solve
from sepal.auto._threads import one_thread
from sepal.estimators import VIEWS, fit_view
from sepal.kernels import squared_distances

_PILOT_ROWS = 1024
_FEWEST_ROWS = 1000  # there is always time for these
_SHARE = 0.4  # of the time that is left may go into the kernels; the rest is for the trees, and for being wrong
_SEARCHES = 6  # looks at all rows of the search, before the passes over all rows of the table
_SURE = 5e8  # operations in a second that any machine does


@dataclass(frozen=True, eq=False)
class InTime:
    """The rows that there was time for, ascending; their problem, and its solution."""

    rows: Positions
    problem: Problem
    solution: Solution


def solve_in_time(problem: Problem, *, clock: StageClock, seed: int, threads: int) -> InTime:
    """Solve the problem, or that of as many rows as there is time for; then a note in the trace says so."""
    n = problem.table.n_rows
    with one_thread():
        rows = affordable(problem, clock, threads)
        part = problem if len(rows) == n else replace(problem.part(rows), most=most_vectors(n))
        solution = solve(part, clock=clock, seed=seed, threads=threads)
    if len(rows) < n:
        note = f"time_limit: fitted to {len(rows):,} of {n:,} rows"
        solution = replace(solution, trace=replace(solution.trace, notes=(note, *solution.trace.notes)))
    return InTime(np.sort(rows), part, solution)


def affordable(problem: Problem, clock: StageClock, threads: int) -> Positions:
    """The beginning of the random order that there is time for, and at least one row of every class."""
    n = problem.table.n_rows
    if n <= SEARCH_ROWS or _operations(problem) <= _SURE * _SHARE * clock.left:
        return problem.order
    count = _affordable_count(problem, clock, threads)
    if count >= n:
        return problem.order
    chosen = problem.order[: count if count > SEARCH_ROWS else _FEWEST_ROWS]
    if problem.answers.dtype.kind != "i":
        return chosen
    first_rows = problem.order[np.unique(problem.answers[problem.order], return_index=True)[1]]
    return np.concatenate([chosen, np.setdiff1d(first_rows, chosen)])


def _affordable_count(problem: Problem, clock: StageClock, threads: int) -> int:
    if clock.left <= 0.0:
        return 0
    seconds = seconds_per_row(problem, clock)
    rounds = -(-len(VIEWS) // max(1, threads))
    return int((_SHARE * clock.left / seconds - _SEARCHES * SEARCH_ROWS) / rounds)


def _operations(problem: Problem) -> float:
    """Roughly those of all views and passes."""
    n, m = problem.table.n_rows, most_vectors(problem.table.n_rows)
    width = problem.table.n_columns + problem.targets.shape[1]
    return float(4 * len(VIEWS) * m * (m + width) * (n + _SEARCHES * SEARCH_ROWS))


def seconds_per_row(problem: Problem, clock: StageClock) -> float:
    """What a row costs one view: products as large as those of both passes, and the judging, timed on a few rows."""
    part = problem.sample(_PILOT_ROWS)
    view = fit_view(part.table, VIEWS[0])
    points = view.coordinates(problem.sample(most_vectors(problem.table.n_rows)).table)
    square = squared_distances(points, points)
    weights = np.zeros((len(points), part.targets.shape[1]))
    begin = clock.elapsed
    for _ in range(2):
        K = gaussian(squared_distances(view.coordinates(part.table), points), 1.0)
        part.judge.temperature(part.targets + (K @ square) @ weights)
    return max(clock.elapsed - begin, 1e-9) / part.table.n_rows
