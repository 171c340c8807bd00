"""Spheres around the rows of a class, each as large as its nearest enemies allow: what T1 counts."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sepal.neighbors import ClassPass, Search

# Distances that differ by less than rounding can explain are equal.
TIED = 2.0**-38


class Enemies(Protocol):
    """The nearest rows of other classes: how far, and ``enemy[start[i]:start[i+1]]`` are these, all tied ones."""

    @property
    def distance(self) -> NDArray[np.float64]: ...

    @property
    def start(self) -> NDArray[np.int64]: ...

    @property
    def enemy(self) -> NDArray[np.int32]: ...


def sphere_radii(found: Enemies) -> NDArray[np.float64]:
    """How far a sphere around each case may grow: halfway to a mutual enemy, else what the enemy's sphere leaves.

    An enemy is never farther from its own enemy than from this case, so cases in ascending order of distance need no
    recursion. Of several tied enemies the one with the largest sphere decides.
    """
    # Plain lists: a step is a handful of numbers, for which arrays are slow.
    distance, start, enemy = found.distance.tolist(), found.start.tolist(), found.enemy.tolist()
    radius = [0.0] * len(distance)
    for i in np.argsort(found.distance, kind="stable").tolist():
        d = distance[i]
        if math.isinf(d):  # no enemy, or under Gower's distance none with a cell that is present in both rows
            radius[i] = d
            continue
        mutual = d * (1 - TIED)
        radius[i] = d - max(d / 2 if distance[e] >= mutual else radius[e] for e in enemy[start[i] : start[i + 1]])
    return np.array(radius)


def spheres_left(
    search: Search, found: ClassPass, radius: NDArray[np.float64], rank: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Which cases keep their sphere: those not inside a larger sphere of their class.

    Of equal spheres the row of lower ``rank`` comes first, which matters where cells are missing only: such rows may be
    at distance 0 from two that are apart.

    A sphere that holds that of a case reaches at least as far as the nearest row of the class and the radius of the
    case together. Where the classes overlap hardly any does, so that few pairs are looked at.
    """
    kept, needed = np.ones(len(radius), dtype=bool), found.own + radius
    for c in range(int(found.cases.code.max()) + 1):
        order = np.flatnonzero(found.cases.code == c)
        order = order[np.lexsort((rank[found.cases.row[order]], -radius[order]))]
        row, r, least = found.cases.row[order], radius[order], needed[order]
        lost, small, at = np.zeros(len(order), dtype=bool), np.arange(len(order)), 0
        while at < len(order):
            small = small[(small > at) & ~lost[small] & (least[small] <= r[at] * (1 + TIED))]
            if len(small) == 0:
                break
            large = np.arange(at, min(len(order), at + max(1, min(256, 4_000_000 // len(small)))))
            at += len(large)
            with np.errstate(invalid="ignore"):
                gap = r[large][:, None] * (1 + TIED) - r[small][None, :]
            gap[np.isinf(r[large])] = np.inf  # a sphere without end holds all others
            inside = search.block(row[large], row[small]) <= gap
            inside &= small[None, :] > large[:, None]  # of two equal spheres the first stays
            for i in np.flatnonzero(inside.any(axis=1)):
                # Absorbed ones absorb nobody, which matters only for distances that are no metric.
                if not lost[large[i]]:
                    lost[small[inside[i]]] = True
        kept[order[lost]] = False
    return kept
