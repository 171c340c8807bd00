"""What every file reader hands over, and how it becomes a table with a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data._apart import Apart, is_running_text, why_apart
from sepal.data._columns import (
    LARGEST_EXACT_INTEGER,
    Column,
    KindsSpec,
    Wanted,
    check_finite,
    check_names,
    column_position,
    levels_note,
    recast,
    resolve_kinds,
    rounding_note,
    text_options,
)
from sepal.data._error_words import MEMORY, Origin, listed, shown
from sepal.data._label_arrays import level_array
from sepal.data._messy_cells import SOFT_MISSING
from sepal.data._table import Table, assemble
from sepal.exceptions import DataError, ParameterError

# Rows converted at a time: few enough for their cells to stay in the processor's cache.
BLOCK_ROWS = 256

TARGET_NAMES = ("class", "target", "label")
# Longer rows of digits do not fit into float64 at all.
MOST_DIGITS = 309


class NoRowsError(DataError):
    """A file or a frame has columns and no rows; ``names`` are those of the columns."""

    def __init__(self, message: str, *, hint: str | None = None, names: Sequence[str] = ()) -> None:
        super().__init__(message, hint=hint)
        self.names = tuple(names)


@dataclass(frozen=True, eq=False)
class Source:
    """All columns of a file, target included."""

    columns: list[Column]
    origin: Origin
    notes: tuple[str, ...] = ()
    weights: NDArray[np.float64] | None = None
    description: str | None = None
    whole_labels: bool = True  # a numeric target of whole numbers holds class labels
    as_texts: Callable[[int], Column] | None = None  # a column as its texts stand in the file
    widened_by: str | None = None  # what to do where there is only one column
    soft_missing: bool = False  # marks such as "-" are missing in features of words


TargetSpec = str | int | Literal[False] | None
FolderColumn = tuple[str, str | int | None]  # a name, and the value that all rows of a file have


@dataclass(frozen=True)
class Wishes:
    """What the caller says about the columns of a file besides their kinds.

    ``judge`` says whether columns that only tell rows apart are set apart; columns named anywhere here are not judged.
    Where it is False the file may be a part of a table, of which no row need be left. ``folders`` are columns that come
    after those of the file, unless it has them itself.
    """

    columns: tuple[str | int, ...] | None = None
    drop: tuple[str | int, ...] = ()
    ids: tuple[str | int, ...] = ()
    missing_target: Literal["error", "drop"] = "error"
    judge: bool = True
    folders: tuple[FolderColumn, ...] = ()


def unused_columns(names: list[str], n_own: int, target: TargetSpec, wishes: Wishes) -> set[int]:
    """Where the columns stand that the caller drops, or does not choose; without a target none is left out."""
    if target is False:
        return set()
    unused = {column_position(key, names, "drop") for key in wishes.drop}
    if wishes.columns is not None:
        chosen = {column_position(key, names, "columns") for key in wishes.columns}
        ids = {column_position(key, names, "ids") for key in wishes.ids}
        unused |= set(range(len(names))) - chosen - ids - {_target_position(names, target, n_own)}
    return unused


def to_table(
    source: Source,
    target: TargetSpec,
    kinds: KindsSpec | None,
    wishes: Wishes = Wishes(judge=False),
    **fields: Any,
) -> Table:
    """Choose the target, apply ``kinds`` and ``wishes``, and make the table."""
    n_own = len(source.columns)
    source = _with_folders(source, wishes.folders)
    names = [column.name for column in source.columns]
    check_names(names, f"{source.origin.source}: ")
    wanted = resolve_kinds(kinds, names)
    columns = [recast(column, wanted.get(j), source.origin) for j, column in enumerate(source.columns)]
    if target is False:
        notes = [note for column in columns for note in _rounding_notes(column, source)]
        return assemble(
            columns,
            source.origin,
            weights=source.weights,
            notes=(*source.notes, *notes),
            text_options=text_options(wanted),
            **fields,
        )
    place = _target_position(names, target, n_own)
    if source.soft_missing:
        columns = [
            column if j == place or j in wanted else _without_soft_marks(column) for j, column in enumerate(columns)
        ]
    if len(names) < 2:
        raise DataError(
            f"{source.origin.source}: expected a target and at least one more column, found only {shown(names[0])}",
            hint=source.widened_by,
        )
    labels = columns[place]
    if wishes.missing_target == "drop":
        columns, source = _labelled_rows(columns, place, source, wishes.judge)
    y = _labels(columns[place], source, wishes.judge)
    features, apart = _divided(columns, place, wanted, wishes)
    notes = [note for column in features for note in _rounding_notes(column, source)]
    notes += _notes_of_apart(columns, apart)
    own = (note for note in labels.notes if note != rounding_note(labels.name))  # labels are kept digit by digit
    return assemble(
        features,
        source.origin,
        y=y,
        target=labels.name,
        class_order=labels.levels if labels.declared else None,
        weights=source.weights,
        notes=(*source.notes, *own, *notes),
        apart=apart,
        text_options=text_options(wanted),
        written={} if labels.written is None else {labels.name: labels.written},
        **fields,
    )


def folders_only(names: Sequence[str], folders: Sequence[FolderColumn]) -> list[FolderColumn]:
    """The columns of folders that a file with columns of these names does not have itself."""
    return [each for each in folders if each[0] not in names]


def _with_folders(source: Source, folders: Sequence[FolderColumn]) -> Source:
    """A whole number is one of a numeric column, a text the only level of a nominal one."""
    if not folders:
        return source
    columns, n_rows = list(source.columns), len(source.columns[0].values)
    for name, value in folders_only([column.name for column in columns], folders):
        cell = np.nan if value is None else float(value) if isinstance(value, int) else 0.0
        text = isinstance(value, str)
        column = Column(name, len(columns), np.full(n_rows, cell), "nominal" if text else "numeric")
        columns.append(replace(column, levels=(value,)) if text else column)
    return replace(source, columns=columns)


def _without_soft_marks(column: Column) -> Column:
    """A column of words in which "-", "--", "." and "None" are missing; where all levels are signs they are levels."""
    marks = [level for level in column.levels if level in SOFT_MISSING]
    if column.kind != "nominal" or not marks:
        return column
    words = [level for level in column.levels if any(letter.isalnum() for letter in str(level)) and level not in marks]
    if len(words) + len(marks) < len(column.levels) or not words:
        return column
    levels = tuple(level for level in column.levels if level not in marks)
    place = {level: float(code) for code, level in enumerate(levels)}
    table = np.array([place.get(level, np.nan) for level in column.levels])
    present = ~np.isnan(column.values)
    values = np.full(column.values.shape, np.nan)
    values[present] = table[column.values[present].astype(np.intp)]
    note = (
        f"{listed(marks)} in column {shown(column.name)} was taken as missing in "
        f"{int(np.isnan(values).sum() - (~present).sum())} rows"
    )
    return replace(column, values=values, levels=levels, notes=(*column.notes, note))


def _labelled_rows(columns: list[Column], place: int, source: Source, some_left: bool) -> tuple[list[Column], Source]:
    """Without the rows whose target is missing; unless it is missing in all, if some must be left."""
    gaps = np.isnan(columns[place].values)
    if not gaps.any() or (some_left and gaps.all()):
        return columns, source
    kept, as_texts = ~gaps, source.as_texts

    def texts(position: int) -> Column:
        assert as_texts is not None  # noqa: S101 - asked only where there is one
        column = as_texts(position)
        return replace(column, values=column.values[kept])

    rows, line_of = np.flatnonzero(kept), source.origin.line_of
    fewer = replace(
        source,
        origin=replace(source.origin, line_of=None if line_of is None else lambda row: line_of(int(rows[row]))),
        notes=(*source.notes, f"{int(gaps.sum())} of {gaps.size} rows without a target were dropped"),
        weights=None if source.weights is None else source.weights[kept],
        as_texts=None if as_texts is None else texts,
    )
    return [replace(column, values=column.values[kept]) for column in columns], fewer


def _divided(
    columns: list[Column], place: int, wanted: dict[int, Wanted], wishes: Wishes
) -> tuple[list[Column], tuple[Apart, ...]]:
    """The features, and the columns that are set apart."""
    names = [column.name for column in columns]
    ids = {column_position(key, names, "ids") for key in wishes.ids}
    dropped = {column_position(key, names, "drop") for key in wishes.drop}
    chosen = None if wishes.columns is None else [column_position(key, names, "columns") for key in wishes.columns]
    for word, places in (("ids", ids), ("drop", dropped), ("columns", chosen or ())):
        if place in places:
            raise ParameterError(f"{word}: {shown(names[place])} is the target")
    usual = [j for j in range(len(columns)) if j != place and j not in ids | dropped]
    used = usual if chosen is None else [j for j in dict.fromkeys(chosen) if j in usual]
    if not used:
        raise ParameterError(f"no column is left besides the target {shown(names[place])}")
    why = dict.fromkeys(sorted(ids), ("asked", 0))
    texts = {j for j in used if j not in wanted and wishes.judge and _holds_texts(columns[j])}
    columns = [recast(column, "text", MEMORY) if j in texts else column for j, column in enumerate(columns)]
    if wishes.judge and chosen is None:
        judged = {
            j: found
            for j in used
            if j not in wanted
            and (found := why_apart(names[j], columns[j].kind, columns[j].values, columns[j].levels or None))
        }
        if len(judged.keys() | why.keys() - ids) < len(used):  # else they are all there is
            why |= judged
    features = [columns[j] for j in used if j not in why]
    return features, tuple(_apart(columns[j], *reason) for j, reason in sorted(why.items()))


def _notes_of_apart(columns: list[Column], apart: tuple[Apart, ...]) -> list[str]:
    """What is said of columns that were set apart: one may be full of numbers but for a few cells."""
    judged = {each.name for each in apart if each.why != "asked"}
    return [
        note
        for column in columns
        if column.name in judged
        for note in column.notes
        if note != levels_note(column.name, len(column.levels))
    ]


def _holds_texts(column: Column) -> bool:
    return column.kind == "nominal" and not column.declared and is_running_text(column.values, column.levels)


def _apart(column: Column, why: str, distinct: int) -> Apart:
    if column.kind == "numeric":
        return Apart(column.name, why, column.values, distinct)
    cells = np.array([*column.levels, None], dtype=object)
    codes = np.where(np.isnan(column.values), len(column.levels), column.values).astype(np.intp)
    return Apart(column.name, why, cells[codes], distinct)


def _target_position(names: list[str], target: str | int | None, n_own: int) -> int:
    """Where the target is: as said, by its name, or the last of the file's own columns."""
    if target is not None:
        return column_position(target, names, "target")
    for wanted in TARGET_NAMES:
        for j, name in enumerate(names):
            if name.lower() == wanted:
                return j
    return n_own - 1


