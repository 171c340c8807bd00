"""ARFF, Weka's table format: dense and sparse rows, weights, every attribute type but relational."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sepal.data._arff_header import QUOTED, Attribute, Header, quoted_text, read_header
from sepal.data._columns import Column, coded_column, levels_note, parse_number
from sepal.data._error_words import Origin, listed, shown
from sepal.data._source import BLOCK_ROWS, NoRowsError, Source
from sepal.data._unpacking import most_unpacked
from sepal.data._written import Written
from sepal.exceptions import DataError

_START = re.compile(r"(?:[ \t]*+(?:%[^\r\n]*+)?[\r\n])*+[ \t]*@relation\b", re.IGNORECASE)
_WEIGHT = re.compile(r",?[ \t]*+\{([^{}]*+)\}[ \t]*+(?:%.*+)?$")
_BLANKS = re.compile(r"[ \t]*+")
_UP_TO_COMMA, _UP_TO_BLANK = re.compile(r"[^,]*+"), re.compile(r"[^ \t,]++|,")
_COMMENT = re.compile(r"[ \t,]%.*")
# Within an unquoted cell: a comment or a weight that no comma precedes.
_CELL_END = re.compile(r"(?:^|[ \t])(?:%|\{[^{}]*+\}[ \t]*+(?:%.*)?$)")
_ENTRY = re.compile(r"[\s,]*+(\d++)\s++")
_UNQUOTED = re.compile(r"[^\s,}]++")
_MOST_DIGITS = 18  # of an attribute's number; more name none

# A cell is None where the file has an unquoted question mark.
Cell = str | None


class Row(NamedTuple):
    """One data row: all cells, or for a sparse row only those that are given."""

    line: int
    cells: list[Cell] | None
    entries: dict[int, Cell] | None
    weight: float


def looks_like_arff(text: str, source: str) -> bool:
    """By suffix, or because the first thing in it is @relation."""
    return source.lower().removesuffix(".gz").endswith(".arff") or _START.match(text) is not None


def read_arff(text: str, source: str) -> Source:
    """The columns of an ARFF file as declared."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    row_lines = array("Q")
    origin = Origin(source, row_lines.__getitem__)
    header = read_header(lines, origin)
    codings = [_coding(attribute) for attribute in header.attributes]
    weights = array("d")
    blocks, notes = [], header.notes
    rows = _rows(lines, header, origin)
    for sparse, group in groupby(rows, key=lambda row: row.cells is None):
        while block := list(islice(group, BLOCK_ROWS)):
            row_lines.extend(row.line for row in block)
            weights.extend(row.weight for row in block)
            _check_size(len(row_lines), len(codings), len(text), origin)
            first = len(row_lines) - len(block)
            blocks.append((_sparse_block if sparse else _dense_block)(block, codings, first, origin))
        if sparse and any(coding.attribute.type == "string" for coding in codings):
            notes = (*header.notes, "texts that sparse rows leave out were taken as missing")
    if not blocks:
        raise NoRowsError(
            f"{source}: a header and no rows",
            hint="at least one row is needed after @data",
            names=[coding.attribute.name for coding in codings],
        )
    values = np.concatenate(blocks)
    columns = [_column(coding, j, values[:, j]) for j, coding in enumerate(codings)]
    weighted = any(weight != 1.0 for weight in weights)
    return Source(
        columns,
        origin,
        notes=notes,
        weights=np.array(weights) if weighted else None,
        description=header.relation or None,
        whole_labels=False,
        as_texts=lambda position: _texts(_rows(lines, header, origin), header.attributes[position].name, position),
    )


def _texts(rows: Iterator[Row], name: str, position: int) -> Column:
    """The numbers of a column as they stand in the file; sparse rows leave zeros out."""
    cells = (row.cells[position] if row.cells is not None else (row.entries or {}).get(position, "0") for row in rows)
    return coded_column(name, position, cells)


def _check_size(rows: int, columns: int, packed: int, origin: Origin) -> None:
    """Sparse rows take room for every attribute once they are read: a small file must not fill the memory."""
    if 8 * rows * columns > most_unpacked(packed):
        raise DataError(
            f"{origin.source}: a file of {packed:,} characters declares more than {rows:,} rows of {columns:,} columns",
            hint="give rows with so many zeros as a scipy sparse matrix",
        )


