"""The data of this run: bundled sets by name, files from the command line and uploads by number. Nothing else."""

from __future__ import annotations

import hashlib
import io
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from inspect import signature
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from sepal._lazy import cached_property
from sepal.data import Table, group_labels, load, names, read_table, sampled, set_apart
from sepal.exceptions import DataError, ParameterError
from sepal.explore._as_in_training import read_as_in
from sepal.explore._view import TableView

MOST_TABLES = 8  # views whose tables, planes and models are kept
MOST_ANSWERS = 200
NEW_ROWS = ("na", "encoding")  # of what is said about a file, what holds for rows without a class, too
MOST_UPLOADED = 256 * 2**20  # bytes of all uploads together


@dataclass(frozen=True)
class GivenFile:
    """A file that was given: its content, and what it is called in code. Uploads have no path."""

    data: str
    name: str
    content: bytes = field(repr=False)
    path: str | None = None
    given_as: str = ""  # the name of an upload before a number told it from another of that name

    @property
    def sha256(self) -> str:
        """Of the content."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def written(self) -> str:
        """How code names it: the path from the command line, or the name of the upload."""
        return self.path or self.name

    def table(self, **how: Any) -> Table:
        """Read as ``read_table`` is told; errors name the file as people know it."""
        content = io.BytesIO(self.content)
        content.name = self.name
        return read_table(content, **how)

    def rows(self, **how: Any) -> Table:
        """The rows whose target need not be there."""
        return self.table(target=False, **how)


@cache
def is_told_groups(function: str) -> bool:
    """Whether a function, written as code names it, takes the groups of rows."""
    home, _, name = function.rpartition(".")
    return "groups" in signature(getattr(import_module(home), name)).parameters


class Space:
    """One view with its table, and what was computed for it: planes, neighbours of maps, fitted models."""

    def __init__(self, view: TableView, table: Table, shelf: Shelf) -> None:
        self.view, self.table, self.shelf = view, table, shelf
        self._kept: OrderedDict[Any, Any] = OrderedDict()
        self._lock = Lock()

    def keep(self, key: Any, make: Callable[[], Any], most: int = 24) -> Any:
        """What was made for this key before, or is made now."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > most:
                self._kept.popitem(last=False)
        return made

    def forget(self, key: Any) -> None:
        """It will be made anew."""
        with self._lock:
            self._kept.pop(key, None)

    @cached_property
    def groups(self) -> Any:
        """The group of each row, or None."""
        return None if self.view.groups is None else group_labels(self.table, self.view.groups)

    def together(self, function: str) -> dict[str, Any]:
        """The groups, for a function that leaves rows out or asks their neighbours and so takes them."""
        told = self.view.groups is not None and is_told_groups(function)
        return {"groups": self.groups} if told else {}

    def other(self, data: str) -> Table:
        """Another set or file, read with the same target, kinds and columns: rows to test on."""
        table = self.shelf.space(self.view_of_other(data)).table
        missing = [name for name in self.table.names if name not in table.names]
        if missing:
            raise DataError(
                f'{self.shelf.called(data)}: there is no column "{missing[0]}", which the training rows have',
                hint=f"its columns are {', '.join(table.names[:12])}",
            )
        return table.select(list(self.table.names))

    def view_of_other(self, data: str) -> TableView:
        """How another set or file is read: its columns are what they are here."""
        view = self.view.elsewhere(data, self.table.target, data in self.shelf.files)
        if data not in self.shelf.files:
            return view

        def told(kinds: dict[str, Any], ids: list[str]) -> TableView:
            return replace(view, kinds=dict(sorted(kinds.items())), ids=tuple(ids))

        _, kinds, ids = read_as_in(
            self.table, lambda kinds, ids: self.shelf.space(told(kinds, ids)).table, view.kinds, view.ids
        )
        return told(kinds, ids)

    def new_rows(self, data: str) -> Table:
        """The rows of a set or file whose target need not be there, with the columns of this table and perhaps more."""
        file = self.shelf.files.get(data)
        if file is None:
            return self.other(data)
        kinds = dict(zip(self.table.names, self.table.kinds, strict=True))
        said = {name: value for name, value in self.view.of_file.items() if name in NEW_ROWS}
        return file.rows(kinds=kinds, **said)