def _labels(column: Column, source: Source, whole_file: bool) -> NDArray[Any]:
    check_finite(column, source.origin)
    missing = np.flatnonzero(np.isnan(column.values))
    if missing.size:
        how = 'missing_target="drop"' if whole_file else 'sepal.scale.partitioned(..., missing_target="drop")'
        cure = f"drop these rows ({how}, --missing-target drop), or choose another target"
        if whole_file and missing.size == column.values.size:
            cure = "choose another target (target=..., --target)"
        raise DataError(
            f"{source.origin.cell(int(missing[0]), column.position, column.name)}: expected a label, "
            f"found a missing value; the target is missing in {missing.size} of {column.values.size} rows",
            hint=cure,
        )
    if column.kind == "numeric":
        whole = column.values == np.floor(column.values)
        if not whole.all():
            return column.values
        texts = _texts_of_large(column, source)
        if texts is not None and _was_rounded(texts):
            return _large_labels(texts)
        exact = source.whole_labels and _is_exact(column.values)
        return column.values.astype(np.int64) if exact else column.values
    return level_array(column.levels, column.values.size)[column.values.astype(np.intp)]


def _is_exact(values: NDArray[np.float64]) -> bool:
    """Whether no other whole number could have been rounded to one of these."""
    return not values.size or bool(np.nanmax(np.abs(values), initial=0.0) < LARGEST_EXACT_INTEGER)


