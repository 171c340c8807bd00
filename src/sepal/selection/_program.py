"""In which order to walk over subsets, so that every partial sum of distances is made once.

A program is a list of steps, depth first: step t adds ``column[t]`` to the sums at ``depth[t] - 1``. Where ``out[t]``
is not negative the sums belong to the subset ``masks[out[t]]``. Depth 0 holds the sum of the ``base`` columns; if
that is a subset itself it is number 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.selection._problem import FeatureProblem, set_bits


@dataclass(frozen=True, eq=False)
class Program:
    """Steps of the native sweep; see the module."""

    depth: NDArray[np.int32]
    column: NDArray[np.int32]
    out: NDArray[np.int64]
    base: NDArray[np.int32]
    scores_base: bool
    masks: Sequence[int] | NDArray[np.int64]

    @property
    def n_out(self) -> int:
        """How many subsets are scored."""
        return len(self.masks)


def n_trees(problem: FeatureProblem, chunk_units: int) -> int:
    """How many programs :func:`full_tree` makes."""
    return 1 << max(0, problem.n_units - chunk_units)


def full_tree(problem: FeatureProblem, chunk_units: int = 18, which: range | None = None) -> Iterator[Program]:
    """Programs that together score every mask: the first units outside, one program for all subsets of the others.

    ``which`` of them, by their number; all by default.

    Subset r of the tree adds its units from the first to the last, so that sums run in column order; its parent is r
    without the last of them, and walking r upwards is walking depth first.
    """
    n_outer = max(0, problem.n_units - chunk_units)
    inner = range(n_outer, problem.n_units)
    n = len(inner)
    sizes = np.array([len(problem.units[unit]) for unit in inner])
    order = np.arange(1, 1 << n, dtype=np.int64)
    last = np.zeros(len(order), dtype=np.int64)  # position among `inner` of the unit that step adds
    masks, depths = np.zeros(1 << n, dtype=np.int64), np.zeros(1 << n, dtype=np.int64)
    for bit in range(n - 1, -1, -1):  # bit k of r stands for unit n - 1 - k
        last[order & (-order) == 1 << bit] = n - 1 - bit
        has_bit = (np.arange(1 << n) >> bit) & 1 == 1
        masks[has_bit] |= 1 << (n - 1 - bit)
        depths[has_bit] += sizes[n - 1 - bit]
    repeats = sizes[last]
    ends = np.cumsum(repeats) - 1
    step_of = np.repeat(np.arange(len(order)), repeats)
    back = ends[step_of] - np.arange(len(step_of))  # 0 for the last column of the unit
    flat = np.array([column for unit in inner for column in problem.units[unit]], dtype=np.int32)
    unit_end = np.cumsum(sizes) - 1
    column = flat[unit_end[last[step_of]] - back]
    depth = (depths[order][step_of] - back).astype(np.int32)
    for outer in range(n_trees(problem, chunk_units)) if which is None else which:
        base = [*problem.kept, *(column for unit in set_bits(outer) for column in problem.units[unit])]
        scores_base = outer > 0 or bool(problem.kept)
        out = np.where(back == 0, order[step_of] - (not scores_base), -1)
        of_out = (masks << n_outer | outer)[0 if scores_base else 1 :]
        yield Program(depth, column, out, np.array(base, dtype=np.int32), scores_base, of_out)


def of_masks(problem: FeatureProblem, masks: Sequence[int]) -> Program:
    """A program for some different subsets, sharing what neighbours in sorted order have in common.

    Candidates that add one unit to a set share the whole set; candidates that drop one share halves, quarters, ... of
    it, so that p of them cost about p log2 p additions and no subtraction.
    """
    ordered = sorted(masks)
    common = reduce(and_, ordered)
    scores_base = ordered[0] == common
    steps: list[tuple[int, int, int]] = []
    first = 1 if scores_base else 0
    stack = [(first, len(ordered), common, 0)]
    while stack:
        begin, end, done, depth = stack.pop()
        if begin >= end:
            continue
        shared = reduce(and_, ordered[begin:end])
        columns = [column for unit in set_bits(shared & ~done) for column in problem.units[unit]]
        only = end - begin == 1
        for i, column in enumerate(columns):
            depth += 1
            steps.append((depth, column, begin if only and i == len(columns) - 1 else -1))
        if only:
            continue
        if ordered[begin] == shared:  # the smallest is contained in all others: it is scored where they part
            steps[-1] = (*steps[-1][:2], begin)
            begin += 1
        middle = (begin + end) // 2
        stack.append((middle, end, shared, depth))
        stack.append((begin, middle, shared, depth))
    table: Any = np.array(steps, dtype=np.int64).reshape(-1, 3)
    base = [*problem.kept, *(column for unit in set_bits(common) for column in problem.units[unit])]
    return Program(
        np.ascontiguousarray(table[:, 0], dtype=np.int32),
        np.ascontiguousarray(table[:, 1], dtype=np.int32),
        np.ascontiguousarray(table[:, 2]),
        np.array(base, dtype=np.int32),
        scores_base,
        ordered,
    )
