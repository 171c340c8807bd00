"""What can be said about a file when it is read: one set of options for all verbs, and what these turn into."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any, get_type_hints

import numpy as np
import typer

from sepal.data import Caution, Table, all_cautions, caution_texts, kind_said, names, plural
from sepal.exceptions import ParameterError


class TaskChoice(StrEnum):
    """What the target is."""

    CLASSIFY = "classify"
    REGRESS = "regress"


class MissingTarget(StrEnum):
    """What to do about rows without a target."""

    ERROR = "error"
    DROP = "drop"


def _option(word: str, text: str, **more: Any) -> Any:
    return typer.Option(word, help=text, show_default=False, **more)


DropColumns = Annotated[
    list[str] | None, _option("--drop", "Columns to leave out: a,b. May be given several times.", metavar="NAMES")
]
OnlyColumns = Annotated[list[str] | None, _option("--columns", "Use these columns only: a,b.", metavar="NAMES")]
ColumnKinds = Annotated[
    list[str] | None,
    _option(
        "--kind",
        "What a column is: nominal, ordinal, numeric, date or text, or its levels in order (size=S<M<L); a level that "
        """holds < or = stands in double quotes ('age="<18"<18-65<">65"'). A column that would be set apart is used """
        "once its kind is given. May be given several times.",
        metavar="COLUMN=KIND",
    ),
]
TargetTask = Annotated[
    TaskChoice | None, _option("--task", "Take a target of numbers as classes, or as numbers to predict.")
]


@dataclass(frozen=True)
class Reading:
    """The options as they were given; each becomes an option of every verb that reads labelled rows."""

    drop: DropColumns = None
    columns: OnlyColumns = None
    ids: Annotated[
        list[str] | None,
        _option("--id", "Columns that only say which row it is: kept for output, never used.", metavar="NAMES"),
    ] = None
    kind: ColumnKinds = None
    na: Annotated[
        list[str] | None, _option("--na", "Further marks of missing cells: unknown,-999.", metavar="MARKS")
    ] = None
    encoding: Annotated[
        str | None,
        _option(
            "--encoding", "How the text is encoded. Without it UTF-8, UTF-16 by its mark, Windows-1252.", metavar="NAME"
        ),
    ] = None
    missing_target: Annotated[
        MissingTarget, _option("--missing-target", "Rows without a target: an error, or drop them.")
    ] = MissingTarget.ERROR
    task: TargetTask = None

    def arguments(self) -> dict[str, Any]:
        """As ``read_table`` takes them."""
        return {
            "columns": None if self.columns is None else listed_names(self.columns),
            "drop": listed_names(self.drop or []),
            "ids": listed_names(self.ids or []),
            "kinds": kinds_given(self.kind or []) or None,
            "na": listed_names(self.na or []),
            "encoding": self.encoding,
            "missing_target": self.missing_target.value,
        }

    def keeping(self, groups: str | None) -> Reading:
        """With the column of the groups kept beside the table, where only some columns are asked for."""
        if groups is None or self.columns is None:
            return self
        quoted = '"' + groups.replace('"', '""') + '"'
        return replace(self, ids=[*(self.ids or []), quoted])

    @property
    def about_columns(self) -> bool:
        """Whether anything was said that is for files only."""
        return self != Reading(task=self.task)


def with_reading(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb with the options of :class:`Reading` in the place of its parameter ``reading``."""
    hints = get_type_hints(verb, include_extras=True)
    own = inspect.signature(verb)
    fields = get_type_hints(Reading, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter(name, keyword, default=getattr(Reading, name), annotation=fields[name]) for name in fields
    ]
    mine = [
        each.replace(kind=keyword, annotation=hints[name]) for name, each in own.parameters.items() if name != "reading"
    ]

    @wraps(verb)
    def spoken(**given: Any) -> None:
        reading = Reading(**{name: given.pop(name) for name in fields})
        verb(**given, reading=reading)

    spoken.__signature__ = own.replace(parameters=[*mine, *options])  # type: ignore[attr-defined]
    spoken.__annotations__ = {each.name: each.annotation for each in (*mine, *options)} | {"return": None}
    return spoken


def listed_names(texts: list[str]) -> list[str]:
    """Names between commas; one that holds a comma stands in double quotes."""
    found: list[str] = []
    for text in texts:
        found += next(csv.reader([text], skipinitialspace=True), [])
    return found


def kinds_given(texts: list[str]) -> dict[str, Any]:
    """What is said of each column: its kind, or its levels in order."""
    found: dict[str, Any] = {}
    for text in texts:
        said = kind_said(text)
        if said is None:
            raise ParameterError(f"--kind {text}: expected COLUMN=KIND", hint="--kind zip=nominal")
        name, kind = said
        if isinstance(kind, list) and "" in kind:
            raise ParameterError(
                f"--kind {text}: a level is empty between two signs <",
                hint="""a level that holds < or = stands in double quotes: --kind 'age="<18"<18-65<">65"'""",
            )
        found[name] = kind
    return found


def check_bundled(data: str, reading: Reading) -> None:
    """Refuse options that are for files."""
    if data in names() and reading.about_columns:
        raise ParameterError(f"{data}: a bundled set is read as it is", hint="options about columns are for files")


def tell_cautions(table: Table, task: TaskChoice | None = None, numbers: bool | None = None) -> None:
    """Say on stderr what a target of numbers is taken for, and what changes how results are to be read."""
    from sepal.cli._output import printable

    y = np.asarray(table.y)
    if task is None and numbers is not None and y.dtype.kind in "iuf":
        target = printable(table.target or "the target")
        if numbers:
            typer.echo(f"task: predict the number {target} (--task classify takes its values as classes)", err=True)
        else:
            distinct = len(np.unique(y))
            classes = f"{distinct} {plural(distinct, 'class', 'classes')}"
            said = f"task: classify {target}, {classes} (--task regress takes its values as numbers)"
            typer.echo(said, err=True)
    for text in caution_texts(table):
        typer.echo(f"caution: {printable(text)}", err=True)


def caution_facts(table: Table, more: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The cautions as plain values, for JSON; ``more`` are notes about other rows."""
    found = [*all_cautions(table), *(Caution("note", text) for text in more)]
    return [{"code": each.code, "text": each.text, "columns": list(each.columns)} for each in found]
