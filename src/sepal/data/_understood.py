"""A column of texts that people would call numbers or dates, and words about one that nearly is."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from sepal.data._columns import Column
from sepal.data._error_words import Origin, listed, shown
from sepal.data._messy_cells import (
    NO_NUMBER,
    SOFT_MISSING,
    Readings,
    beside_numbers,
    dates,
    each_a_date,
    messy_numbers,
)
from sepal.data._parsed_numbers import parsed_numbers
from sepal.data._written import Written


def _example(found: Mapping[str, float]) -> str:
    """The longest cell that is not written as its number would be, and the number."""
    text = max(found, key=lambda text: (text != f"{found[text]:.15g}", len(text), text))
    return f"{shown(text)} is {found[text]:.15g}"


def understood(column: Column, readings: Readings | None, decimal: str) -> Column | None:
    """A column of texts as numbers, where all of them are numbers or dates that people write; else None."""
    texts = [level for level in column.levels if level not in SOFT_MISSING]
    if not texts:
        return None
    soft = f"; {listed(gone)} are missing" if (gone := [t for t in column.levels if t in SOFT_MISSING]) else ""
    place = f"column {shown(column.name)}"
    written = None
    if readings is not None:
        found, left_out = readings.with_sign(decimal)
        notes = (f"numbers in {place} were read without {left_out}: {_example(found)}",) if left_out else ()
        notes = (f"{notes[0] if notes else f'{place} holds numbers'}{soft}",) if soft or notes else ()
        if left_out:
            spelled: dict[float, str] = {}
            for text, number in found.items():
                spelled.setdefault(number, text)
            written = Written(spelled, dates=False, unit=beside_numbers(texts))
    else:
        moments = dates(texts)
        if moments is None:
            return None
        found, what = moments
        since = "midnight" if what == "times" else "1970"
        notes = (f"{what} in {place} were turned into seconds since {since}{soft}",)
        written = Written({second: text for text, second in found.items()}, unit=what if what == "times" else "")
    table = np.array([found.get(level, math.nan) for level in column.levels])
    values = np.full(column.values.shape, np.nan)
    present = ~np.isnan(column.values)
    values[present] = table[column.values[present].astype(np.intp)]
    return Column(column.name, column.position, values, notes=notes, written=written)


def nearly(column: Column, decimal: str, origin: Origin) -> tuple[str, ...]:
    """A word about a column that is nominal though it looks otherwise."""
    texts = [level for level in column.levels if level not in SOFT_MISSING]
    if not each_a_date(texts):
        return _nearly_numeric(column, decimal, origin)
    why = "they are written in several ways, or day and month could change places; write the year first"
    return (f"column {shown(column.name)} is nominal though it holds dates: {why}",)


def _in_several_ways(column: Column) -> tuple[str, ...]:
    """A word about numbers of which each is one by itself, and not all in the same way."""
    first, *others = column.levels
    other = next((level for level in others if messy_numbers([first, level]) is None), others[-1])
    why = f"{shown(first)} and {shown(other)} are not written in one way; write all of them alike"
    return (f"column {shown(column.name)} is nominal though all its values are numbers: {why}",)


def _nearly_numeric(column: Column, decimal: str, origin: Origin) -> tuple[str, ...]:
    """A word about a column that is nominal because of a few cells."""
    levels, values = column.levels, column.values
    number = np.array(
        [
            NO_NUMBER.search(level) is None
            and (parsed_numbers([level], decimal) is not None or messy_numbers([level]) is not None)
            for level in levels
        ]
    )
    present_rows = np.flatnonzero(~np.isnan(values))
    number_mask = number[values[present_rows].astype(np.intp)] if levels else np.zeros(0, dtype=bool)
    if not number_mask.size or number_mask.mean() <= 0.5 or origin.line_of is None:
        return ()
    if number_mask.all():
        return _in_several_ways(column)
    odd = present_rows[np.flatnonzero(~number_mask)]
    cells = ", ".join(f"line {origin.line_of(int(row))} has {shown(levels[int(values[row])])}" for row in odd[:3])
    more = f" and {odd.size - 3} more" if odd.size > 3 else ""
    note = (
        f"column {shown(column.name)} is nominal though {int(number_mask.sum())} of its {number_mask.size} values "
        f"are numbers: {cells}{more}; if these mean missing cells, say so (na, --na)"
    )
    return (note,)
