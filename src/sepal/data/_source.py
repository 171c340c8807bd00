"""What every file reader hands over, and how it becomes a table with a target."""

from __future__ import annotations

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
)
from sepal.data._table import Table, assemble
from sepal.data._where import Origin, shown
from sepal.exceptions import DataError

TARGET_NAMES = ("class", "target", "label")
# Longer "labels" are texts; a fixed-width array of them would waste memory.
LONGEST_LABEL = 256


@dataclass(frozen=True, eq=False)
class Source:
    """All columns of a file, target included."""

    columns: list[Column]
    origin: Origin
    notes: tuple[str, ...] = ()
    weights: NDArray[np.float64] | None = None
    description: str | None = None
    whole_labels: bool = True  # a numeric target of whole numbers holds class labels


def to_table(
    source: Source, target: str | int | Literal[False] | None, kinds: KindsSpec | None, **fields: Any
) -> Table:
    """Choose the target, apply ``kinds``, and make the table."""
    names = [column.name for column in source.columns]
    check_names(names, f"{source.origin.source}: ")
    wanted = resolve_kinds(kinds, names)
    columns = [recast(column, wanted.get(j), source.origin) for j, column in enumerate(source.columns)]
    if target is False:
        return assemble(columns, source.origin, weights=source.weights, notes=source.notes, **fields)
    place = _target_position(names, target)
    if len(names) < 2:
        raise DataError(
            f"{source.origin.source}: expected a target and at least one more column, found only {shown(names[0])}",
            hint="cells may be separated by commas, semicolons, tabs, bars or blanks",
        )
    labels = columns.pop(place)
    y = _labels(labels, source)
    identifiers = [_identifier_note(column) for column in columns if _looks_like_identifier(column)]
    return assemble(
        columns,
        source.origin,
        y=y,
        target=labels.name,
        class_order=labels.levels if labels.declared else None,
        weights=source.weights,
        notes=(*source.notes, *labels.notes, *identifiers),
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
        whole = (column.values == np.floor(column.values)) & (np.abs(column.values) <= LARGEST_EXACT_INTEGER)
        return column.values.astype(np.int64) if source.whole_labels and whole.all() else column.values
    texts = [level for level in column.levels if isinstance(level, str)]
    dtype = object if texts and max(map(len, texts)) > LONGEST_LABEL else None
    levels = np.array(column.levels, dtype=dtype)
    return levels[column.values.astype(np.intp)]


def _looks_like_identifier(column: Column) -> bool:
    return column.kind == "nominal" and len(column.levels) > max(20, column.values.size // 2)


def _identifier_note(column: Column) -> str:
    return (
        f"column {shown(column.name)} has {len(column.levels)} different values in {column.values.size} rows; "
        "it looks like an identifier or free text"
    )
