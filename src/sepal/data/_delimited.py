"""CSV, TSV and their relatives."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data._columns import Column, KindsSpec, Wanted, resolve_kinds, sorted_levels
from sepal.data._decimal_signs import MAYBE_THOUSANDS, Says, said_by_texts, settled_sign, unsure_notes
from sepal.data._dialect import Dialect, declared_delimiter, records, sniff, without_title
from sepal.data._error_words import Origin, listed, shown
from sepal.data._messy_cells import (
    NO_NUMBER,
    SOFT_MISSING,
    Readings,
    beside_numbers,
    dates,
    each_a_date,
    messy_numbers,
    number_readings,
)
from sepal.data._source import BLOCK_ROWS, FolderColumn, NoRowsError, Source, folders_only
from sepal.data._written import Written
from sepal.exceptions import DataError

MISSING = frozenset(
    ("", "?", "na", "nan", "null", "n/a", "#n/a", "<na>", "nat", "#div/0!", "#value!", "#ref!", "#name?", "#num!")
)
_LEADING_ZERO = re.compile(r"\n\s*0[0-9]")  # of a code, perhaps, at the beginning of a line


def read_delimited(
    text: str,
    source: str,
    kinds: KindsSpec | None,
    na: frozenset[str] = frozenset(),
    folders: Sequence[FolderColumn] = (),
) -> Source:
    """The columns of a delimited text, kinds from its cells and from ``kinds``, which may name columns of ``folders``,
    too; ``na`` are further missing marks.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text += "" if text.endswith("\n") else "\n"
    text, said = declared_delimiter(text)
    text, title = (text, None) if said else without_title(text)
    lines = array("Q")
    origin = Origin(source, lines.__getitem__)
    dialect = sniff(text, origin, said)
    first = next(records(text, dialect, origin), None)
    if first is None:
        raise DataError(f"{source}: the file holds blank lines only", hint="a header and rows are needed")
    names, notes, skip = _header(first, dialect)
    if title is not None:
        notes.insert(0, f"the lines above the header were left out: {shown(title)}")
    wanted = resolve_kinds(kinds, [*names, *(name for name, _ in folders_only(names, folders))])
    columns = [_Growing(name, j, _wants_text(wanted.get(j)), na) for j, name in enumerate(names)]
    _fill(columns, text, dialect, origin, skip, lines)
    if not lines:
        ends_in_delimiter = _is_unnamed(names, first[1])
        raise NoRowsError(
            f"{source}: a header and no rows",
            hint="at least one row of data is needed",
            names=names[:-1] if ends_in_delimiter else names,
        )
    decimal = dialect.decimal

    def read_again(positions: Sequence[int]) -> dict[int, _Growing]:
        fresh = {position: _Growing(names[position], position, True, na) for position in positions}
        _fill(list(fresh.values()), text, dialect, origin, skip, None)
        return fresh

    def as_texts(position: int) -> Column:
        return read_again([position])[position].finish(decimal, asked=True, origin=origin)

    late = [column.position for column in columns if column.turned_text and column.chunks_before > 0]
    if late:  # these looked numeric for the first blocks, whose texts are gone
        fresh = read_again(late)
        columns = [fresh.get(column.position, column) for column in columns]
    heard = [column.says(dialect.decimal) for column in columns]
    decimal = settled_sign(heard, dialect.decimal, dialect.delimiter)
    misread = [j for j, each in enumerate(heard) if each.plain and each.unsure and decimal != dialect.decimal]
    if misread:  # signs that were taken as decimal ones stand between thousands
        fresh = read_again(misread)
        columns = [fresh.get(column.position, column) for column in columns]
    else:
        notes += unsure_notes(heard, decimal, dialect.delimiter)
    asked = {j for j, want in wanted.items() if _wants_text(want)}
    finished = [column.finish(decimal, asked=column.position in asked, origin=origin) for column in columns]
    if _is_unnamed(names, first[1]) and np.isnan(finished[-1].values).all():
        finished.pop()
        notes.append("a delimiter at the end of every line was ignored")
    return Source(
        finished,
        origin,
        notes=tuple(notes),
        as_texts=as_texts,
        widened_by="cells may be separated by commas, semicolons, tabs, bars or blanks",
        soft_missing=True,
    )


