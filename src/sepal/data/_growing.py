"""A column of a delimited text while it is read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data._columns import Column, sorted_levels
from sepal.data._decimal_signs import MAYBE_THOUSANDS, Says, said_by_texts
from sepal.data._error_words import Origin, shown
from sepal.data._messy_cells import SOFT_MISSING, Readings, number_readings
from sepal.data._parsed_numbers import MISSING, parsed_numbers
from sepal.data._understood import nearly, understood
from sepal.data._written import Written

_LEADING_ZERO = re.compile(r"\n\s*0[0-9]")  # of a code, perhaps, at the beginning of a line


@dataclass(eq=False)
class Growing:
    """A column while it is read: numbers until a text is met, then codes of texts in order of appearance."""

    name: str
    position: int
    is_text: bool = False
    na: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()  # cells that are numbers whatever the decimal sign
    turned_text: bool = False
    chunks_before: int = 0
    maybe_thousands: str = ""  # the first cell like 1,000
    sure: bool = False  # some cell has a decimal sign that cannot stand between thousands
    chunks: list[NDArray[np.float64]] = field(default_factory=list)
    spelled: dict[float, str] = field(default_factory=dict)  # of numbers with a decimal comma, or a leading zero
    leading_zero: str | None = None  # the first cell like 007
    code_of: dict[str, float] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)

    def add(self, cells: Sequence[str], decimal: str) -> None:
        if self.na:
            cells = ["" if cell.strip() in self.na else cell for cell in cells]
        if not self.is_text:
            numbers = parsed_numbers(cells, decimal)
            if numbers is not None:
                self.chunks.append(numbers)
                joined = "\n".join(cells)
                if not self.sure and decimal in joined:
                    self._look_at_signs(cells, decimal)
                if decimal == ",":
                    self._keep_spelling(numbers, cells, ",")
                if _LEADING_ZERO.search("\n" + joined):
                    self._keep_spelling(numbers, cells, "0")
                return
            self.is_text = self.turned_text = True
            self.chunks_before = len(self.chunks)
            self.chunks.clear()
        if self.chunks_before:
            return  # will be read again
        self.chunks.append(self._codes(cells))

    def _keep_spelling(self, numbers: NDArray[np.float64], cells: Sequence[str], sign: str) -> None:
        """Remember how numbers with a decimal comma, or with a zero before other digits, stand there."""
        for number, cell in zip(numbers.tolist(), map(str.strip, cells), strict=True):
            if sign in cell and (sign == "," or _LEADING_ZERO.match("\n" + cell)):
                self.spelled.setdefault(number, cell)
                if sign == "0":
                    self.leading_zero = self.leading_zero or cell

    def _zero_notes(self) -> tuple[str, ...]:
        """A word about numbers that may be codes."""
        if self.leading_zero is None:
            return ()
        what = f"column {shown(self.name)} holds numbers, though {shown(self.leading_zero)} begins with a zero"
        return (f"{what}; if these are codes, say so (kinds, --kind {self.name}=nominal)",)

    def _look_at_signs(self, cells: Iterable[str], decimal: str) -> None:
        maybe = MAYBE_THOUSANDS[decimal]
        for cell in cells:
            if decimal not in cell or cell in self.known:
                continue
            if not maybe.fullmatch(cell.strip()):
                self.sure = True
                return
            self.maybe_thousands = self.maybe_thousands or cell.strip()

    def says(self, decimal: str) -> Says:
        """What the column says of the decimal sign of its file, once it is whole."""
        if not self.is_text:
            unsure = "" if self.sure else self.maybe_thousands
            return Says(self.name, proves=decimal if self.sure else "", unsure=unsure, plain=True)
        return said_by_texts(self.name, self.texts, self.readings, self.known)

    def stands(self, decimal: str) -> bool:
        """Whether its cells are numbers as they stand, but for those that are missing among numbers."""
        return (
            not self.is_text
            or parsed_numbers([text for text in self.texts if text not in SOFT_MISSING], decimal) is not None
        )

    @property
    def is_empty(self) -> bool:
        """Whether it holds no cell that is not missing."""
        return not self.chunks_before and all(np.isnan(chunk).all() for chunk in self.chunks)

    @cached_property
    def readings(self) -> Readings | None:
        """Its texts as numbers, but for those that are missing among numbers; None where some are none."""
        texts = [text for text in sorted(self.texts) if text not in SOFT_MISSING]
        return number_readings(texts, self.known) if texts else None

    def _codes(self, cells: Iterable[str]) -> NDArray[np.float64]:
        codes, known = [], self.code_of
        for cell in cells:
            code = known.get(cell)
            if code is None:
                stripped = cell.strip()
                missing = stripped.lower() in MISSING
                code = math.nan if missing else float(self.texts.setdefault(stripped, len(self.texts)))
                known[cell] = code
            codes.append(code)
        return np.array(codes, dtype=np.float64)

    def finish(self, decimal: str, *, asked: bool, origin: Origin) -> Column:
        """The column; ``asked`` says that its texts are wanted as they stand."""
        values = np.concatenate(self.chunks)
        self.chunks.clear()
        if not self.is_text:
            written = Written(self.spelled, dates=False) if self.spelled else None
            return Column(self.name, self.position, values, notes=self._zero_notes(), written=written)
        # What is not asked for as texts and is all numbers becomes numeric, in whatever order.
        levels = sorted_levels(self.texts, decimal, self.known) if asked else tuple(sorted(self.texts))
        rank = np.empty(len(levels))
        for i, level in enumerate(levels):
            rank[self.texts[level]] = i
        present = ~np.isnan(values)
        values[present] = rank[values[present].astype(np.intp)]
        column = Column(self.name, self.position, values, "nominal", levels)
        if asked:
            return column
        return understood(column, self.readings, decimal) or replace(column, notes=nearly(column, decimal, origin))
