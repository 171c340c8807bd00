"""Answers as a table: which row it is, the truth, the answer, how probable, and on request all columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from sepal.cli._output import rows_text
from sepal.data import Table, apart_cells, column_cells, is_identifier_name, why_apart

if TYPE_CHECKING:
    from sepal.evaluation import Evaluation

TABLES = (".csv", ".json")
AllColumns = Annotated[
    bool, typer.Option("--all-columns", help="Write every column of the data beside the answers, not identifiers only.")
]


def answers_text(
    found: Evaluation, table: Table, path: Path, all_columns: bool = False, escape_formulas: bool = False
) -> str:
    """One line per answered row of the table, by its position there."""
    actual, predicted = found.actual, found.predicted
    answers: dict[str, list[Any]] = {"fold": found.fold.tolist()}
    if found.classes is None:
        answers |= {"actual": actual.tolist(), "prediction": predicted.tolist()}
    else:
        answers |= {
            "actual": found.classes[actual].tolist(),
            "prediction": found.classes[predicted].tolist(),
            "right": (actual == predicted).tolist(),
        }
        if found.share is not None:
            answers |= shares(found.classes.tolist(), found.share)
    columns = beside(answers, table.take(found.rows), found.rows.tolist(), [], all_columns)
    return rows_text("predictions", columns, path.suffix.lower() == ".json", escape_formulas)


def shares(classes: list[Any], share: Any) -> dict[str, list[Any]]:
    """The probabilities of each class, without the trillionth by which a tie is broken."""
    return {f"p({label})": share[:, c].round(10).tolist() for c, label in enumerate(classes)}


def beside(
    answers: dict[str, list[Any]], table: Table, rows: list[int], identifiers: list[str], all_columns: bool
) -> dict[str, list[Any]]:
    """The number of the row, what says which row it is, the answers, and where asked for all other columns.

    ``identifiers`` are columns of the table that count as such, beside those that were set apart.
    """
    places = {name: column_cells(table, j) for j, name in enumerate(table.names) if all_columns or name in identifiers}
    named = {each.name: apart_cells(each) for each in table.apart}
    named |= {name: places.pop(name) for name in identifiers if name in places}
    taken = {"row", *answers}
    return {
        "row": rows,
        **{_other_than(name, taken): cells for name, cells in named.items()},
        **answers,
        **{_other_than(name, taken): cells for name, cells in places.items()},
    }


def _other_than(name: str, taken: set[str]) -> str:
    """A name for a column of the data that no column of answers has."""
    while name in taken:
        name += " (data)"
    return name


def identifiers_among(table: Table, names: list[str], known: set[str]) -> list[str]:
    """Which of these columns say which row it is: as in training, by their name, or since every cell is different."""
    found = []
    for name in names:
        j = table.names.index(name)
        alike = why_apart(name, table.kinds[j], np.asarray(table.values[:, j]), table.levels[j])
        if name in known or is_identifier_name(name) or alike is not None:
            found.append(name)
    return found
