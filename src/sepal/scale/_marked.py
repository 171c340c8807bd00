"""Rows of partitions known by a mark of what is in them: when each arrives in a draw, how many equal it, and where.

Equal rows of one class have one mark, whatever file they stand in, and ``c`` of them arrive as ``c`` independent clocks
would ring: the sum of ``E_j / (c - j)`` over ``j = 0, 1, ...`` is when the next one does (A. Rényi, "On the theory of
order statistics", 1953), with ``E_j`` a number that follows from seed, mark and ``j``. So who arrives early depends on
the rows there are and on nothing else: no order of them, no cut into partitions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, mixed_bits, row_marks
from sepal.distances import FittedDistance
from sepal.neighbors import Extent, extent_of
from sepal.scale._blocks import Loading
from sepal.scale._parts import Partition

Marks = NDArray[np.uint64]
Tallies = NDArray[np.int64]
Times = NDArray[np.float64]
BUCKET_BITS = 20  # leading bits of a mark, by which rows are counted in buckets
_TOGETHER = 1_024  # arrivals of a mark that are looked at together, at most


def marks_of(table: Table, codes: NDArray[np.int32], classes: tuple[str, ...]) -> Marks:
    """A number for each row by its cells and its class, whatever the order of columns, levels and classes."""
    by_name = np.argsort(np.array(table.names))
    values = np.column_stack([table.values[:, by_name], codes])
    names, levels = (table.names[j] for j in by_name), (table.levels[j] for j in by_name)
    kinds = (table.kinds[j] for j in by_name)
    return row_marks(Table(values, (*names, ""), (*kinds, "nominal"), (*levels, classes)))


def arrival(marks: Marks, turn: NDArray[np.uint64], seed: int) -> Times:
    """``E`` of each mark and turn: exponential, of mean 1."""
    keyed = mixed_bits(turn + np.uint64(seed % 2**63))
    mixed = mixed_bits(marks ^ keyed)
    return np.asarray(-np.log1p(-((mixed >> np.uint64(11)) / 2.0**53)))


def arrivals(marks: Marks, count: Tallies, limit: Times, seed: int) -> tuple[NDArray[np.intp], Times]:
    """Which marks arrive before their limit, one for each row of them, and when."""
    which, when = [np.zeros(0, np.intp)], [np.zeros(0)]
    alive, reached, turn, together = np.arange(len(marks)), np.zeros(len(marks)), 0, 1
    while len(alive):
        turns = turn + np.arange(together)
        left = count[alive, None] - turns
        gaps = arrival(marks[alive, None], np.broadcast_to(turns.astype(np.uint64), left.shape), seed)
        times = reached[:, None] + np.cumsum(np.where(left > 0, gaps / np.maximum(left, 1), np.inf), axis=1)
        early = (times < limit[alive, None]) & (left > 0)
        row, _ = np.nonzero(early)
        which.append(alive[row])
        when.append(times[early])
        on = early[:, -1]
        alive, reached = alive[on], times[on, -1]
        turn, together = turn + together, min(2 * together, _TOGETHER)
    return np.concatenate(which), np.concatenate(when)


@dataclass(frozen=True, eq=False)
class Drawing:
    """How rows are drawn: those of a class that arrive before its limit, and how many equal rows may be expected."""

    loading: Loading
    limit: Times
    many: int
    seed: int
    fitted: FittedDistance | None = None

    def marked(self, part: Partition) -> MarkedPart:
        """The rows of a partition by their marks."""
        return self.among(*self.loading.rows(part))

    def among(self, table: Table, codes: NDArray[np.int32]) -> MarkedPart:
        """Rows that are loaded, by their marks."""
        marks = marks_of(table, codes, tuple(str(label) for label in self.loading.classes.tolist()))
        order = np.argsort(marks, kind="stable")
        ordered = marks[order]
        opens = np.ones(len(ordered), dtype=bool)
        opens[1:] = ordered[1:] != ordered[:-1]
        start = np.flatnonzero(opens)
        count = np.diff(np.append(start, len(order)))
        first = order[start]
        return MarkedPart(table, order, start, ordered[start], count, codes[first])


@dataclass(frozen=True, eq=False)
class MarkedPart:
    """A partition: its rows in the order of their marks, where each mark begins there, how many it has, its class."""

    table: Table
    order: NDArray[np.intp]
    start: NDArray[np.intp]
    marks: Marks
    count: Tallies
    code: NDArray[np.int32]

    def some(self, which: NDArray[np.bool_]) -> Counted:
        """Some of the marks."""
        return Counted(self.marks[which], self.count[which].astype(np.uint32), self.code[which].astype(np.uint16))


@dataclass(frozen=True, eq=False)
class Counted:
    """Marks, how many rows have each, and of which class they are."""

    marks: Marks
    count: NDArray[np.unsignedinteger]
    code: NDArray[np.unsignedinteger]


@dataclass(frozen=True, eq=False)
class NearPart:
    """What a partition tells of a draw.

    Marks that may arrive in time; of those that do and have one row here its place and cells; and of all others how
    many rows there are in each bucket of marks.
    """

    near: Counted
    single: Marks
    place: NDArray[np.uint32]
    cells: NDArray[np.float64]
    bucket: NDArray[np.uint32]
    others: NDArray[np.uint32]
    extent: Extent | None


def bucket_of(marks: Marks) -> NDArray[np.uint32]:
    """The bucket of each mark."""
    return (marks >> np.uint64(64 - BUCKET_BITS)).astype(np.uint32)


def near_rows(part: Partition, drawing: Drawing) -> NearPart:
    """Look at a partition."""
    return near_among(*drawing.loading.rows(part), drawing)


def near_among(table: Table, codes: NDArray[np.int32], drawing: Drawing) -> NearPart:
    """The same of rows that are loaded."""
    found = drawing.among(table, codes)
    early = arrival(found.marks, np.zeros(len(found.marks), np.uint64), drawing.seed)
    limit = drawing.limit[found.code]
    near = early < drawing.many * limit
    single = np.flatnonzero((early < limit) & (found.count == 1))
    place = found.order[found.start[single]]
    bucket = bucket_of(found.marks[~near])
    opens = np.flatnonzero(np.diff(bucket, prepend=np.uint32(2**32 - 1)))
    others = np.add.reduceat(found.count[~near], opens) if len(opens) else np.zeros(0)
    fitted = drawing.fitted
    return NearPart(
        found.some(near),
        found.marks[single],
        place.astype(np.uint32),
        found.table.values[place],
        bucket[opens],
        others.astype(np.uint32),
        None if fitted is None else extent_of(fitted.embed(found.table)),
    )


def crowded_rows(part: Partition, drawing: Drawing, bucket: NDArray[np.uint32], bound: Tallies) -> Counted:
    """The marks of these buckets that may arrive in time, and were not named before, since they have many rows."""
    found = drawing.marked(part)
    early = arrival(found.marks, np.zeros(len(found.marks), np.uint64), drawing.seed)
    limit = drawing.limit[found.code]
    at = np.minimum(np.searchsorted(bucket, bucket_of(found.marks)), len(bucket) - 1)
    inside = bucket[at] == bucket_of(found.marks)
    return found.some(inside & (early >= drawing.many * limit) & (early < bound[at] * limit))


@dataclass(frozen=True, eq=False)
class Fetched:
    """Where rows of wanted marks are in a partition: the number of the mark and the place; and cells, once a mark."""

    which: NDArray[np.uint32]
    place: NDArray[np.uint32]
    first: NDArray[np.uint32]
    cells: NDArray[np.float64]


def fetch_rows(part: Partition, drawing: Drawing, marks: Marks, wanted: NDArray[np.uint32]) -> Fetched:
    """The first rows of these marks in a partition, so many of each as are wanted."""
    found = drawing.marked(part)
    at = np.minimum(np.searchsorted(found.marks, marks), max(len(found.marks) - 1, 0))
    here = np.flatnonzero(found.marks[at] == marks) if len(found.marks) else np.zeros(0, np.intp)
    at = at[here]
    n = np.minimum(wanted[here], found.count[at])
    which = np.repeat(np.arange(len(here)), n)
    nth = np.arange(len(which)) - np.repeat(np.cumsum(n) - n, n)
    place = found.order[found.start[at][which] + nth]
    cells = found.table.values[found.order[found.start[at]]]
    return Fetched(here[which].astype(np.uint32), place.astype(np.uint32), here.astype(np.uint32), cells)