class Shelf:
    """What can be asked about. Only these files are ever read, and none is ever opened by a name from outside.

    Examples
    --------
    >>> shelf = Shelf()
    >>> shelf.space(TableView("iris")).table.n_rows
    150
    """

    def __init__(self) -> None:
        self.files: dict[str, GivenFile] = {}
        self._numbers = count(1)  # no number is used twice: tables and answers are kept by it
        self._spaces: OrderedDict[str, Space] = OrderedDict()
        self._answers: OrderedDict[str, Any] = OrderedDict()
        self._lock = Lock()

    def add(self, name: str, content: bytes, path: str | None = None) -> GivenFile:
        """Put a file on the shelf; one that is there already is given back."""
        return self.added(name, content, path)[0]

    def added(self, name: str, content: bytes, path: str | None = None) -> tuple[GivenFile, bool]:
        """As :meth:`add`, and whether it is new on the shelf."""
        with self._lock:
            called, there = self._place_of(name, content, path)
            if there is not None:
                return there, False
            uploaded = sum(len(each.content) for each in self.files.values() if each.path is None)
            if path is None and uploaded + len(content) > MOST_UPLOADED:
                raise DataError(
                    f"{name}: uploads of this run would hold more than {MOST_UPLOADED // 2**20} MB together",
                    hint="start again with the file on the command line: sepal explore FILE",
                )
            made = GivenFile(f"file-{next(self._numbers)}", called, content, path, name)
            self.files[made.data] = made
        return made, True

    def _place_of(self, name: str, content: bytes, path: str | None) -> tuple[str, GivenFile | None]:
        """What a file is to be called, and the same file where it is there already.

        Code and sessions name uploads by their name alone: a second one of that name and other content gets a number.
        """
        called, number = name, 1
        while True:
            alike = [each for each in self.files.values() if called in (each.name, each.written)]
            same = next((each for each in alike if each.content == content), None)
            if same is not None or not alike or path is not None:
                return called, same
            number += 1
            called = f"{Path(name).stem} ({number}){Path(name).suffix}"

    def remove(self, file: GivenFile) -> None:
        """Take a file off the shelf; its number is not used again."""
        with self._lock:
            self.files.pop(file.data, None)

    def given(self) -> list[GivenFile]:
        """The files, in the order in which they came."""
        with self._lock:
            return list(self.files.values())

    def read(self, path: str) -> GivenFile:
        """Put a file of the command line on the shelf."""
        file = Path(path)
        try:
            content = file.read_bytes()
        except OSError as error:
            raise DataError(f"{path}: the file cannot be read: {error.strerror or error}") from error
        return self.add(file.name, content, path)

    def called(self, data: str) -> str:
        """What people call it."""
        return self.files[data].name if data in self.files else data

    def table_of(self, view: TableView) -> Table:
        """The table of a view."""
        if view.data in self.files:
            table = self.files[view.data].table(target=view.target, kinds=dict(view.kinds) or None, **view.of_file)
        elif view.data in names():
            if view.of_file:
                said = ", ".join(view.of_file)
                raise ParameterError(
                    f"view: {view.data} is a bundled set and is read as it is", hint=f"{said}: for files"
                )
            table = load(view.data)
            table = table if view.target is None else table.with_target(view.target)
            table = table if not view.kinds else table.with_kinds(dict(view.kinds))
        else:
            raise ParameterError(f"view: there is no data {view.data!r} here", hint="upload the file first")
        if view.groups is not None:
            table = set_apart(table, [view.groups], "groups")
        if view.dropped:
            table = table.drop(view.dropped)
        if view.chosen is not None:
            table = table.select(view.chosen)
        table = table.with_task(view.task)
        table = table if view.missing == "distance" else table.drop_missing()
        return table if view.sample is None else sampled(table, view.sample)

    def space(self, view: TableView) -> Space:
        """The view with its table; kept for the next question."""
        with self._lock:
            if view.key in self._spaces:
                self._spaces.move_to_end(view.key)
                return self._spaces[view.key]
        made = Space(view, self.table_of(view), self)
        with self._lock:
            self._spaces[view.key] = made
            while len(self._spaces) > MOST_TABLES:
                self._spaces.popitem(last=False)
        return made

    def found(self, key: str) -> Any:
        """An answer that was given before, or None."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def remember(self, key: str, answer: Mapping[str, Any]) -> None:
        """Keep an answer; the oldest goes."""
        with self._lock:
            self._answers[key] = answer
            while len(self._answers) > MOST_ANSWERS:
                self._answers.popitem(last=False)
