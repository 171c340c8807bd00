"""The search itself, and the only door to the native code that does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal._lazy import cached_property
from sepal.data import ScaleName, Table, row_groups, thread_count
from sepal.distances import FittedDistance, fit_distance
from sepal.neighbors._class_pass import ClassPass, find_cases
from sepal.neighbors._copies import Copies, DistinctRows, Lists
from sepal.neighbors._given import Given, NativeMetric, rounding_noise, tie_tolerance
from sepal.neighbors._kept_tree import KeptTree
from sepal.neighbors._planner import SEARCH_METHODS, Method, PathStep, SearchSize, check_method, effective_metric, plan
from sepal.neighbors._point_search import PointSearch
from sepal.neighbors._rounding import TIE_TOLERANCE, Extent, is_exact
from sepal.progress import Share

_BY_BYTES = _native.instruction_set() == "avx512-vnni"
_WORTH_THREADS = 4_000_000  # coordinate differences; below this starting threads costs more than it saves


@dataclass(frozen=True, eq=False)
class Search(PointSearch[Table, FittedDistance, NDArray[np.float64]]):
    """Dense rows: points are coordinates, and every question goes the way that is cheapest for it."""

    method: Method

    @classmethod
    def prepare(
        cls,
        table: Table,
        *,
        distance: str = "auto",
        distance_params: Mapping[str, Any] | None = None,
        scale: ScaleName | None = None,
        method: Method = "auto",
        n_jobs: int | None = None,
    ) -> Search:
        """Fit the distance and group equal rows."""
        fitted = fit_distance(table, distance, scale=scale, params=distance_params)
        points = fitted.embed(table)
        # Copies are rows at distance 0; some are not, because of what is missing in them.
        threads = thread_count(n_jobs)
        copies = Copies.at_no_distance(*row_groups(points, threads=threads), fitted.compares_nothing(points))
        extent = Extent.of(points)
        search = cls(
            table,
            fitted,
            np.ascontiguousarray(points[copies.first]) if copies.any else points,
            copies,
            threads,
            check_method(method, fitted, effective_metric(fitted, extent)),
        )
        # Without their copies the rows have the same extent, which need not be looked for again.
        search.__dict__["_extent"] = replace(extent, values=search.points)
        return search

    def fits_together(self) -> bool:
        """Whether the parts belong to one search: a model file may hold anything."""
        fitted, points = self.fitted, self.points
        return (
            fitted.kinds == self.table.kinds
            and points.ndim == 2
            and points.shape[1] == len(fitted.mismatch)
            and (fitted.allows_missing or fitted.unit_length or not np.isnan(points).any())
            and self.method in SEARCH_METHODS
            and (self.copies.n_rows, self.copies.n_distinct) == (self.table.n_rows, len(points))
            and self.threads >= 1
        )

    @cached_property
    def _extent(self) -> Extent:
        """Of the points; one query should not have to look at them all again."""
        return Extent.of(self.points)

    @property
    def ranges(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The lowest and the highest coordinate of each column."""
        return self._extent.low, self._extent.high

    @cached_property
    def _kept(self) -> KeptTree:
        """The tree that rows who ask later find built."""
        return KeptTree()

    @cached_property
    def _went(self) -> dict[str, str]:
        """The path on which the last question was answered."""
        return {}

    @property
    def found_by(self) -> str:
        """How the last question was answered: ``"tree"`` or ``"brute"``."""
        return "tree" if self._went.get("path", self.method) == "tree" else "brute"

    def coordinates(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """The coordinates of some training rows."""
        return self._take(self.copies.distinct(rows))

    def block(
        self, asking: NDArray[np.intp], among: NDArray[np.intp], *, without_noise: bool = False
    ) -> NDArray[np.float64]:
        """Distances from some training rows (rows of the matrix) to others (columns).

        ``without_noise`` what rounding leaves between unit vectors of one direction is 0.
        """
        points, queries = self.coordinates(among), self.coordinates(asking)
        values = _native.pair_block(
            points=points, queries=queries, **self._metric(), threads=self._team(len(points), len(queries))
        )
        return self._without_noise(values) if without_noise else self.fitted.distances(values)

    def distances_to(self, rows: Table) -> NDArray[np.float64]:
        """Distances from further rows (rows of the matrix) to all training rows (columns)."""
        points, queries = self.coordinates(np.arange(len(self.copies.of_row.number))), self._embedded(rows)
        return self._without_noise(pair_values(self.fitted, queries, points))

    def asking_one(self, rows: NDArray[np.intp]) -> Callable[[int], NDArray[np.float64]]:
        """What gives the distances from one of these training rows, by its place among them, to all of them."""
        points = np.ascontiguousarray(self.coordinates(rows))
        return lambda at: self._without_noise(pair_values(self.fitted, points[at : at + 1], points))[0]

    def _without_noise(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Native values as distances; what rounding leaves between unit vectors of one direction is none."""
        noise = rounding_noise(self.fitted) * np.finfo(float).eps ** 2
        return self.fitted.distances(np.where(values <= noise, 0.0, values) if noise else values)

    def class_pass(
        self,
        codes: NDArray[np.int32],
        further: tuple[Table, NDArray[np.int32]] | None = None,
        *,
        reach: float | None = None,
        to_the_digit: bool = False,
        tree: bool = False,
        rank: NDArray[np.intp] | None = None,
        progress: Share | None = None,
    ) -> ClassPass:
        """Look at every pair of training rows once: pairs of different classes (``codes``), then those of one class.

        ``further`` rows, with their classes, ask the training rows for their nearest. What differs by rounding only is
        not nearer; ``to_the_digit`` the last digit decides between a row and the nearest enemy. With ``tree`` everyone
        keeps a few edges on the way, from which the minimum spanning tree grows: of edges of equal length those inside
        a class come first, then those of rows of lower ``rank``, which is where they stand unless it is given.
        """
        cases = find_cases(self.copies, codes)
        points = self._take(cases.group)
        asking = points[:0] if further is None else self.fitted.embed(further[0])
        extent = Extent.of(points)
        given = Given.of(self.fitted, extent, *([Extent.of(asking)] if len(asking) else []))
        as_squares = to_the_digit and self.fitted.value_is == "square"
        exactly = to_the_digit and self.fitted.value_is in ("square", "distance")
        found = _native.class_pass(
            points=given.arrays[0],
            classes=cases.code,
            copies=cases.copies.astype(np.float64),
            rows=(cases.row if rank is None else rank[cases.row]).astype(np.int32),
            further=given.arrays[-1] if len(asking) else asking,
            further_classes=np.zeros(0, dtype=np.int32) if further is None else further[1],
            **given.metric,
            tie=tie_tolerance(given.metric["metric"], extent),
            further_tie=given.tie,
            zero=given.zero,
            slack=0.0 if exactly else TIE_TOLERANCE,
            compare_roots=as_squares,
            reach=-1.0 if reach is None else float(self._below(np.array(np.ldexp(reach, given.exponent)))),
            tree=tree,
            threads=self._team(len(points), len(points) + len(asking)),
            progress=progress,
        )
        start, values = found.enemy_start, found.enemy_value
        values = np.concatenate([values, [np.inf]])[np.where(np.diff(start) > 0, start[:-1], len(values))]
        return ClassPass(
            cases,
            distance=given.distances(values),
            start=start,
            enemy=found.enemy,
            own=given.distances(found.own),
            n_own=found.n_own,
            nearer=found.nearer,
            near=np.maximum(found.near - 1, 0.0),  # a row that compares nothing is not even near itself
            further_tied=found.further_tied,
            further_same=found.further_same,
            tree_edges=(found.tree_from, found.tree_to),
        )

    def near_graph(
        self, rows: NDArray[np.intp], radius: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Which of these training rows are nearer to each other than the ``radius`` of one of both.

        Returns ``start, neighbors, shared``: row i of them has the neighbours ``neighbors[start[i]:start[i+1]]``, and
        ``shared[i]`` is the sum, over these, of the neighbours they share with it. Needs a bit for every pair.
        """
        points = self.coordinates(rows)
        limits = np.ascontiguousarray(self._below(radius))
        return _native.near_graph(
            points=points, limits=limits, **self._metric(), threads=self._team(len(points), len(points))
        )

    def _below(self, radius: NDArray[np.float64]) -> NDArray[np.float64]:
        """The native value below which a distance is smaller than the radius by more than rounding."""
        return self.fitted.values(radius) * (1 - TIE_TOLERANCE)

    def _team(self, n_points: int, n_queries: int) -> int:
        """Threads worth starting: what one finishes in a moment should not wait for others."""
        return self.threads if n_points * n_queries * self.points.shape[1] > _WORTH_THREADS else 1

    def _metric(self) -> NativeMetric:
        fitted = self.fitted
        return {"metric": fitted.metric, "p": fitted.p, "n_numeric": fitted.n_numeric, "weights": fitted.mismatch}

    def _take(self, distinct: DistinctRows) -> NDArray[np.float64]:
        return self.points.take(distinct.number, axis=0)

    def _embedded(self, rows: Table) -> NDArray[np.float64]:
        return self.fitted.embed(rows)

    def _nearest(
        self,
        queries: NDArray[np.float64] | None,
        k: int,
        progress: Share | None,
        radius: NDArray[np.float64] | None,
    ) -> Lists:
        given = Given.of(self.fitted, self._extent, *([] if queries is None else [Extent.of(queries)]))
        n_queries = None if queries is None else len(queries)
        points = given.arrays[0]
        asked: Any = {
            "queries": None if queries is None else np.ascontiguousarray(given.arrays[-1]),
            "k": k,
            "limits": None if radius is None else given.values(radius),
            **given.metric,
            "tie": given.tie,
            "zero": given.zero,
            "threads": self._team(len(self.points), len(given.arrays[-1])),
            "progress": progress,
        }
        counted, metric = k if radius is None else 1, given.metric["metric"]
        size = SearchSize(self._extent, n_queries, counted, metric, _BY_BYTES, tame=given.tame)
        kept = self._kept if queries is not None and self.method == "auto" and points is self.points else None
        steps = plan(self.method, size) if kept is None else kept.plan(size, points, asked["threads"])

        def search(step: PathStep) -> Any:
            if step.path == "tree" and kept is not None and kept.tree is not None:
                return kept.tree.search(**asked, budget=step.budget)
            return _native.search(points=points, **asked, method=step.path, budget=step.budget)

        step, found = _first_found(steps, search)
        self._went["path"] = step.path
        start, entries, values = found
        return start, DistinctRows(entries), given.distances(values)


def _first_found(steps: Sequence[PathStep], search: Callable[[PathStep], Any]) -> tuple[PathStep, Any]:
    """The first path that does not give up, and what it found; the last one never does."""
    for step in steps:
        found = search(step)
        if found is not None:
            return step, found
    raise AssertionError("the last path does not give up")


@dataclass(frozen=True)
class Turn:
    """One of several shares of the pairs of rows that ask each other; all turns together look at every pair."""

    at: int
    of: int


WHOLE = Turn(0, 1)


def raw_search(
    given: Given,
    extent: Extent,
    method: Method,
    queries: NDArray[np.float64] | None,
    points: NDArray[np.float64],
    k: int,
    threads: int,
    turn: Turn = WHOLE,
    progress: Share | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], int, str]:
    """Some points searched by what is ``given`` of all: native values as they are, no tied groups.

    Without queries, of the pairs those of one ``turn``. Last come how rows were arranged, which all turns must share,
    and the path on which they were searched.
    """
    if given.exponent:
        points, queries = (
            np.ldexp(points, given.exponent),
            queries if queries is None else np.ldexp(queries, given.exponent),
        )
    points = np.ascontiguousarray(points)
    n_queries = None if queries is None else len(queries)
    asked: Any = {
        "points": points,
        "k": k,
        **given.metric,
        "tie": given.tie,
        "zero": given.zero,
        "threads": threads,
        "progress": progress,
    }
    if queries is None:
        asked |= {"turn": turn.at, "turns": turn.of}
    else:
        asked |= {"queries": np.ascontiguousarray(queries), "limits": None, "raw": True}
    # The whole work decides about the path, whatever the turn, so that all turns take the same.
    whole, metric = replace(extent, values=points), given.metric["metric"]
    work = SearchSize(whole, n_queries, k, metric, _BY_BYTES, tame=given.tame)
    search: Any = _native.search_turn if queries is None else _native.search
    step, found = _first_found(plan(method, work), lambda step: search(**asked, method=step.path, budget=step.budget))
    return (*found[0], found[1], step.path) if queries is None else (*found, 0, step.path)


def nearest_squares(
    points: NDArray[np.float64], queries: NDArray[np.float64], threads: int, progress: Share | None
) -> NDArray[np.float64]:
    """The squared Euclidean distance from each query to the nearest point, whatever path is cheapest."""
    asked: Any = {
        "points": np.ascontiguousarray(points),
        "queries": np.ascontiguousarray(queries),
        "k": 1,
        "limits": None,
        "metric": "l2",
        "p": 2.0,
        "n_numeric": 0,
        "weights": np.ones(points.shape[1]),
        "tie": 0.0,
        "zero": 0.0,
        "threads": threads,
        "progress": progress,
    }
    steps = plan("auto", SearchSize(Extent.of(asked["points"]), len(queries), 1, "l2"))
    _, (start, _, values) = _first_found(
        steps, lambda step: _native.search(**asked, method=step.path, budget=step.budget)
    )
    return np.asarray(values[start[:-1]])


def pair_values(
    fitted: FittedDistance, queries: NDArray[np.float64], points: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The native values from some coordinates (rows of the matrix) to others (columns)."""
    return np.asarray(
        _native.pair_block(
            points=np.ascontiguousarray(points),
            queries=np.ascontiguousarray(queries),
            metric=fitted.metric,
            p=fitted.p,
            n_numeric=fitted.n_numeric,
            weights=fitted.mismatch,
            threads=1,
        )
    )


def rank_distances(
    distances: NDArray[np.float64],
    k: int,
    *,
    n_jobs: int | None = None,
    may_be_exact: bool = True,
    without_self: bool = False,
    limits: NDArray[np.float64] | None = None,
    progress: Share | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float64]]:
    """The k nearest columns of each row of a matrix, everyone tied with the k-th included: start, rows, distances.

    Distances that are all whole numbers are tied only where they are equal, unless they cannot be exact.
    ``without_self`` leaves out column i of row i. With ``limits``, one for each row, everyone up to these instead; who
    is infinitely far is within none.
    """
    given = np.ascontiguousarray(distances, dtype=np.float64)
    tie = 0.0 if may_be_exact and is_exact(Extent.of(np.where(np.isinf(given), 0.0, given))) else TIE_TOLERANCE
    start, rows, found = _native.search_distances(
        distances=given,
        self_join=without_self,
        k=k,
        limits=limits,
        tie=tie,
        threads=thread_count(n_jobs),
        progress=progress,
    )
    if limits is not None and np.isinf(found).any():
        near = np.isfinite(found)
        start, rows, found = np.concatenate([[0], np.cumsum(near)])[start], rows[near], found[near]
    return start, rows.astype(np.intp), found
