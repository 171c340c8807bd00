"""One member of the average: gaussian kernel ridge on one view, width and ridge by exact leave-one-out.

For each width the kernel is decomposed once and all ridges are judged. The search walks from a width that a sample
liked to narrower and wider ones while that helps. Each criterion picks its own width and ridge; the member is the mean
of these picks, since no criterion is right for every table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sepal.auto._candidates import Candidates
from sepal.auto._clock import StageClock
from sepal.auto._judging import Judge
from sepal.auto._ridge_loo import kernel_fit, kernel_spectrum, vector_spectrum
from sepal.auto._trace import Trial
from sepal.data import Table
from sepal.estimators import View
from sepal.kernels import squared_distances

Array = NDArray[np.float64]
Positions = NDArray[np.intp]

STEPS = range(-4, 4)  # widths are 2^step times the median distance
KERNEL_RIDGES = 10.0 ** np.arange(-5.0, 1.51, 0.5)  # times the mean of the centred kernel's diagonal
_BLOCK_NUMBERS = 4_000_000
KEPT_ROWS = 400  # up to so many the answers of all trials are kept, to pick among them again
_CLOSE = 1e-12  # masses add up to half but for rounding: the median is between two pairs
_WORTH = 0.005  # of a criterion: what one more width must have brought before the next is tried


def gaussian(squares: Array, width: float) -> Array:
    """exp(-d^2 / (2 width^2))."""
    K = squares * (-0.5 / width**2)
    return np.exp(K, out=K)


def median_distance(squares: Array, mass: Array | None = None) -> float:
    """The root of the median squared distance between rows; of the mean where most coincide; 1 where all do.

    A row of mass w counts as w copies, which are pairs, too.
    """
    first, second = np.triu_indices(len(squares), 1)
    above = squares[first, second]
    if mass is not None:
        pairs = np.append(mass[first] * mass[second], np.maximum(mass * (mass - 1.0), 0.0).sum() / 2.0)
        above = np.append(above, 0.0)
        order = np.argsort(above, kind="stable")
        below = np.cumsum(pairs[order])
        half = np.searchsorted(below, below[-1] / 2.0 * (1.0 + _CLOSE * np.array([-1.0, 1.0])))
        units = (above[order][half].mean(), (pairs @ above) / below[-1])
        return next((float(np.sqrt(unit)) for unit in units if unit > 0.0), 1.0)
    for unit in (np.median(above) if len(above) else 0.0, above.mean() if len(above) else 0.0):
        if unit > 0.0:
            return float(np.sqrt(unit))
    return 1.0


@dataclass(frozen=True, eq=False)
class KernelMember:
    """f(x) = intercept + sum over widths and points of coefficient * gaussian.

    Attributes
    ----------
    view : View
    points : ndarray, shape (m, coordinates)
    widths : ndarray, shape (k,)
    coefficients : ndarray, shape (k, m, outputs)
    intercept : ndarray, shape (outputs,)
    ridge : float or None
        By which it was fitted, where it is one fit at a few points.
    """

    view: View
    points: Array
    widths: Array
    coefficients: Array
    intercept: Array
    ridge: float | None = None

    @property
    def name(self) -> str:
        return f"kernel-{self.view.how}"

    def decisions(self, table: Table) -> Array:
        """For new rows, block by block."""
        out = np.empty((table.n_rows, len(self.intercept)))
        step = max(64, _BLOCK_NUMBERS // max(1, len(self.points)))
        for start in range(0, table.n_rows, step):
            rows = np.arange(start, min(start + step, table.n_rows))
            part = table if len(rows) == table.n_rows else table.take(rows)
            squares = squared_distances(self.view.coordinates(part), self.points)
            out[rows] = self.intercept
            for width, a in zip(self.widths, self.coefficients, strict=True):
                out[rows] += gaussian(squares, float(width)) @ a
        return out


@dataclass(frozen=True, eq=False)
class MemberFit:
    """A member, what its solver says that it answers to the training rows, and its answers to each without the row."""

    member: KernelMember
    fit: Array
    left_out: Array


@dataclass(frozen=True, eq=False)
class Pick:
    """What one criterion likes best so far."""

    value: float
    place: int  # among the trials
    step: int
    left_out: Array


class KernelSearch:
    """Widths and ridges tried on one view.

    Parameters
    ----------
    view : View
        Fitted to these rows.
    table : Table
        Training rows.
    targets : ndarray, shape (n, outputs)
        What to predict.
    judge : Judge
        Of these rows.
    vectors : ndarray of int or None
        The feature vectors; None lets every row carry a coefficient.
    """

    def __init__(self, view: View, table: Table, targets: Array, judge: Judge, vectors: Positions | None) -> None:
        self.view, self.targets, self.judge, self.vectors = view, targets, judge, vectors
        coordinates = view.coordinates(table)
        self.points = coordinates if vectors is None else coordinates[vectors]
        self.squares = squared_distances(coordinates, self.points)
        self.unit = (
            median_distance(self.squares, judge.mass)
            if vectors is None
            else median_distance(self.squares[vectors], None if judge.mass is None else judge.mass[vectors])
        )
        self.trials: list[Trial] = []
        self.picks: dict[str, Pick] = {}
        self.least: dict[int, dict[str, float]] = {}  # by step the least of each criterion
        self._tried: list[Array] = []
        self._losses: list[Array] = []

    def walk(self, start: Iterable[int], clock: StageClock, *, sides: tuple[int, ...] = (-1, 1)) -> KernelSearch:
        """Try these steps, and go on to narrower (-1) or wider (1) ones while that pays."""
        ahead = [step for step in start if step in STEPS]
        while ahead:
            before = clock.elapsed
            self.look_at(ahead.pop(0))
            if not clock.allows(clock.elapsed - before):
                break
            if not ahead:
                ends = [(min(self.least) if side < 0 else max(self.least), side) for side in sides]
                ahead = [end + side for end, side in ends if end + side in STEPS and self._still_falling(end, side)]
        return self

    def _still_falling(self, end: int, side: int) -> bool:
        """Whether some criterion is best at this end, and worth mentioning better than one step before it."""
        if end - side not in self.least:
            return end in self.steps()
        return any(
            pick.step == end and self.least[end][name] < (1.0 - _WORTH) * self.least[end - side][name]
            for name, pick in self._smooth()
        )

    def _smooth(self) -> list[tuple[str, Pick]]:
        """Without the error, which counts rows and would walk on noise."""
        return [(name, pick) for name, pick in self.picks.items() if name != "error"]

    def steps(self) -> set[int]:
        """The widths that the smooth criteria like best."""
        return {pick.step for _, pick in self._smooth()}

    def look_at(self, step: int) -> None:
        """Decompose the kernel of one width and judge all ridges."""
        width = self.unit * 2.0**step
        K = gaussian(self.squares, width)
        mass = self.judge.mass
        spectrum = kernel_spectrum(K, mass) if self.vectors is None else vector_spectrum(K, K[self.vectors], mass)
        left_out = spectrum.left_out(self.targets, KERNEL_RIDGES, self.judge.groups)
        losses, scores = self.judge.losses(left_out), self.judge.scores(left_out)
        criteria = (losses @ self.judge.weights).T
        if len(self.targets) <= KEPT_ROWS:
            self._tried.append(left_out)
            self._losses.append(losses)
        self.least[step] = dict(zip(self.judge.names, criteria.min(axis=0).tolist(), strict=True))
        for column, name in enumerate(self.judge.names):
            k = int(criteria[:, column].argmin())
            value = float(criteria[k, column])
            if name not in self.picks or value < self.picks[name].value:
                self.picks[name] = Pick(value, len(self.trials) + k, step, left_out[k].copy())
        for k, ridge in enumerate(KERNEL_RIDGES):
            self.trials.append(
                Trial(
                    member=f"kernel-{self.view.how}",
                    rows=len(self.targets),
                    vectors=len(self.points),
                    width=width,
                    ridge=float(ridge),
                    criteria=dict(zip(self.judge.names, criteria[k].tolist(), strict=True)),
                    score=float(scores[k, 0]),
                    standard_error=float(scores[k, 1]),
                )
            )

    @property
    def left_out(self) -> Array:
        """Decisions of the mean of the picks, each row without itself."""
        return np.asarray(np.mean([pick.left_out for pick in self.picks.values()], axis=0))

    def candidates(self, least_ridge: float) -> Candidates | None:
        """Every trial whose ridge is not below this one; None for rows too many to keep them."""
        if not self._tried:
            return None
        kept = np.flatnonzero([trial.ridge >= least_ridge for trial in self.trials])
        return Candidates(np.concatenate(self._tried)[kept], np.concatenate(self._losses, axis=1)[:, kept])

    def judged(self) -> list[Trial]:
        """All trials, those that were picked marked."""
        marked = list(self.trials)
        for name, pick in self.picks.items():
            marked[pick.place] = replace(marked[pick.place], picked_by=(*marked[pick.place].picked_by, name))
        return marked

    def fit(self, table: Table, targets: Array, judge: Judge, least_ridge: float = 0.0) -> MemberFit:
        """The picks fitted to these rows, which may be more than they were found on, and their mean as one model.

        The groups of ``judge`` are left out whole, and its masses count. Ridges below ``least_ridge`` are raised to it.
        """
        points = self.view.coordinates(table)
        squares = squared_distances(points, self.points if self.vectors is not None else points)
        parts: dict[float, tuple[Array, Array]] = {}
        fit, left_out = np.zeros_like(targets), np.zeros_like(targets)
        for pick, share in self._distinct():
            trial = self.trials[pick.place]
            ridge = max(trial.ridge, least_ridge)
            if self.vectors is None:
                part = kernel_fit(gaussian(squares, trial.width), targets, ridge, judge.groups, judge.mass)
            else:
                K = gaussian(squares, trial.width)
                part = vector_spectrum(K, K[self.vectors], judge.mass).fit(targets, ridge, judge.groups)
            _add(parts, trial.width, share * part.a, share * part.b)
            fit += share * part.fit
            left_out += share * part.left_out
        return MemberFit(
            _one_member(self.view, self.points if self.vectors is not None else points, parts), fit, left_out
        )

    def _distinct(self) -> list[tuple[Pick, float]]:
        """Each picked trial once, with the share of the criteria that picked it."""
        places = [pick.place for pick in self.picks.values()]
        once = {pick.place: pick for pick in self.picks.values()}
        return [(pick, places.count(place) / len(places)) for place, pick in once.items()]


def _add(parts: dict[float, tuple[Array, Array]], width: float, a: Array, b: Array) -> None:
    before = parts.get(width, (0.0, 0.0))
    parts[width] = (before[0] + a, before[1] + b)


def _one_member(view: View, points: Array, parts: dict[float, tuple[Array, Array]]) -> KernelMember:
    """Coefficients of the same width were added up: one kernel matrix serves them."""
    widths = sorted(parts)
    coefficients = np.array([parts[width][0] for width in widths])
    intercept = np.sum([parts[width][1] for width in widths], axis=0)
    return KernelMember(view, points, np.array(widths), coefficients, intercept)
