"""How a delimited text file is written: guessed from its first lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from sepal.data._where import Origin, shown
from sepal.exceptions import DataError

# A delimiter that splits all lines alike wins in this order. The comma comes last because it is also a decimal
# sign and a common character in texts; runs of blanks (None) are only tried when nothing else splits the lines.
DELIMITERS = ("\t", ";", "|", ",")
SAMPLE_CHARACTERS = 1 << 16
SAMPLE_RECORDS = 100


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
    position, line, end_of_text = 0, 1, len(text)
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


def sniff(text: str, origin: Origin) -> Dialect:
    """The dialect of a text that ends in a newline, judged by its first lines."""
    sample = text[:SAMPLE_CHARACTERS]
    if len(sample) < len(text):
        sample = sample[: sample.rfind("\n") + 1] or sample + "\n"
    quote = _quote(text, sample)
    best, best_share = None, 0.0
    for delimiter in (*DELIMITERS, None):
        if delimiter is None and best_share >= 0.5:
            break
        share = _share_alike(sample, Dialect(delimiter, quote), origin)
        if share > best_share:
            best, best_share = delimiter, share
    if best_share == 0.0:
        best = ","
    dialect = Dialect(best, quote, _escapes(text, quote, best))
    return Dialect(best, quote, dialect.escape, _decimal(sample, dialect, origin))


def _sample_records(sample: str, dialect: Dialect, origin: Origin) -> list[list[str]]:
    found: list[list[str]] = []
    try:
        found.extend(cells for _, cells in islice(records(sample, dialect, origin), SAMPLE_RECORDS))
    except DataError:
        # The sample may end inside a quoted text, or the delimiter is not the right one.
        return found
    return found


def _share_alike(sample: str, dialect: Dialect, origin: Origin) -> float:
    """The share of records with as many cells as the first; 0 if the first has one."""
    widths = [len(cells) for cells in _sample_records(sample, dialect, origin)]
    return widths.count(widths[0]) / len(widths) if widths and widths[0] > 1 else 0.0


def _quote(text: str, sample: str) -> str:
    """Single quotes count as quotes only where no double quote occurs and every cell that opens one closes it."""
    if '"' in text or "'" not in sample:
        return '"'
    opening = re.findall(r"(?m)(?:^|[,;\t|])[ ]*'", sample)
    whole = re.findall(r"(?m)(?:^|[,;\t|])[ ]*'[^'\n]*+(?:''[^'\n]*+)*+'[ ]*(?=$|[,;\t|])", sample)
    return "'" if whole and len(whole) == len(opening) else '"'


def _escapes(text: str, quote: str, delimiter: str | None) -> bool:
    r"""Whether ``\"`` stands for a quote: only if one occurs where doubled quotes could not explain it."""
    if "\\" + quote not in text:
        return False
    end = r"[ \t]" if delimiter is None else rf"[ ]*{re.escape(delimiter)}"
    return re.search(rf"\\{re.escape(quote)}(?!{re.escape(quote)}|{end}|[ \t]*\n)", text) is not None


def _decimal(sample: str, dialect: Dialect, origin: Origin) -> str:
    """A decimal comma is only believed next to semicolons, and only if no number has a point."""
    if dialect.delimiter != ";":
        return "."
    cells = [cell.strip() for row in _sample_records(sample, dialect, origin) for cell in row]
    comma = any(re.fullmatch(r"[+-]?\d*,\d+([eE][+-]?\d+)?", cell) for cell in cells)
    point = any(re.fullmatch(r"[+-]?\d*\.\d+([eE][+-]?\d+)?", cell) for cell in cells)
    return "," if comma and not point else "."
