"""Training rows that can be asked who is near, and how much of what stands there.

Every learner reads the same shape: for each query the tied groups of its neighbours, nearest first, with the weight
mass of each group and the sums (per class, or of a target) over it. Equal rows are one entry, so many copies cost
nothing, and a row of weight 3 is the same as three equal rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data import Rows, ScaleName, Table, class_codes
from sepal.distances import squares_without
from sepal.exceptions import DataError, ParameterError
from sepal.learners._neighbor_lists import ClassSums, NeighborLists, TiedGroups
from sepal.learners._target_sums import TargetSums
from sepal.learners._widest import widest
from sepal.neighbors import (
    AnySearch,
    DistanceLike,
    Method,
    Search,
    Ties,
    check_reached,
    neighbor_ranking,
    prepare_search,
    radius_ranking,
    rank_distances,
    square_distances,
)

_CELLS = 1_000_000  # numbers held at a time by each thread, about 8 MB
_KEPT_CELLS = 8_000_000  # sums of classes that a fitted learner keeps, at most 64 MB


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """Training rows with weights, prepared for questions.

    ``matrix`` holds the distances between training rows where the user measured them; then ``search`` is None.
    """

    search: AnySearch | None
    matrix: NDArray[np.float64] | None
    weights: NDArray[np.float64]
    ties: Ties
    by_row: bool  # voters are rows; else they are distinct rows
    n_jobs: int | None

    @classmethod
    def prepare(
        cls,
        table: Rows,
        weights: NDArray[np.float64] | None,
        *,
        distance: DistanceLike,
        distance_params: Mapping[str, Any] | None,
        scale: ScaleName | None,
        ties: Ties,
        n_jobs: int | None,
        method: Method = "auto",
    ) -> Neighborhood:
        """Fit the distance to the training rows; ``weights`` are positive, 1 each by default."""
        if ties not in ("expected", "index"):
            raise ParameterError(f"ties must be 'expected' or 'index'; got {ties!r}")
        weights = np.ones(table.n_rows) if weights is None else weights
        if distance == "precomputed" and isinstance(table, Table):
            if method in ("tree", "approximate"):
                raise ParameterError(f"method={method!r} cannot search precomputed distances", hint="use method='auto'")
            return cls(None, square_distances(table.values), weights, ties, True, n_jobs)
        options: dict[str, Any] = {"distance_params": distance_params, "scale": scale, "n_jobs": n_jobs}
        weighted = replace(table, weights=weights)
        search = prepare_search(weighted, distance=distance, method=method, **options)
        supervised = search.fitted.counts is not None
        return cls(search, None, weights, ties, ties == "index" or supervised, n_jobs)

    def grown(self, search: Search, weights: NDArray[np.float64]) -> Neighborhood:
        """The same with more rows behind those of this one; what one look at all rows would tell is carried over."""
        after = replace(self, search=search, weights=weights)
        if "heads" in self.__dict__ and self.heads and not search.copies.any and np.all(weights[self.n_rows :] == 1.0):
            after.__dict__.update(heads=True, total_mass=float(len(weights)))
        return after

    def fits_together(self) -> bool:
        """Whether the parts belong to one neighbourhood: a model file may hold anything."""
        n = len(self.weights)
        if self.weights.shape != (n,) or not np.all(np.isfinite(self.weights) & (self.weights > 0)):
            return False
        if self.search is not None:
            return self.matrix is None and self.search.table.n_rows == n
        return (
            self.matrix is not None and self.matrix.shape == (n, n) and bool(np.all(self.matrix >= 0)) and self.by_row
        )

    @property
    def n_rows(self) -> int:
        """Training rows."""
        return len(self.weights)

    @cached_property
    def total_mass(self) -> float:
        """Weight of all rows."""
        return float(self.weights.sum())

    def fewest(self, groups: NDArray[np.intp] | None = None) -> int:
        """How many neighbours everyone can have when it (or its group) is left out, weights counted."""
        mass = int(self.total_mass - (1.0 if groups is None else np.bincount(groups, weights=self.weights).max()))
        if self.matrix is None or np.isfinite(self.matrix).all():
            return mass
        units = np.arange(self.n_rows) if groups is None else groups
        reached = np.isfinite(self.matrix) & (units[:, None] != units[None, :])
        return min(mass, int(reached.sum(axis=1).min()))

    @cached_property
    def voter_of(self) -> NDArray[np.intp]:
        """The voter each training row belongs to."""
        if self.search is None or self.by_row:
            return np.arange(self.n_rows)
        return self.search.copies.of_row.number.astype(np.intp)

    @cached_property
    def voter_mass(self) -> NDArray[np.float64]:
        """Weight of each voter."""
        return np.asarray(np.bincount(self.voter_of, weights=self.weights), dtype=np.float64)

    @cached_property
    def heads(self) -> bool:
        """Whether every voter is one training row, in their order, that weighs 1."""
        return bool(np.all(self.weights == 1.0)) and np.array_equal(self.voter_of, np.arange(self.n_rows))

    @cached_property
    def left_out(self) -> NDArray[np.float64]:
        """How much of a row goes when it is left out: one unit, as if it were repeated by its weight."""
        return np.minimum(self.weights, 1.0)

    def depth(self, k: float) -> int:
        """How many of the nearest distinct rows surely hold a mass of k."""
        mass = self.voter_mass if not self.by_row else self.weights
        if self.heads or mass.min() >= 1.0:
            return ceil(k)
        return min(int(np.searchsorted(np.cumsum(np.sort(mass)), k)) + 1, len(mass))

    def lists(self, queries: Rows | NDArray[np.float64], k: float) -> NeighborLists:
        """Neighbours of new rows (with ``precomputed`` of their distances to the training rows)."""
        depth = min(self.depth(k), self.n_rows)
        if self.search is None:
            values = np.asarray(queries.values if isinstance(queries, Table) else queries)
            check_reached(values, depth, without_self=False)
            found = neighbor_ranking(
                self.matrix, depth, queries=values, distance="precomputed", ties="expected", n_jobs=self.n_jobs
            )
            return NeighborLists(found.start, found.flat_rows, found.flat_distances)
        ranking = self.search.query_ranking(queries, depth)  # type: ignore[arg-type]
        if not self.by_row:
            return NeighborLists(ranking.start, ranking.entries.number.astype(np.intp), ranking.distances)
        rows = ranking.per_row(depth, "expected", None)
        return NeighborLists(rows["start"], rows["flat_rows"], rows["flat_distances"])

    def lists_and_rows(self, queries: Rows | NDArray[np.float64], k: float) -> tuple[NeighborLists, NeighborLists]:
        """What :meth:`lists` gives, and the same with rows as voters, from one search where it is as deep for both."""
        by_row, depth = self.for_rows(), min(self.depth(k), self.n_rows)
        if self.search is None or self.by_row or depth != min(by_row.depth(k), self.n_rows):
            return self.lists(queries, k), by_row.lists(queries, k)
        ranking = self.search.query_ranking(queries, depth)  # type: ignore[arg-type]
        rows = ranking.per_row(depth, "expected", None)
        return (
            NeighborLists(ranking.start, ranking.entries.number.astype(np.intp), ranking.distances),
            NeighborLists(rows["start"], rows["flat_rows"], rows["flat_distances"]),
        )

    def lists_without(self, k: float, groups: NDArray[np.intp] | None = None) -> NeighborLists:
        """Neighbours of every training row when it is left out; with ``groups``, when its whole group is.

        Leaving a group out makes voters of rows: see :meth:`for_rows`.
        """
        asker = np.arange(self.n_rows)
        extra = 0 if groups is None else int(np.bincount(groups).max()) - 1
        depth = max(1, min(self.depth(k) + extra, self.n_rows - 1))
        if self.search is None:
            check_reached(np.asarray(self.matrix), depth - extra, without_self=True)
            found = neighbor_ranking(self.matrix, depth, distance="precomputed", ties="expected", n_jobs=self.n_jobs)
            lists = NeighborLists(found.start, found.flat_rows, found.flat_distances, asker)
            lists = lists.where(np.isfinite(lists.distance))
        elif isinstance(self.search, Search) and self.search.fitted.counts is not None:
            lists = self._supervised_lists(self.search, depth, groups=groups)
        else:
            ranking = self.search.distinct_ranking(depth)
            if self.by_row or groups is not None:
                rows = ranking.per_row(depth, "expected", asker)
                lists = NeighborLists(rows["start"], rows["flat_rows"], rows["flat_distances"], asker)
            else:
                start, voters, distances = ranking.lists(ranking.list_of(asker))
                lists = NeighborLists(start, voters.number.astype(np.intp), distances, asker)
        if groups is not None:
            lists = lists.where(groups[lists.voter] != groups[asker][lists.query])
            if np.diff(lists.start).min() == 0:
                row = int(np.diff(lists.start).argmin())
                raise DataError(f"groups: the graph of distances leads row {row} to no row of another group")
            return lists
        return self._with_own(lists)

    def _supervised_lists(
        self,
        search: Search,
        depth: int,
        limits: NDArray[np.float64] | None = None,
        groups: NDArray[np.intp] | None = None,
    ) -> NeighborLists:
        """Lists under a distance that has learnt from the labels: every row is taken out of what it asks about."""
        codes = class_codes(search.table)[0]
        left_out = self.left_out if groups is None else self.weights
        asker = np.arange(self.n_rows)
        starts, voters, distances = [np.zeros(1, dtype=np.int64)], [], []
        step = max(1, _CELLS // self.n_rows)
        for begin in range(0, self.n_rows, step):
            block = asker[begin : begin + step]
            squares = squares_without(search.fitted, search.table, codes, left_out, block, groups)
            part = None if limits is None else np.ascontiguousarray(limits[begin : begin + step])
            start, voter, found = rank_distances(squares, depth, n_jobs=self.n_jobs, limits=part)
            starts.append(start[1:] + starts[-1][-1])
            voters.append(voter)
            distances.append(np.sqrt(found))
        return NeighborLists(np.concatenate(starts), np.concatenate(voters), np.concatenate(distances), asker)

    def lists_within(self, queries: Rows | None, radius: NDArray[np.float64]) -> NeighborLists:
        """All rows within a radius of each query (of each training row without queries), weights ignored."""
        asker = np.arange(self.n_rows) if queries is None else None
        if self.search is None:
            asked = queries.values if isinstance(queries, Table) else None
            one = radius if asker is None else radius[0]
            found = radius_ranking(self.matrix, one, queries=asked, distance="precomputed", n_jobs=self.n_jobs)
            return NeighborLists(found.start, found.flat_rows, found.flat_distances, asker)
        if queries is None and isinstance(self.search, Search) and self.search.fitted.counts is not None:
            with np.errstate(over="ignore"):
                squares = self.search.fitted.values(radius) * (1 + 2.0**-50)
            return self._supervised_lists(self.search, self.n_rows - 1, squares)
        found_distinct = self.search.within(radius, queries)  # type: ignore[arg-type]
        return NeighborLists(*found_distinct.everyone(asker), asker)

    def plain_lists(self, queries: Rows | None, k: int) -> NeighborLists:
        """At least the k nearest rows of each query (of each training row without queries), weights ignored."""
        even = replace(self, weights=np.ones(self.n_rows), by_row=True)
        return even.lists_without(k) if queries is None else even.lists(queries, k)

    def for_rows(self) -> Neighborhood:
        """The same with rows as voters."""
        return self if self.by_row else self._for_rows

    @cached_property
    def _for_rows(self) -> Neighborhood:
        return replace(self, by_row=True)

    def among(self, rows: NDArray[np.intp]) -> Neighborhood:
        """The same distance over some of the rows only."""
        return replace(
            self,
            search=None if self.search is None else self.search.among(rows),
            matrix=None if self.matrix is None else np.ascontiguousarray(self.matrix[np.ix_(rows, rows)]),
            weights=self.weights[rows],
        )

    @cached_property
    def span(self) -> float:
        """How far apart rows at opposite corners of the training data are."""
        return widest(self.matrix if self.search is None else self.search)

    def _with_own(self, lists: NeighborLists) -> NeighborLists:
        """Put a row heavier than 1 into its own list: the rest of its weight stays when one unit leaves."""
        own = self.voter_of[lists.asker]
        heavy = self.weights[lists.asker] > 1.0
        if not heavy.any():
            return lists
        listed = np.zeros(len(lists), dtype=bool)
        listed[lists.query[lists.voter == own[lists.query]]] = True
        missing = np.flatnonzero(heavy & ~listed)
        lengths = np.zeros(len(lists.start), dtype=np.int64)
        lengths[missing + 1] = 1
        at = lists.start[:-1][missing]
        return replace(
            lists,
            start=lists.start + np.cumsum(lengths),
            voter=np.insert(lists.voter, at, own[missing]),
            distance=np.insert(lists.distance, at, 0.0),
        )

    def class_sums(self, codes: NDArray[np.int32], n_classes: int) -> ClassSums:
        """Weight by class, of each voter and of all; kept for the next question about the same classes."""
        for sums in self._kept:
            if sums.codes is codes and len(sums.everyone[0]) == n_classes:
                return sums
        one_hot = np.eye(n_classes)[codes]
        everyone = (one_hot * self.weights[:, None]).sum(axis=0, keepdims=True)
        sums = ClassSums(codes, self.voter_sums(one_hot), everyone)
        if sums.of_voter.size <= _KEPT_CELLS:
            self._kept[:] = [sums]
        return sums

    @cached_property
    def _kept(self) -> list[ClassSums]:
        return []

    def target_sums(self, y: NDArray[np.float64]) -> TargetSums:
        """Sums of targets, of each voter; kept for the next question about the same targets."""
        for sums in self._kept_targets:
            if sums.y is y:
                return sums
        unit = TargetSums.unit_for(y)
        of_row = np.stack([np.ones_like(y), y * unit], axis=1)
        sums = TargetSums(y, unit, of_row, self.voter_sums(of_row), self.voter_of, self.weights)
        if sums.of_voter.size <= _KEPT_CELLS:
            y.setflags(write=False)  # what is kept is about these numbers
            self._kept_targets[:] = [sums]
        return sums

    @cached_property
    def _kept_targets(self) -> list[TargetSums]:
        return []

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}  # what follows from these is not copied

    def voter_sums(self, payload: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n_voters, n_sums): the weighted payload of each voter's rows."""
        weighted = payload * self.weights[:, None]
        if self.by_row:
            return weighted
        return np.stack([np.bincount(self.voter_of, weights=column) for column in weighted.T], axis=1)

    def groups(
        self, lists: NeighborLists, sums: NDArray[np.float64], payload: NDArray[np.float64] | None, k: float
    ) -> TiedGroups:
        """Collapse lists into tied groups up to mass k; ``payload`` (per row) is what an asker takes out of its own."""
        lists, mass, flat = self.entries(lists, sums, payload)
        query = lists.query
        opens = np.ones(len(query), dtype=bool)
        if self.ties == "expected":
            opens[1:] = (query[1:] != query[:-1]) | (lists.distance[1:] != lists.distance[:-1])
        first = np.flatnonzero(opens)
        if len(first) < len(query):
            mass, flat = np.add.reduceat(mass, first), np.add.reduceat(flat, first, axis=0)
            query = query[first]
        distance = lists.distance[first]
        start = np.searchsorted(query, np.arange(len(lists) + 1))
        column = np.arange(len(query)) - start[query]
        width = int(np.diff(start).max(initial=1))
        groups = TiedGroups(
            _dense(distance, query, column, (len(lists), width), np.inf),
            _dense(mass, query, column, (len(lists), width), 0.0),
            _dense(flat, query, column, (len(lists), width, flat.shape[1]), 0.0),
        )
        used = int(np.any((groups.before < k) & (groups.mass > 0), axis=0).sum())
        used = max(used, 1)
        if used == width:
            return groups
        return TiedGroups(groups.distance[:, :used], groups.mass[:, :used], groups.sums[:, :used])

    def entries(
        self, lists: NeighborLists, sums: NDArray[np.float64], payload: NDArray[np.float64] | None
    ) -> tuple[NeighborLists, NDArray[np.float64], NDArray[np.float64]]:
        """The lists with the mass and sums of each entry, what an asker takes out of its own subtracted."""
        mass, flat = self.voter_mass[lists.voter], sums[lists.voter]
        if lists.asker is None or payload is None:
            return lists, mass, flat
        asker = lists.asker[lists.query]
        own = np.flatnonzero(lists.voter == self.voter_of[asker])
        if len(own) == 0:
            return lists, mass, flat
        mass[own] -= self.left_out[asker[own]]
        flat[own] -= payload[asker[own]] * self.left_out[asker[own], None]
        kept = mass > 1e-12
        return (lists, mass, flat) if kept.all() else (lists.where(kept), mass[kept], flat[kept])

    def chunks(self, n_lists: int, n_sums: int, k: float) -> Iterator[tuple[int, int]]:
        """Ranges of lists that fit into memory at a time."""
        step = max(1, int(_CELLS / ((n_sums + 3) * max(1, min(self.depth(k), self.n_rows)))))
        for begin in range(0, n_lists, step):
            yield begin, min(begin + step, n_lists)


def _dense(
    flat: NDArray[np.float64], query: NDArray[np.intp], column: NDArray[np.intp], shape: tuple[int, ...], fill: float
) -> NDArray[np.float64]:
    if len(query) == shape[0] * shape[1]:
        return flat.reshape(shape)
    dense = np.full(shape, fill)
    dense[query, column] = flat
    return dense
