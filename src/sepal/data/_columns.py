"""One column: its kind, its levels, and how the caller may change them.

Every reader and converter makes :class:`Column` objects; only here are kinds changed.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data._error_words import Origin, listed, shown
from sepal.data._messy_cells import dates, messy_numbers
from sepal.data._text_options import TextOptions
from sepal.data._written import Written
from sepal.exceptions import DataError, ParameterError

Kind = Literal["numeric", "ordinal", "nominal", "text"]
KINDS: tuple[Kind, ...] = ("numeric", "ordinal", "nominal", "text")
KindSpec = str | Sequence[Any] | TextOptions
KindsSpec = Mapping[Any, KindSpec] | Sequence[KindSpec | None]
# Up to here float64 holds every whole number.
LARGEST_EXACT_INTEGER = 2**53
EXCEL_1970 = 25569.0  # the number of 1 January 1970 in Excel

Asked = Kind | Literal["date"]  # dates become numbers
ASKED: tuple[Asked, ...] = (*KINDS[:-1], "date", "text")
Wanted = Asked | tuple[Any, ...] | TextOptions


@dataclass(frozen=True, eq=False)
class Column:
    """Values as float64 (level codes unless numeric, NaN = missing) with what is needed to read them."""

    name: str
    position: int  # among the columns of the source, target included
    values: NDArray[np.float64]
    kind: Kind = "numeric"
    levels: tuple[Any, ...] = ()  # empty for numeric
    declared: bool = False  # the source states the order of the levels
    notes: tuple[str, ...] = ()
    written: Written | None = None  # how dates that became numbers stood there


def parse_number(text: str) -> float | None:
    """The number a text stands for; None if it is not one. Python's ``1_000`` is not."""
    if "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def sorted_levels(values: Iterable[Any], decimal: str = ".", known: Collection[str] = ()) -> tuple[Any, ...]:
    """Distinct values in order: texts that are all numbers by their number, everything else as it sorts.

    ``decimal`` is the decimal sign of the file they come from, and counts where texts could be read either way; those
    of ``known`` could not.

    >>> sorted_levels(["10", "1,5", "-1", "2", "-2"]), sorted_levels(["10 %", "9 %"])
    (('-2', '-1', '1,5', '2', '10'), ('9 %', '10 %'))
    >>> sorted_levels(["2", "1.000"]), sorted_levels(["2", "1.000"], ",")
    (('1.000', '2'), ('2', '1.000'))
    """
    distinct = set(values)
    if all(isinstance(value, str) for value in distinct):
        numbers = _level_numbers(distinct, decimal, known)
        if numbers is not None:
            return tuple(sorted(distinct, key=lambda value: (numbers[value], value)))
    return tuple(sorted(distinct))


def _level_numbers(texts: Iterable[str], decimal: str, known: Collection[str]) -> dict[str, float] | None:
    """The number of each text, as the readers of files understand it; None if some text is none."""
    messy = messy_numbers(texts, ",", known) if decimal == "," else None
    if messy is not None:
        return messy[0]
    numbers: dict[str, float] = {}
    for text in texts:
        number = parse_number(text)
        if number is None:
            messy = messy_numbers(texts, known=known)
            return None if messy is None else messy[0]
        numbers[text] = number
    return numbers


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA, without importing pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def rounding_note(name: str) -> str:
    """What is said of a column of numbers that float64 cannot hold."""
    return f"whole numbers above 2^53 in {shown(name)} were rounded to the nearest float64"


def levels_note(name: str, n_levels: int) -> str:
    """What is said of a column that was declared to hold any texts."""
    return f"texts in column {shown(name)} were taken as {n_levels} nominal levels"


def coded_column(
    name: str,
    position: int,
    values: Iterable[Any],
    levels: tuple[Any, ...] | None = None,
    *,
    kind: Kind = "nominal",
    declared: bool = False,
) -> Column:
    """A nominal or ordinal column from its values; missing values stay missing."""
    cells = list(values)
    distinct = dict.fromkeys(cells)  # far fewer than cells, and each is looked at once
    missing = [value for value in distinct if is_missing(value)]
    for value in missing:
        del distinct[value]
    if levels is None:
        levels = sorted_levels(distinct)
    code: dict[Any, float] = {level: float(i) for i, level in enumerate(levels)}
    code.update((value, math.nan) for value in missing)
    codes = np.fromiter(map(code.__getitem__, cells), dtype=np.float64, count=len(cells))
    return Column(name, position, codes, kind, levels, declared)


