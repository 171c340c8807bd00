"""DATA on the command line: a bundled set by name, or a file."""

from __future__ import annotations

import difflib
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from sepal.cli._new_rows import new_row_notes
from sepal.cli._options import MissingChoice
from sepal.cli._partitions import Hear, in_partitions, refuse_for_one_file, sample_given
from sepal.cli._reading import Reading, TaskChoice, check_bundled, tell_cautions
from sepal.data import (
    Table,
    dated_target,
    group_labels,
    label_cells,
    load,
    names,
    read_table,
    same_labels,
    set_apart,
    shown,
)
from sepal.exceptions import DataError, ParameterError
from sepal.explore import kinds_as_in, number_to_predict, read_as_in


def given_table(
    data: str, target: str | None, reading: Reading, where: dict[str, Any] | None = None, hear: Hear | None = None
) -> Table:
    """The table a user means. A bundled name wins over a file of that name; ``./name`` is the file.

    ``where`` partitions are read; nothing else is read elsewhere. ``hear`` is told which rows of partitions it has.
    """
    check_bundled(data, reading)
    return _given(data, target, reading, where or {}, hear).with_task(reading.task)


def _dates_named(table: Table, task: str | None) -> Table:
    """The table with classes that are dates or times called so, and not by their seconds."""
    if task is not None or not dated_target(table) or number_to_predict(table):
        return table
    return table.with_task("classify")


def saying_task(reading: Reading, table: Table) -> Reading:
    """What was said of a table that was read, and that its dates are classes where they were taken for such."""
    named = table.target in table.written and np.asarray(table.y).dtype.kind == "U"
    return replace(reading, task=TaskChoice.CLASSIFY) if named else reading


def classes_given(
    data: str,
    target: str | None,
    reading: Reading,
    verb: str,
    where: dict[str, Any] | None = None,
    hear: Hear | None = None,
) -> Table:
    """As :func:`given_table`, for a verb that is about classes."""
    table = given_table(data, target, reading, where, hear)
    if number_to_predict(table) or reading.task == "regress":
        distinct = len(np.unique(np.asarray(table.y)))
        raise DataError(
            f'{verb} is about classes, and the target "{table.target}" holds numbers: {distinct:,} different ones in '
            f"{table.n_rows:,} rows",
            hint="--task classify takes each of them as a class; sepal evaluate and sepal train predict numbers",
        )
    return _dates_named(table, reading.task)


def learning_rows(
    data: str,
    target: str | None,
    reading: Reading,
    groups: str | None,
    missing: MissingChoice,
    where: dict[str, Any] | None = None,
    hear: Hear | None = None,
) -> tuple[Table, NDArray[np.float64] | None]:
    """The rows to learn from and their groups; what changes how results are to be read is said on stderr."""
    table, together = without_groups(given_table(data, target, reading.keeping(groups), where, hear), groups)
    tell_cautions(table, reading.task, number_to_predict(table))
    table = _dates_named(table, reading.task)
    if missing is MissingChoice.DISTANCE or not table.has_missing:
        return table, together
    complete = table.drop_missing()
    typer.echo(f"note: {complete.notes[-1]}", err=True)
    return complete, None if together is None else together[table.complete_rows]


def _given(data: str, target: str | None, reading: Reading, where: dict[str, Any], hear: Hear | None) -> Table:
    if in_partitions(data):
        return sample_given(data, target, reading, where, hear)
    refuse_for_one_file(**where)
    if data == "-":
        return _file(sys.stdin.buffer, target, reading)
    if data in names():
        return _bundled(data, target)
    refuse_unknown(data)
    return _file(data, target, reading)


def refuse_unknown(data: str) -> None:
    """Say that a word is neither a file nor a bundled set; the hint names the nearest."""
    if not Path(data).exists() and not _looks_like_path(data):
        near = difflib.get_close_matches(data, [*names(), *(file.name for file in Path().iterdir())], n=3, cutoff=0.5)
        suggestion = f"did you mean {' or '.join(near)}? " if near else ""
        raise DataError(
            f"{data}: there is no such file here, and no such bundled set",
            hint=f"{suggestion}'sepal datasets' lists the bundled sets",
        )


def without_groups(table: Table, column: str | None) -> tuple[Table, NDArray[np.float64] | None]:
    """The table without the column that holds the groups, and the groups of the rows."""
    if column is None:
        return table, None
    table = set_apart(table, [column], "--groups")
    return table, group_labels(table, column, "--groups")


