"""Small files as people bring them: what is odd about each, and which cautions every verb must give."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.drawn import drawn

N = 60
WORDS = ("the", "order", "late", "box", "blue", "never", "called", "thanks", "parcel")


def _cells(rng: np.random.Generator) -> tuple[list[int], list[float], list[float], list[str]]:
    """Classes, two columns that follow them, and texts that do not."""
    y = rng.integers(0, 2, N)
    first, second = (np.round(rng.normal(size=N) + y, 3).tolist() for _ in range(2))
    texts = [" ".join(rng.choice(WORDS, 14)) for _ in range(N)]
    return y.tolist(), first, second, texts


Y, A, B, TEXTS = drawn(3, _cells)
LABEL = ["yes" if each else "no" for each in Y]


@dataclass(frozen=True)
class Messy:
    """``row`` makes the cells of a row; ``codes`` and ``said`` are what every verb tells of the file."""

    head: str
    row: Callable[[int], Sequence[Any]]
    codes: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    sep: str = ","
    encoding: str = "utf-8"
    first: str = ""

    def write(self, folder: Path) -> Path:
        """The file, and where it is."""
        rows = [self.head.split(","), *(self.row(i) for i in range(N))]
        text = self.first + "".join(self.sep.join(map(str, row)) + "\n" for row in rows)
        file = folder / "messy.csv"
        file.write_bytes(text.encode(self.encoding))
        return file


def _german(number: float) -> str:
    return f"{number:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")


BY_CLASS = np.argsort(Y, kind="stable").tolist()
FILES = {
    "names and dates": Messy(
        "customer,since,town,x,z,churn",
        lambda i: (f"Person {i}", f"{1 + i % 28}.{1 + i % 12}.2023", f"t{i % 7}", A[i], B[i], LABEL[i]),
        ("set_apart_identifier", "note"),
        (
            (
                'column "customer" is different in every row: set apart and not used; to use it, say what it is '
                "(kinds, --kind customer=nominal)"
            ),
            'dates (day.month.year) in column "since" were turned into seconds since 1970',
        ),
    ),
    "a column that determines the class": Messy(
        "diagnosis_code,x,z,churn",
        lambda i: ("AB"[Y[i]], A[i], B[i], LABEL[i]),
        ("determines_class",),
        ('"diagnosis_code" determines "churn": remove it if it is not known beforehand',),
    ),
    "sorted by class, with a counter": Messy(
        "idx,x,z,churn",
        lambda i: (1000 + i, A[BY_CLASS[i]], B[BY_CLASS[i]], LABEL[BY_CLASS[i]]),
        ("set_apart_row_number",),
        ('column "idx" numbers the rows: set apart and not used', "(kinds, --kind idx=numeric)"),
    ),
    "an index without a name": Messy(
        ",x,z,churn",
        lambda i: (i, A[i], B[i], LABEL[i]),
        ("set_apart_row_number", "note"),
        ("column 1 has no name and is called x1",),
    ),
    "classes that differ by case and blanks": Messy(
        "x,z,churn",
        lambda i: (A[i], B[i], LABEL[i] if i % 5 else LABEL[i].title() + " "),
        ("classes_alike", "classes_alike"),
        ('the classes "No", "no" differ by case or blanks only',),
    ),
    "German numbers and dates in Windows-1252": Messy(
        "Größe,datum,churn",
        lambda i: (_german(6000 + 900 * A[i]), f"{1 + i % 28:02d}.{1 + i % 12:02d}.2021", LABEL[i]),
        ("note", "note", "note"),
        (
            (
                "the file is not UTF-8 and was read as Windows-1252; if texts look wrong, say its encoding "
                "(encoding, --encoding)"
            ),
            'numbers in column "Größe" were read without signs between thousands and decimal commas',
        ),
        sep=";",
        encoding="cp1252",
    ),
    "tabs in UTF-16": Messy(
        "größe,x,churn",
        lambda i: (A[i], B[i], LABEL[i]),
        ("note",),
        ("the file was read as UTF-16, as the mark at its beginning says",),
        sep="\t",
        encoding="utf-16",
    ),
    "Excel's line about its separator": Messy("x,z,churn", lambda i: (A[i], B[i], LABEL[i]), sep=";", first="sep=;\n"),
    "marks of missing cells": Messy(
        "x,z,q,churn",
        lambda i: (A[i], "#N/A" if i % 9 == 0 else B[i], "-" if i % 11 == 0 else round(2 * A[i], 2), LABEL[i]),
        ("note",),
        ('column "q" holds numbers; "-" are missing',),
    ),
    "a name that stands twice": Messy(
        "x,x,churn",
        lambda i: (A[i], B[i], LABEL[i]),
        ("note",),
        ('names that stood twice were made unique: "x_2"',),
    ),
    "seven constant columns": Messy(
        "x,z,a,b,c,d,e,f,g,churn",
        lambda i: (A[i], B[i], *"1111111", LABEL[i]),
        ("constant",),
        ('only one distinct value in 7 columns: "a", "b", "c", "d", "e", ...',),
    ),
    "percents and euros": Messy(
        "share,price,churn",
        lambda i: (f"{50 + A[i]:.1f}%", f'"€ {1200 + 10 * B[i]:,.2f}"', LABEL[i]),
        ("note", "note"),
        ('numbers in column "share" were read without percent signs',),
    ),
    "rows without a target": Messy(
        "x,z,churn",
        lambda i: (A[i], B[i], LABEL[i] if i % 10 else ""),
        ("note",),
        ("6 of 60 rows without a target were dropped",),
        ("--missing-target", "drop"),
    ),
    "a class of two rows": Messy("x,z,churn", lambda i: (A[i], B[i], "rare" if i < 2 else LABEL[i])),
    "texts beside a number": Messy(
        "message,x,churn",
        lambda i: (f'"{TEXTS[i]}"', A[i], LABEL[i]),
        ("text",),
        ('column "message" holds texts: compared by the words in them',),
    ),
    "dates in several ways": Messy(
        "when,x,churn",
        lambda i: (f"{1 + i % 12}/{1 + i % 12}/2023" if i % 2 else f"2023-{1 + i % 12:02d}-03", A[i], LABEL[i]),
        ("note",),
        ('column "when" is nominal though it holds dates',),
    ),
    "a nearly numeric column": Messy(
        "x,z,churn",
        lambda i: (A[i], "abt 3" if i == 7 else B[i], LABEL[i]),
        ("set_apart_many_levels", "note"),
        ('column "z" is nominal though 59 of its 60 values are numbers: line 9 has "abt 3"; if these mean', "--na)"),
    ),
    "TRUE and FALSE": Messy("x,flag,churn", lambda i: (A[i], str(B[i] > 0).upper(), str(bool(Y[i])).upper())),
}


def json_lines(folder: Path) -> Path:
    """The same kind of rows as JSON lines, with an identifier and gaps."""
    file = folder / "messy.jsonl"
    rows = ({"id": f"K{i}", "x": A[i], "z": B[i] if i % 7 else None, "churn": LABEL[i]} for i in range(N))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file
