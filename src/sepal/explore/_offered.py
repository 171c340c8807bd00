"""What the start page offers: the bundled sets, and the files of this run with what can be said of each."""

from __future__ import annotations

from typing import Any

from sepal.data import SETS, Table, coded_target
from sepal.exceptions import SepalError
from sepal.explore._refusals import error_facts
from sepal.explore._shelf import GivenFile, Shelf
from sepal.explore._view import TableView


class Offered:
    """The facts about each file, worked out once: neither a file nor its number ever changes."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._known: dict[str, dict[str, Any]] = {}

    def file(self, file: GivenFile) -> dict[str, Any]:
        """Name and shape. Where it is not read without more being said, also why, and which columns it has."""
        if file.data not in self._known:
            renamed = {} if file.name == file.given_as else {"given_as": file.given_as}
            self._known[file.data] = {"data": file.data, "name": file.name, **renamed, **self._facts(file)}
        return self._known[file.data]

    def _facts(self, file: GivenFile) -> dict[str, Any]:
        try:
            return _shape(self._shelf.space(TableView(file.data)).table)
        except SepalError as error:
            unknown = {"rows": None, "columns": None, "classes": None, "target": None}
            return {**unknown, **error_facts(error), "names": _names(file)}

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Take a file of the browser, whose rows need not have a class: they can be predicted, or left out.

        Raises
        ------
        SepalError
            If it is no table. It is not kept then; what was there before stays.
        """
        kept, new = self._shelf.added(name, content)
        try:
            facts = self.file(kept)
            if facts.get("names") == []:
                self._shelf.space(TableView(kept.data))  # says what is wrong
            return facts
        except SepalError:
            if new:
                self._shelf.remove(kept)
            raise


def _names(file: GivenFile) -> list[str]:
    """The columns of a file that has no usable class; none if it is no table at all."""
    try:
        table = file.rows()
    except SepalError:
        return []
    return [*table.names, *(each.name for each in table.apart)]


def _shape(table: Table) -> dict[str, Any]:
    classes = coded_target(table)[0] if table.y is not None else None
    return {
        "rows": table.n_rows,
        "columns": table.n_columns,
        "classes": None if classes is None else len(classes),
        "target": table.target,
    }


def bundled_sets() -> list[dict[str, Any]]:
    """The bundled sets as the start page lists them; none is read for it."""
    facts = ("rows", "columns", "classes")
    return [
        {"data": name, "title": entry.title, "target": entry.target, **dict(zip(facts, entry.size, strict=True))}
        for name, entry in SETS.items()
    ]