def _rows(lines: Sequence[str], header: Header, origin: Origin) -> Iterator[Row]:
    width = len(header.attributes)
    for number in range(header.data_start + 1, len(lines) + 1):
        line = lines[number - 1].strip()
        if not line or line[0] == "%":
            continue
        if line[0] == "{":
            yield _sparse_row(line, number, width, origin)
            continue
        if "'" in line or '"' in line or "{" in line or "%" in line:
            cells, weight = _careful_cells(line, origin.line(number))
        else:
            cells, weight = _plain_cells(line), 1.0
        if len(cells) != width:
            raise DataError(
                f"{origin.line(number)}: expected {width} values, one per attribute, found {len(cells)}",
                hint="a value that contains a comma must be quoted",
            )
        yield Row(number, cells, None, weight)


def _plain_cells(line: str) -> list[Cell]:
    parts = line.split(",") if "," in line else line.split()
    if "?" in line or " " in line or "\t" in line:
        return [None if part == "?" else part for part in map(str.strip, parts)]
    return list(parts)


def _careful_cells(line: str, place: str) -> tuple[list[Cell], float]:
    """The cells of a row with quotes, a comment or a weight."""
    commas = "," in _COMMENT.sub("", QUOTED.sub("", line))
    plain = _UP_TO_COMMA if commas else _UP_TO_BLANK
    cells: list[Cell] = []
    position, expects_cell = 0, True
    while True:
        position = _BLANKS.match(line, position).end()  # type: ignore[union-attr]
        rest = line[position : position + 1]
        if rest in ("", "%"):
            break
        if rest == "{" and (found := _WEIGHT.match(line, position)):
            return cells, _weight(found[1], place)
        if not expects_cell and rest == ",":
            position, expects_cell = position + 1, True
            continue
        if not expects_cell and (commas or line[position - 1] not in " \t"):
            raise DataError(
                f"{place}: expected a comma, found {shown(line[position:])}",
                hint="a value with quotes or blanks in it must be quoted as a whole",
            )
        if rest in ("'", '"'):
            text, position = quoted_text(line, position, place)
            cells.append(text)
        else:
            text = plain.match(line, position)[0]  # type: ignore[index]
            cut = _CELL_END.search(text)
            text = text if cut is None else text[: cut.start()]
            position += len(text)
            cells.append(None if text.rstrip() == "?" else text.rstrip())
        expects_cell = False
    if expects_cell:
        cells.append("")  # a comma at the end
    return cells, 1.0


def _weight(text: str, place: str) -> float:
    weight = parse_number(text.strip(" \t"))
    if weight is None or not math.isfinite(weight) or weight < 0:
        raise DataError(f"{place}: expected a row weight of 0 or more between braces, found {shown(text)}")
    return weight


def _sparse_row(line: str, number: int, width: int, origin: Origin) -> Row:
    place = origin.line(number)
    entries: dict[int, Cell] = {}
    position = 1
    while True:
        match = _ENTRY.match(line, position)
        if match is None:
            break
        index, position = _index(match[1], width, place), match.end()
        if index in entries:
            raise DataError(f"{place}: expected each attribute at most once, found number {index}, given twice")
        if line[position : position + 1] in ("'", '"'):
            text, position = quoted_text(line, position, place)
            entries[index] = text
        else:
            plain = _UNQUOTED.match(line, position)
            if plain is None:
                raise DataError(f"{place}: expected a value for attribute {index}, found {shown(line[position:])}")
            entries[index], position = (None if plain[0] == "?" else plain[0]), plain.end()
    rest = line[position:].lstrip(" \t,")
    if not rest.startswith("}"):
        raise DataError(
            f"{place}: expected entries of attribute number and value up to }}, found {shown(rest)}",
            hint="a sparse row looks like {0 5.1, 3 'a text'}",
        )
    after = rest[1:].strip()
    if not after or after.startswith("%"):
        return Row(number, None, entries, 1.0)
    weight = _WEIGHT.match(after)
    if weight is None:
        raise DataError(f"{place}: expected the end of the row or a weight, found {shown(after)}")
    return Row(number, None, entries, _weight(weight[1], place))


