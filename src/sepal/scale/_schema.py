"""One pass over the partitions: what their columns are, together, and where two of them contradict each other."""

from __future__ import annotations

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
    dropped_note,
    match_table,
    name_key,
    plural,
    shown,
    sums_tell_apart,
)
from sepal.exceptions import DataError
from sepal.progress import Share
from sepal.scale._facts import LEVELS_AT_MOST, ColumnOfAll, Gathered, Said, part_facts
from sepal.scale._part_notes import PartNote
from sepal.scale._parts import Partition
from sepal.scale._signs import COMMA, hidden_points, two_signs
from sepal.scale._sources import Partitioned, load_part
from sepal.scale._work import Workplace

_LEAST_SENT = 2**20  # bytes that tasks may carry and give, however small partitions are


@dataclass(frozen=True, eq=False)
class Schema:
    """What the columns of all partitions are, together.

    Attributes
    ----------
    source : Partitioned
        The partitions that have rows.
    like : Table
        The columns with their kinds and levels. Its rows hold the lowest and highest value of each column, every level
        and, where a cell is missing, one that is: whatever a distance learns from ranges it can learn from these.
    part_rows : (n_parts,) array
        Rows of each partition that take part.
    classes : array
    class_counts : (n_classes,) array
    lost : tuple
        Classes without a row that takes part.
    n_given, n_missing, n_rows_with_missing : int
        Rows before any were dropped, missing cells, and rows with such.
    apart : tuple of str
        Columns that tell rows apart, judged by all rows.
    notes : tuple of str
    seconds : float
        What a pass over all partitions takes, as the first of them told.
    of_parts : tuple of str
        What is said of partitions without rows, and of rows that contradict their folder; first among the notes.
    of_cells : tuple of PartNote
        What was noted when files were read, each once; behind these among the notes.
    """

    source: Partitioned
    like: Table
    part_rows: NDArray[np.int64]
    classes: NDArray[Any]
    class_counts: NDArray[np.int64]
    lost: tuple[Any, ...]
    n_given: int
    n_missing: int
    n_rows_with_missing: int
    apart: tuple[str, ...]
    missing: Missing
    notes: tuple[str, ...]
    seconds: float = 0.0
    of_parts: tuple[str, ...] = ()
    of_cells: tuple[PartNote, ...] = ()

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
    found = _pass(source, work, None, progress)
    _look_for_points(found, source, work)
    source, of_parts = _with_rows(source, found)
    names = _common_names(found)
    of_parts += tuple(_contradiction(name, found.contradicted[name]) for name in sorted(found.contradicted))
    seconds = found.seconds / work.workers
    apart = _apart(found, names) if source.reading.columns is None else ()
    names = tuple(name for name in names if name not in apart)
    _check_signs(found, names)
    n_given, of_cells, labels = found.n_given, found.notes.told, found.labels
    if missing == "drop" and found.n_rows_with_missing:
        found = _pass(source, work, names, progress)
    found.narrowed(names)
    kinds = tuple(_kind(found.columns[name], name) for name in names)
    levels = tuple(_levels(found.columns[name], name, kind) for name, kind in zip(names, kinds, strict=True))
    if found.n_rows == 0:
        raise DataError("no row is left: all rows have missing cells", hint='use missing="distance"')
    target = source.reading.target is not False
    classes, counts = _classes(found) if target else (np.zeros(0), np.zeros(0, dtype=np.int64))
    lost = tuple(sorted(set(labels) - set(found.labels)))
    return Schema(
        source,
        _witness(found, kinds, levels, source),
        found.part_rows,
        classes,
        counts,
        lost,
        n_given,
        found.n_missing,
        found.n_rows_with_missing,
        apart,
        missing,
        (*of_parts, *map(str, of_cells), *_notes(apart, n_given, found.n_rows)),
        seconds,
        of_parts,
        of_cells,
    )


def _pass(source: Partitioned, work: Workplace, names: tuple[str, ...] | None, progress: Share | None) -> Gathered:
    jobs = [(part, source.reading, names) for part in source.parts]
    found = Gathered(len(jobs))
    for at, facts in work.run("read columns", part_facts, jobs, progress):
        found.add(facts, at)
    return found


