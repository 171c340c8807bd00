"""Neighbours found part by part: lists of each part without tied groups, a merge, and the groups at the end.

A part's list holds everyone up to (1 + tie) times its k-th value, as the values are. The union of such lists holds
everyone who may be in the answer, whatever the parts: the k-th value of all is at most that of a part. So lists are
joined in any order, twice or in several steps, and only what is joined last is formed into tied groups, by the rule of
``native/ranking.hpp``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.distances import FittedDistance
from sepal.exceptions import DataError
from sepal.neighbors._cells import check_approximate, lists_in_cells
from sepal.neighbors._given import Given
from sepal.neighbors._planner import Method, check_method, effective_metric
from sepal.neighbors._rounding import Extent
from sepal.neighbors._search import WHOLE, Turn, raw_search
from sepal.progress import Share

_PADDING = 4  # times the entries of ragged lists that a table of them may have
_LARGEST = 2.0**400  # beyond it coordinates would have to be brought into range by looking at all of them


@dataclass(frozen=True, eq=False)
class PartLists:
    """Ragged lists, sorted by value and number, without tied groups.

    Attributes
    ----------
    start : (n_queries + 1,) array
    number : array of int64
        Whom a list names, in the numbers of all parts together.
    value : array of float64
        Native values.
    """

    start: NDArray[np.int64]
    number: NDArray[np.int64]
    value: NDArray[np.float64]

    @classmethod
    def empty(cls, n_queries: int) -> PartLists:
        """Nobody found yet."""
        return cls(np.zeros(n_queries + 1, np.int64), np.zeros(0, np.int64), np.zeros(0))

    @property
    def query(self) -> NDArray[np.int64]:
        """The query of each entry."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def of(self, begin: int, end: int) -> PartLists:
        """The lists of some queries that follow each other."""
        at = slice(self.start[begin], self.start[end])
        return PartLists(self.start[begin : end + 1] - self.start[begin], self.number[at], self.value[at])

    def take(self, queries: NDArray[np.intp]) -> PartLists:
        """The lists of some queries."""
        lengths = np.diff(self.start)[queries]
        start = np.concatenate([[0], np.cumsum(lengths)])
        at = np.repeat(self.start[queries] - start[:-1], lengths) + np.arange(start[-1])
        return PartLists(start, self.number[at], self.value[at])

    def up_to(self, reach: NDArray[np.float64]) -> PartLists:
        """The lists with those up to a value of each query."""
        return self._kept(self.value <= reach[self.query])

    def without(self, own: NDArray[np.int64]) -> PartLists:
        """The lists without one number each."""
        return self._kept(self.number != own[self.query])

    def _kept(self, kept: NDArray[np.bool_]) -> PartLists:
        if kept.all():
            return self
        return PartLists(np.concatenate([[0], np.cumsum(kept)])[self.start], self.number[kept], self.value[kept])


def lists_in_order(pieces: Iterable[tuple[PartLists, NDArray[np.int64]]], n_queries: int) -> PartLists:
    """Lists of several pieces of the queries, put where these stood."""
    each = list(pieces)
    lengths = np.zeros(n_queries, dtype=np.int64)
    for lists, places in each:
        lengths[places] = np.diff(lists.start)
    start = np.concatenate([[0], np.cumsum(lengths)])
    number, value = np.empty(int(start[-1]), dtype=np.int64), np.empty(int(start[-1]))
    for lists, places in each:
        at = np.repeat(start[places] - lists.start[:-1], np.diff(lists.start)) + np.arange(len(lists.number))
        number[at], value[at] = lists.number, lists.value
    return PartLists(start, number, value)


def extent_of(points: NDArray[np.float64]) -> Extent:
    """What rounding has to know of the coordinates of a part; the coordinates themselves are let go."""
    found = Extent.of(points)
    return Extent(points[:0], found.low, found.high, found.whole, found.missing, found.largest)


def joined_extent(extents: Iterable[Extent]) -> Extent:
    """The extent of all parts together."""
    each = list(extents)
    low = np.fmin.reduce([one.low for one in each], axis=0)
    high = np.fmax.reduce([one.high for one in each], axis=0)
    largest = float(np.fmax.reduce([one.largest for one in each]))
    return Extent(each[0].values, low, high, all(one.whole for one in each), any(one.missing for one in each), largest)


