"""What a support vector machine says of a row once that row is taken out of it, by following the solution meanwhile.

Only rows near the margin take part in a path. Afterwards the other rows are looked at: if one of them has come to the
wrong side of the margin by more than the tolerance, it joins those near the margin, and the path is followed again. So
each decision belongs to a solution that meets the optimality conditions of all rows.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, lapack

from sepal.machines._dual._pairs import TrainingRows
from sepal.machines._dual._solvers import LeavingRows, NearMargin, PairSolution, kernel_matrix, removals

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
MOST_FREE = 3000  # the inverse of their matrix is kept
_FEWEST_NEAR = 150  # at each bound
_NEAR_PER_FREE, _MOST_NEAR = 3, 1500
_CELLS = 8_000_000  # of the arrays that are kept at once
# Added to the diagonal of the kernel, times tolerance over C, so that nearly singular matrices can be inverted, which
# changes decisions by less than the tolerance. Rows that find no path with the first are asked again with the next.
_RIDGES = (0.03, 0.3, 1.0, 3.0)
_LEAST_RIDGE = 1e-12  # in units of the largest kernel value
_ROUNDING = 1e-7  # of its box: a row so near to a bound when the path has ended is at it


@dataclass(frozen=True, eq=False)
class _SolutionOfAllRows:
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
    tol: float
    threads: int

    def kernel(self, a: Places, b: Places) -> Floats:
        """Between two lists of places in the solution."""
        return _kernel(self.training, self.solution.rows[a], self.solution.rows[b], self.threads)


@dataclass(frozen=True, eq=False)
class _Free:
    """The free rows, or if there are none the row nearest to the margin; the inverse of [0 1'; 1 K + ridge] of them."""

    places: Places
    inverse: Floats
    ridge: float


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
    until_sign_change: bool,
    tol: float,
    threads: int,
    end: float = np.inf,
) -> tuple[Floats, NDArray[np.bool_]]:
    """What the machines without each of some rows say of those rows, and for which of them that was found.

    ``left`` is the weight that copies of a row may still have when one of them goes, and ``which`` are places among the
    rows of the solution. With ``until_sign_change`` a decision that changes its sign is only known to have changed it.
    A kernel that is not positive semidefinite may have no such path. At the monotonic time ``end`` no more are asked.
    """
    whole = _solution_of_all_rows(training, solution, tol, threads)
    n = len(solution.beta)
    decisions, found = np.zeros(n), np.zeros(n, dtype=bool)
    n_free = int(np.sum(whole.side == 0))
    order = np.lexsort((np.arange(n), np.abs(whole.slack), whole.side != 0))
    near = whole.side == 0
    near[order[0]] = True
    for side in (-1.0, 1.0):
        near[order[whole.side[order] == side][:_FEWEST_NEAR]] = True
    near[order[: min(_NEAR_PER_FREE * n_free, _MOST_NEAR)]] = True
    for ridge in _RIDGES if n_free <= MOST_FREE else ():
        asking = which[~found[which]]
        if not len(asking) or time.monotonic() > end:
            break
        free = _free_rows(whole, order, ridge * tol / float(solution.box.max()))
        while free is not None and len(asking):
            start = _start(whole, free, np.flatnonzero(near))
            again = []
            size = max(16, _CELLS // n)
            for part in np.split(asking, range(size, len(asking), size)):
                if time.monotonic() > end:
                    break
                decisions[part], found[part], missed = _follow(whole, start, part, left, until_sign_change)
                near |= missed.any(axis=0)
                again.append(part[missed.any(axis=1)])
            asking = np.concatenate([which[:0], *again])
            found[asking] = False
            near[order[: min(int(1.5 * near.sum()), _MOST_NEAR)]] = True
    return decisions[which], found[which]


def _kernel(training: TrainingRows, a: NDArray[np.int64], b: NDArray[np.int64], threads: int) -> Floats:
    if training.gram is not None:
        return np.ascontiguousarray(training.gram[np.ix_(a, b)])
    return kernel_matrix(training.rows.x[a], training.rows.x[b], training.kernel, threads)


def _solution_of_all_rows(
    training: TrainingRows, solution: PairSolution, tol: float, threads: int
) -> _SolutionOfAllRows:
    low, high = np.minimum(0.0, solution.sign * solution.box), np.maximum(0.0, solution.sign * solution.box)
    side = _side(solution.beta, low, high, 1e-12)
    beta = np.where(side > 0, low, np.where(side < 0, high, solution.beta))
    slack = solution.product + solution.bias - solution.sign
    parts = np.split(solution.rows, range(64, len(solution.rows), 64))
    square = np.concatenate([_kernel(training, part, part, 1).diagonal() for part in parts])
    return _SolutionOfAllRows(
        training,
        replace(solution, beta=beta),
        low,
        high,
        side,
        side * np.maximum(side * slack, 0.0),
        np.sqrt(np.maximum(square, 0.0)),
        tol + _LEAST_RIDGE * float(square.max() * solution.box.max()),  # what rounding may add
        threads,
    )


def _side(beta: Floats, low: Floats, high: Floats, rounding: float) -> Floats:
    near = rounding * (high - low)
    return np.where(beta <= low + near, 1.0, np.where(beta >= high - near, -1.0, 0.0))


def _free_rows(whole: _SolutionOfAllRows, order: Places, ridge: float) -> _Free | None:
    """None if their kernel matrix is not positive semidefinite."""
    places = np.sort(order[: max(1, int(np.sum(whole.side == 0)))])  # one that is not free is set aside at once
    kernel = whole.kernel(places, places)
    ridge = max(ridge, _LEAST_RIDGE * float(kernel.diagonal().max()))
    try:
        return _Free(places, _bordered_inverse(kernel, ridge), ridge)
    except LinAlgError:
        return None


def _start(whole: _SolutionOfAllRows, free: _Free, near: Places) -> _Start:
    kernel = whole.kernel(near, near)
    at = np.searchsorted(near, free.places)
    columns = _with_one(kernel, at)
    solved = columns @ free.inverse
    margin = NearMargin(
        kernel - solved @ columns.T,
        whole.solution.beta[near],
        whole.low[near],
        whole.high[near],
        whole.slack[near],
        at.astype(np.int32),
        free.inverse,
        solved,
        free.ridge,
    )
    return _Start(near, np.setdiff1d(np.arange(len(whole.side)), near), kernel, margin)


def _bordered_inverse(kernel: Floats, ridge: float) -> Floats:
    """That of M = [0 1'; 1 K + ridge].

    A constant c added to the kernel changes only the first cell of the inverse, by -c, since weights sum to 0 there; it
    keeps the matrix regular where K is singular and M is not, as for three rows in the plane and the linear kernel.
    """
    constant = float(kernel.diagonal().mean())
    shifted = kernel + constant
    shifted.flat[:: len(kernel) + 1] += ridge
    factor, lower = cho_factor(shifted, overwrite_a=True, check_finite=False)
    half, _ = lapack.dpotri(factor, lower=lower)
    plain = np.triu(half) + np.triu(half, 1).T
    sums = plain.sum(axis=1)
    total = float(sums.sum())
    inverse = np.empty((len(kernel) + 1, len(kernel) + 1))
    inverse[0, 0] = constant - 1.0 / total
    inverse[0, 1:] = inverse[1:, 0] = sums / total
    inverse[1:, 1:] = plain - np.outer(sums, sums / total)
    return inverse


def _with_one(kernel: Floats, free: NDArray[np.integer]) -> Floats:
    return np.column_stack([np.ones(len(kernel)), kernel[:, free]])


@dataclass(frozen=True, eq=False)
class _Paths:
    """Where the paths of the rows at ``places`` have led: one line for each.

    ``change`` is that of the weights at ``moved``, ``outside`` what was taken of rows that are not near the margin.
    """

    whole: _SolutionOfAllRows
    places: Places
    moved: Places
    change: Floats
    shift: Floats
    outside: Floats

    def slack(self, asked: Places) -> Floats:
        """The slacks of some rows."""
        slack = self.whole.slack[asked] + self.shift[:, None]
        outside = np.flatnonzero(self.outside)
        size = max(1, _CELLS // max(1, len(self.moved), len(outside)))
        for part in (slice(i, i + size) for i in range(0, len(asked), size)):
            if len(self.moved):
                slack[:, part] += self.change @ self.whole.kernel(self.moved, asked[part])
            if len(outside):
                kernel = self.whole.kernel(self.places[outside], asked[part])
                slack[outside, part] -= self.outside[outside, None] * kernel
        return slack

    def of(self, lines: Places) -> _Paths:
        """Some of the lines."""
        return replace(
            self,
            places=self.places[lines],
            change=self.change[lines],
            shift=self.shift[lines],
            outside=self.outside[lines],
        )


def _follow(
    whole: _SolutionOfAllRows, start: _Start, places: Places, left: Floats, until_sign_change: bool
) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Decisions of some rows, each without itself; which of them were found; what rows each should have looked at."""
    near, margin = start.near, start.margin
    kernel = whole.kernel(places, near)
    going = _going(whole, start, places, left, kernel)
    gone = removals(margin, going, until_sign_change=until_sign_change, threads=whole.threads)
    moved = np.flatnonzero(gone.change.any(axis=0))
    after = _Paths(whole, places, near[moved], gone.change[:, moved], gone.shift, gone.gone * (going.place < 0))
    pull = after.change @ start.kernel[moved] - after.outside[:, None] * kernel  # on the rows near the margin
    slack = margin.slack + gone.shift[:, None] + pull
    own = np.einsum("ij,ij->i", gone.change, kernel) - after.outside * whole.length[places] ** 2
    decision = going.decision + gone.shift + own

    side = _side(margin.beta + gone.change, margin.low, margin.high, _ROUNDING)
    stays = np.where(left[places] > 0, -np.sign(going.taken), np.nan)  # at its new bound, if copies of it stay
    inside = np.flatnonzero(going.place >= 0)
    side[inside, going.place[inside]] = stays[inside]
    found = ~gone.failed & ~gone.alone & (_unmet(side, slack) <= whole.tol)
    found &= np.abs(gone.change.sum(axis=1) - after.outside) <= _ROUNDING * margin.high.max(initial=-margin.low.min())
    left_alone = gone.alone & ~np.isin(np.sign(going.taken), whole.side[start.far])  # no row of its class is left
    turned = gone.turned & found
    decision[turned | left_alone] = -going.sign[turned | left_alone]

    square = np.where(found, np.einsum("ij,ij->i", gone.change, pull) - after.outside * own, 0.0)
    missed = np.zeros((len(places), len(whole.side)), dtype=bool)
    known = np.flatnonzero(found)
    if len(known):
        missed[known] = _missed(start, after.of(known), float(np.sqrt(np.maximum(square, 0.0).max())))

    bound = np.flatnonzero(~np.any(side == 0, axis=1) & ~turned & found)
    if len(bound):
        far = np.broadcast_to(whole.side[start.far], (len(bound), len(start.far))).copy()
        lines, columns = np.nonzero(places[bound][:, None] == start.far)
        far[lines, columns] = stays[bound][lines]
        slacks = np.concatenate([slack[bound], after.of(bound).slack(start.far)], axis=1)
        decision[bound] += _middle(np.concatenate([side[bound], far], axis=1), slacks)
    return decision, found | left_alone, missed


def _unmet(side: Floats, slack: Floats) -> Floats:
    """By how much the conditions of optimality are violated, in each line."""
    with np.errstate(invalid="ignore"):
        violated = np.where(side == 0, np.abs(slack), np.where(np.isnan(side), 0.0, -side * slack))
    return np.asarray(np.nan_to_num(violated, nan=np.inf).max(axis=1))


def _going(whole: _SolutionOfAllRows, start: _Start, places: Places, left: Floats, kernel: Floats) -> LeavingRows:
    near, margin, solution = start.near, start.margin, whole.solution
    at = np.searchsorted(near, places)
    inside = near[np.minimum(at, len(near) - 1)] == places
    columns = _with_one(kernel, margin.free)
    solved = columns @ margin.inverse
    beta = solution.beta[places]
    taken = beta - np.clip(beta, -left[places], left[places])
    return LeavingRows(
        kernel - columns @ margin.solved.T,
        solved,
        whole.length[places] ** 2 - np.einsum("ij,ij->i", solved, columns),
        np.where(inside, at, -1).astype(np.int32),
        np.where(np.abs(taken) > 1e-9 * solution.box[places], taken, 0.0),
        solution.product[places] + solution.bias,
        solution.sign[places],
    )


def _missed(start: _Start, after: _Paths, distance: float) -> NDArray[np.bool_]:
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