def _index(digits: str, width: int, place: str) -> int:
    digits = digits.lstrip("0") or "0"
    if len(digits) > _MOST_DIGITS or int(digits) >= width:
        number = digits if len(digits) <= _MOST_DIGITS else f"{digits[:_MOST_DIGITS]}..."
        raise DataError(
            f"{place}: expected each attribute at most once, found number {number}, "
            f"but the attributes go from 0 to {width - 1}"
        )
    return int(digits)


class Coding(NamedTuple):
    """How the cells of one attribute become numbers."""

    attribute: Attribute
    code: Callable[[Cell], float]  # ValueError says what was expected
    omitted: float  # what a sparse row means by leaving it out: zero, the first level; of a text: missing
    levels: Callable[[], tuple[str, ...]]
    dates: dict[Cell, float] | None = None


def _coding(attribute: Attribute) -> Coding:
    if attribute.type == "nominal":
        return Coding(attribute, _nominal_code(attribute.levels), 0.0, lambda: attribute.levels)
    if attribute.type == "string":
        seen: dict[Cell, float] = {None: math.nan}
        return Coding(
            attribute,
            lambda cell: seen.setdefault(cell, len(seen) - 1.0),
            math.nan,
            lambda: tuple(text for text in seen if text is not None),
        )
    if attribute.type == "date":
        known: dict[Cell, float] = {None: math.nan}
        return Coding(attribute, _date_code(attribute, known), 0.0, tuple, known)
    return Coding(attribute, _number, 0.0, tuple)


def _nominal_code(levels: tuple[str, ...]) -> Callable[[Cell], float]:
    codes: dict[Cell, float] = {level: float(i) for i, level in enumerate(levels)}
    codes[None] = math.nan

    def code(cell: Cell) -> float:
        try:
            return codes[cell]
        except KeyError:
            raise ValueError(f"one of {listed(levels)}") from None

    return code


def _number(cell: Cell) -> float:
    if cell is None:
        return math.nan
    try:
        if "_" not in cell:
            return float(cell)
    except ValueError:
        raise ValueError("a number") from None
    raise ValueError("a number")


def _date_code(attribute: Attribute, known: dict[Cell, float]) -> Callable[[Cell], float]:
    parse = attribute.parse_date

    def code(cell: Cell) -> float:
        if cell not in known and parse is not None and cell is not None:
            known[cell] = parse(cell)
        return known[cell]

    return code


def _dense_block(block: list[Row], codings: list[Coding], first: int, origin: Origin) -> NDArray[np.float64]:
    values = np.empty((len(block), len(codings)))
    for j, cells in enumerate(zip(*(row.cells or () for row in block), strict=True)):
        try:
            values[:, j] = np.fromiter(map(codings[j].code, cells), dtype=np.float64, count=len(cells))
        except ValueError:
            # Some cell is wrong: go through them again to say which.
            values[:, j] = [_checked(codings[j], j, cell, first + i, origin) for i, cell in enumerate(cells)]
    return values


def _sparse_block(block: list[Row], codings: list[Coding], first: int, origin: Origin) -> NDArray[np.float64]:
    values = np.tile(np.array([coding.omitted for coding in codings]), (len(block), 1))
    for i, row in enumerate(block):
        for j, cell in (row.entries or {}).items():
            values[i, j] = _checked(codings[j], j, cell, first + i, origin)
    return values


def _checked(coding: Coding, j: int, cell: Cell, row: int, origin: Origin) -> float:
    try:
        return coding.code(cell)
    except ValueError as error:
        hint = "write ? for a missing value" if cell == "" else None
        raise DataError(
            f"{origin.cell(row, j, coding.attribute.name)}: expected {error}, found {shown(cell)}", hint=hint
        ) from error


def _column(coding: Coding, position: int, values: NDArray[np.float64]) -> Column:
    attribute = coding.attribute
    if attribute.type in ("numeric", "date"):
        texts = {second: text for text, second in (coding.dates or {}).items() if text is not None}
        return Column(attribute.name, position, values, written=Written(texts) if texts else None)
    levels = coding.levels()
    if attribute.type == "nominal":
        return Column(attribute.name, position, values, "nominal", levels, declared=True)
    return Column(
        attribute.name, position, values, "nominal", levels, notes=(levels_note(attribute.name, len(levels)),)
    )