def resolve_kinds(kinds: KindsSpec | None, names: Sequence[str]) -> dict[int, Wanted]:
    """What the caller wants, by column position; ``kinds`` goes by name or position, or lists every column."""
    if kinds is None:
        return {}
    if isinstance(kinds, str) or not isinstance(kinds, (Mapping, Sequence)):
        raise ParameterError(
            f"kinds: expected a mapping from column to kind, found {shown(kinds)}",
            hint='for example kinds={"age": "numeric", "size": ["S", "M", "L"]}',
        )
    if not isinstance(kinds, Mapping):
        if len(kinds) != len(names):
            raise ParameterError(f"kinds: expected one entry per column ({len(names)}), found {len(kinds)}")
        kinds = {i: wanted for i, wanted in enumerate(kinds) if wanted is not None}
    return {column_position(key, names, "kinds"): _wanted(key, value) for key, value in kinds.items()}


def text_options(wanted: Mapping[int, Wanted], before: TextOptions | None = None) -> TextOptions:
    """How texts are to be read; all columns alike."""
    given = {want for want in wanted.values() if isinstance(want, TextOptions)}
    if len(given) > 1:
        raise ParameterError("kinds: all columns of texts are read alike, and two TextOptions were given")
    return given.pop() if given else before or TextOptions()


def _wanted(key: Any, value: Any) -> Wanted:
    if isinstance(value, TextOptions):
        return value
    if isinstance(value, str) and value in ASKED:
        return value
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ParameterError(
            f"kinds[{key!r}]: expected one of {listed(ASKED)}, or the levels in order, found {shown(value)}"
        )
    levels = tuple(value)
    if not levels or not all(isinstance(level, Hashable) for level in levels) or len(set(levels)) != len(levels):
        raise ParameterError(f"kinds[{key!r}]: expected distinct levels, at least one, found {shown(levels)}")
    return levels


def column_position(key: Any, names: Sequence[str], parameter: str) -> int:
    """Where a column named (or numbered from 0, negative from the end) by the caller stands."""
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        if not -len(names) <= key < len(names):
            raise ParameterError(
                f"{parameter}: expected a column from 0 to {len(names) - 1} (or from -1 down), found {shown(key)}"
            )
        return int(key) % len(names)
    if isinstance(key, str) and key in names:
        return list(names).index(key)
    # Few and short, so that a damaged header cannot make the search for similar names slow.
    folded = {name.casefold(): name for name in names[:1000] if len(name) < 100}
    near = difflib.get_close_matches(str(key).casefold()[:100], list(folded), n=3, cutoff=0.5)
    if near:
        hint = f"did you mean {' or '.join(shown(folded[name]) for name in near)}?"
    else:
        hint = f"the columns are {listed(list(names), 12)}"
    raise ParameterError(f"{parameter}: there is no column {shown(key)}", hint=hint)


def recast(column: Column, wanted: Wanted | None, origin: Origin) -> Column:
    """The column as the kind (or with the ordered levels) the caller wants."""
    if wanted is None or wanted == column.kind:
        return column
    if isinstance(wanted, tuple):
        return _with_levels(column, wanted, origin)
    if wanted == "numeric":
        return _to_numeric(column, origin)
    if wanted == "date":
        return _to_seconds(column, origin)
    if wanted == "text" or isinstance(wanted, TextOptions):
        return _to_texts(column)
    if column.kind == "numeric":
        column = _number_levels(column)
    notes = column.notes
    if wanted == "ordinal" and not column.declared:
        notes += (_order_note(column),)
    return replace(column, kind=wanted, notes=notes)


def _to_texts(column: Column) -> Column:
    """The cells as texts."""
    column = _number_levels(column) if column.kind == "numeric" else column
    notes = tuple(note for note in column.notes if note != levels_note(column.name, len(column.levels)))
    levels = tuple(str(level) for level in column.levels)
    return replace(column, kind="text", levels=levels, declared=False, notes=notes)


def _order_note(column: Column) -> str:
    order = " < ".join(str(level) for level in column.levels[:6]) + (" < ..." if len(column.levels) > 6 else "")
    return (
        f"column {shown(column.name)} is ordinal in sorted order ({order}); for another say its levels in order "
        f"(kinds, --kind {column.name}=a<b<c)"
    )


def _number_levels(column: Column) -> Column:
    """A numeric column as nominal: its distinct numbers, ascending, are the levels."""
    present = ~np.isnan(column.values)
    distinct, codes = np.unique(column.values[present], return_inverse=True)
    values = np.full(column.values.shape, np.nan)
    values[present] = codes
    whole = bool(np.all(distinct == np.floor(distinct)))
    levels: tuple[Any, ...] = tuple(int(number) if whole else float(number) for number in distinct)
    if column.written is not None:  # dates, in their order
        texts = (column.written.text(float(number)) for number in distinct)
        levels = tuple(level if text is None else text for level, text in zip(levels, texts, strict=True))
    return replace(column, values=values, kind="nominal", levels=levels, declared=True, written=None)


def _level_number(level: Any) -> float | None:
    if isinstance(level, str):
        return parse_number(level)
    return float(level) if isinstance(level, (int, float, np.number)) else None