def _is_unnamed(names: Sequence[str], header: Sequence[str]) -> bool:
    """Whether the last column has no name: a delimiter may stand at the end of every line."""
    return names[-1] == f"x{len(names)}" and header[-1].strip() == ""


def _wants_text(wanted: Wanted | None) -> bool:
    return wanted is not None and wanted not in ("numeric", "date")


def _header(first: tuple[int, list[str]], dialect: Dialect) -> tuple[list[str], list[str], int]:
    """Names, notes, and how many records to skip. Only a first row of numbers (and gaps) is no header."""
    cells = first[1]
    texts = [cell.strip() for cell in cells]
    present = [text for text in texts if text.lower() not in MISSING]
    numbers = sum(_parsed_numbers([text], dialect.decimal) is not None for text in present)
    if present and numbers == len(present):
        notes = [f"the file has no header; its columns are called x1 to x{len(texts)}"]
        return [f"x{j + 1}" for j in range(len(texts))], notes, 0
    names = [text or f"x{j + 1}" for j, text in enumerate(texts)]
    notes = [f"column {j + 1} has no name and is called x{j + 1}" for j, text in enumerate(texts[:-1]) if not text]
    if numbers > len(present) / 2:
        notes.append(
            f"the first row was taken as the header though {numbers} of its {len(texts)} cells are numbers; "
            "if the file has no header, add one"
        )
    names, renamed = _unique_names(names)
    return names, [*notes, *renamed], 1