@dataclass(frozen=True, eq=False)
class PartSearch:
    """How parts of the rows are searched so that the answer is that of all rows searched at once.

    Made once from the extent of all rows; small, and can be sent anywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from sepal.data import as_table
    >>> from sepal.distances import fit_distance
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> search = PartSearch.of(fit_distance(as_table(points)), extent_of(points))
    >>> halves = [search.lists(points, points[at], 1, at[0]) for at in ([1], [2])]
    >>> search.settled(search.joined(halves, 1), 1).number.tolist()
    [1, 1, 2]
    """

    fitted: FittedDistance
    extent: Extent
    method: Method

    @classmethod
    def of(cls, fitted: FittedDistance, extent: Extent, method: Method = "auto") -> PartSearch:
        """For rows of this extent."""
        if extent.largest > _LARGEST:
            raise DataError(
                f"coordinates of {extent.largest:.3g} are too large to be compared part by part",
                hint='scale the columns: scale="minmax"',
            )
        given = Given.of(fitted, extent)
        if method == "approximate":
            check_approximate(fitted.name, effective_metric(fitted, extent), extent.largest)
        return cls(fitted, extent, check_method(method, fitted, given.metric["metric"]))

    def _given(self) -> Given:
        return Given.of(self.fitted, self.extent)

    def lists(
        self,
        queries: NDArray[np.float64] | None,
        points: NDArray[np.float64],
        k: int,
        numbers: NDArray[np.int64] | int,
        threads: int = 1,
        progress: Share | None = None,
    ) -> PartLists:
        """Whom queries find in one part; None: its points ask each other, each without itself.

        ``numbers`` are those of the points, or that of the first of them.
        """
        return self._lists(queries, points, k, numbers, threads, WHOLE, progress)[0]

    def turn(
        self,
        points: NDArray[np.float64],
        k: int,
        numbers: NDArray[np.int64] | int,
        turn: Turn,
        threads: int = 1,
        progress: Share | None = None,
    ) -> tuple[PartLists, int]:
        """One share of what ``lists`` finds of points that ask each other, and how the points were arranged.

        The lists of all turns joined are those of all pairs where every turn arranged the points in the same way.
        """
        return self._lists(None, points, k, numbers, threads, turn, progress)[:2]

    def path(self, points: NDArray[np.float64], k: int, turn: Turn = WHOLE, threads: int = 1) -> str:
        """Find what ``turn`` does, and tell on which path: a tree, tiles and so on."""
        return self._lists(None, points, k, 0, threads, turn, None)[2]

    def _lists(
        self,
        queries: NDArray[np.float64] | None,
        points: NDArray[np.float64],
        k: int,
        numbers: NDArray[np.int64] | int,
        threads: int,
        turn: Turn,
        progress: Share | None,
    ) -> tuple[PartLists, int, str]:
        n_asking = len(points) if queries is None else len(queries)
        k = min(k, len(points) - (queries is None))
        if k < 1 or n_asking == 0:
            return PartLists.empty(n_asking), 0, "none"
        if self.method == "approximate":
            return self._in_cells(queries, points, k, numbers, threads), 0, self.method
        start, entries, values, arrangement, path = raw_search(
            self._given(), self.extent, self.method, queries, points, k, threads, turn, progress
        )
        number = entries + numbers if isinstance(numbers, (int, np.integer)) else numbers[entries]
        return PartLists(start, np.asarray(number, dtype=np.int64), values), arrangement, path

    def _in_cells(
        self,
        queries: NDArray[np.float64] | None,
        points: NDArray[np.float64],
        k: int,
        numbers: NDArray[np.int64] | int,
        threads: int,
    ) -> PartLists:
        """The same approximately, in whatever turn."""
        start, found, squares = lists_in_cells(queries, points, k, threads)
        number = found + numbers if isinstance(numbers, (int, np.integer)) else numbers[found]
        lists = PartLists(start, np.asarray(number, np.int64), np.ldexp(squares, 2 * self._given().exponent))
        return lists.up_to(self._reach(lists, k))

    def joined(self, lists: Iterable[PartLists], k: int) -> PartLists:
        """Lists of the same queries as one; who is named twice stays once, who is too far goes."""
        found, *others = lists
        for each in others:
            found = self._both(found, each, k)
        return found

    def _both(self, one: PartLists, other: PartLists, k: int) -> PartLists:
        """Two lists merged; the other list as it is where no entry of the one is as near as its k-th."""
        near_one, near_other = one.up_to(self._reach(other, k)), other.up_to(self._reach(one, k))
        n = len(one.start) - 1
        mixed = np.flatnonzero((np.diff(near_one.start) > 0) & (np.diff(near_other.start) > 0))
        if len(mixed) == n:
            return self._merged(near_one, near_other, k)
        first = np.flatnonzero(np.diff(near_other.start) == 0)
        second = np.flatnonzero((np.diff(near_one.start) == 0) & (np.diff(near_other.start) > 0))
        merged = self._merged(near_one.take(mixed), near_other.take(mixed), k)
        return lists_in_order([(one.take(first), first), (other.take(second), second), (merged, mixed)], n)

    def _reach(self, lists: PartLists, k: int) -> NDArray[np.float64]:
        """How far one may be who is in the answer: of each query (1 + tie) times the k-th value, if there is one."""
        start, reach = lists.start, np.full(len(lists.start) - 1, np.inf)
        full = np.flatnonzero(np.diff(start) >= k)
        reach[full] = lists.value[start[full] + k - 1] * (1 + self._given().tie)
        return reach

    def _merged(self, one: PartLists, other: PartLists, k: int) -> PartLists:
        start = one.start + other.start
        number, value = np.empty(int(start[-1]), dtype=np.int64), np.empty(int(start[-1]))
        for lists, before in ((one, other.start[:-1]), (other, one.start[1:])):
            at = np.arange(len(lists.number)) + np.repeat(before, np.diff(lists.start))
            number[at], value[at] = lists.number, lists.value
        number, value = _sorted_within(start, number, value)
        joint = PartLists(start, number, value)
        again = np.zeros(len(number), dtype=bool)
        again[1:] = (number[1:] == number[:-1]) & (joint.query[1:] == joint.query[:-1])  # with the same value, too
        found = joint._kept(~again)
        return found.up_to(self._reach(found, k))

    def settled(self, lists: PartLists, k: int) -> PartLists:
        """Tied groups formed, cut after the group that holds the k-th, ordered by number within a group."""
        tie = self._given().tie
        value = lists.value if tie == 0.0 else _snapped(lists, tie)
        start = lists.start
        lengths = np.diff(start)
        number, value = _sorted_within(start, lists.number, value)
        if len(value) == 0:
            return PartLists(start, number, value)
        limit = np.where(lengths > 0, value[np.maximum(np.minimum(start[:-1] + k, start[1:]) - 1, 0)], -1.0)
        near = value <= np.repeat(limit, lengths)
        kept = np.concatenate([[0], np.cumsum(np.bincount(lists.query[near], minlength=len(lengths)))])
        return PartLists(kept, number[near], value[near])

    def distances(self, lists: PartLists) -> NDArray[np.float64]:
        """Native values as distances between the rows as they were."""
        return self._given().distances(lists.value)