def _look_for_points(found: Gathered, source: Partitioned, work: Workplace) -> None:
    """Where a column has decimal commas in some file, look whether whole numbers of others are written as 5.000."""
    names = tuple(
        name
        for name, column in found.columns.items()
        if column.may_hide_points and COMMA in dict([*column.sure_signs.answers, *column.unsure_signs.answers])
    )
    if not names:
        return
    jobs = [(part, source.reading, names) for part in source.parts]
    for at, signs in work.run("read decimal signs", hidden_points, jobs):
        for name, sign in signs.items():
            found.columns[name].hear_sign(sign, at, source.parts[at].label)


def _check_signs(found: Gathered, names: tuple[str, ...]) -> None:
    """Refuse a column that two files write with different decimal signs, unless each leaves no doubt of its own."""
    for name in names:
        sure, unsure = found.columns[name].sure_signs.placed, found.columns[name].unsure_signs.placed
        for doubtful in unsure:
            other = next((each for each in (*sure, *unsure) if each[1] != doubtful[1]), None)
            if other is not None:
                raise two_signs(name, *(cell for _, _, cell in sorted([doubtful, other])))


def _with_rows(source: Partitioned, found: Gathered) -> tuple[Partitioned, tuple[str, ...]]:
    """The partitions that have rows, and what is said of the others."""
    kept, n_parts = np.flatnonzero(found.part_rows), len(source.parts)
    rows = "rows with a label" if source.reading.missing_target == "drop" else "rows"
    if not len(kept):
        what = "the only partition has" if n_parts == 1 else f"all {n_parts:,} partitions have"
        raise DataError(
            f"{source.name}: {what} columns and no {rows}",
            hint="at least one row of data is needed; check the folder, the pattern or the filter",
        )
    without = n_parts - len(kept)
    if not without:
        return source, ()
    found.part_rows = found.part_rows[kept]
    note = f"{without:,} of {n_parts:,} partitions {plural(without, 'has', 'have')} no {rows}"
    return replace(source, parts=tuple(source.parts[at] for at in kept)), (note,)


def _contradiction(name: str, said: Said) -> str:
    return f"column {shown(name)}: rows of {said.answers[0][1]} contradict the name of its folder; the rows count"


def _common_names(found: Gathered) -> tuple[str, ...]:
    targets, columns = found.targets.answers, found.columns_of.answers
    if len(targets) > 1:
        (one, first), (other, label) = targets
        raise DataError(
            f"{label}: the target is {shown(other)}; in {first} it is {shown(one)}",
            hint="name it: target=..., --target",
        )
    if len(columns) > 1:
        (one, first), (other, label) = columns
        lost, unknown = sorted(one - other), sorted(other - one)
        what = f"has no column {shown(lost[0])}" if lost else f"has a column {shown(unknown[0])}"
        raise DataError(
            f"{label} {what}; {first} {'has' if lost else 'has none'}",
            hint="all partitions need the same columns, in any order",
        )
    return found.names


def _apart(found: Gathered, names: tuple[str, ...]) -> tuple[str, ...]:
    def tells(name: str) -> bool:
        column = found.columns[name]
        kinds = {kind for kind, _ in column.kinds.answers}
        # What is a number in one file and a name in another may name rows, and is no error then.
        kind = "nominal" if "nominal" in kinds else next(iter(kinds), "numeric")
        return sums_tell_apart(name, kind, column.sums(found.n_rows))

    told = tuple(name for name in names if tells(name))
    return told if len(told) < len(names) else ()


def _kind(column: ColumnOfAll, name: str) -> Kind:
    """The kind of a column in all partitions where a cell of it is present."""
    said = column.kinds.answers or column.empty_kinds.answers
    kind: Kind = said[0][0]
    if len(said) > 1 and column.kinds.answers:
        raise DataError(
            f"{said[1][1]}, column {shown(name)}: {said[1][0]}; in {said[0][1]} it is {kind}",
            hint=f"say what it is: kinds={{{name!r}: {kind!r}}}, or mend the file",
        )
    for written in (column.written.answers, column.currencies.answers) if kind == "numeric" else ():
        if len(written) > 1:
            (first_are, first), (others_are, other) = written
            raise DataError(
                f"{other}, column {shown(name)}: {others_are}; in {first} they are {first_are}",
                hint="all partitions need cells of one type: mend the file, or leave the column out: drop=..., --drop",
            )
    return kind


