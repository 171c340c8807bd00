"""For every distinct row of every class, the nearest rows of other classes: what N2, T1, LSC and suspects read."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.neighbors import Search, segment_positions

# Distances that differ by less than rounding can explain are equal.
TIED = 2.0**-38


@dataclass(frozen=True, eq=False)
class Enemies:
    """Cases (a distinct row together with a class), and the nearest cases of other classes, all tied ones.

    Attributes
    ----------
    case_of : (n_rows,) array
    row, code, copies : (n_cases,) arrays
        The lowest row of each case, its class, and how many rows it stands for.
    distance : (n_cases,) array
        To the nearest enemy.
    start, enemy : arrays
        The enemies of case i are the cases ``enemy[start[i]:start[i+1]]``.
    """

    case_of: NDArray[np.intp]
    row: NDArray[np.intp]
    code: NDArray[np.int32]
    copies: NDArray[np.int64]
    distance: NDArray[np.float64]
    start: NDArray[np.int64]
    enemy: NDArray[np.intp]


def nearest_enemies(search: Search, codes: NDArray[np.int32], n_classes: int) -> Enemies:
    """One search per class, against all rows of the others."""
    key = search.group_of.astype(np.int64) * n_classes + codes
    keys, row, case_of, copies = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    group, code = keys // n_classes, (keys % n_classes).astype(np.int32)
    first_of_group = np.searchsorted(group, np.arange(len(search.first) + 1))  # cases are sorted by group, then class
    distance = np.empty(len(keys))
    lists: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)] * len(keys)
    for c in range(n_classes):
        mine = np.flatnonzero(code == c)
        start, found, near, groups = search.nearest_among(np.flatnonzero(codes != c), np.flatnonzero(codes == c))
        mine = mine[np.argsort(group[mine], kind="stable")]  # np.unique sorted the asking groups too
        distance[mine] = near
        opens, widths = first_of_group[found], first_of_group[found + 1] - first_of_group[found]
        flat = segment_positions(opens, widths)
        owner = np.repeat(np.repeat(np.arange(len(groups)), np.diff(start)), widths)
        other = code[flat] != c
        flat, owner = flat[other], owner[other]
        bounds = np.searchsorted(owner, np.arange(len(groups) + 1))
        for i, case in enumerate(mine):
            lists[case] = flat[bounds[i] : bounds[i + 1]]
    lengths = np.array([len(each) for each in lists])
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Enemies(case_of, row, code, copies, distance, starts, np.concatenate(lists))


def sphere_radii(enemies: Enemies) -> NDArray[np.float64]:
    """How far a sphere around each case may grow: halfway to a mutual enemy, else what the enemy's sphere leaves.

    An enemy is never farther from its own enemy than from this case, so cases in ascending order of distance need no
    recursion. Of several tied enemies the one with the largest sphere decides.
    """
    # Plain lists: a step is a handful of numbers, for which arrays are slow.
    distance, start, enemy = enemies.distance.tolist(), enemies.start.tolist(), enemies.enemy.tolist()
    radius = [0.0] * len(distance)
    for i in np.argsort(enemies.distance, kind="stable").tolist():
        d = distance[i]
        if math.isinf(d):  # Gower: no cell is present in both rows, whichever enemy is asked
            radius[i] = d
            continue
        mutual = d * (1 - TIED)
        radius[i] = d - max(d / 2 if distance[e] >= mutual else radius[e] for e in enemy[start[i] : start[i + 1]])
    return np.array(radius)


def spheres_left(search: Search, enemies: Enemies, radius: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which cases keep their sphere: those not inside a larger sphere of their class."""
    kept = np.ones(len(radius), dtype=bool)
    for c in range(int(enemies.code.max()) + 1):
        order = np.flatnonzero(enemies.code == c)
        order = order[np.lexsort((order, -radius[order]))]
        while len(order):
            step = max(1, min(256, 4_000_000 // len(order)))
            large, small = order[:step], order
            with np.errstate(invalid="ignore"):
                gap = radius[large][:, None] * (1 + TIED) - radius[small][None, :]
            gap[np.isinf(radius[large])] = np.inf  # a sphere without end holds all others
            inside = search.block(enemies.row[large], enemies.row[small]) <= gap
            # Only later ones: of two equal spheres the first stays. Absorbed ones absorb nobody, which matters only
            # for distances that are no metric.
            inside &= np.arange(len(small))[None, :] > np.arange(len(large))[:, None]
            lost = np.zeros(len(small), dtype=bool)
            for i, row in enumerate(inside):
                if not lost[i]:
                    lost |= row
            kept[small[lost]] = False
            order = order[step:][~lost[step:]]
    return kept
