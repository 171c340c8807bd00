"""How a delimited text file is written: guessed from its first lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from sepal.data._error_words import Origin, shown
from sepal.exceptions import DataError

# A delimiter that splits all lines alike wins in this order. The comma comes last because it is also a decimal
# sign and a common character in texts; runs of blanks (None) are only tried when nothing else splits the lines.
DELIMITERS = ("\t", ";", "|", ",")
SAMPLE_RECORDS = 100
_LEADING_BLANKS = re.compile(r"\s*+")


@dataclass(frozen=True)
class Dialect:
    """``delimiter`` None means runs of blanks; ``escape`` that a backslash may stand before a quote."""

    delimiter: str | None
    quote: str = '"'
    escape: bool = False
    decimal: str = "."


def records(text: str, dialect: Dialect, origin: Origin, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """The rows of a text that ends in a newline: the line each starts on, and its cells. Blank lines are skipped.

    Single quotes quote within a line only, and where they cannot be quotes they are characters; ``strict`` gives no
    cells for such a line. Raises DataError for a double quote that is not closed, or closed too early.
    """
    delimiter, quote = dialect.delimiter, dialect.quote
    # The text is sniffed several times; many blank lines at its start are skipped in one go.
    position = text.rfind("\n", 0, _LEADING_BLANKS.match(text).end()) + 1  # type: ignore[union-attr]
    line, end_of_text, width = text.count("\n", 0, position) + 1, len(text), 0
    while position < end_of_text:
        end = text.find("\n", position)
        row = text[position:end]
        if quote in row and quote == "'":
            cells = _cells_within_line(row, dialect, width, strict)
            yield line, cells
            width = width or len(cells)
        elif quote in row:
            simple = _simple_quoted_row(row, dialect)
            cells, after = (simple, end + 1) if simple else _quoted_record(text, position, line, dialect, origin)
            yield line, cells
            line += text.count("\n", position, after)
            position = after
            continue
        elif row and not (row.isspace() and (delimiter is None or delimiter not in row)):
            cells = row.split(delimiter)
            yield line, cells
            width = width or len(cells)
        position = end + 1
        line += 1


def _cell_patterns(dialect: Dialect) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A quoted cell, a plain cell, and what separates cells. Possessive, so that no text can make them slow."""
    quote = re.escape(dialect.quote)
    inside = rf"[^{quote}\\]" if dialect.escape else rf"[^{quote}]"
    special = rf"(?:{quote}{quote}|\\.)" if dialect.escape else rf"{quote}{quote}"
    separator = r"[ \t]+" if dialect.delimiter is None else re.escape(dialect.delimiter)
    plain = r"[^ \t\n]*" if dialect.delimiter is None else rf"[^{separator}\n]*"
    return (
        re.compile(rf"{quote}({inside}*+(?:{special}{inside}*+)*+)({quote}?)", re.DOTALL),
        re.compile(plain),
        re.compile(separator),
    )


_PATTERNS: dict[Dialect, tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]] = {}


def _patterns(dialect: Dialect) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    if dialect not in _PATTERNS:
        _PATTERNS[dialect] = _cell_patterns(dialect)
    return _PATTERNS[dialect]


def _simple_quoted_row(row: str, dialect: Dialect) -> list[str] | None:
    """The cells of a line the csv module reads without complaint; None where a closer look is needed."""
    if dialect.delimiter is None or dialect.escape or row.count(dialect.quote) % 2:
        return None
    if "\t" in row and dialect.delimiter != "\t":
        return None  # a tab before a quote: csv would take the quote as part of the text
    try:
        return next(
            csv.reader((row,), delimiter=dialect.delimiter, quotechar=dialect.quote, skipinitialspace=True, strict=True)
        )
    except csv.Error:
        return None


def _quoted_record(text: str, position: int, line: int, dialect: Dialect, origin: Origin) -> tuple[list[str], int]:
    """The cells of the record that starts here, and where the next one starts."""
    quoted, plain, separator = _patterns(dialect)
    start, opened, cells = position, line, []
    blanks = " " if dialect.delimiter == "\t" else " \t"
    while True:
        while text[position] in blanks:
            position += 1
        if text.startswith(dialect.quote, position):
            opened = line + text.count("\n", start, position)
            match = quoted.match(text, position)
            if match is None or not match[2]:
                raise DataError(
                    f"{origin.line(opened)}: the quote {dialect.quote} opened before "
                    f"{shown(text[position + 1 : position + 30])} is never closed",
                    hint="close it, or double it if it belongs to the text",
                )
            cells.append(_unquoted(match[1], dialect))
            position = match.end()
            while dialect.delimiter is not None and text[position] in blanks:
                position += 1
        else:
            position, begin = plain.match(text, position).end(), position  # type: ignore[union-attr]
            cells.append(text[begin:position])
        if text[position] == "\n":
            return cells, position + 1
        after = separator.match(text, position)
        if after is None:
            raise _text_after_quote(text, start, position, line, opened, dialect, origin)
        position = after.end()
        if dialect.delimiter is None and text[position] == "\n":
            return cells, position + 1


