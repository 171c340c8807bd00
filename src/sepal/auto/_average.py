"""The members' answers, averaged.

The views of the kernel have equal weights: they are the same model on other scales, and choosing among them costs
accuracy. Their mean, turned into probabilities by one temperature, is mixed with the other members. The weights are the
mean over a grid of mixtures, each counted by the likelihood that it gives the answers of the training rows, every row
answered without itself: trees take over where thresholds matter, a plane where it is enough, and where the rows cannot
tell mixtures apart none of them is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from sepal._waiting import each
from sepal.auto._forest import ForestMember
from sepal.auto._judging import ClassJudge, Judge
from sepal.auto._kernel_member import KernelMember
from sepal.auto._linear_member import LinearMember
from sepal.auto._threads import one_thread
from sepal.data import Table

Array = NDArray[np.float64]
_PARTS = 20  # weights on the grid are multiples of a twentieth
_LEAST_WEIGHT = 0.01  # smaller weights are set to 0


@dataclass(frozen=True, eq=False)
class Average:
    """Fitted members and how they are put together.

    Attributes
    ----------
    kernels : tuple of KernelMember
    temperature : float or None
        From the kernels' mean decisions to probabilities; None for numbers.
    others : tuple
        The members beside the kernels.
    weights : ndarray, shape (1 + others,)
        Of the kernels together and of each of the others.
    """

    kernels: tuple[KernelMember, ...]
    temperature: float | None
    others: tuple[LinearMember | ForestMember, ...]
    weights: Array

    def answers(self, table: Table, threads: int) -> Array:
        """Probabilities (or numbers) for new rows."""
        members = zip(self.weights[1:].tolist(), self.others, strict=True)
        parts = [weight * member.decisions(table, threads) for weight, member in members if weight > 0.0]
        if self.weights[0] > 0.0:
            with one_thread():
                kernel = np.mean(each(lambda member: member.decisions(table), self.kernels, threads), axis=0)
            parts.append(self.weights[0] * probable(kernel, self.temperature))
        return np.asarray(np.sum(parts, axis=0))


def probable(decisions: Array, temperature: float | None) -> Array:
    """Decisions of the kernels as probabilities."""
    return decisions if temperature is None else np.asarray(softmax(temperature * decisions, axis=1))


@dataclass(frozen=True, eq=False)
class Mixed:
    """Members put together: the kernels' temperature, the weights, and the answers to all rows, each without itself."""

    temperature: float | None
    weights: Array
    answers: Array


def mixed_by(
    kernel: Array,
    others: Iterable[Array],
    judge: Judge,
    rows: NDArray[np.intp] | None = None,
    first_other: bool = False,
) -> Mixed:
    """Mix the kernels' mean decisions with the other members, with the weights that are likeliest on some rows.

    Parameters
    ----------
    kernel, others : ndarray, shape (n, outputs)
        Decisions of the kernels and answers of the others, each made without the row.
    judge : Judge
        Of those rows that decide.
    rows : ndarray of int or None
        Where they stand; None for all.
    first_other : bool
        Whether the first of the others is to answer alone.
    """
    seen = slice(None) if rows is None else rows
    temperature = judge.temperature(kernel[seen]) if isinstance(judge, ClassJudge) else None
    left_out = np.stack([probable(kernel, temperature), *others])
    weights = np.eye(len(left_out))[1] if first_other else mixture_weights(left_out[:, seen], judge)
    return Mixed(temperature, weights, np.tensordot(weights, left_out, axes=1))


def mixture_weights(left_out: Array, judge: Judge) -> Array:
    """For each member its mean weight over all mixtures, counted by their likelihood.

    Parameters
    ----------
    left_out : ndarray, shape (members, n, outputs)
        The members' answers for the training rows, each made without the row.
    judge : Judge
        Of these rows.
    """
    shares = product(range(_PARTS + 1), repeat=len(left_out) - 1)
    grid = np.array([(_PARTS - sum(share), *share) for share in shares if sum(share) <= _PARTS]) / _PARTS
    likelihood = softmax(judge.log_likelihoods(left_out, grid))
    weights = likelihood @ grid
    weights[weights < _LEAST_WEIGHT] = 0.0
    return np.asarray(weights / weights.sum())