def _sorted_within(
    start: NDArray[np.int64], number: NDArray[np.int64], value: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Each list sorted by value, and by number where values are equal.

    Lists of about one length are sorted as the rows of a table, which takes a tenth of the time.
    """
    lengths = np.diff(start)
    shape = len(lengths), int(lengths.max(initial=0))
    if shape[1] <= 1:
        return number, value
    if shape[0] * shape[1] > _PADDING * len(number):
        order = np.lexsort((number, value, np.repeat(np.arange(len(lengths)), lengths)))
        return number[order], value[order]
    taken = np.arange(shape[1]) < lengths[:, None]
    numbers, values = np.full(shape, np.iinfo(np.int64).max), np.full(shape, np.inf)
    numbers[taken], values[taken] = number, value
    order = np.lexsort((numbers, values), axis=-1)  # what fills up goes to the end
    return np.take_along_axis(numbers, order, 1)[taken], np.take_along_axis(values, order, 1)[taken]


def _snapped(lists: PartLists, tie: float) -> NDArray[np.float64]:
    """Values up to (1 + tie) times the first of a group become that one; then the next group begins."""
    value, start, lengths = lists.value.copy(), lists.start, np.diff(lists.start)
    close = (value[1:] <= value[:-1] * (1 + tie)) & (value[1:] != value[:-1])
    asked = np.unique(lists.query[1:][close & (lists.query[1:] == lists.query[:-1])])
    longest = asked[np.argsort(-lengths[asked], kind="stable")]
    first = value[start[longest]]
    for place in range(1, int(lengths[longest[0]]) if len(longest) else 0):
        n = int(np.searchsorted(-lengths[longest], -place, side="left"))  # lists that have as many
        at = start[longest[:n]] + place
        tied = value[at] <= first[:n] * (1 + tie)
        first[:n] = np.where(tied, first[:n], value[at])
        value[at] = first[:n]
    return value
