"""How good decisions are that were made without knowing the row's own answer.

Decisions for classes are one number per class that estimates its indicator; the largest wins. Three criteria look at
them: squared error, log-loss after the best common temperature, and the share of wrong rows (by squared error where
equal). Numbers are judged by squared error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int32]

_NEWTON_STEPS = 6
_LOG_FACTORS = (-2.5, 5.0)  # softmax(factor * decisions): the logarithms of the factors looked at
_LONGEST_STEP = 1.5
_TINY = 1e-12  # of the variance of the targets, which is 1
_BLOCK_NUMBERS = 8_000_000  # held at a time
_FLOOR = 1e-3  # added to a probability before its logarithm judges a mixture: one row must not outweigh all others


class Judge(Protocol):
    """Looks at decisions for all training rows, each made without the row."""

    names: ClassVar[tuple[str, ...]]

    @property
    def groups(self) -> NDArray[np.intp] | None:
        """Numbers of the groups of rows that are left out together; None where each row is alone."""

    @property
    def mass(self) -> Array | None:
        """How many rows each row counts as; None: one."""

    @property
    def weights(self) -> Array:
        """Of the rows; together 1."""

    def losses(self, left_out: Array) -> Array:
        """What each criterion holds of each row, smaller is better.

        From shape (trials, n, outputs) to (criteria, trials, n).
        """

    def criteria(self, left_out: Array) -> Array:
        """Their means; from shape (trials, n, outputs) to (trials, criteria)."""

    def log_likelihoods(self, members: Array, mixtures: Array) -> Array:
        """Of the answers, for weights of shape (mixtures, members) and answers of shape (members, n, outputs)."""

    def scores(self, left_out: Array) -> Array:
        """The headline, larger is better, and its standard error; from shape (trials, n, outputs) to (trials, 2)."""

    def temperature(self, left_out: Array) -> float:
        """The factor that turns decisions into probabilities; without meaning for numbers."""

    def take(self, rows: NDArray[np.intp]) -> Self:
        """The judge of some rows."""


@dataclass(frozen=True, eq=False)
class ClassJudge:
    """For classes. ``weights`` add up to 1: one share per row, or the same total for every class."""

    names: ClassVar[tuple[str, ...]] = ("squared", "log_loss", "error")
    codes: Codes
    weights: Array
    groups: NDArray[np.intp] | None = None
    mass: Array | None = None

    def losses(self, left_out: Array) -> Array:
        own = self._own(left_out)
        squared = np.einsum("tnc,tnc->tn", left_out, left_out) - 2.0 * own + 1.0
        wrong = left_out.argmax(axis=2) != self.codes
        return np.stack([squared, _log_losses(left_out, own, self.weights)[0], wrong + 1e-6 * squared])

    def criteria(self, left_out: Array) -> Array:
        return np.asarray((self.losses(left_out) @ self.weights).T)

    def log_likelihoods(self, members: Array, mixtures: Array) -> Array:
        own = self._own(members)
        means = sum(
            np.log(mixtures @ own[:, rows] + _FLOOR) @ self.weights[rows]
            for rows in _blocks(len(self.codes), len(mixtures))
        )
        return np.asarray(_units(self.codes, self.groups) * means)

    def surprise(self, probabilities: Array) -> Array:
        """Minus the log of the probability of each row's class; from shape (trials, n, outputs) to (trials, n)."""
        return np.asarray(-np.log(self._own(probabilities) + _FLOOR))

    def scores(self, left_out: Array) -> Array:
        right = (left_out.argmax(axis=2) == self.codes).astype(np.float64)
        even = bool(np.all(self.weights == self.weights[0]))
        score = right.mean(axis=1) if even else right @ self.weights  # a count has no last bit that rows could change
        return np.column_stack([score, _errors((right - score[:, None]) * self.weights, self.groups)])

    def temperature(self, left_out: Array) -> float:
        return float(_log_losses(left_out[None], self._own(left_out[None]), self.weights)[1][0])

    def take(self, rows: NDArray[np.intp]) -> ClassJudge:
        groups, mass = _taken(self.groups, rows), _taken(self.mass, rows)
        return ClassJudge(self.codes[rows], self.weights[rows] / self.weights[rows].sum(), groups, mass)

    def _own(self, left_out: Array) -> Array:
        return np.asarray(left_out[:, np.arange(len(self.codes)), self.codes])


def class_judge(
    codes: Codes, balanced: bool, groups: NDArray[np.intp] | None = None, mass: Array | None = None
) -> ClassJudge:
    """Every row counts alike (or by its mass), or every class does."""
    counts = np.bincount(codes, weights=mass)
    present = np.count_nonzero(counts)
    weights = 1.0 / (present * counts[codes]) if balanced else np.full(len(codes), 1.0 / counts.sum())
    return ClassJudge(codes, weights if mass is None else mass * weights, groups, mass)


def _taken(values: NDArray[Any] | None, rows: NDArray[np.intp]) -> NDArray[Any] | None:
    return None if values is None else values[rows]


