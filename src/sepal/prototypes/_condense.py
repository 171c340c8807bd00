"""The door to native condensing: cases under one metric, compared with prototypes as these come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal.neighbors import TIE_TOLERANCE, Extent, Search, is_exact, nearest_squares
from sepal.progress import Progress, stage
from sepal.prototypes._cases import Cases

Positions = NDArray[np.intp]

_EXACT_METRICS = frozenset({"l2", "l1", "linf"})
_FEW_CLASSES = 20


@dataclass(frozen=True, eq=False)
class Kept:
    """Chosen cases in the order they were chosen, and the sweep or round of each.

    ``right`` says of every case whether the chosen ones nearest to it are all of its class, where choosing told.
    """

    pos: Positions
    round: NDArray[np.int32]
    right: NDArray[np.bool_] | None = None


def _within_reach(points: NDArray[np.float64], largest: float) -> NDArray[np.float64]:
    """Coordinates whose squares neither overflow nor vanish: a power of two changes no comparison."""
    if largest == 0.0 or not (largest <= 1e-120 or largest >= 1e120):
        return points
    return np.asarray(points * 2.0 ** -np.floor(np.log2(largest)))


def _tie(search: Search, extent: Extent) -> float:
    """How far apart values may be and still be tied; 0 for integers that are compared without rounding."""
    return 0.0 if search.fitted.metric in _EXACT_METRICS and is_exact(extent) else TIE_TOLERANCE


class CaseMetric:
    """Native loops over some cases. Positions in and out index the arrays given here.

    Cases of one group, where there are ``groups``, are no neighbours of each other in ``drop`` and ``ib3``, no enemies
    and in no local set of each other; what is kept answers for every case, its group or not.
    """

    def __init__(
        self,
        search: Search,
        points: NDArray[np.float64],
        codes: NDArray[np.int32],
        progress: Progress | None = None,
        groups: NDArray[np.intp] | None = None,
    ) -> None:
        fitted, extent = search.fitted, Extent.of(points)
        self.points = np.ascontiguousarray(_within_reach(points, extent.largest))
        self.tie = _tie(search, extent)
        self.codes = np.ascontiguousarray(codes, dtype=np.int32)
        self._progress = stage(progress, "comparing rows")
        self._threads = search.threads
        # For many classes the searches would be too small to pay.
        self._by_search = fitted.metric == "l2" and np.count_nonzero(np.bincount(codes)) <= _FEW_CLASSES
        self._groups = None if groups is None else np.ascontiguousarray(groups, dtype=np.int32)
        self._native = _native.Condensing(
            points=self.points,
            codes=self.codes,
            metric=fitted.metric,
            p=fitted.p,
            n_numeric=fitted.n_numeric,
            weights=fitted.mismatch,
            tie=self.tie,
            zero=4 * points.shape[1] * np.finfo(float).eps ** 2 if fitted.unit_length else 0.0,
            threads=search.threads,
            groups=self._groups,
        )

    @classmethod
    def of(cls, cases: Cases, progress: Progress | None = None) -> CaseMetric:
        """Over all cases."""
        return cls(cases.data.dense, cases.points, cases.codes, progress)

    def hart(self, visit: Positions, rule: str = "strict") -> Kept:
        """Hart's sweeps; ``rule`` says what becomes of a case equally near to prototypes of two classes."""
        return _kept(self._native.hart(visit=_pos(visit), rule=rule, enemy=None, progress=self._progress))

    def relaxed_selective(self, visit: Positions, enemy: NDArray[np.float64]) -> Kept:
        """One sweep against the enemies among all cases."""
        return _kept(self._native.hart(visit=_pos(visit), rule="strict", enemy=enemy, progress=self._progress))

    def selective(self, visit: Positions, enemy: NDArray[np.float64]) -> Kept:
        """Each of ``visit`` that covers a case not covered before."""
        return _kept(self._native.selective(visit=_pos(visit), enemy=enemy, progress=self._progress))

    def fcnn(self, seeds: Positions, may_keep: NDArray[np.bool_]) -> Kept:
        """Rounds of FCNN."""
        return _kept(self._native.fcnn(seeds=_pos(seeds), may_keep=may_keep.astype(np.uint8), progress=self._progress))

    @property
    def compared(self) -> int:
        """How many pairs of a case and a prototype the last FCNN compared."""
        return self._native.compared

    def reduce(self, kept_pos: Positions, wanted: NDArray[np.bool_]) -> Kept:
        """What is left after dropping, in turn, each prototype that no wanted case needs."""
        return _kept(
            self._native.reduce(kept_pos=_pos(kept_pos), wanted=wanted.astype(np.uint8), progress=self._progress)
        )

    def drop(self, k: int, visit: Positions) -> Kept:
        """The decremental pass of DROP."""
        return _kept(self._native.drop(k=k, visit=_pos(visit), progress=self._progress))

    def ib3(self, visit: Positions, chance: NDArray[np.float64], accept_z: float, drop_z: float) -> Kept:
        """The stream of IB3."""
        return _kept(
            self._native.ib3(
                visit=_pos(visit), chance=chance, accept_z=accept_z, drop_z=drop_z, progress=self._progress
            )
        )

    def is_right(self, kept_pos: Positions) -> NDArray[np.bool_]:
        """Of every case whether the kept ones nearest to it are all of its class."""
        if self._by_search:
            like, unlike = self._nearest(kept_pos, of_own_class=True), self._nearest(kept_pos, of_own_class=False)
            like[kept_pos] = 0.0
            return np.asarray(unlike > like * (1 + self.tie))
        return self._native.judge(kept_pos=_pos(kept_pos), progress=self._progress)[2].astype(bool)

    def enemy_values(self) -> NDArray[np.float64]:
        """Native value from each case to the nearest of another class."""
        if self._by_search and self._groups is None:
            return self._nearest(np.arange(len(self.codes)), of_own_class=False)
        return self._native.enemies(progress=self._progress)

    def _nearest(self, among: Positions, *, of_own_class: bool) -> NDArray[np.float64]:
        """Native value from each case to the nearest of these of its own class, or of all others; infinite without any.

        The search filters in float32 and returns the float64 value that every path computes.
        """
        found = np.full(len(self.codes), np.inf)
        for code in np.unique(self.codes):
            wanted = among[(self.codes[among] == code) == of_own_class]
            asking = np.flatnonzero(self.codes == code)
            if len(wanted):
                rows, queries = self.points.take(wanted, axis=0), self.points.take(asking, axis=0)
                found[asking] = nearest_squares(rows, queries, self._threads, self._progress)
        return found

    def values_to(self, point: NDArray[np.float64], pos: Positions) -> NDArray[np.float64]:
        """Native values from some cases to a point."""
        return self._native.values_to(pos=_pos(pos), point=np.ascontiguousarray(point))

    def local_sets(self, enemy: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many cases are nearer to each than its enemy, and of how many it is one."""
        return self._native.local_sets(enemy=enemy, progress=self._progress)


def _pos(positions: Positions) -> NDArray[np.int32]:
    return np.ascontiguousarray(positions, dtype=np.int32)


def _kept(found: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]) -> Kept:
    pos, rounds, right = found
    rounds = rounds if len(rounds) else np.ones(len(pos), dtype=np.int32)
    return Kept(pos.astype(np.intp), rounds, right.astype(bool) if len(right) else None)


def tied_order(values: NDArray[np.float64], tie: float, *, descending: bool = False) -> Positions:
    """Positions by value; values tied with the smallest of their group stay in position order."""
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    # What is beyond the tolerance of its neighbour below opens a group; a run without such a step may still be wider
    # than the tolerance, and is then cut again.
    opens = np.ones(len(ranked), dtype=bool)
    opens[1:] = ranked[1:] > ranked[:-1] * (1.0 + tie)
    runs = np.append(np.flatnonzero(opens), len(ranked))
    wide = ranked[runs[1:] - 1] > ranked[runs[:-1]] * (1.0 + tie)
    for start, end in zip(runs[:-1][wide].tolist(), runs[1:][wide].tolist(), strict=True):
        while (
            next_start := start + int(np.searchsorted(ranked[start:end], ranked[start] * (1.0 + tie), "right"))
        ) < end:
            opens[next_start] = True
            start = next_start
    group = np.cumsum(opens)
    return order[np.lexsort((order, -group if descending else group))]
