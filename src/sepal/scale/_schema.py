"""One pass over the partitions: what their columns are, together, and where two of them contradict each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import (
    MOST_FLOAT_CLASSES,
    Kind,
    Missing,
    PartReading,
    Table,
    class_codes,
    match_table,
    name_key,
    plural,
    shown,
    why_apart,
)
from sepal.exceptions import DataError
from sepal.progress import Share
from sepal.scale._sources import Partition, Partitioned, load_part
from sepal.scale._work import Workplace

_MOST_LEVELS = 10_000  # of a nominal column in one partition; more tell rows apart
_MOST_CLASSES = 10_000
_LEAST_SENT = 2**20  # bytes that tasks may carry and give, however small partitions are
_ALIKE = ("names", "kinds", "levels", "labels", "class_order")  # of most partitions


@dataclass(frozen=True, eq=False)
class PartFacts:
    """What one partition says about the whole. Small: nothing in it grows with the rows.

    ``levels`` is None for numbers, and where there are too many of them.
    """

    label: str
    n_rows: int
    n_given: int
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    levels: tuple[tuple[Any, ...] | None, ...]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n_missing: NDArray[np.int64]
    n_rows_with_missing: int
    apart: frozenset[str]
    target: str | None
    labels: tuple[tuple[Any, int], ...]
    class_order: tuple[Any, ...] | None


def part_facts(part: Partition, reading: PartReading, names: tuple[str, ...] | None) -> PartFacts:
    """Load a partition and look at it; with ``names``, at the complete rows of these columns."""
    table = load_part(part, reading)
    n_given = table.n_rows
    if names is not None:
        table = table.select(names)
        if table.has_missing:
            table = table.take(table.complete_rows)
    values = table.values
    apart, levels = set(), []
    for j, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True)):
        found = table.levels[j]
        if names is None and why_apart(name, kind, values[:, j], found) is not None:
            apart.add(name)
        levels.append(None if found is not None and len(found) > _MOST_LEVELS else found)
    labels: tuple[tuple[Any, int], ...] = ()
    if table.y is not None:
        label, count = np.unique(table.y, return_counts=True)
        if len(label) > _MOST_CLASSES:
            raise DataError(
                f"{part.label}: the target {shown(table.target)} has {len(label):,} distinct values",
                hint="expected classes; choose another target",
            )
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
        low,
        high,
        gaps.sum(axis=0),
        int(gaps.any(axis=1).sum()),
        frozenset(apart),
        table.target,
        labels,
        table.class_order,
    )


@dataclass(frozen=True, eq=False)
class Schema:
    """What the columns of all partitions are, together.

    Attributes
    ----------
    source : Partitioned
    like : Table
        The columns with their kinds and levels. Its rows hold the lowest and highest value of each column, every level
        and, where a cell is missing, one that is: whatever a distance learns from ranges it can learn from these.
    part_rows : (n_parts,) array
        Rows of each partition that take part.
    classes : array
    class_counts : (n_classes,) array
    n_given, n_missing, n_rows_with_missing : int
        Rows before any were dropped, missing cells, and rows with such.
    apart : tuple of str
        Columns that tell rows apart: most rows are in partitions that say so.
    notes : tuple of str
    """

    source: Partitioned
    like: Table
    part_rows: NDArray[np.int64]
    classes: NDArray[Any]
    class_counts: NDArray[np.int64]
    n_given: int
    n_missing: int
    n_rows_with_missing: int
    apart: tuple[str, ...]
    missing: Missing
    notes: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """Rows that take part."""
        return int(self.part_rows.sum())

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The number of the first row of each partition, and at the end that of all rows."""
        return np.concatenate([[0], np.cumsum(self.part_rows)])

    @property
    def sent(self) -> int:
        """Bytes that a task may carry or give: those of a partition."""
        return max(_LEAST_SENT, 8 * max(1, self.like.n_columns) * self.n_rows // len(self.source.parts))

    def place(self, row: int) -> tuple[str, int]:
        """The partition a row is in, and its number there, counted from 0 as given.

        Where incomplete rows were dropped the partition is read again: which ones is kept nowhere.
        """
        offsets, parts = self.offsets, self.source.parts
        part = int(np.searchsorted(offsets, row, side="right")) - 1
        at = int(row - offsets[part])
        if self.missing == "drop" and self.n_given > self.n_rows:
            given = load_part(parts[part], self.source.reading).select(self.like.names)
            at = int(np.flatnonzero(given.complete_rows)[at])
        return parts[part].label, at

    def table(self, part: int) -> Table:
        """The rows of a partition that take part, with the columns, kinds and levels of all."""
        return load_like(self.source.parts[part], self.source.reading, self.like, self.missing == "drop")


def load_like(part: Partition, reading: PartReading, like: Table, complete: bool) -> Table:
    """A partition read the way all of them are."""
    table = match_table(load_part(part, reading).select(like.names), like)
    return table.take(table.complete_rows) if complete and table.has_missing else table


def read_schema(
    source: Partitioned, work: Workplace, missing: Missing = "distance", progress: Share | None = None
) -> Schema:
    """Look at every partition once, and reconcile what they say; twice where incomplete rows are to be dropped."""
    facts = _pass(source, work, None, progress)
    names = _common_names(facts)
    target = source.reading.target is not False
    apart = _apart(facts, names) if source.reading.columns is None else ()
    names = tuple(name for name in names if name not in apart)
    n_given = sum(each.n_given for each in facts)
    if missing == "drop" and any(each.n_rows_with_missing for each in facts):
        facts = _pass(source, work, names, progress)
    facts = [_narrowed(each, names) for each in facts]
    kinds = tuple(_kind(facts, j, name) for j, name in enumerate(names))
    levels = tuple(_levels(facts, j, name, kinds[j]) for j, name in enumerate(names))
    n_rows = sum(each.n_rows for each in facts)
    if n_rows == 0:
        raise DataError("no row is left: all rows have missing cells", hint='use missing="distance"')
    classes, counts = _classes(facts) if target else (np.zeros(0), np.zeros(0, dtype=np.int64))
    like = _witness(facts, names, kinds, levels, source, facts[0].target)
    return Schema(
        source,
        like,
        np.array([each.n_rows for each in facts], dtype=np.int64),
        classes,
        counts,
        n_given,
        int(sum(int(each.n_missing.sum()) for each in facts)),
        sum(each.n_rows_with_missing for each in facts),
        apart,
        missing,
        _notes(apart, n_given, n_rows),
    )


def _pass(
    source: Partitioned, work: Workplace, names: tuple[str, ...] | None, progress: Share | None
) -> list[PartFacts]:
    jobs = [(part, source.reading, names) for part in source.parts]
    found: dict[int, PartFacts] = {}
    said: dict[str, Any] = {}  # what all partitions say is held once
    for at, each in work.run("read columns", part_facts, jobs, progress):
        alike = {name: said.setdefault(repr(getattr(each, name)), getattr(each, name)) for name in _ALIKE}
        found[at] = replace(each, **alike)
    return [found[at] for at in range(len(jobs))]


def _common_names(facts: Sequence[PartFacts]) -> tuple[str, ...]:
    first = facts[0]
    for each in facts[1:]:
        if each.target != first.target:
            raise DataError(
                f"{each.label}: the target is {shown(each.target)}; in {first.label} it is {shown(first.target)}",
                hint="name it: target=..., --target",
            )
        missing = [name for name in first.names if name not in each.names]
        unknown = [name for name in each.names if name not in first.names]
        if missing or unknown:
            what = f"has no column {shown(missing[0])}" if missing else f"has a column {shown(unknown[0])}"
            other = "has" if missing else "has none"
            raise DataError(
                f"{each.label} {what}; {first.label} {other}", hint="all partitions need the same columns, in any order"
            )
    return first.names


def _narrowed(facts: PartFacts, names: tuple[str, ...]) -> PartFacts:
    at = [facts.names.index(name) for name in names]
    return replace(
        facts,
        names=names,
        kinds=tuple(facts.kinds[j] for j in at),
        levels=tuple(facts.levels[j] for j in at),
        low=facts.low[at],
        high=facts.high[at],
        n_missing=facts.n_missing[at],
    )


def _apart(facts: Sequence[PartFacts], names: tuple[str, ...]) -> tuple[str, ...]:
    n_rows = sum(each.n_rows for each in facts)
    found = tuple(
        name
        for name in names
        if 2 * sum(each.n_rows for each in facts if name in each.apart or _too_many(each, name)) > n_rows
    )
    return found if len(found) < len(names) else ()


def _too_many(facts: PartFacts, name: str) -> bool:
    j = facts.names.index(name)
    return facts.kinds[j] == "nominal" and facts.levels[j] is None


def _kind(facts: Sequence[PartFacts], j: int, name: str) -> Kind:
    """The kind of a column in all partitions where a cell of it is present."""
    said = [each for each in facts if each.n_missing[j] < each.n_rows]
    first = (said or list(facts))[0]
    for each in said:
        if each.kinds[j] != first.kinds[j]:
            raise DataError(
                f"{each.label}, column {shown(name)}: {each.kinds[j]}; in {first.label} it is {first.kinds[j]}",
                hint=f"say what it is: kinds={{{name!r}: {first.kinds[j]!r}}}, or mend the file",
            )
    return first.kinds[j]


def _levels(facts: Sequence[PartFacts], j: int, name: str, kind: Kind) -> tuple[Any, ...] | None:
    if kind == "numeric":
        return None
    said = [(each, each.levels[j]) for each in facts if each.n_missing[j] < each.n_rows]
    crowded = next((each for each, levels in said if levels is None), None)
    if crowded is not None:
        raise DataError(
            f"{crowded.label}, column {shown(name)}: more than {_MOST_LEVELS:,} levels",
            hint="leave the column out: drop=..., --drop",
        )
    distinct = list(dict.fromkeys(levels for _, levels in said if levels is not None))
    if len(distinct) == 1:
        return distinct[0]
    if kind == "ordinal":
        other = next(each for each, levels in said if levels != distinct[0])
        raise DataError(
            f"{other.label}, column {shown(name)}: other levels, or in another order, than in {said[0][0].label}",
            hint=f"give the levels in order: kinds={{{name!r}: [...]}}",
        )
    union = {level for levels in distinct for level in levels}
    return tuple(sorted(union, key=lambda level: (type(level).__name__, name_key(str(level)), str(level))))


def _classes(facts: Sequence[PartFacts]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    counts: Counter[Any] = Counter()
    first: dict[bool, str] = {}
    for each in facts:
        for label, count in each.labels:
            counts[label] += count
        if each.labels:
            first.setdefault(isinstance(each.labels[0][0], str), each.label)
    if len(first) > 1:
        raise DataError(
            f"{first[True]}, target {shown(facts[0].target)}: texts; in {first[False]} they are numbers",
            hint="all partitions need labels of one type",
        )
    labels = list(counts)
    broken = [label for label in labels if isinstance(label, float) and label != int(label)]
    if broken and len(labels) > MOST_FLOAT_CLASSES:
        raise DataError(
            f"target {shown(facts[0].target)}: expected classes, found {len(labels):,} distinct numbers "
            f"({broken[0]:g}, ...)",
            hint="cut them into classes, or choose another target",
        )
    classes = np.unique(np.array(labels)) if broken else class_codes(labels)[1] if len(labels) > 1 else np.array(labels)
    orders = {each.class_order for each in facts if each.labels}
    order = next(iter(orders)) if len(orders) == 1 else None
    if order is not None:
        place = {label: at for at, label in enumerate(order)}
        by = sorted(range(len(classes)), key=lambda at: place.get(classes.tolist()[at], len(place)))
        classes = classes[by]
    return classes, np.array([counts[label] for label in classes.tolist()], dtype=np.int64)


def _witness(
    facts: Sequence[PartFacts],
    names: tuple[str, ...],
    kinds: tuple[Kind, ...],
    levels: tuple[tuple[Any, ...] | None, ...],
    source: Partitioned,
    target: str | None,
) -> Table:
    columns: list[list[float]] = []
    for j in range(len(names)):
        named = levels[j]
        if named is None:
            low, high = (
                np.fmin.reduce([each.low[j] for each in facts]),
                np.fmax.reduce([each.high[j] for each in facts]),
            )
            column = [] if np.isnan(low) else [float(low), float(high)]
        else:
            used = {each.levels[j] is named or each.levels[j] == named for each in facts}
            column = _used(facts, j) if used == {True} else [float(code) for code in range(len(named))]
        if any(each.n_missing[j] for each in facts) or not column:
            column.append(np.nan)
        columns.append(column)
    n_rows = max(2, *(len(column) for column in columns))
    values = np.array([[*column, *[column[0]] * (n_rows - len(column))] for column in columns], dtype=np.float64).T
    return Table(np.ascontiguousarray(values), names, kinds, levels, target=target, name=source.name)


def _used(facts: Sequence[PartFacts], j: int) -> list[float]:
    """The codes from the lowest to the highest that occurs: a declared level may be in no row."""
    low, high = np.fmin.reduce([each.low[j] for each in facts]), np.fmax.reduce([each.high[j] for each in facts])
    return [] if np.isnan(low) else [float(code) for code in range(int(low), int(high) + 1)]


def _notes(apart: tuple[str, ...], n_given: int, n_rows: int) -> tuple[str, ...]:
    notes = []
    if apart:
        columns, tell = ", ".join(shown(name) for name in apart), plural(len(apart), "it tells", "they tell")
        notes.append(f"{plural(len(apart), 'column')} {columns}: not used, since {tell} rows apart and not classes")
    if n_rows < n_given:
        notes.append(f"{n_given - n_rows} of {n_given} rows with missing cells were dropped")
    return tuple(notes)
