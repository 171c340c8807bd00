"""Excel workbooks: the first sheet, as text that the reader of delimited files understands."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from sepal.data._error_words import listed, shown
from sepal.data._unpacking import most_unpacked
from sepal.exceptions import DataError, MissingDependencyError, SepalError

WORKBOOK = "xl/workbook.xml"
DELIMITER = "\t"  # in the text of a sheet


def is_workbook(data: bytes) -> bool:
    """Whether a file that begins like a zip archive is an Excel workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return WORKBOOK in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


@dataclass(frozen=True)
class Sheet:
    """The first sheet, a line for each row and tabs between cells; a note where there are more, and what to do if it is
    no table.

    ``numbers`` are the cells of each column that are numbers, as they are written, and have a point: that is no sign
    which somebody chose.
    """

    text: str
    numbers: Mapping[int, frozenset[str]]
    notes: tuple[str, ...]
    cure: str


def first_sheet(data: bytes, source: str) -> Sheet:
    """What is read of a workbook."""
    try:
        import openpyxl
    except ImportError as error:
        raise MissingDependencyError(
            f"{source}: reading Excel workbooks needs openpyxl, which is not installed", hint="pip install openpyxl"
        ) from error
    _check_size(data, source)
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        others = [each.title for each in book.worksheets[1:]]
        cure = _cure(sheet.title, others)
        text, numbers = _text(sheet.iter_rows(values_only=True), source, cure)
    except (SepalError, MemoryError):
        raise
    except Exception as error:  # whatever a damaged workbook makes of its reader
        raise DataError(
            f"{source}: expected a whole Excel workbook, found a damaged one ({shown(str(error))})"
        ) from error
    notes = (f"only the first of {len(others) + 1} sheets was read, {shown(sheet.title)}",) if others else ()
    return Sheet(text, numbers, notes, cure)


def _cure(title: str, others: list[str]) -> str:
    if not others:
        return "a sheet must hold a header and rows below it"
    more = "the other is" if len(others) == 1 else "the others are"
    return (
        f"only the first sheet is read, {shown(title)}; {more} {listed(others, 5)}: "
        "if the table is there, move that sheet to the front or save it as CSV"
    )


def _check_size(data: bytes, source: str) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        unpacked = sum(item.file_size for item in archive.infolist())
    if unpacked > most_unpacked(len(data)):
        raise DataError(f"{source}: a file of {len(data):,} bytes unpacks to {unpacked:,}; this is hardly a table")


def _text(rows: Iterable[tuple[Any, ...]], source: str, cure: str) -> tuple[str, dict[int, frozenset[str]]]:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=DELIMITER, lineterminator="\n", quoting=csv.QUOTE_ALL)
    numbers: dict[int, set[str]] = {}
    width = 0
    for row in rows:
        cells = [_cell(value) for value in row]
        for position, value in enumerate(row):
            if isinstance(value, (float, timedelta)) and "." in cells[position]:
                numbers.setdefault(position, set()).add(cells[position])
        while cells and not cells[-1].strip() and len(cells) > width:
            cells.pop()
        width = width or len(cells)
        if not any(cell.strip() for cell in cells):
            out.write("\n")  # keeps the number of the row
            continue
        writer.writerow(cells + [""] * (width - len(cells)))
    if not width:
        raise DataError(f"{source}: the first sheet is empty", hint=cure)
    return out.getvalue(), {position: frozenset(found) for position, found in numbers.items()}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ") if value.time() != time() else value.date().isoformat()
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return repr(value.total_seconds())
    return str(value)
