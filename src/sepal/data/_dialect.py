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
_QUOTED = re.compile(r'"[^"\n]*+"')


_TITLE_LINES, _TITLE_CHARACTERS = 10, 20_000  # lines above a header, and how far they are looked for


@dataclass(frozen=True)
class Dialect:
    """``delimiter`` None means runs of blanks; ``escape`` that a backslash may stand before a quote."""

    delimiter: str | None
    quote: str = '"'
    escape: bool = False
    decimal: str = "."


def records(text: str, dialect: Dialect, origin: Origin) -> Iterator[tuple[int, list[str]]]:
    """The rows of a text that ends in a newline: the line each starts on, and its cells. Blank lines are skipped.

    Raises DataError for a quote that is not closed, or closed too early.
    """
    delimiter, quote = dialect.delimiter, dialect.quote
    # The text is sniffed several times; many blank lines at its start are skipped in one go.
    position = text.rfind("\n", 0, _LEADING_BLANKS.match(text).end()) + 1  # type: ignore[union-attr]
    line, end_of_text = text.count("\n", 0, position) + 1, len(text)
    while position < end_of_text:
        end = text.find("\n", position)
        row = text[position:end]
        if quote in row:
            simple = _simple_quoted_row(row, dialect)
            cells, after = (simple, end + 1) if simple else _quoted_record(text, position, line, dialect, origin)
            yield line, cells
            line += text.count("\n", position, after)
            position = after
            continue
        if row and not (row.isspace() and (delimiter is None or delimiter not in row)):
            yield line, row.split(delimiter)
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
    if dialect not in _PATTERNS:
        _PATTERNS[dialect] = _cell_patterns(dialect)
    quoted, plain, separator = _PATTERNS[dialect]
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


def declared_delimiter(text: str) -> tuple[str, str | None]:
    """The text with Excel's first line ``sep=;`` made blank, and the delimiter it declares."""
    first, newline, rest = text.partition("\n")
    said = first.strip(' "')
    if not newline or said[:4].lower() != "sep=" or len(said) != 5 or said[4] not in DELIMITERS:
        return text, None
    return "\n" + rest, said[4]


def without_title(text: str) -> tuple[str, str | None]:
    """The text with the lines above its header made blank, and the first of them; None where there are none.

    A title has none of the signs between cells; below it at least three lines have as many as each other, and the first
    of these holds names only. A first line with as many of another sign as the second and most others is no title: that
    sign stands between the cells, and these may hold others. Signs inside quotes do not count.
    """
    head = text[:_TITLE_CHARACTERS].split("\n")
    filled = [i for i, line in enumerate(head[:-1]) if line.strip()]
    outside = [_QUOTED.sub("", head[i]) for i in filled]
    found = {delimiter: [line.count(delimiter) for line in outside] for delimiter in (",", ";", "\t", "|")}
    for counts in found.values():
        if len(counts) > 1 and counts[0] == counts[1] > 0 and 2 * counts.count(counts[0]) > len(counts):
            return text, None
    for delimiter, counts in found.items():
        first = next((k for k, count in enumerate(counts) if count), 0)
        below = counts[first : first + _TITLE_LINES]
        if not 0 < first <= _TITLE_LINES or len(below) < 3 or len(set(below)) > 1:
            continue
        if all(_is_name(cell) for cell in head[filled[first]].split(delimiter)):
            start = sum(len(line) + 1 for line in head[: filled[first]])
            return "\n" * filled[first] + text[start:], head[filled[0]].strip()
    return text, None


def _is_name(cell: str) -> bool:
    bare = cell.strip().strip("\"'")
    return bool(bare) and not bare[0].isdigit() and bare[0] not in "+-.,"


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
        for _, cells in islice(records(text, dialect, origin), SAMPLE_RECORDS):
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
