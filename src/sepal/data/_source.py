"""What every file reader hands over, and how it becomes a table with a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data._columns import (
    LARGEST_EXACT_INTEGER,
    Column,
    KindsSpec,
    check_finite,
    check_names,
    column_position,
    recast,
    resolve_kinds,
    rounding_note,
)
from sepal.data._label_arrays import level_array
from sepal.data._table import Table, assemble
from sepal.data._where import Origin, shown
from sepal.exceptions import DataError

TARGET_NAMES = ("class", "target", "label")
# Longer rows of digits do not fit into float64 at all.
MOST_DIGITS = 309


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


def to_table(
    source: Source, target: str | int | Literal[False] | None, kinds: KindsSpec | None, **fields: Any
) -> Table:
    """Choose the target, apply ``kinds``, and make the table."""
    names = [column.name for column in source.columns]
    check_names(names, f"{source.origin.source}: ")
    wanted = resolve_kinds(kinds, names)
    columns = [recast(column, wanted.get(j), source.origin) for j, column in enumerate(source.columns)]
    if target is False:
        notes = [note for column in columns for note in _rounding_notes(column, source)]
        return assemble(columns, source.origin, weights=source.weights, notes=(*source.notes, *notes), **fields)
    place = _target_position(names, target)
    if len(names) < 2:
        raise DataError(
            f"{source.origin.source}: expected a target and at least one more column, found only {shown(names[0])}",
            hint="cells may be separated by commas, semicolons, tabs, bars or blanks",
        )
    labels = columns.pop(place)
    y = _labels(labels, source)
    notes = [note for column in columns for note in _rounding_notes(column, source)]
    own = (note for note in labels.notes if note != rounding_note(labels.name))  # labels are kept digit by digit
    identifiers = [_identifier_note(column) for column in columns if _looks_like_identifier(column)]
    return assemble(
        columns,
        source.origin,
        y=y,
        target=labels.name,
        class_order=labels.levels if labels.declared else None,
        weights=source.weights,
        notes=(*source.notes, *own, *notes, *identifiers),
        **fields,
    )


def _target_position(names: list[str], target: str | int | None) -> int:
    if target is not None:
        return column_position(target, names, "target")
    for wanted in TARGET_NAMES:
        for j, name in enumerate(names):
            if name.lower() == wanted:
                return j
    return len(names) - 1


def _labels(column: Column, source: Source) -> NDArray[Any]:
    check_finite(column, source.origin)
    missing = np.flatnonzero(np.isnan(column.values))
    if missing.size:
        raise DataError(
            f"{source.origin.cell(int(missing[0]), column.position, column.name)}: expected a label, "
            f"found a missing value; the target is missing in {missing.size} of {column.values.size} rows",
            hint="drop these rows, or choose another target",
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


def _looks_like_identifier(column: Column) -> bool:
    return column.kind == "nominal" and len(column.levels) > max(20, column.values.size // 2)


def _identifier_note(column: Column) -> str:
    return (
        f"column {shown(column.name)} has {len(column.levels)} different values in {column.values.size} rows; "
        "it looks like an identifier or free text"
    )