def _blocks(n: int, each: int) -> list[slice]:
    """All rows, so many at a time that ``each`` numbers for every one of them can be held."""
    step = max(1, _BLOCK_NUMBERS // each)
    return [slice(begin, min(begin + step, n)) for begin in range(0, n, step)]


def _units(rows: NDArray[Any], groups: NDArray[np.intp] | None) -> int:
    """How many independent rows there are: rows of one group are counted once."""
    return len(rows) if groups is None else len(np.unique(groups))


def _errors(off: Array, groups: NDArray[np.intp] | None) -> Array:
    """Standard errors of sums over rows, from what each row, or each group of rows, is off its mean."""
    if groups is not None:
        off = np.stack([np.bincount(groups, weights=each) for each in off])
    return np.asarray(np.sqrt((off**2).sum(axis=1)))


def _log_losses(decisions: Array, own: Array, weights: Array) -> tuple[Array, Array]:
    """For each trial the log-loss of each row under softmax(factor * decisions), and the factor that makes it least.

    By Newton's method on the logarithm of the factor.

    With t the log of the factor and p the softmax, the derivative by t is E_p s - s_own for s = factor * decisions, and
    the second derivative is the first plus the variance of s under p; both averaged over the rows.
    """
    low, high = _LOG_FACTORS
    t = np.full(len(decisions), 1.5)
    below = decisions - decisions.max(axis=2, keepdims=True)  # the same softmax, and no overflow
    own = own - decisions.max(axis=2)
    ones = np.ones(decisions.shape[2])
    for step in range(_NEWTON_STEPS + 1):
        factor = np.exp(t)
        scaled = factor[:, None, None] * below
        p = np.exp(scaled)
        total = p @ ones
        if step == _NEWTON_STEPS:
            break
        p *= scaled
        expected = (p @ ones) / total
        p *= scaled
        slope = (expected - factor[:, None] * own) @ weights
        curve = slope + ((p @ ones) / total - expected**2) @ weights
        # Where the loss is not convex in t, walk down; else Newton's step.
        convex = curve > 1e-12
        move = np.where(convex, slope / np.where(convex, curve, 1.0), np.sign(slope) * _LONGEST_STEP)
        t = np.clip(t - np.clip(move, -_LONGEST_STEP, _LONGEST_STEP), low, high)
    return np.log(total) - factor[:, None] * own, factor


@dataclass(frozen=True, eq=False)
class NumberJudge:
    """For numbers: squared error; the score is R squared, against the mean of the other rows."""

    names: ClassVar[tuple[str, ...]] = ("squared",)
    targets: Array
    groups: NDArray[np.intp] | None = None
    mass: Array | None = None

    @property
    def weights(self) -> Array:
        if self.mass is not None:
            return np.asarray(self.mass / self.mass.sum())
        return np.full(len(self.targets), 1.0 / len(self.targets))

    def losses(self, left_out: Array) -> Array:
        return np.asarray((left_out[None, :, :, 0] - self.targets) ** 2)

    def criteria(self, left_out: Array) -> Array:
        return np.asarray((self.losses(left_out) @ self.weights).T)

    def log_likelihoods(self, members: Array, mixtures: Array) -> Array:
        """Of normal errors, whose variance is the one that makes them likeliest."""
        n, values = len(self.targets), members[:, :, 0]
        squares = np.zeros(len(mixtures))
        for rows in _blocks(n, len(mixtures)):
            off = (mixtures @ values[:, rows] - self.targets[rows]) ** 2
            squares += off.mean(axis=1) * (off.shape[1] / n) if self.mass is None else off @ self.weights[rows]
        return np.asarray(-0.5 * _units(self.targets, self.groups) * np.log(squares + _TINY))

    def scores(self, left_out: Array) -> Array:
        squares = (left_out[:, :, 0] - self.targets) ** 2
        n = len(self.targets)
        without: Any = n / (n - 1.0) if self.mass is None else 1.0 / np.maximum(1.0 - self.weights, _TINY)
        about = (self.targets - self._mean(self.targets)) * without
        total = float(self._mean(about**2)) or 1.0
        mean = self._mean(squares)
        own = _errors(self._shares(squares - mean[:, None]), self.groups)
        # R squared is a ratio of means over the same rows. Both are estimates, which may add to the error of the first.
        of_ratio = _errors(self._shares(squares - (mean / total)[:, None] * about**2), self.groups)
        return np.column_stack([1.0 - mean / total, np.maximum(own, of_ratio) / total])

    def temperature(self, left_out: Array) -> float:
        return 1.0

    def take(self, rows: NDArray[np.intp]) -> NumberJudge:
        return NumberJudge(self.targets[rows], _taken(self.groups, rows), _taken(self.mass, rows))

    def _mean(self, values: Array) -> Array:
        """Over the rows, which stand last, by their mass."""
        return np.asarray(values.mean(axis=-1) if self.mass is None else values @ self.weights)

    def _shares(self, values: Array) -> Array:
        """What each row adds to a mean."""
        return np.asarray(values / len(self.targets) if self.mass is None else values * self.weights)
