"""Sums of targets, of each voter, from which the means and the spread of lists of neighbours follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data import unit_of

_LARGE, _SMALLER = 2.0**800, 2.0**-200  # so that sums of the largest numbers do not overflow
_ROUNDING = 16 * float(np.finfo(float).eps)  # a share of the largest number: what is apart by less is the same

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TargetSums:
    """The targets of training rows by voter; sums are not centred, so that a large one costs the others no digits.

    Attributes
    ----------
    y, unit : array and float
        The targets, and the power of two they are multiplied with, so that sums are numbers.
    of_row, of_voter : (n_rows, 2) and (n_voters, 2) arrays
        One and the target times ``unit``; the same times the weights, of the rows of each voter together.
    voter_of, weights : arrays
        The voter of each row, and what it weighs.
    """

    y: Floats
    unit: float
    of_row: Floats
    of_voter: Floats
    voter_of: NDArray[np.intp]
    weights: Floats

    @staticmethod
    def unit_for(y: Floats) -> float:
        """The power of two for some targets; nearly always 1."""
        return _SMALLER if max(float(y.max()), -float(y.min())) > _LARGE else 1.0

    @cached_property
    def near_one(self) -> float:
        """The power of two that brings the largest target near 1."""
        return unit_of(self.y)

    @cached_property
    def means(self) -> Floats:
        """Of each voter."""
        return np.asarray(self.of_voter[:, 1] / self.of_voter[:, 0])

    @cached_property
    def stds(self) -> Floats:
        """How far the targets of each voter are spread around their mean."""
        if len(self.of_voter) == len(self.y):
            return np.zeros(len(self.y))
        return spread(self.of_row[:, 1], np.zeros(len(self.y)), self.weights, self.voter_of, self.means)

    def without(self, voter: NDArray[np.intp], row: NDArray[np.intp], gone: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of some voters when ``gone`` of the weight of one row of each has left it."""
        mass, total = self.of_voter[voter].T
        target, mean, std = self.of_row[row, 1], self.means[voter], self.stds[voter]
        after = (total - gone * target) / (mass - gone)
        size = np.maximum(np.maximum(np.abs(target - mean), np.abs(target - after)), std)
        size[size == 0.0] = 1.0
        squares = mass * (std / size) ** 2 - gone * ((target - mean) / size) * ((target - after) / size)
        squares[squares <= 4 * _ROUNDING * mass] = 0.0  # the others are equal but for rounding
        return after, size * np.sqrt(squares / (mass - gone))


def spread(at: Floats, inside: Floats, share: Floats, part: NDArray[np.intp], mean: Floats) -> Floats:
    """The standard deviation of each part of a mixture: components at ``at``, of spread ``inside``, around ``mean``.

    Squares are taken of shares of the largest of a part: they neither overflow nor vanish.

    >>> spread(np.array([0.0, 2e200]), np.zeros(2), np.ones(2), np.array([0, 0]), np.array([1e200])).tolist()
    [1e+200]
    """
    off, most, size = np.abs(at - mean[part]), np.zeros(len(mean)), np.zeros(len(mean))
    np.maximum.at(most, part, np.abs(at))
    off[off <= _ROUNDING * most[part]] = 0.0
    np.maximum.at(size, part, np.maximum(off, inside))
    size[size == 0.0] = 1.0
    squares = (off / size[part]) ** 2 + (inside / size[part]) ** 2
    total = np.bincount(part, weights=share, minlength=len(mean))
    return np.asarray(size * np.sqrt(np.bincount(part, weights=share * squares, minlength=len(mean)) / total))
