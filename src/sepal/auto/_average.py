"""The members' decisions, averaged.

The views of the kernel have equal weights: they are the same model on other scales, and choosing among them costs
accuracy. Their mean, turned into probabilities by one temperature, is mixed with the forest. The weight is picked by
each criterion among eleven and the picks are averaged: one number, learned from decisions that were made without the
row, so that trees take over where thresholds matter and stay away where they do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from sepal.auto._forest import ForestMember
from sepal.auto._judging import Judge
from sepal.auto._kernel_member import KernelMember
from sepal.auto._threads import each, one_thread
from sepal.data import Table

Array = NDArray[np.float64]
MIXTURES = np.linspace(0.0, 1.0, 11)


@dataclass(frozen=True, eq=False)
class Average:
    """Fitted members and how they are put together.

    Attributes
    ----------
    kernels : tuple of KernelMember
    forest : ForestMember or None
    temperature : float
        From the kernels' decisions to probabilities; None for numbers.
    forest_weight : float
        Share of the forest.
    """

    kernels: tuple[KernelMember, ...]
    forest: ForestMember | None
    temperature: float | None
    forest_weight: float

    def answers(self, table: Table, threads: int) -> Array:
        """Probabilities (or numbers) for new rows."""
        if self.forest is not None and self.forest_weight == 1.0:
            return self.forest.decisions(table, threads)
        with one_thread():
            kernel = np.mean(each(lambda member: member.decisions(table), self.kernels, threads), axis=0)
        forest = None if self.forest is None or self.forest_weight == 0.0 else self.forest.decisions(table, threads)
        return mix(self.probable(kernel), forest, self.forest_weight)

    def probable(self, decisions: Array) -> Array:
        """Decisions of the kernels as probabilities."""
        return decisions if self.temperature is None else np.asarray(softmax(self.temperature * decisions, axis=1))


def mix(kernel: Array, forest: Array | None, weight: float) -> Array:
    """(1 - weight) * kernel + weight * forest."""
    return kernel if forest is None else np.asarray((1.0 - weight) * kernel + weight * forest)


def mixture_weight(kernel: Array, forest: Array, judge: Judge) -> tuple[float, Array]:
    """The mean of the weights that the criteria pick, and all criteria by weight."""
    criteria = np.concatenate([judge.mixture_criteria(mix(kernel, forest, float(w))[None]) for w in MIXTURES])
    return float(MIXTURES[criteria.argmin(axis=0)].mean()), criteria