def _levels(column: ColumnOfAll, name: str, kind: Kind) -> tuple[Any, ...] | None:
    if kind == "numeric":
        return None
    said = column.levels.answers
    if column.used is None:
        where = f"{column.crowded.answers[0][1]}, " if column.crowded.answers else ""
        raise DataError(
            f"{where}column {shown(name)}: more than {LEVELS_AT_MOST:,} levels",
            hint="leave the column out: drop=..., --drop",
        )
    if not said:
        return ()
    first: tuple[Any, ...] = said[0][0]
    if len(said) == 1:
        return tuple(level for level in first if kind == "ordinal" or level in column.used)  # none that is in no row
    if kind == "ordinal":
        raise DataError(
            f"{said[1][1]}, column {shown(name)}: other levels, or in another order, than in {said[0][1]}",
            hint=f"give the levels in order: kinds={{{name!r}: [...]}}",
        )
    return tuple(sorted(column.used, key=lambda level: (type(level).__name__, name_key(str(level)), str(level))))


def _classes(found: Gathered) -> tuple[NDArray[Any], NDArray[np.int64]]:
    counts, types = found.labels, dict(found.label_types.answers)
    if len(types) > 1:
        raise DataError(
            f"{types[True]}, target {shown(found.target)}: texts; in {types[False]} they are numbers",
            hint="all partitions need labels of one type",
        )
    labels = sorted(counts)
    broken = [label for label in labels if isinstance(label, float) and label != int(label)]
    if broken and len(labels) > MOST_FLOAT_CLASSES:
        raise DataError(
            f"target {shown(found.target)}: expected classes, found {len(labels):,} distinct numbers "
            f"({broken[0]:g}, ...)",
            hint="cut them into classes, or choose another target",
        )
    classes = np.unique(np.array(labels)) if broken else class_codes(labels)[1] if len(labels) > 1 else np.array(labels)
    orders = found.class_orders.answers
    order = orders[0][0] if len(orders) == 1 else None
    if order is not None:
        place = {label: at for at, label in enumerate(order)}
        by = sorted(range(len(classes)), key=lambda at: place.get(classes.tolist()[at], len(place)))
        classes = classes[by]
    return classes, np.array([counts[label] for label in classes.tolist()], dtype=np.int64)


def _witness(
    found: Gathered, kinds: tuple[Kind, ...], levels: tuple[tuple[Any, ...] | None, ...], source: Partitioned
) -> Table:
    columns: list[list[float]] = []
    for column, kind, named in zip(found.columns.values(), kinds, levels, strict=True):
        if np.isnan(column.low):
            cells = []
        elif named is None:
            cells = [column.low, column.high]
        elif kind == "ordinal":  # a declared level may be in no row
            cells = [float(code) for code in range(int(column.low), int(column.high) + 1)]
        else:
            cells = [float(code) for code in range(len(named))]
        if column.n_missing or not cells:
            cells.append(np.nan)
        columns.append(cells)
    n_rows = max(2, *(len(cells) for cells in columns))
    values = np.array([[*cells, *[cells[0]] * (n_rows - len(cells))] for cells in columns], dtype=np.float64).T
    names = tuple(found.columns)
    return Table(np.ascontiguousarray(values), names, kinds, levels, target=found.target, name=source.name)


def _notes(apart: tuple[str, ...], n_given: int, n_rows: int) -> tuple[str, ...]:
    notes = []
    if apart:
        columns, tell = ", ".join(shown(name) for name in apart), plural(len(apart), "it tells", "they tell")
        notes.append(f"{plural(len(apart), 'column')} {columns}: not used, since {tell} rows apart and not classes")
    if n_rows < n_given:
        notes.append(dropped_note(n_given - n_rows, n_given))
    return tuple(notes)