def given_test(data: str, training: Table, reading: Reading) -> tuple[Table, tuple[str, ...]]:
    """The rows of a second file, read as the training rows were: the same target, columns and kinds; and what is noted
    about them.
    """
    bundled = data in names()
    if bundled:
        table = load(data).with_task(reading.task)
    else:
        content: Any = io.BytesIO(sys.stdin.buffer.read()) if data == "-" else data
        said = reading.arguments()
        kinds, ids = dict(said.pop("kinds") or {}), list(said.pop("ids"))

        def read(kinds: dict[str, Any], ids: list[str]) -> Table:
            if not isinstance(content, str):
                content.seek(0)
            return read_table(content, target=training.target, kinds=kinds or None, ids=ids, **said)

        table, _, _ = read_as_in(training, read, kinds, ids)
        table = table.with_task(reading.task)
    check_columns(data, table, training.names, "the training rows have")
    rows = _labels_as_in(training, table.select(list(training.names)), data)
    return rows, () if bundled else new_row_notes(data, table, rows, training.notes)


def _labels_as_in(training: Table, table: Table, data: str) -> Table:
    """The rows of a second file with labels that are texts as those of the training rows are written."""
    old = np.asarray(training.y)
    if old.dtype.kind not in "OU":
        return table
    table = table.with_task("classify") if dated_target(table) else table
    if table.y is None or table.y.dtype.kind not in "OU":
        return table  # numbers, which evaluate matches
    labels, codes = np.unique(table.y, return_inverse=True)
    classes = np.unique(old).tolist()
    meant = same_labels(labels.tolist(), classes, target=True)
    if not meant:
        found = shown(labels.tolist()[0])
        raise DataError(
            f'{data}: the column "{table.target}" holds labels such as {found}, and none is a class '
            f"of the training rows ({', '.join(map(shown, classes[:3]))}{', ...' if len(classes) > 3 else ''})",
            hint="name the classes in one way in both files",
        )
    return replace(table, y=np.array([meant.get(label, label) for label in labels.tolist()])[codes])


def check_columns(data: str, table: Table, wanted: Sequence[str], why: str) -> None:
    """Refuse a file that lacks a column; the hint names the nearest one."""
    for name in wanted:
        if name not in table.names:
            near = difflib.get_close_matches(name, table.names, n=1)
            raise DataError(
                f'{data}: there is no column "{name}", which {why}',
                hint=f'did you mean "{near[0]}"?' if near else f"the columns are {', '.join(table.names[:12])}",
            )


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows to be answered.

    ``rows`` has the columns of the model in its order, ``table`` all of the file; ``truth`` is the target where the
    file has it, and ``notes`` say how its cells were read.
    """

    rows: Table
    table: Table
    truth: list[Any] | None
    target: str | None
    notes: tuple[str, ...] = ()

    @property
    def others(self) -> list[str]:
        """Columns that the model does not know."""
        return [name for name in self.table.names if name not in self.rows.names and name != self.target]


def given_rows(data: str, wanted: Sequence[str], training: Table | None, like: Sequence[Any] | None) -> NewRows:
    """New rows, with the columns that a model wants.

    ``training`` holds the columns the model was made from: its target may be absent, and a column of texts stays one
    though the new texts happen to be numbers. ``like`` are the classes of the model, if it has any.
    """
    bundled = data in names()
    content: Any = io.BytesIO(sys.stdin.buffer.read()) if data == "-" else data
    table = load(data) if bundled else read_table(content, target=False)
    check_columns(data, table, wanted, "the model was trained with")
    if training is not None and not bundled and (kinds := kinds_as_in(training, table)):
        if not isinstance(content, str):
            content.seek(0)
        table = read_table(content, target=False, kinds=kinds)
    target = None if training is None else training.target
    rows, known = table.select(list(wanted)), () if training is None else training.notes
    notes = () if bundled else new_row_notes(data, table, rows, known, target)
    return NewRows(rows, table, _truth(table, target, like), target, notes)


def _truth(table: Table, target: str | None, like: Sequence[Any] | None) -> list[Any] | None:
    """The cells of the target, None where one is missing; None where the file has no such column."""
    if target is None or table.y is not None:
        return None if target is None or table.target != target else np.asarray(table.y).tolist()
    if target not in table.names:
        return None
    return label_cells(table, table.names.index(target), like)


def _looks_like_path(data: str) -> bool:
    return os.sep in data or "." in data


def _bundled(name: str, target: str | None) -> Table:
    table = load(name)
    if target is not None and target != table.target:
        raise ParameterError(
            f"--target {target}: the bundled set {name} has its target already, {table.target}",
            hint="--target is for files",
        )
    return table


def _file(path: Any, target: str | None, reading: Reading) -> Table:
    content = path if isinstance(path, str) else io.BytesIO(path.read())
    said = reading.arguments()
    try:
        return read_table(content, target=target, **said)
    except ParameterError:
        # No column of that name: a number may be meant as a position.
        if target is None or not target.removeprefix("-").isdecimal():
            raise
    if not isinstance(content, str):
        content.seek(0)
    return read_table(content, target=int(target), **said)
