"""Spheres around the rows of a class, each as large as its nearest enemies allow: what T1 counts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sepal.neighbors import ClassPass, Search

# Distances that differ by less than rounding can explain are equal.
TIED = 2.0**-38


def sphere_radii(found: ClassPass) -> NDArray[np.float64]:
    """How far a sphere around each case may grow: halfway to a mutual enemy, else what the enemy's sphere leaves.

    An enemy is never farther from its own enemy than from this case, so cases in ascending order of distance need no
    recursion. Of several tied enemies the one with the largest sphere decides.
    """
    # Plain lists: a step is a handful of numbers, for which arrays are slow.
    distance, start, enemy = found.distance.tolist(), found.start.tolist(), found.enemy.tolist()
    radius = [0.0] * len(distance)
    for i in np.argsort(found.distance, kind="stable").tolist():
        d = distance[i]
        if math.isinf(d):  # Gower: no cell is present in both rows, whichever enemy is asked
            radius[i] = d
            continue
        mutual = d * (1 - TIED)
        radius[i] = d - max(d / 2 if distance[e] >= mutual else radius[e] for e in enemy[start[i] : start[i + 1]])
    return np.array(radius)


def spheres_left(search: Search, found: ClassPass, radius: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which cases keep their sphere: those not inside a larger sphere of their class."""
    kept = np.ones(len(radius), dtype=bool)
    for c in range(int(found.cases.code.max()) + 1):
        order = np.flatnonzero(found.cases.code == c)
        order = order[np.lexsort((order, -radius[order]))]
        while len(order):
            step = max(1, min(256, 4_000_000 // len(order)))
            large, small = order[:step], order
            with np.errstate(invalid="ignore"):
                gap = radius[large][:, None] * (1 + TIED) - radius[small][None, :]
            gap[np.isinf(radius[large])] = np.inf  # a sphere without end holds all others
            inside = search.block(found.cases.row[large], found.cases.row[small]) <= gap
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
