"""Rows drawn from partitions: of each class its share, by a number that follows from the seed and what is in the row.

Every row gets a number, when it arrives (:mod:`sepal.scale._marked`), and of each class those with the smallest are
taken: a simple random sample of it. A seed draws the same rows whatever the order of files and rows, however rows are
cut into partitions, and however many workers look at them.

One pass is enough where no row has many copies. Where some do, one more counts them, and one fetches those drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sepal.distances import FittedDistance
from sepal.neighbors import Extent, joined_extent
from sepal.progress import Share
from sepal.scale._blocks import Loading
from sepal.scale._marked import (
    BUCKET_BITS,
    Counted,
    Drawing,
    Marks,
    NearPart,
    Tallies,
    arrivals,
    crowded_rows,
    fetch_rows,
    near_rows,
)
from sepal.scale._schema import Schema
from sepal.scale._work import Here, Workplace

_SPARE = 6.0  # standard deviations of rows more than are needed, so that one pass is enough


@dataclass(frozen=True, eq=False)
class Drawn:
    """Rows of a sample, in the order of their numbers; in that of the partitions where it holds all rows.

    Attributes
    ----------
    rows : array of int64
        Their numbers among all rows. Of equal rows in one class the first ones are named.
    codes : array
        Their classes.
    values : (n, n_columns) array
        Their cells.
    extent : Extent or None
        Of the coordinates of all rows that were passed, where a distance was given.
    number : array
        By which they were drawn, smallest first.
    """

    rows: Tallies
    codes: NDArray[np.int32]
    values: NDArray[np.float64]
    extent: Extent | None
    number: NDArray[np.float64]

    def first(self, wanted: Tallies) -> Drawn:
        """So many of each class: those that the same seed draws where no more are asked for."""
        order = np.lexsort((self.rows, self.number, self.codes))
        start = np.searchsorted(self.codes[order], np.arange(len(wanted)))
        taken = np.concatenate([order[s : s + n] for s, n in zip(start, wanted, strict=True)])
        by_number = np.lexsort((self.rows[taken], self.number[taken]))
        taken = np.sort(taken) if len(taken) == len(self.rows) else taken[by_number]
        return Drawn(self.rows[taken], self.codes[taken], self.values[taken], self.extent, self.number[taken])


def shares_of(class_counts: Tallies, n_rows: int) -> Tallies:
    """How many rows of each class a sample of so many has: its share, two at least where there are two."""
    exact = class_counts * (n_rows / class_counts.sum())
    found = np.floor(exact).astype(np.int64)
    rest = np.argsort(found - exact, kind="stable")[: max(0, n_rows - int(found.sum()))]
    found[rest] += 1
    return np.asarray(np.minimum(class_counts, np.maximum(found, 2)), dtype=np.int64)


def draw_rows(
    schema: Schema,
    work: Workplace,
    n_rows: int,
    seed: int,
    fitted: FittedDistance | None = None,
    progress: Share | None = None,
) -> Drawn:
    """A stratified sample of so many rows; of all rows if there are no more."""
    wanted = shares_of(schema.class_counts, min(n_rows, schema.n_rows))
    drawing = drawing_of(schema, wanted, seed, fitted)
    while True:
        found = _Draw(schema, work, drawing, progress).arrived(wanted)
        if found is not None:
            return found
        drawing = replace(drawing, limit=np.full(len(wanted), np.inf))  # by the rarest chance: all rows are looked at


def drawing_of(schema: Schema, wanted: Tallies, seed: int, fitted: FittedDistance | None) -> Drawing:
    """How so many of each class are drawn, with as many equal rows named at once as buckets of different rows hold."""
    counts = schema.class_counts
    with np.errstate(divide="ignore"):
        share = np.minimum(1.0, (wanted + _SPARE * np.sqrt(wanted) + 10.0) / counts)
        limit = -np.log1p(-np.where(wanted >= counts, 1.0, share))
    load = schema.n_rows / 2**BUCKET_BITS
    many = int(np.ceil(load + 7 * np.sqrt(load) + 8))
    return Drawing(Loading.of(schema, schema.classes), limit, many, seed, fitted)


class _Sums:
    """Marks of all partitions with their counts, joined now and then, so that they take no more room than they need."""

    def __init__(self) -> None:
        self._held: list[Counted] = [Counted(np.zeros(0, np.uint64), np.zeros(0, np.uint64), np.zeros(0, np.uint16))]
        self._waiting = 0

    def add(self, found: Counted) -> None:
        """Those of one partition more."""
        self._held.append(found)
        self._waiting += len(found.marks) + 1
        if self._waiting > len(self._held[0].marks) + 1_000:
            self.joined()

    def joined(self) -> Counted:
        """Every mark once, ascending, with all its rows."""
        marks, place = np.unique(np.concatenate([each.marks for each in self._held]), return_inverse=True)
        count, code = np.zeros(len(marks), np.uint64), np.zeros(len(marks), np.uint16)
        np.add.at(count, place, np.concatenate([each.count.astype(np.uint64) for each in self._held]))
        code[place] = np.concatenate([each.code for each in self._held])
        self._held, self._waiting = [Counted(marks, count, code)], 0
        return self._held[0]


class _Rows:
    """Single rows of all partitions: marks, numbers and cells, joined now and then."""

    def __init__(self, n_columns: int) -> None:
        self._held: list[tuple[Marks, Tallies, NDArray[np.float64]]] = [
            (np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros((0, n_columns)))
        ]
        self._waiting = 0

    def add(self, marks: Marks, rows: Tallies, cells: NDArray[np.float64]) -> None:
        """Those of one partition more."""
        self._held.append((marks, rows, cells))
        self._waiting += len(marks) + 1
        if self._waiting > len(self._held[0][0]) + 1_000:
            self._join()

    def _join(self) -> None:
        marks, rows, cells = (np.concatenate([each[i] for each in self._held]) for i in range(3))
        self._held, self._waiting = [(marks, rows, cells)], 0

    def by_mark(self) -> tuple[Marks, Tallies, NDArray[np.float64]]:
        """All rows that were held, sorted by mark; those of equal marks in any order."""
        self._join()
        marks, rows, cells = self._held[0]
        order = np.argsort(marks, kind="stable")
        return marks[order], rows[order], cells[order]


@dataclass(frozen=True, eq=False)
class _Draw:
    """One draw: what partitions are asked, one pass after the other."""

    schema: Schema
    work: Workplace
    drawing: Drawing
    progress: Share | None
    near: _Sums = field(default_factory=_Sums)

    def arrived(self, wanted: Tallies) -> Drawn | None:
        """The rows that arrive first, so many of each class; None where too few arrive in time."""
        single, extent, others = self._look()
        self._count(others)
        counted = self.near.joined()
        code, count = counted.code.astype(np.int32), counted.count.astype(np.int64)
        which, number = arrivals(counted.marks, count, self.drawing.limit[code], self.drawing.seed)
        order = np.lexsort((counted.marks[which], number))
        which, number = which[order], number[order]
        rank = np.empty(len(which), dtype=np.int64)
        for each in range(len(wanted)):
            own = np.flatnonzero(code[which] == each)
            if len(own) < wanted[each]:
                return None
            rank[own] = np.arange(len(own))
        taken = rank < wanted[code[which]]
        which, number = which[taken], number[taken]
        rows, values = self._rows(counted, which, single)
        if len(rows) == self.schema.n_rows:
            by_row = np.argsort(rows)
            which, number, rows, values = which[by_row], number[by_row], rows[by_row], values[by_row]
        return Drawn(rows, code[which], values, extent, number)

    def _look(self) -> tuple[tuple[Marks, Tallies, NDArray[np.float64]], Extent | None, Tallies | None]:
        """The first pass: marks that may arrive in time, rows that do and are single, and others by their buckets."""
        offsets = self.schema.offsets
        jobs = [(part, self.drawing) for part in self.schema.source.parts]
        single = _Rows(self.schema.like.n_columns)
        extent: Extent | None = None
        others: Tallies | None = None
        found: NearPart
        for at, found in self.work.run("draw rows", near_rows, jobs, self.progress, self.schema.sent):
            self.near.add(found.near)
            single.add(found.single, found.place + offsets[at], found.cells)
            if found.extent is not None:
                extent = found.extent if extent is None else joined_extent([extent, found.extent])
            if len(found.bucket):
                others = np.zeros(2**BUCKET_BITS, dtype=np.int64) if others is None else others
                others[found.bucket] += found.others
        return single.by_mark(), extent, others

    def _count(self, others: Tallies | None) -> None:
        """Another pass where a bucket holds more rows than it should: some of these are equal."""
        crowded = np.zeros(0, np.intp) if others is None else np.flatnonzero(others > self.drawing.many)
        if others is None or not len(crowded):
            return
        step = len(crowded) if isinstance(self.work, Here) else max(1, self.schema.sent // 12)
        jobs = [
            (part, self.drawing, crowded[at : at + step].astype(np.uint32), others[crowded[at : at + step]])
            for at in range(0, len(crowded), step)
            for part in self.schema.source.parts
        ]
        for _, found in self.work.run("count equal rows", crowded_rows, jobs, self.progress, self.schema.sent):
            self.near.add(found)

    def _rows(
        self, counted: Counted, which: NDArray[np.intp], single: tuple[Marks, Tallies, NDArray[np.float64]]
    ) -> tuple[Tallies, NDArray[np.float64]]:
        """The number and the cells of every row that was drawn, by its mark; those of marks with more rows fetched."""
        n_each = np.bincount(which, minlength=len(counted.marks))
        rows, values = np.zeros(len(which), dtype=np.int64), np.empty((len(which), self.schema.like.n_columns))
        alone = counted.count[which] == 1
        at = np.searchsorted(single[0], counted.marks[which[alone]])
        rows[alone], values[alone] = single[1][at], single[2][at]
        several = np.flatnonzero((n_each > 0) & (counted.count > 1))
        if len(several):
            places, cells = self._fetched(counted.marks[several], n_each[several])
            place = np.searchsorted(several, which[~alone])
            order = np.argsort(place, kind="stable")
            found = np.empty(len(place), dtype=np.int64)
            found[order] = places
            rows[~alone], values[~alone] = found, cells[place]
        return rows, values

    def _fetched(self, marks: Marks, wanted: Tallies) -> tuple[Tallies, NDArray[np.float64]]:
        """The first rows of marks, so many as are wanted, one mark after the other; and the cells of each mark."""
        schema, width = self.schema, self.schema.like.n_columns
        cells = np.empty((len(marks), width))
        step = len(marks) if isinstance(self.work, Here) else max(1, schema.sent // (8 * width + 36))
        cuts = range(0, len(marks), step)
        jobs = [
            (part, self.drawing, marks[at : at + step], wanted[at : at + step].astype(np.uint32))
            for at in cuts
            for part in schema.source.parts
        ]
        which, rows = np.zeros(0, np.int64), np.zeros(0, np.int64)
        for at, found in self.work.run("fetch equal rows", fetch_rows, jobs, self.progress, self.schema.sent):
            begin, part = at // len(schema.source.parts) * step, at % len(schema.source.parts)
            cells[begin + found.first] = found.cells
            which = np.concatenate([which, begin + found.which.astype(np.int64)])
            rows = np.concatenate([rows, schema.offsets[part] + found.place])
            order = np.lexsort((rows, which))
            which, rows = which[order], rows[order]
            nth = np.arange(len(which)) - np.searchsorted(which, which)
            which, rows = which[nth < wanted[which]], rows[nth < wanted[which]]
        return rows, cells
