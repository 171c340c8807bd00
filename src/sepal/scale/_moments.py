"""Means and standard deviations that do not depend on how the rows are cut into partitions.

Every cell becomes a whole number, its place between the lowest and the highest of its column in 2**60 steps; sums of
whole numbers and of their squares are exact in any order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.data import PartReading, Table
from sepal.scale._parts import Partition
from sepal.scale._schema import Schema, load_like
from sepal.scale._work import Workplace

_LIMB = 20  # bits; three of them are a place
_ROWS = 1 << 20  # added up at a time: squares of limbs of so many rows fit into 63 bits


def place_sums(
    part: Partition,
    reading: PartReading,
    like: Table,
    complete: bool,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> list[tuple[int, int, int]]:
    """Of each column of a partition: its cells, the sum of their places, and that of their squares."""
    values = load_like(part, reading, like, complete).values
    found = []
    for j in range(like.n_columns):
        column = values[:, j]
        column = column[~np.isnan(column)]
        spread = high[j] - low[j]
        if not spread > 0:
            found.append((len(column), 0, 0))
            continue
        total = squares = 0
        for begin in range(0, len(column), _ROWS):
            first, second = _sums((column[begin : begin + _ROWS] - low[j]) / spread)
            total, squares = total + first, squares + second
        found.append((len(column), total, squares))
    return found


def _sums(share: NDArray[np.float64]) -> tuple[int, int]:
    limbs, rest = [], share
    for _ in range(3):
        rest = rest * (1 << _LIMB)
        whole = np.floor(rest)
        limbs.append(whole.astype(np.int64))
        rest = rest - whole
    weight = (1 << 2 * _LIMB, 1 << _LIMB, 1)
    total = sum(int(limb.sum()) * w for limb, w in zip(limbs, weight, strict=True))
    squares = sum(
        int((a * b).sum()) * wa * wb
        for a, wa in zip(limbs, weight, strict=True)
        for b, wb in zip(limbs, weight, strict=True)
    )
    return total, squares


def exact_moments(
    schema: Schema, work: Workplace, low: NDArray[np.float64], high: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard deviation of each column over all partitions."""
    source, p = schema.source, schema.like.n_columns
    jobs = [(part, source.reading, schema.like, schema.missing == "drop", low, high) for part in source.parts]
    count, total, squares = [0] * p, [0] * p, [0] * p
    for _, sums in work.run("average columns", place_sums, jobs, None, schema.sent):
        for j, (n, first, second) in enumerate(sums):
            count[j], total[j], squares[j] = count[j] + n, total[j] + first, squares[j] + second
    mean, deviation = np.zeros(p), np.ones(p)
    unit = 1 << 3 * _LIMB
    for j in range(p):
        spread = high[j] - low[j]
        if count[j] and spread > 0:
            mean[j] = low[j] + (total[j] / (count[j] * unit)) * spread
            scatter = count[j] * squares[j] - total[j] ** 2
            deviation[j] = np.sqrt(scatter / (count[j] * unit) ** 2) * spread
    return mean, deviation
