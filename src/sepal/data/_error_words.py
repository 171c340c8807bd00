"""The words of messages: where something is, what was found there (without flooding the screen), one or many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST_SHOWN = 60
MOST_BITS = 1000


def shown(value: Any) -> str:
    """A value in an error text: texts in double quotes, long ones cut, control characters escaped."""
    if isinstance(value, str):
        cut = value if len(value) <= LONGEST_SHOWN else value[: LONGEST_SHOWN - 3] + "..."
        return '"' + "".join(c if c.isprintable() else repr(c)[1:-1] for c in cut) + '"'
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"a whole number of {value.bit_length():,} bits"  # Python refuses to spell out very long ones
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def listed(values: list[Any] | tuple[Any, ...], most: int = 8) -> str:
    """Some values in an error text, with ``...`` when there are more."""
    return ", ".join(shown(value) for value in values[:most]) + (", ..." if len(values) > most else "")


def constant_note(names: Sequence[str]) -> str:
    """What is said of columns that hold one value only; the first five are named.

    Examples
    --------
    >>> constant_note(["a", "b", "c", "d", "e", "f", "g"])
    '7 constant columns, which contribute nothing: "a", "b", "c", "d", "e", ...'
    """
    return f"{len(names)} {plural(len(names), 'constant column')}, which contribute nothing: {listed(list(names), 5)}"


def plural(number: int, word: str, many: str | None = None) -> str:
    """The word for so many things.

    Examples
    --------
    >>> f"1 {plural(1, 'row')}, 2 {plural(2, 'row')}, 3 {plural(3, 'class', 'classes')}"
    '1 row, 2 rows, 3 classes'
    """
    return word if number == 1 else many or f"{word}s"


@dataclass(frozen=True)
class Origin:
    """Where a table comes from: a file (rows are found by line) or memory (rows count from 0)."""

    source: str | None = None
    line_of: Callable[[int], int] | None = None

    def column(self, position: int, name: str) -> str:
        """``file.csv, column 3 ("age")`` or ``column "age"``."""
        return self._join(self._column(position, name))

    def cell(self, row: int, position: int, name: str) -> str:
        """``file.csv, line 7, column 3 ("age")`` or ``row 6, column "age"``."""
        return self._join(self._row(row), self._column(position, name))

    def line(self, number: int) -> str:
        """``file.csv, line 7``."""
        return self._join(f"line {number}")

    def _row(self, row: int) -> str:
        return f"row {row}" if self.line_of is None else f"line {self.line_of(row)}"

    def _column(self, position: int, name: str) -> str:
        return f"column {shown(name)}" if self.source is None else f"column {position + 1} ({shown(name)})"

    def _join(self, *parts: str) -> str:
        return ", ".join(parts if self.source is None else (self.source, *parts))


MEMORY = Origin()


def p_text(p: float | None) -> str:
    """A p-value for people."""
    if p is None:
        return "no test"
    return "< 1e-300" if p == 0 else f"{p:.3f}" if p >= 0.001 else f"{p:.0e}".replace("e-0", "e-")


def p_phrase(p: float | None) -> str:
    """The same as part of a sentence."""
    text = p_text(p)
    return text if p is None else f"p {text}" if p == 0 else f"p = {text}"


def dropped_note(n_dropped: int, n_rows: int) -> str:
    """What is said of rows that were left out since they have missing cells.

    Examples
    --------
    >>> dropped_note(16, 699)
    '16 of 699 rows with missing cells were dropped'
    """
    return f"{n_dropped:,} of {n_rows:,} rows with missing cells were dropped"
