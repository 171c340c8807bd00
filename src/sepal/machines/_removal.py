"""What a support vector machine says of a row once that row is taken out of it, by following the solution meanwhile.

Only rows near the margin take part in a path. Afterwards the other rows are looked at: if one of them has come to the
wrong side of the margin by more than the tolerance, it joins those near the margin, and the path is followed again. So
each decision belongs to a solution that meets the optimality conditions of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, inv

from sepal.machines._dual import Going, NearMargin, PairSolution, kernel_matrix, removals
from sepal.machines._pairs import TrainingRows

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
MOST_FREE = 3000  # the inverse of their matrix is kept
_FEWEST_NEAR = 150  # at each bound
_NEAR_PER_FREE, _MOST_NEAR = 4, 4000
_CELLS = 8_000_000  # of the arrays that are kept at once


@dataclass(frozen=True, eq=False)
class _Whole:
    """The solution of all rows, as the exact solution of a problem whose margins differ from 1 by the tolerance.

    ``side`` is 1 at the lower bound, where the slack (decision less sign) must not be below 0, -1 at the upper bound,
    where it must not be above, and 0 for free rows, whose slack is 0.
    """

    training: TrainingRows
    solution: PairSolution
    low: Floats
    high: Floats
    side: Floats
    slack: Floats
    length: Floats  # of each row in feature space
    ridge: float
    tol: float
    threads: int

    def kernel(self, a: Places, b: Places) -> Floats:
        """Between two lists of places in the solution."""
        return _kernel(self.training, self.solution.rows[a], self.solution.rows[b], self.threads)


@dataclass(frozen=True, eq=False)
class _Start:
    """The rows near the margin with their kernel matrix, and all others."""

    near: Places
    far: Places
    kernel: Floats
    margin: NearMargin


def removed(
    training: TrainingRows,
    solution: PairSolution,
    left: Floats,
    which: Places,
    *,
    until_it_turns: bool,
    tol: float,
    threads: int,
) -> tuple[Floats, NDArray[np.bool_]]:
    """What the machines without each of some rows say of those rows, and for which of them that was found.

    ``left`` is the weight that copies of a row may still have when one of them goes, and ``which`` are places among the
    rows of the solution. With ``until_it_turns`` a decision that changes its sign is only known to have changed it.
    A kernel that is not positive semidefinite may have no such path.
    """
    whole = _whole(training, solution, tol, threads)
    n = len(solution.beta)
    decisions, found = np.zeros(n), np.zeros(n, dtype=bool)
    n_free = int(np.sum(whole.side == 0))
    order = np.lexsort((np.arange(n), np.abs(whole.slack), whole.side != 0))
    near = whole.side == 0
    for side in (-1.0, 1.0):
        near[order[whole.side[order] == side][:_FEWEST_NEAR]] = True
    near[order[: min(_NEAR_PER_FREE * n_free, _MOST_NEAR)]] = True
    asking = which if n_free <= MOST_FREE else which[:0]
    while len(asking):
        start = _start(whole, np.flatnonzero(near))
        if start is None:
            break
        again = []
        size = max(16, _CELLS // n)
        for part in np.split(asking, range(size, len(asking), size)):
            decisions[part], found[part], missed = _follow(whole, start, part, left, until_it_turns)
            near |= missed.any(axis=0)
            again.append(part[missed.any(axis=1)])
        asking = np.concatenate(again)
        found[asking] = False
        near[order[: min(int(1.5 * near.sum()), _MOST_NEAR)]] = True
    return decisions[which], found[which]


def _kernel(training: TrainingRows, a: NDArray[np.int64], b: NDArray[np.int64], threads: int) -> Floats:
    if training.gram is not None:
        return np.ascontiguousarray(training.gram[np.ix_(a, b)])
    return kernel_matrix(training.rows.x[a], training.rows.x[b], training.kernel, threads)


def _whole(training: TrainingRows, solution: PairSolution, tol: float, threads: int) -> _Whole:
    low, high = np.minimum(0.0, solution.sign * solution.box), np.maximum(0.0, solution.sign * solution.box)
    side = _side(solution.beta, low, high)
    slack = solution.product + solution.bias - solution.sign
    parts = np.split(solution.rows, range(64, len(solution.rows), 64))
    square = np.concatenate([_kernel(training, part, part, 1).diagonal() for part in parts])
    return _Whole(
        training,
        solution,
        low,
        high,
        side,
        side * np.maximum(side * slack, 0.0),
        np.sqrt(np.maximum(square, 0.0)),
        # What the ridge adds to a decision is far below the tolerance: it only keeps singular matrices at bay.
        max(1e-2 * tol / float(solution.box.max()), 1e-12 * float(square.max())),
        tol,
        threads,
    )


def _side(beta: Floats, low: Floats, high: Floats) -> Floats:
    return np.where(beta <= low, 1.0, np.where(beta >= high, -1.0, 0.0))


def _start(whole: _Whole, near: Places) -> _Start | None:
    """The rows near the margin, with the inverse of the matrix of the free ones among them."""
    kernel = whole.kernel(near, near)
    free = np.flatnonzero(whole.side[near] == 0)
    if len(free) == 0:  # the inverse needs one; being at a bound it is set aside at once
        free = np.array([np.argmin(np.abs(whole.slack[near]))])
    columns = _with_one(kernel, free)
    bordered = np.zeros((len(free) + 1, len(free) + 1))
    bordered[0, 1:] = 1.0
    bordered[1:] = columns[free]
    bordered[1:, 1:] += whole.ridge * np.eye(len(free))
    try:
        inverse = np.ascontiguousarray(inv(bordered, overwrite_a=True, check_finite=False))
    except LinAlgError:
        return None
    solved = columns @ inverse
    margin = NearMargin(
        kernel - solved @ columns.T,
        whole.solution.beta[near],
        whole.low[near],
        whole.high[near],
        whole.slack[near],
        free.astype(np.int32),
        inverse,
        solved,
        whole.ridge,
    )
    return _Start(near, np.setdiff1d(np.arange(len(whole.side)), near), kernel, margin)


def _with_one(kernel: Floats, free: NDArray[np.integer]) -> Floats:
    return np.column_stack([np.ones(len(kernel)), kernel[:, free]])


@dataclass(frozen=True, eq=False)
class _After:
    """Where the paths of the rows at ``places`` have led: one line for each.

    ``change`` is that of the weights at ``moved``, ``outside`` what was taken of rows that are not near the margin.
    """

    whole: _Whole
    places: Places
    moved: Places
    change: Floats
    shift: Floats
    outside: Floats

    def slack(self, asked: Places) -> Floats:
        """The slacks of some rows."""
        slack = self.whole.slack[asked] + self.shift[:, None]
        if len(self.moved):
            slack += self.change @ self.whole.kernel(self.moved, asked)
        far = np.flatnonzero(self.outside)
        if len(far):
            slack[far] -= self.outside[far, None] * self.whole.kernel(self.places[far], asked)
        return slack

    def of(self, lines: Places) -> _After:
        """Some of the lines."""
        return replace(
            self,
            places=self.places[lines],
            change=self.change[lines],
            shift=self.shift[lines],
            outside=self.outside[lines],
        )


def _follow(
    whole: _Whole, start: _Start, places: Places, left: Floats, until_it_turns: bool
) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Decisions of some rows, each without itself; which of them were found; what rows each should have looked at."""
    near, margin = start.near, start.margin
    kernel = whole.kernel(places, near)
    going = _going(whole, start, places, left, kernel)
    gone = removals(margin, going, until_it_turns=until_it_turns, threads=whole.threads)
    moved = np.flatnonzero(gone.change.any(axis=0))
    after = _After(whole, places, near[moved], gone.change[:, moved], gone.shift, gone.gone * (going.place < 0))
    pull = after.change @ start.kernel[moved] - after.outside[:, None] * kernel  # on the rows near the margin
    inside = np.flatnonzero(going.place >= 0)

    off = np.abs(margin.slack + gone.shift[:, None] + pull - gone.slack)
    off[inside, going.place[inside]] = 0.0
    found = ~gone.failed & ~gone.alone & (off.max(axis=1) <= whole.tol)
    left_alone = gone.alone & ~np.isin(np.sign(going.taken), whole.side[start.far])  # nobody of its class stays

    square = np.einsum("ij,ij->i", gone.change, pull) - after.outside * (gone.decision - going.decision - gone.shift)
    missed = _missed(start, after, np.sqrt(np.maximum(square, 0.0).max())) & found[:, None]

    decision = np.where(gone.turned | left_alone, -going.sign, gone.decision)
    rounding = 1e-9 * (margin.high - margin.low)  # a row may meet its bound just when the path ends
    side = _side(margin.beta + gone.change, margin.low + rounding, margin.high - rounding)
    side[inside, going.place[inside]] = np.nan  # nobody asks about the row itself
    bound = np.flatnonzero(~np.any(side == 0, axis=1) & ~gone.turned & found)
    if len(bound):
        far = np.broadcast_to(whole.side[start.far], (len(bound), len(start.far))).copy()
        far[places[bound][:, None] == start.far] = np.nan
        slack = np.concatenate([gone.slack[bound], after.of(bound).slack(start.far)], axis=1)
        decision[bound] += _middle(np.concatenate([side[bound], far], axis=1), slack)
    return decision, found | left_alone, missed