def _mapped(column: Column, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The column's codes looked up in ``table``; missing stays missing."""
    present = ~np.isnan(column.values)
    values = np.full(column.values.shape, np.nan)
    values[present] = table[column.values[present].astype(np.intp)]
    return values


def _first_cell(column: Column, code: int, origin: Origin) -> str:
    """Where a level first occurs; the column if it does not."""
    rows = np.flatnonzero(column.values == code)
    if rows.size == 0:
        return origin.column(column.position, column.name)
    return origin.cell(int(rows[0]), column.position, column.name)


def _to_numeric(column: Column, origin: Origin) -> Column:
    numbers = []
    for code, level in enumerate(column.levels):
        number = _level_number(level)
        if number is None or not math.isfinite(number):
            raise DataError(
                f"{_first_cell(column, code, origin)}: expected numbers, found {shown(level)}",
                hint=f"leave kinds[{column.name!r}] out, or make it nominal",
            )
        numbers.append(number)
    values = _mapped(column, np.array(numbers, dtype=np.float64))
    return replace(column, values=values, kind="numeric", levels=(), declared=False)


def dated(column: Column) -> Column:
    """A column of nothing but texts that are dates, as seconds; any other as it is."""
    texts = [level for level in column.levels if isinstance(level, str)]
    if column.kind != "nominal" or column.declared or not texts or len(texts) < len(column.levels):
        return column
    found = dates(texts)
    return column if found is None else _as_seconds(column, texts, *found)


def _to_seconds(column: Column, origin: Origin) -> Column:
    """Dates as seconds since 1970; numbers are Excel's days since 30 December 1899."""
    place = f"column {shown(column.name)}"
    if column.kind == "numeric":
        if column.notes and "turned into seconds" in column.notes[-1]:
            return column
        note = f"numbers in {place} were taken as Excel's dates and turned into seconds since 1970"
        values = (column.values - EXCEL_1970) * 86400.0
        days = {second: f"{day:.15g}" for second, day in zip(values.tolist(), column.values.tolist(), strict=True)}
        return replace(column, values=values, notes=(*column.notes, note), written=Written(days))
    texts = [str(level) for level in column.levels]
    found = dates(texts)
    if found is None:
        code = next((code for code, text in enumerate(texts) if dates([text]) is None), 0)
        raise DataError(
            f"{_first_cell(column, code, origin)}: expected dates, found {shown(texts[code] if texts else '')}",
            hint="2024-01-31, 31.01.2024 and 2024-01-31 12:30 are dates; where day and month could change places, "
            "write the year first",
        )
    return _as_seconds(column, texts, *found)


def _as_seconds(column: Column, texts: list[str], seconds: dict[str, float], what: str) -> Column:
    """The texts of the column as these numbers."""
    since = "midnight" if what == "times" else "1970"
    note = f"{what} in column {shown(column.name)} were turned into seconds since {since}"
    values = _mapped(column, np.array([seconds[text] for text in texts]))
    written = Written({second: text for text, second in seconds.items()}, unit=what if what == "times" else "")
    return replace(
        column, values=values, kind="numeric", levels=(), declared=False, notes=(*column.notes, note), written=written
    )


def _with_levels(column: Column, levels: tuple[Any, ...], origin: Origin) -> Column:
    """The column coded by the caller's levels; ``1``, ``1.0`` and ``"1"`` are the same level."""
    old = _number_levels(column) if column.kind == "numeric" else column
    code = {level: i for i, level in enumerate(levels)}
    by_number = {_level_number(level): i for i, level in enumerate(levels)}
    by_number.pop(None, None)
    table = np.full(len(old.levels), np.nan)
    for i in np.unique(old.values[~np.isnan(old.values)]).astype(np.intp):
        level = old.levels[i]
        new = code.get(level, by_number.get(_level_number(level)))
        if new is None:
            raise DataError(
                f"{_first_cell(old, i, origin)}: expected one of {listed(levels)}, found {shown(level)}",
                hint=f"kinds[{column.name!r}] must list every value of the column",
            )
        table[i] = new
    return replace(old, values=_mapped(old, table), kind="ordinal", levels=levels, declared=True)


def check_finite(column: Column, origin: Origin) -> None:
    """Infinities are refused: no distance can be taken to them."""
    infinite = np.flatnonzero(np.isinf(column.values))
    if infinite.size:
        row = int(infinite[0])
        raise DataError(
            f"{origin.cell(row, column.position, column.name)}: expected finite numbers, found {column.values[row]:g}",
            hint="replace infinite values, or take them as missing (NaN; na, --na inf)",
        )


def check_names(names: Sequence[str], place: str = "") -> None:
    """Column names must be distinct."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if name in seen:
            raise DataError(
                f"{place}columns {seen[name]} and {position} have the same name {shown(name)}",
                hint="give every column a name of its own",
            )
        seen[name] = position
