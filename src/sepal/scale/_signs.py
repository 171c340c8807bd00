"""The decimal sign by which a file was read, column by column: files that differ in it would mix 5.778 and 5778."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sepal.data import PartReading, Table, Written, shown
from sepal.exceptions import DataError
from sepal.scale._parts import FilePart, Partition
from sepal.scale._sources import load_part

POINT, COMMA = "decimal points", "decimal commas"
# The sign, a cell that tells it (what stands there, and the number), and whether the file leaves no doubt of it.
Sign = tuple[str, str, bool]
_NUMBER = re.compile(r"([0-9.,]*[0-9][0-9.,]*)(?:[eE]([+-]?[0-9]+))?")
_BLANKS = re.compile(r"[\s'\u2019]")
_EITHER = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")  # with the one sign 1.037, with the other 1037
_THREE = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")  # with commas as decimal signs 1.037 is 1037
_WHOLE = re.compile(rb"\.000(?![0-9])")
_LOOKED_AT = 100  # broken numbers among which one of three decimals is looked for
_ENOUGH = 5  # broken numbers none of which has three decimals, of which one or more would by chance
_LEAST = 1e-4  # broken numbers that are smaller may stand there as 5e-05, without any sign
_NO_TEXT = (b"PAR1", b"ARROW1", b"PK", b"{", b"[", b"@", b"%")  # columnar, workbooks, JSON lines, ARFF: points only


def signs_of(part: Partition, table: Table) -> tuple[dict[str, Sign], tuple[str, ...]]:
    """The decimal sign of each column of numbers that tells one, and columns of whole numbers that may hide a point.

    Only delimited texts are written with either sign; of anything else nothing is told.
    """
    if not isinstance(part, FilePart) or part.groups is not None or not _is_delimited(Path(part.path)):
        return {}, ()
    told: dict[str, Sign] = {}
    whole: list[str] = []
    for j, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True)):
        written = table.written.get(name)
        if kind != "numeric" or (written is not None and (written.dates or written.unit == "times")):
            continue
        values = table.values[:, j]
        sign = (None if written is None else _sign_of_texts(written)) or _sign_of_numbers(values)
        if sign is not None:
            told[name] = sign
        elif np.any((np.abs(values) >= 1) & (np.abs(values) < 1000)):
            whole.append(name)
    proven = {sign for sign, _, sure in told.values() if sure}
    told = {name: (sign, cell, sure or proven == {sign}) for name, (sign, cell, sure) in told.items()}
    return told, tuple(whole)


def hidden_points(part: Partition, reading: PartReading, names: Sequence[str]) -> dict[str, Sign]:
    """Of columns of whole numbers those whose cells are written as 5.000, with one of these.

    The texts are read again only where the file holds such a cell at all.
    """
    if not isinstance(part, FilePart) or part.groups is not None or not _is_delimited(Path(part.path)):
        return {}
    data = _bytes(Path(part.path)).replace(b"\0", b"")  # of UTF-16, too
    if not any(data[max(0, hit.start() - 1) : hit.start()].isdigit() for hit in _WHOLE.finditer(data)):
        return {}
    first = load_part(part, reading)
    signs, whole = signs_of(part, first)
    plain = [name for name in names if name in whole]
    sure = {sign for sign, _, sure in signs.values() if sure} == {POINT}
    if not plain:
        return {}
    given = reading.kinds if isinstance(reading.kinds, Mapping) else {}
    said = {name: kind for name, kind in given.items() if isinstance(name, str)}
    table = load_part(part, replace(reading, kinds={**said, **dict.fromkeys(plain, "nominal")})).select(plain)
    told = {}
    for name, levels in zip(table.names, table.levels, strict=True):
        cell = next((str(level) for level in levels or () if _THREE.fullmatch(str(level))), None)
        if cell is not None:
            told[name] = (POINT, _cell(cell, float(cell)), sure)
    return told


def sign_of_cell(text: str, number: float) -> str | None:
    """The decimal sign by which a text is that number; None where either would do.

    Examples
    --------
    >>> sign_of_cell("3.198", 3198.0), sign_of_cell("4,5 %", 4.5), sign_of_cell("1,037", 1037.0), sign_of_cell("7", 7.0)
    ('decimal commas', 'decimal commas', 'decimal points', None)
    """
    found = _NUMBER.search(_BLANKS.sub("", text))
    if found is None:
        return None
    digits, exponent = found[1], found[2] or "0"
    point = _value(digits.replace(",", ""), exponent) == abs(number)
    comma = _value(digits.replace(".", "").replace(",", "."), exponent) == abs(number)
    return None if point == comma else POINT if point else COMMA


def _value(digits: str, exponent: str) -> float:
    try:
        return float(f"{digits}e{exponent}")
    except ValueError:
        return math.nan


def _sign_of_texts(written: Written) -> Sign | None:
    told: Sign | None = None
    for number, text in written.texts.items():
        sign = sign_of_cell(text, number)
        if sign is not None:
            sure = _EITHER.fullmatch(text.strip()) is None and _EITHER.search(_BLANKS.sub("", text)) is None
            if sure:
                return sign, _cell(text, number), True
            told = told or (sign, _cell(text, number), False)
    return told


def _sign_of_numbers(values: NDArray[np.float64]) -> Sign | None:
    """Numbers that were taken as they stand are broken by a point."""
    size = np.abs(values)
    broken = values[(values != np.floor(values)) & (size >= _LEAST)]
    if not len(broken):
        return None
    texts = [f"{value:.15g}" for value in broken[:_LOOKED_AT].tolist()]
    three = next((text for text in texts if _THREE.fullmatch(text)), None)
    size = np.abs(broken)
    sure = bool(np.any((size < 1) | (size >= 1000) | (np.abs(size * 1000 - np.round(size * 1000)) > 1e-6)))
    sure = sure or (three is None and len(broken) >= _ENOUGH)
    text = three or texts[0]
    return POINT, _cell(text, float(text)), sure


def _cell(text: str, number: float) -> str:
    return f"{shown(text)} is {number:.15g}"


def _is_delimited(path: Path) -> bool:
    return not _bytes(path, 64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_NO_TEXT)


def _bytes(path: Path, most: int = -1) -> bytes:
    """The content of a file, or its beginning, unpacked."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path) if packed else path.open("rb") as file:
        return file.read(most)


def two_signs(name: str, first: str, other: str) -> DataError:
    """The error about a column that two files write with different decimal signs, of which one may be wrong.

    Examples
    --------
    >>> error = two_signs("a", 'in 1.csv "5.778" is 5.778', 'in 2.csv "3.198" is 3198')
    >>> print(str(error).splitlines()[0])
    column "a": in 1.csv "5.778" is 5.778, and in 2.csv "3.198" is 3198: the decimal signs differ
    """
    return DataError(
        f"column {shown(name)}: {first}, and {other}: the decimal signs differ",
        hint="write the numbers of all files with the same decimal sign and no signs between thousands; or put the "
        "rows into one file, of which all columns together tell the sign; or leave the column out: drop=..., --drop",
    )
