"""A tree that questions find built: a fitted model is asked again and again, often one row at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal.neighbors._planner import LOOKS, PathStep, SearchSize, plan

_ENOUGH = 50  # rows that asked: looking at all points for each of them takes as long as a tree does to be built


class KeptTree:
    """The tree of the points of one search: built once enough was asked, where it would be taken from then on.

    A pickle holds none: it is built anew when enough was asked again.
    """

    def __init__(self) -> None:
        self.tree: _native.KeptTree | None = None
        self._asked = 0
        self._seen: dict[str, float] = {}  # what the planner saw of the points

    def __reduce__(self) -> tuple[type[KeptTree], tuple[()]]:
        return KeptTree, ()

    def plan(self, work: SearchSize, points: NDArray[np.float64], threads: int) -> list[PathStep]:
        """The paths to try for rows that ask: by the tree where there is one, or where it is now worth building."""
        if self.tree is not None:
            return self._planned(replace(work, built=True))
        steps = self._planned(work)
        if steps[0].path not in ("scan", "tree"):
            return steps
        self._asked += work.asking
        if self._asked < _ENOUGH:
            return steps
        self._asked = 0
        later = self._planned(replace(work, built=True))
        if later[0].path != "tree":
            return steps
        self.tree = _native.KeptTree(points=points, threads=threads)
        return later

    def _planned(self, work: SearchSize) -> list[PathStep]:
        vars(work).update(self._seen)
        steps = plan("auto", work)
        self._seen.update({name: vars(work)[name] for name in LOOKS if name in vars(work)})
        return steps
