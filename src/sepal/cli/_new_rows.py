"""New rows: what is said of how their cells were read, and not what is said of rows to learn from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import typer

from sepal.cli._output import printable
from sepal.data import Table, shown


def new_row_notes(
    data: str, table: Table, rows: Table, known: Iterable[str] = (), target: str | None = None
) -> tuple[str, ...]:
    """How the cells of a ``table`` of new rows were read, and columns of ``rows`` without a single value.

    ``rows`` has the columns that are looked at, of which and of the ``target`` alone anything is said. What was
    ``known`` of the training rows is not said again, other cells as examples or not.
    """
    if not table.notes and not rows.has_missing:
        return ()
    from sepal.scale import reading_notes, same_fact

    gone = bool(np.isnan(rows.values).all(axis=0).any())
    empty = [each.text for each in rows.cautions if each.code == "empty"] if gone else []
    others = [name for name in table.names if name not in rows.names and name != target]
    said = {same_fact(note) for note in known}
    found = [*about_columns(reading_notes(table.notes), others), *empty]
    name = "standard input" if data == "-" else data
    return tuple(f"{name}: {note}" for note in dict.fromkeys(found) if same_fact(note) not in said)


def about_columns(notes: Sequence[str], others: Iterable[str]) -> list[str]:
    """The notes that are not about one of these columns alone.

    Examples
    --------
    >>> about_columns(['column "id" is odd', 'column "id" and 1 more are odd', 'column "x" is odd'], ["id"])
    ['column "id" and 1 more are odd', 'column "x" is odd']
    """
    alone = [re.compile(rf"column {re.escape(shown(name))}(?! and [0-9]+ more)") for name in others]
    return [note for note in notes if not any(pattern.search(note) for pattern in alone)]


def tell_notes(notes: Iterable[str]) -> None:
    """Say it on stderr."""
    for note in notes:
        typer.echo(f"caution: {printable(note)}", err=True)