def _unique_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Each name once: the second ``age`` is ``age_2``; and a note that says so."""
    taken, found, renamed = set(names), list[str](), list[str]()
    count: dict[str, int] = {}
    for name in names:
        count[name] = count.get(name, 0) + 1
        new = name
        while count[name] > 1 and new in taken:
            new = f"{name}_{count[name]}"
            count[name] += new in taken
        if new != name:
            taken.add(new)
            renamed.append(new)
        found.append(new)
    if not renamed:
        return found, []
    return found, [f"names that stood twice were made unique: {listed(renamed, 5)}"]


def _fill(
    columns: Sequence[_Growing],
    text: str,
    dialect: Dialect,
    origin: Origin,
    skip: int,
    lines: array[int] | None,
) -> None:
    """Feed all rows to the columns, block by block; ``lines`` collects where each row starts."""
    rows = islice(records(text, dialect, origin), skip, None)
    width = None if lines is None else len(columns)
    while block := list(islice(rows, BLOCK_ROWS)):
        if width is not None and lines is not None:
            for line, cells in block:
                if len(cells) != width:
                    _refuse_ragged(line, cells, width, dialect, origin, first=not lines)
                lines.append(line)
        cells_by_column = list(zip(*(cells for _, cells in block), strict=True))
        for column in columns:
            column.add(cells_by_column[column.position], dialect.decimal)


def _refuse_ragged(line: int, cells: list[str], width: int, dialect: Dialect, origin: Origin, *, first: bool) -> None:
    called = {"\t": "a tab", None: "blanks"}.get(dialect.delimiter, f'"{dialect.delimiter}"')
    if first and len(cells) == width + 1:
        hint = "the header is one name short; if the first column holds row names, give it a name"
    else:
        hint = f"cells are separated by {called} here; a text that contains it must be quoted"
    raise DataError(f"{origin.line(line)}: expected {width} cells as in the header, found {len(cells)}", hint=hint)


def _parsed_numbers(cells: Sequence[str], decimal: str) -> NDArray[np.float64] | None:
    """The cells as numbers, NaN where one is missing; None if some cell is no number."""
    if decimal == ",":
        # A point has no place next to decimal commas; the underscore makes the cell a text.
        cells = [cell.replace(".", "_").replace(",", ".", 1) for cell in cells]
    numbers = []
    for cell in cells:
        try:
            numbers.append(float(cell))
        except ValueError:
            bare = cell.strip()  # also of the separators \x1c to \x1f, which float() leaves in place
            if bare.lower() in MISSING:
                numbers.append(math.nan)
                continue
            try:
                numbers.append(float(bare))
            except ValueError:
                return None
    # Python reads 1_000 as a number; a data file hardly means one.
    return None if "_" in "".join(cells) else np.array(numbers, dtype=np.float64)


@dataclass(eq=False)
class _Growing:
    """A column while it is read: numbers until a text is met, then codes of texts in order of appearance."""

    name: str
    position: int
    is_text: bool = False
    na: frozenset[str] = frozenset()
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
            numbers = _parsed_numbers(cells, decimal)
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
            if decimal not in cell:
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
        return said_by_texts(self.name, self.texts, self.readings)

    @cached_property
    def readings(self) -> Readings | None:
        """Its texts as numbers, but for those that are missing among numbers; None where some are none."""
        texts = [text for text in sorted(self.texts) if text not in SOFT_MISSING]
        return number_readings(texts) if texts else None

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
        levels = sorted_levels(self.texts, decimal) if asked else tuple(sorted(self.texts))
        rank = np.empty(len(levels))
        for i, level in enumerate(levels):
            rank[self.texts[level]] = i
        present = ~np.isnan(values)
        values[present] = rank[values[present].astype(np.intp)]
        column = Column(self.name, self.position, values, "nominal", levels)
        if asked:
            return column
        return _understood(column, self.readings, decimal) or replace(column, notes=_nearly(column, decimal, origin))


def _example(found: Mapping[str, float]) -> str:
    """The longest cell that is not written as its number would be, and the number."""
    text = max(found, key=lambda text: (text != f"{found[text]:.15g}", len(text), text))
    return f"{shown(text)} is {found[text]:.15g}"


def _understood(column: Column, readings: Readings | None, decimal: str) -> Column | None:
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


def _nearly(column: Column, decimal: str, origin: Origin) -> tuple[str, ...]:
    """A word about a column that is nominal though it looks otherwise."""
    texts = [level for level in column.levels if level not in SOFT_MISSING]
    if not each_a_date(texts):
        return _nearly_numeric(column, decimal, origin)
    why = "they are written in several ways, or day and month could change places; write the year first"
    return (f"column {shown(column.name)} is nominal though it holds dates: {why}",)


def _nearly_numeric(column: Column, decimal: str, origin: Origin) -> tuple[str, ...]:
    """A word about a column that is nominal because of a few cells."""
    levels, values = column.levels, column.values
    number = np.array(
        [
            NO_NUMBER.search(level) is None
            and (_parsed_numbers([level], decimal) is not None or messy_numbers([level]) is not None)
            for level in levels
        ]
    )
    present_rows = np.flatnonzero(~np.isnan(values))
    number_mask = number[values[present_rows].astype(np.intp)] if levels else np.zeros(0, dtype=bool)
    if not number_mask.size or not 0.5 < number_mask.mean() < 1 or origin.line_of is None:
        return ()
    odd = present_rows[np.flatnonzero(~number_mask)]
    cells = ", ".join(f"line {origin.line_of(int(row))} has {shown(levels[int(values[row])])}" for row in odd[:3])
    more = f" and {odd.size - 3} more" if odd.size > 3 else ""
    note = (
        f"column {shown(column.name)} is nominal though {int(number_mask.sum())} of its {number_mask.size} values "
        f"are numbers: {cells}{more}; if these mean missing cells, say so (na, --na)"
    )
    return (note,)
