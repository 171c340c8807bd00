"""What several verbs understand in the same way: the words of their options, and what these turn into."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Any

import typer

from sepal.distances import DISTANCES
from sepal.exceptions import ParameterError

DATA_HELP = (
    "A CSV, ARFF, JSON lines, Parquet, Feather or Excel file, - for standard input, or the name of a bundled set. "
    "For a file that has such a name write ./NAME."
)
DISTANCE_HELP = "auto (euclidean for complete numbers, else heom), " + ", ".join(
    name for name, entry in DISTANCES.items() if not entry.required
)
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+) *([smh]?)")


class Missing(StrEnum):
    """What to do about missing cells."""

    DISTANCE = "distance"
    DROP = "drop"


class Scale(StrEnum):
    """How numbers are made comparable."""

    MINMAX = "minmax"
    STANDARD = "standard"
    NONE = "none"

    @property
    def parameter(self) -> Any:
        """As the functions of the library take it."""
        return None if self is Scale.NONE else self.value


Data = Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP)]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column with the classes: its name, or its position (from 0; -1 is the last). Without it a column "
        "called class, target or label, else the last.",
        show_default=False,
    ),
]
GroupColumn = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="COLUMN",
        help="The column that says which rows belong together (the patient, the batch): they are left out together, "
        "and the column is no feature. Without it copies of a row are kept together where their numbers show that "
        "records were repeated.",
        show_default=False,
    ),
]
MissingCells = Annotated[
    Missing,
    typer.Option(help="Missing cells: leave them to the distance, or drop the rows that have any."),
]
DistanceName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=DISTANCE_HELP,
    ),
]
ScaleName = Annotated[Scale, typer.Option(help="How numeric columns are scaled before distances are taken.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the same facts as one JSON object.")]


def seconds(text: str, option: str) -> float:
    """``60s``, ``2m``, ``1.5h``, or a plain number of seconds."""
    found = _DURATION.fullmatch(text.strip().lower())
    length = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not length > 0:
        raise ParameterError(
            f"{option} {text}: expected a time above 0, in seconds (s), minutes (m) or hours (h)", hint=f"{option} 60s"
        )
    return length


def size(text: str) -> int | float:
    """A share or a number of rows, as it is written."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    raise ParameterError(
        f"--train-size {text}: expected a share such as 0.5, or a number of rows such as 100",
        hint="--train-size 0.5",
    )
