"""Which decimal sign a file has: columns that can be read with one sign only prove it, and the others follow."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sepal.data._error_words import shown
from sepal.data._messy_cells import LONGEST, NO_NUMBER, SOFT_MISSING, Readings, number_readings

# With the one decimal sign 1.0, with the other 1000.
MAYBE_THOUSANDS = {sign: re.compile(rf"[+-]?[1-9][0-9]{{0,2}}{re.escape(sign)}[0-9]{{3}}") for sign in ",."}
_WORDS = {",": "comma", ".": "point"}
# Of limits, dates, times and the like: no cell that could prove a decimal sign.
_NO_PROOF = re.compile("[<>=~:/]")
_DIGIT = re.compile("[0-9]")


@dataclass(frozen=True)
class Says:
    """What one column says: the decimal sign it proves, or a cell that would be another number with the other sign.

    ``plain`` says that its cells were taken as they stand, without a note.
    """

    column: str
    proves: str = ""
    unsure: str = ""
    plain: bool = False


def said_by_texts(column: str, texts: Iterable[str], readings: Readings | None, known: Collection[str] = ()) -> Says:
    """What a column of texts says; ``readings`` are those of all its texts, None where some are no numbers.

    A few cells that are no numbers do not keep the others from proving a sign; those of ``known`` prove none.

    >>> said_by_texts("x", ["0,5 %", "k. A.", "1,25 %"], None).proves
    ','
    """
    if readings is None:
        cells = [text for text in texts if text not in SOFT_MISSING]
        numbers = [cell for cell in cells if _may_be_number(cell)]
        readings = number_readings(numbers, known) if 2 * len(numbers) > len(cells) else None
        if readings is None or len(readings.by_sign) > 1:
            return Says(column)
    if len(readings.by_sign) == 1:
        return Says(column, proves=next(iter(readings.by_sign)))
    point, comma = readings.by_sign["."], readings.by_sign[","]
    return Says(column, unsure=next((text for text in point if point[text] != comma[text]), ""))


def _may_be_number(cell: str) -> bool:
    odd = len(cell) > LONGEST or NO_NUMBER.search(cell) or _NO_PROOF.search(cell)
    return not odd and _DIGIT.search(cell) is not None


def settled_sign(said: Sequence[Says], delimiter: str | None) -> str:
    """The decimal sign of the file: the one that more columns prove, in whatever order its rows stand.

    Where as many prove the one as the other, or none proves any, commas between digits are decimal commas next to
    semicolons, unless there are points too.
    """
    proven = "".join(each.proves for each in said)
    if proven.count(",") != proven.count("."):
        return max(",.", key=proven.count)
    unsure = "".join(each.unsure for each in said)
    return "," if delimiter == ";" and "," in unsure and "." not in unsure else "."


def unsure_notes(said: Sequence[Says], decimal: str, delimiter: str | None) -> list[str]:
    """A word where nothing in the file tells a decimal sign from one between thousands, or some column proves another.

    ``decimal`` is the sign with which plain columns were taken.
    """
    unsure = [each for each in said if each.plain and each.unsure]
    proof = {each.proves: each.column for each in reversed(said) if each.proves}
    if not unsure or not (proof.keys() - {decimal} if proof else delimiter == ";"):
        return []
    cell, word = unsure[0].unsure, _WORDS[decimal]
    others = f" and {len(unsure) - 1} more" if len(unsure) > 1 else ""
    told = zip(sorted(proof), (" has", ""), strict=False)
    why = ",".join(f" {shown(proof[sign])}{has} decimal {_WORDS[sign]}s" for sign, has in told)
    number = f"{float(cell.replace(',', '.')):g}"
    note = (
        f"the {word} of {shown(cell)} in column {shown(unsure[0].column)}{others} was taken as a decimal {word} "
        f"({number}){';' if why else ''}{why}; if {word}s stand between thousands here, write the numbers "
        "without them"
    )
    return [note]
