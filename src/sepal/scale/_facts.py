"""What one partition says about the whole, and what all say together: added up in any order, nothing kept of each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import ColumnSums, Kind, PartReading, Table, Written, mixed_bits, plain_cells, shown
from sepal.exceptions import DataError
from sepal.scale._part_notes import NotesOfAll, reading_notes
from sepal.scale._parts import FilePart, Partition
from sepal.scale._signs import Sign, signs_of
from sepal.scale._sources import load_part

NUMBERS = "numbers"
LEVELS_AT_MOST = 10_000  # of a nominal column; more tell rows apart
_MOST_CLASSES = 10_000
_COMPARED = 256  # numbers of a column, those of the smallest hashes, among which two equal ones are looked for


@dataclass(frozen=True, eq=False)
class PartFacts:
    """What one partition says. Small: nothing in it grows with the rows.

    ``levels`` is None for numbers, and where there are too many of them. ``used`` are the codes of those that occur.
    ``hashes`` are the smallest of a column of whole numbers, None of any other. ``seconds`` is what it took.
    ``contradicted`` are columns in which rows say otherwise than the folder of their file. ``written`` says of columns
    how their numbers stood there (dates, times, percents), and with which currency. ``signs`` are the decimal signs of
    columns, ``whole`` columns of whole numbers that may hide one, and ``notes`` say how cells were read.
    """

    label: str
    n_rows: int
    n_given: int
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    levels: tuple[tuple[Any, ...] | None, ...]
    used: tuple[NDArray[np.int32] | None, ...]
    hashes: tuple[NDArray[np.uint64] | None, ...]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n_missing: NDArray[np.int64]
    n_rows_with_missing: int
    target: str | None
    labels: tuple[tuple[Any, int], ...]
    class_order: tuple[Any, ...] | None
    seconds: float = 0.0
    contradicted: tuple[str, ...] = ()
    written: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    signs: Mapping[str, Sign] = field(default_factory=dict)
    whole: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def part_facts(part: Partition, reading: PartReading, names: tuple[str, ...] | None) -> PartFacts:
    """Load a partition and look at it; with ``names``, at the complete rows of these columns."""
    begin = time.perf_counter()
    table = load_part(part, reading)
    n_given = table.n_rows
    if names is not None:
        table = table.select(names)
        if table.has_missing:
            table = table.take(table.complete_rows)
    values = table.values
    levels = [None if found is not None and len(found) > LEVELS_AT_MOST else found for found in table.levels]
    labels: tuple[tuple[Any, int], ...] = ()
    if table.y is not None:
        label, count = np.unique(table.y, return_counts=True)
        if len(label) > _MOST_CLASSES:
            raise _too_many_classes(table.target, f"{part.label}: ")
        labels = tuple(zip(label.tolist(), count.tolist(), strict=True))
    low, high = (
        (np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0))
        if len(values)
        else (np.full(table.n_columns, np.nan), np.full(table.n_columns, np.nan))
    )
    gaps = np.isnan(values)
    return PartFacts(
        part.label,
        table.n_rows,
        n_given,
        table.names,
        table.kinds,
        tuple(levels),
        tuple(None if found is None else _used(values[:, j], len(found)) for j, found in enumerate(levels)),
        tuple(_hashes(values[:, j]) if found is None else None for j, found in enumerate(table.levels)),
        low,
        high,
        gaps.sum(axis=0),
        int(gaps.any(axis=1).sum()),
        table.target,
        labels,
        table.class_order,
        time.perf_counter() - begin,
        _contradicted(part, table) if isinstance(part, FilePart) else (),
        {name: _as_written(written) for name, written in table.written.items()},
        *signs_of(part, table),
        reading_notes(table.notes),
    )


def _contradicted(part: FilePart, table: Table) -> tuple[str, ...]:
    """Columns of folders that the file has itself, with other cells; of dates it cannot be told."""

    def cells(name: str) -> list[Any]:
        if name == table.target:
            return [] if table.y is None else np.unique(table.y).tolist()
        j = table.names.index(name)
        present = np.unique(table.values[:, j][~np.isnan(table.values[:, j])]).tolist()
        levels = table.levels[j]
        return present if levels is None else [levels[int(code)] for code in present]

    def same(cell: Any, value: str | int | None) -> bool:
        if value is None or isinstance(cell, str):
            return value is not None and cell == str(value)
        try:
            return bool(cell == float(value))
        except ValueError:
            return False

    here = [each for each in part.folders if each[0] in (*table.names, table.target) and each[0] not in table.written]
    return tuple(name for name, value in here if not all(same(cell, value) for cell in cells(name)))


def _as_written(written: Written) -> tuple[str, str]:
    if written.dates:
        return written.unit or "dates", ""
    return ("percents", "") if written.unit == "%" else (NUMBERS, written.unit)


def _used(codes: NDArray[np.float64], n_levels: int) -> NDArray[np.int32]:
    present = codes[~np.isnan(codes)].astype(np.intp)
    return np.flatnonzero(np.bincount(present, minlength=n_levels)).astype(np.int32)


def _hashes(column: NDArray[np.float64]) -> NDArray[np.uint64] | None:
    """Of whole numbers the smallest hashes; None where a number is broken or missing."""
    for some in (column[:20], column):  # nearly every feature ends at the first ones
        if not np.array_equal(some, np.floor(some)):
            return None
    return _smallest(mixed_bits(plain_cells(column).view(np.uint64)))


def _smallest(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return np.partition(hashes, _COMPARED - 1)[:_COMPARED] if len(hashes) > _COMPARED else hashes


def _too_many_classes(target: str | None, where: str = "") -> DataError:
    return DataError(
        f"{where}the target {shown(target)} has more than {_MOST_CLASSES:,} distinct values",
        hint="expected classes; choose another target",
    )


class Said:
    """Different answers of partitions, each with the first partition that gives it; two of them at most."""

    def __init__(self) -> None:
        self._first: dict[Hashable, tuple[int, str]] = {}

    def hear(self, answer: Hashable, at: int, label: str) -> None:
        """What the partition at a place says."""
        before = self._first.get(answer)
        if before is None or at < before[0]:
            self._first[answer] = (at, label)
        if len(self._first) > 2:
            del self._first[max(self._first, key=lambda each: self._first[each][0])]

    @property
    def answers(self) -> list[tuple[Any, str]]:
        """Answers and who gave them, that of the first partition first."""
        return [(each, label) for _, each, label in self.placed]

    @property
    def placed(self) -> list[tuple[int, Any, str]]:
        """The same with the places of these partitions."""
        return sorted(((at, each, label) for each, (at, label) in self._first.items()), key=lambda found: found[0])


class ColumnOfAll:
    """A column of all partitions."""

    def __init__(self) -> None:
        self.kinds, self.empty_kinds, self.levels = Said(), Said(), Said()  # kinds where a cell is there, and none is
        self.used: set[Any] | None = set()  # levels that occur; None where they are too many
        self.crowded, self.written, self.currencies = Said(), Said(), Said()
        self.sure_signs, self.unsure_signs = Said(), Said()
        self.may_hide_points = False
        self.hashes: NDArray[np.uint64] | None = np.zeros(0, np.uint64)
        self.low = self.high = float("nan")
        self.n_missing = 0

    def add(self, facts: PartFacts, j: int, at: int) -> None:
        """What one partition says of it."""
        self.low, self.high = float(np.fmin(self.low, facts.low[j])), float(np.fmax(self.high, facts.high[j]))
        self.n_missing += int(facts.n_missing[j])
        if facts.n_missing[j] == facts.n_rows:
            self.empty_kinds.hear(facts.kinds[j], at, facts.label)
            return
        self.kinds.hear(facts.kinds[j], at, facts.label)
        written, currency = facts.written.get(facts.names[j], (NUMBERS, ""))
        self.written.hear(written, at, facts.label)
        if currency:
            self.currencies.hear(f"{NUMBERS} with {currency}", at, facts.label)
        if facts.names[j] in facts.signs:
            self.hear_sign(facts.signs[facts.names[j]], at, facts.label)
        self.may_hide_points |= facts.names[j] in facts.whole
        levels, used, hashes = facts.levels[j], facts.used[j], facts.hashes[j]
        if facts.kinds[j] != "numeric":
            if levels is None or used is None:
                self.used = None
                self.crowded.hear(True, at, facts.label)
            else:
                self.levels.hear(levels, at, facts.label)
                if self.used is not None:
                    self.used.update(levels[code] for code in used.tolist())
                    self.used = None if len(self.used) > LEVELS_AT_MOST else self.used
        if self.hashes is not None:
            self.hashes = None if hashes is None else _smallest(np.concatenate([self.hashes, hashes]))

    def hear_sign(self, sign: Sign, at: int, label: str) -> None:
        """The decimal sign of the partition at a place, and the cell that tells it."""
        found, cell, sure = sign
        (self.sure_signs if sure else self.unsure_signs).hear(found, at, f"in {label} {cell}")

    def sums(self, n_rows: int) -> ColumnSums:
        """What tells whether it names rows."""
        if self.levels.answers or self.crowded.answers:
            n_levels = LEVELS_AT_MOST + 1 if self.used is None else len(self.used)
            return ColumnSums(n_rows, self.n_missing, n_levels, self.low, self.high, False, n_levels == n_rows)
        distinct = self.hashes is not None and len(np.unique(self.hashes)) == len(self.hashes)
        return ColumnSums(n_rows, self.n_missing, None, self.low, self.high, self.hashes is not None, distinct)


class Gathered:
    """What all partitions say, together."""

    def __init__(self, n_parts: int) -> None:
        self.part_rows = np.zeros(n_parts, dtype=np.int64)
        self._row_seconds = np.full(n_parts, np.nan, dtype=np.float32)
        self.n_given = self.n_rows_with_missing = 0
        self.targets, self.columns_of, self.label_types, self.class_orders = Said(), Said(), Said(), Said()
        self.labels: Counter[Any] = Counter()
        self.columns: dict[str, ColumnOfAll] = {}
        self.contradicted: dict[str, Said] = {}
        self.notes = NotesOfAll()
        self._order: tuple[int, tuple[str, ...]] | None = None

    def add(self, facts: PartFacts, at: int) -> None:
        """One partition more, in whatever order they come; one that was given no rows has names and no more."""
        self.targets.hear(facts.target, at, facts.label)
        self.columns_of.hear(frozenset(facts.names), at, facts.label)
        if facts.n_given == 0:
            return
        self.part_rows[at] = facts.n_rows
        self._row_seconds[at] = facts.seconds / facts.n_given
        self.n_given += facts.n_given
        self.n_rows_with_missing += facts.n_rows_with_missing
        self.notes.add(facts.notes, at, facts.label)
        for name in facts.contradicted:
            self.contradicted.setdefault(name, Said()).hear(True, at, facts.label)
        if self._order is None or at < self._order[0]:
            self._order = (at, facts.names)
        for j, name in enumerate(facts.names):
            self.columns.setdefault(name, ColumnOfAll()).add(facts, j, at)
        if facts.labels:
            self.label_types.hear(isinstance(facts.labels[0][0], str), at, facts.label)
            self.class_orders.hear(facts.class_order, at, facts.label)
            for label, count in facts.labels:
                self.labels[label] += count
            if len(self.labels) > _MOST_CLASSES:
                raise _too_many_classes(facts.target)

    @property
    def n_rows(self) -> int:
        """Rows of all partitions."""
        return int(self.part_rows.sum())

    @property
    def seconds(self) -> float:
        """What a pass over all rows takes one worker; the median, since the first partitions load what reads them."""
        return float(np.nanmedian(self._row_seconds)) * self.n_given

    @property
    def n_missing(self) -> int:
        """Missing cells."""
        return sum(each.n_missing for each in self.columns.values())

    @property
    def target(self) -> str | None:
        """The target of the first partition."""
        answer: str | None = self.targets.answers[0][0]
        return answer

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of the first partition."""
        return () if self._order is None else self._order[1]

    def narrowed(self, names: Sequence[str]) -> None:
        """Leave out other columns."""
        self.columns = {name: self.columns[name] for name in names}