def _cells_within_line(row: str, dialect: Dialect, width: int, strict: bool) -> list[str]:
    """The cells of a line in which single quotes may stand around cells.

    Apostrophes are common in texts: where one opens a cell and none closes it, or the line would have other than
    ``width`` cells and has as many without quotes, they are characters; if ``strict``, such a line has no cells.
    """
    quoted, plain, separator = _patterns(dialect)
    text, position, cells = f"{row}\n", 0, list[str]()
    blanks = " " if dialect.delimiter == "\t" else " \t"
    while True:
        while text[position] in blanks:
            position += 1
        opened = text[position] == dialect.quote
        match = quoted.match(text, position) if opened else None
        end = match.end() if match is not None and match[2] else position
        while end > position and dialect.delimiter is not None and text[end] in blanks:
            end += 1
        if match is not None and end > position and (text[end] == "\n" or separator.match(text, end)):
            cells.append(_unquoted(match[1], dialect))
        elif opened and strict:
            return []
        else:
            end = plain.match(text, position).end()  # type: ignore[union-attr]
            cells.append(text[position:end])
        after = separator.match(text, end)
        if after is None or (dialect.delimiter is None and text[after.end()] == "\n"):
            break
        position = after.end()
    bare = row.split(dialect.delimiter)
    return bare if not strict and len(cells) != width == len(bare) else cells


def _text_after_quote(
    text: str, start: int, position: int, line: int, opened: int, dialect: Dialect, origin: Origin
) -> DataError:
    here = line + text.count("\n", start, position)
    since = "" if here == opened else f" (the quote was opened on line {opened})"
    return DataError(
        f"{origin.line(here)}: expected a delimiter after the closing quote, "
        f"found {shown(text[position : position + 30].split(chr(10))[0])}{since}",
        hint=f"a quote inside a quoted text must be doubled: {dialect.quote * 2}",
    )


def _unquoted(text: str, dialect: Dialect) -> str:
    if dialect.escape:
        return re.sub(rf"\\(.)|{re.escape(dialect.quote * 2)}", lambda m: m[1] or dialect.quote, text, flags=re.S)
    return text.replace(dialect.quote * 2, dialect.quote)


def sniff(text: str, origin: Origin, delimiter: str | None = None) -> Dialect:
    """The dialect of a text that ends in a newline, judged by its first records; the delimiter may be known."""
    if delimiter is not None:
        known = Dialect(delimiter, '"', _escapes(text, '"', delimiter))
        return replace(known, decimal=_decimal(known, _first_records(text, known, origin)[0]))
    dialect, rows, share = _best_delimiter(text, '"', origin)
    if "'" in text and '"' not in text:
        # Apostrophes are common in texts: they only count as quotes if that makes a difference and no harm.
        single, single_rows, single_share = _best_delimiter(text, "'", origin)
        if single_share >= share and single_rows != rows:
            dialect, rows = single, single_rows
    return replace(dialect, decimal=_decimal(dialect, rows))


def _best_delimiter(text: str, quote: str, origin: Origin) -> tuple[Dialect, list[list[str]], float]:
    """The dialect that splits most of the first records like the very first, those records, and their share."""
    best, best_rows, best_share = Dialect(",", quote, _escapes(text, quote, ",")), [], 0.0
    for delimiter in (*DELIMITERS, None):
        if delimiter is None and best_share >= 0.5:
            break
        dialect = Dialect(delimiter, quote, _escapes(text, quote, delimiter))
        rows, clean = _first_records(text, dialect, origin)
        share = _share_alike(rows, clean)
        if share > best_share:
            best, best_rows, best_share = dialect, rows, share
    return best, best_rows, best_share


def _first_records(text: str, dialect: Dialect, origin: Origin) -> tuple[list[list[str]], bool]:
    found: list[list[str]] = []
    try:
        for _, cells in islice(records(text, dialect, origin, strict=True), SAMPLE_RECORDS):
            found.append(cells)  # what was found before an error counts
    except DataError:
        return found, False
    return found, True


def _share_alike(rows: list[list[str]], clean: bool) -> float:
    """The share of records with as many cells as the first; a broken one counts against it. 0 for one cell."""
    widths = [len(cells) for cells in rows]
    return widths.count(widths[0]) / (len(widths) + (not clean)) if widths and widths[0] > 1 else 0.0


def _escapes(text: str, quote: str, delimiter: str | None) -> bool:
    r"""Whether ``\"`` stands for a quote: only if one occurs where doubled quotes could not explain it."""
    if "\\" + quote not in text:
        return False
    end = r"[ \t]" if delimiter is None else rf"[ ]*{re.escape(delimiter)}"
    return re.search(rf"\\{re.escape(quote)}(?!{re.escape(quote)}|{end}|[ \t]*\n)", text) is not None


def _decimal(dialect: Dialect, rows: list[list[str]]) -> str:
    """A decimal comma is only believed next to semicolons, and only if no number has a point."""
    if dialect.delimiter != ";":
        return "."
    cells = [cell.strip() for row in rows for cell in row]
    comma = any(re.fullmatch(r"[+-]?\d*,\d+([eE][+-]?\d+)?", cell) for cell in cells)
    point = any(re.fullmatch(r"[+-]?\d*\.\d+([eE][+-]?\d+)?", cell) for cell in cells)
    return "," if comma and not point else "."
