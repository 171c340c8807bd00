"""Columns from arrays: of the kind that their type, or that of their cells, says."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data._columns import LARGEST_EXACT_INTEGER, Column, coded_column, is_missing, rounding_note
from sepal.data._error_words import MEMORY, Origin, shown
from sepal.data._foreign_frames import quiet_missing
from sepal.data._written import Written
from sepal.exceptions import CellTypeError, DataError


def rounding_notes(array: NDArray[Any], name: str) -> list[str]:
    """A note where whole numbers are too large for float64."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8:
        return []
    if max(abs(int(array.max())), abs(int(array.min()))) <= LARGEST_EXACT_INTEGER:
        return []
    return [rounding_note(name)]


def column_from_array(name: str, position: int, array: NDArray[Any], origin: Origin = MEMORY) -> Column:
    """A column of the kind its dtype says."""
    kind = array.dtype.kind
    if kind in "iuf":
        with np.errstate(over="ignore"):  # longer floats: what is too large is refused as infinite
            values = array.astype(np.float64, copy=False)
        if kind == "f" and np.isnan(values).any():
            values = quiet_missing(np.array(values))
        return Column(name, position, values, notes=tuple(rounding_notes(array, name)))
    if kind == "b":
        return Column(name, position, array.astype(np.float64), "nominal", (False, True), declared=True)
    if kind in "mM":
        return _time_column(name, position, array)
    if kind == "U":
        return coded_column(name, position, array.tolist())
    if kind == "O":
        return _column_from_objects(name, position, array, origin)
    found = "complex numbers. Complex data not supported" if kind == "c" else f"values of type {array.dtype}"
    raise DataError(f"{origin.column(position, name)}: expected numbers, texts or booleans, found {found}")


def _time_column(name: str, position: int, array: NDArray[Any]) -> Column:
    one_second = np.timedelta64(1, "s")
    if array.dtype.kind == "M":
        seconds = (array - np.datetime64(0, "s")) / one_second
        note = f"dates in column {shown(name)} were turned into seconds since 1970"
    else:
        seconds = array / one_second
        note = f"durations in column {shown(name)} were turned into seconds"
    written = Written() if array.dtype.kind == "M" else None
    return Column(name, position, np.asarray(seconds, dtype=np.float64), notes=(note,), written=written)


_TEXTS = frozenset({str, type(None)})
_CELL_SORTS = frozenset({"boolean", "complex number", "number", "text", "date"})


def _object_sort(value: Any) -> str:
    for sort, types in (
        ("boolean", (bool, np.bool_)),
        ("complex number", (complex, np.complexfloating)),
        ("number", (int, float, np.number)),
        ("text", (str,)),
    ):
        if isinstance(value, types):
            return sort
    if type(value).__name__ in ("Decimal", "Fraction"):
        return "number"
    if isinstance(value, np.datetime64) or type(value).__name__ in ("date", "datetime", "Timestamp"):
        return "date"
    return type(value).__name__


def _column_from_objects(name: str, position: int, array: NDArray[Any], origin: Origin) -> Column:
    types = set(map(type, array.tolist()))
    if str in types and types <= _TEXTS:
        return coded_column(name, position, array.tolist())
    first: dict[str, Any] = {}
    cells = [None if is_missing(value) else value for value in array]
    for value in cells:
        if value is not None:
            first.setdefault(_object_sort(value), value)
    place = origin.column(position, name)
    strange = next((sort for sort in first if sort not in _CELL_SORTS), None)
    if strange is not None:
        raise CellTypeError(
            f"{place}: every argument must be a string, a number, a boolean or a date; "
            f"found the {strange} {shown(first[strange])}"
        )
    if len(first) > 1:
        (one, a), (other, b) = list(first.items())[:2]
        raise DataError(
            f"{place}: expected values of one type, found the {one} {shown(a)} and the {other} {shown(b)}",
            hint="turn the column into texts or into numbers",
        )
    sort = next(iter(first), "number")
    if sort == "number":
        try:
            numbers = [np.nan if value is None else float(value) for value in cells]
        except OverflowError as error:
            raise DataError(f"{place}: expected numbers within float64, found a larger one") from error
        return Column(name, position, np.array(numbers, dtype=np.float64))
    if sort == "text":
        return coded_column(name, position, cells)
    if sort == "boolean":
        return coded_column(name, position, (None if v is None else bool(v) for v in cells), (False, True))
    if sort == "date":
        return _time_column(name, position, np.array(cells, dtype="datetime64[us]"))
    raise DataError(f"{place}: expected numbers, texts or booleans, found complex numbers. Complex data not supported")
