"""Answers to each row by choices in which it took no part.

Leave-one-out answers each row without itself, but widths, ridges, weights and the calibration are picked to make these
very answers good: with some dozens of rows that flatters by two or three points. Here a tenth of the rows is put aside
at a time (whole groups, where these are left out together). Everything is picked by the others among what was tried
anyway, and the tenth gets the leave-one-out answers of what they picked. Nothing is fitted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.auto._average import mixed_by
from sepal.auto._candidates import Candidates
from sepal.auto._judging import Judge
from sepal.data import numbered_by_first_row

Array = NDArray[np.float64]
Positions = NDArray[np.intp]
_FOLDS = 10


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows put aside, the others, and what the others' choices answer to every row (each without itself)."""

    aside: Positions
    rest: Positions
    mixed: Array


@dataclass(frozen=True, eq=False)
class Nested:
    """The folds, and the answers of each member to the rows put aside, shape (members, n, outputs)."""

    folds: tuple[Fold, ...]
    members: Array


def chosen_anew(
    kernels: Sequence[Candidates],
    others: Sequence[Candidates],
    judge: Judge,
    order: Positions,
    first_other: bool = False,
) -> Nested:
    """Put aside a tenth of the rows after the other, and pick everything by the rest.

    Parameters
    ----------
    kernels, others : sequence of Candidates
        Of the members.
    judge : Judge
        Of all rows.
    order : ndarray of int
        A random order of the rows, the classes well mixed; rows are dealt to the folds in it.
    first_other : bool
        Whether the first of the others is to answer alone.
    """
    fold_of = fold_numbers(judge.groups, order)
    folds = []
    members = np.empty((len(kernels) + len(others), *kernels[0].tried.shape[1:]))
    for k in range(fold_of.max() + 1):
        rest, aside = np.flatnonzero(fold_of != k), np.flatnonzero(fold_of == k)
        weights = np.where(fold_of != k, judge.weights, 0.0)
        picked = np.stack([each.picked(weights) for each in (*kernels, *others)])
        members[:, aside] = picked[:, aside]
        kernel = picked[: len(kernels)].mean(axis=0)
        mixed = mixed_by(kernel, picked[len(kernels) :], judge.take(rest), rest, first_other).answers
        folds.append(Fold(aside, rest, mixed))
    return Nested(tuple(folds), members)


def fold_numbers(groups: Positions | None, order: Positions) -> Positions:
    """The number of each row's fold."""
    units = numbered_by_first_row(groups, order)
    dealt = np.arange(len(order)) if units is None else units
    fold_of = np.empty(len(order), dtype=np.intp)
    fold_of[order] = dealt % min(_FOLDS, dealt.max() + 1)
    return fold_of