def _texts_of_large(column: Column, source: Source) -> Column | None:
    """A numeric column as it stands in the file, where whole numbers in it may have been rounded."""
    if column.kind != "numeric" or source.as_texts is None or _is_exact(column.values):
        return None
    return source.as_texts(column.position)


def _whole(text: str) -> int | None:
    """The whole number a text spells out, digit by digit."""
    digits = text[1:] if text[:1] in "+-" else text
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) < MOST_DIGITS else None


def _was_rounded(texts: Column) -> bool:
    numbers = [_whole(level) for level in texts.levels]
    return any(number is not None and int(float(number)) != number for number in numbers)


def _large_labels(texts: Column) -> NDArray[Any]:
    """Labels that float64 would round: as whole numbers if all are and fit into 64 bits, else as texts."""
    codes = texts.values.astype(np.intp)
    numbers = [_whole(level) for level in texts.levels]
    if all(number is not None and abs(number) < 2**63 for number in numbers):
        return np.array(numbers, dtype=np.int64)[codes]
    return level_array(texts.levels, codes.size)[codes]


def _rounding_notes(column: Column, source: Source) -> list[str]:
    note = rounding_note(column.name)
    if note in column.notes:
        return []  # it says so itself
    texts = _texts_of_large(column, source)
    return [note] if texts is not None and _was_rounded(texts) else []