def _going(whole: _Whole, start: _Start, places: Places, left: Floats, kernel: Floats) -> Going:
    near, margin, solution = start.near, start.margin, whole.solution
    at = np.searchsorted(near, places)
    inside = near[np.minimum(at, len(near) - 1)] == places
    columns = _with_one(kernel, margin.free)
    solved = columns @ margin.inverse
    beta = solution.beta[places]
    return Going(
        kernel - columns @ margin.solved.T,
        solved,
        whole.length[places] ** 2 - np.einsum("ij,ij->i", solved, columns),
        np.where(inside, at, -1).astype(np.int32),
        beta - np.clip(beta, -left[places], left[places]),
        solution.product[places] + solution.bias,
        solution.sign[places],
    )


def _missed(start: _Start, after: _After, distance: float) -> NDArray[np.bool_]:
    """Rows far from the margin that are now on its wrong side.

    ``distance`` is the longest way that the normal vector has gone; by the inequality of Cauchy and Schwarz most rows
    cannot have come so far, and need not be asked.
    """
    whole = after.whole
    reach = distance * whole.length[start.far] + np.abs(after.shift).max()
    asked = start.far[np.abs(whole.slack[start.far]) < reach]
    missed = np.zeros((len(after.places), len(whole.side)), dtype=bool)
    if len(asked):
        missed[:, asked] = whole.side[asked] * after.slack(asked) < -whole.tol
        missed[np.arange(len(missed)), after.places] = False
    return missed


def _middle(side: Floats, slack: Floats) -> Floats:
    """From the bias to the middle of what rows at their bounds leave open, as everywhere where no row is free."""
    rising = np.where(side > 0, slack, np.inf).min(axis=1)
    falling = np.where(side < 0, slack, -np.inf).max(axis=1)
    rising, falling = np.where(np.isinf(rising), falling, rising), np.where(np.isinf(falling), rising, falling)
    return np.asarray(-0.5 * (rising + falling))
