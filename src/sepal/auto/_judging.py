"""How good decisions are that were made without knowing the row's own answer.

Decisions for classes are one number per class that estimates its indicator; the largest wins. Three criteria look at
them: squared error, log-loss after the best common temperature, and the share of wrong rows (by squared error where
equal). Numbers are judged by squared error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int32]

_NEWTON_STEPS = 8
_LOG_FACTORS = (0.0, np.log(100.0))  # softmax(factor * decisions): the factors looked at, and a step's greatest length
_LONGEST_STEP = 1.5


class Judge(Protocol):
    """Looks at decisions for all training rows, each made without the row."""

    names: ClassVar[tuple[str, ...]]

    def criteria(self, left_out: Array) -> Array:
        """Smaller is better; from shape (trials, n, outputs) to (trials, criteria)."""

    def scores(self, left_out: Array) -> Array:
        """The headline, larger is better, and its standard error; from shape (trials, n, outputs) to (trials, 2)."""


@dataclass(frozen=True, eq=False)
class ClassJudge:
    """For classes. ``weights`` add up to 1: one share per row, or the same total for every class."""

    names: ClassVar[tuple[str, ...]] = ("squared", "log_loss", "error")
    codes: Codes
    weights: Array

    def criteria(self, left_out: Array) -> Array:
        own = left_out[:, np.arange(len(self.codes)), self.codes]
        squared = ((left_out**2).sum(axis=2) - 2.0 * own + 1.0) @ self.weights
        wrong = (left_out.argmax(axis=2) != self.codes) @ self.weights
        return np.column_stack([squared, _log_losses(left_out, own, self.weights)[0], wrong + 1e-6 * squared])

    def scores(self, left_out: Array) -> Array:
        wrong = (left_out.argmax(axis=2) != self.codes).astype(np.float64)
        error = wrong @ self.weights
        return np.column_stack([1.0 - error, np.sqrt((wrong - error[:, None]) ** 2 @ self.weights**2)])

    def temperature(self, left_out: Array) -> tuple[float, float]:
        """The factor that makes softmax(factor * decisions) the most likely, and the log-loss there."""
        own = left_out[None, np.arange(len(self.codes)), self.codes]
        losses, factors = _log_losses(left_out[None], own, self.weights)
        return float(factors[0]), float(losses[0])


def _log_losses(decisions: Array, own: Array, weights: Array) -> tuple[Array, Array]:
    """For each trial the least log-loss of softmax(factor * decisions) over factors, and the factor: Newton on its log.

    With t the log of the factor and p the softmax, the derivative by t is factor * mean(E_p d - d_own).
    """
    low, high = _LOG_FACTORS
    t = np.full(len(decisions), 0.5 * (low + high))
    for step in range(_NEWTON_STEPS + 1):
        factor = np.exp(t)
        scaled = factor[:, None, None] * decisions
        top = scaled.max(axis=2)
        p = np.exp(scaled - top[:, :, None])
        total = p.sum(axis=2)
        if step == _NEWTON_STEPS:
            break
        p /= total[:, :, None]
        expected = (p * scaled).sum(axis=2)
        slope = (expected - factor[:, None] * own) @ weights
        curve = slope + ((p * scaled**2).sum(axis=2) - expected**2) @ weights
        # Where the loss is not convex in t, walk down; else Newton's step.
        move = np.where(curve > 1e-12, slope / np.where(curve > 1e-12, curve, 1.0), np.sign(slope) * _LONGEST_STEP)
        t = np.clip(t - np.clip(move, -_LONGEST_STEP, _LONGEST_STEP), low, high)
    return (top + np.log(total) - factor[:, None] * own) @ weights, factor


@dataclass(frozen=True, eq=False)
class NumberJudge:
    """For numbers: squared error; the score is R squared, against the mean of the other rows."""

    names: ClassVar[tuple[str, ...]] = ("squared",)
    targets: Array

    def criteria(self, left_out: Array) -> Array:
        return np.asarray(((left_out[:, :, 0] - self.targets) ** 2).mean(axis=1, keepdims=True))

    def scores(self, left_out: Array) -> Array:
        squares = (left_out[:, :, 0] - self.targets) ** 2
        n = len(self.targets)
        about = (self.targets - self.targets.mean()) * (n / (n - 1.0))
        total = float((about**2).mean()) or 1.0
        return np.column_stack([1.0 - squares.mean(axis=1) / total, squares.std(axis=1) / np.sqrt(n) / total])
