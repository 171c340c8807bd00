"""A session: what was asked about which data, in a small file that can be opened and run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sepal.data import names
from sepal.exceptions import DataError, ParameterError
from sepal.explore._actions import action_named
from sepal.explore._shelf import Shelf
from sepal.explore._view import TableView

SESSION_VERSION = 1
_READ = ("target", "kinds", "left_out", "columns", "task", "scale", "distance", "sample", "groups", "ids", "na",
         "encoding", "missing_target", "missing")  # fmt: skip


@dataclass(frozen=True)
class Session:
    """What was asked. The format is described in docs/design/0006-explorer.md.

    Attributes
    ----------
    source : mapping
        ``{"bundled": name}`` or ``{"file": name, "size": bytes, "sha256": hash}``.
    view : TableView
        Its ``data`` is the name in the source.
    actions : tuple of mapping
        ``{"action": name, "parameters": {...}}``, complete and checked.

    Examples
    --------
    >>> session = Session.of({"sepal_session": 1, "source": {"bundled": "iris"}, "actions": [{"action": "data.rows"}]})
    >>> session.actions[0]["parameters"]["count"]
    100
    """

    source: Mapping[str, Any]
    view: TableView
    actions: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, given: Any) -> Session:
        """From JSON.

        Raises
        ------
        ParameterError
            If it is no session, of a newer version, or asks for something unknown.
        """
        if not isinstance(given, Mapping) or not isinstance(given.get("sepal_session"), int):
            raise ParameterError("this is no session of the Explorer: it has no sepal_session")
        if given["sepal_session"] != SESSION_VERSION:
            raise ParameterError(
                f"this session is of version {given['sepal_session']}, and this sepal reads version {SESSION_VERSION}",
                hint="pip install --upgrade 'sepal-learn[app,explore]'"
                if given["sepal_session"] > SESSION_VERSION
                else None,
            )
        unknown = set(given) - {"sepal_session", "sepal", "source", "actions", *_READ}
        if unknown:
            raise ParameterError(f"session: there is no {sorted(unknown)[0]!r} in version {SESSION_VERSION}")
        source = checked_source(given.get("source"))
        said = {name: given[name] for name in _READ if given.get(name) is not None}
        view = TableView.of({"data": source.get("bundled") or source["file"], **said})
        actions = given.get("actions", [])
        if not isinstance(actions, list) or not all(isinstance(each, Mapping) for each in actions):
            raise ParameterError("session: actions must be a list of objects")
        return cls(source, view, tuple(_checked_action(each, at) for at, each in enumerate(actions)))

    @classmethod
    def made(cls, shelf: Shelf, view: TableView, actions: list[dict[str, Any]]) -> Session:
        """Of what was asked here; files are named with their size and hash."""
        source = _source_of(shelf, view.data)
        named = TableView.of({**view.to_dict(), "data": source.get("bundled") or source["file"]})
        return cls(source, named, tuple(_with_sources(shelf, each) for each in actions))

    def placed(self, shelf: Shelf) -> tuple[TableView, list[dict[str, Any]]]:
        """The view and actions with data of the shelf in place of files.

        Raises
        ------
        DataError
            If a file is not here, or is not the one that was used.
        """
        view = TableView.of({**self.view.to_dict(), "data": _place(shelf, self.source)})
        actions = []
        for each in self.actions:
            settings = dict(each["parameters"])
            for field in action_named(each["action"]).fields:
                value = settings[field.parameter.name]
                if field.role == "data" and isinstance(value, Mapping):
                    settings[field.parameter.name] = _place(shelf, checked_source(value))
                elif field.role == "runs" and isinstance(value, list):
                    settings[field.parameter.name] = [_placed_run(shelf, run) for run in value]
            actions.append({"action": each["action"], "parameters": settings})
        return view, actions

    def sources(self) -> list[Mapping[str, Any]]:
        """All files that it needs."""
        found = [self.source]
        for each in self.actions:
            for field in action_named(each["action"]).fields:
                value = each["parameters"][field.parameter.name]
                if field.role == "data" and isinstance(value, Mapping):
                    found.append(checked_source(value))
                elif field.role == "runs" and isinstance(value, list):
                    found += [checked_source(run["test"]) for run in value if isinstance(run.get("test"), Mapping)]
        return found

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        from sepal import __version__

        read = {name: value for name, value in self.view.to_dict().items() if name != "data"}
        return {
            "sepal_session": SESSION_VERSION,
            "sepal": __version__,
            "source": dict(self.source),
            **read,
            "actions": [dict(each) for each in self.actions],
        }


def checked_source(given: Any) -> Mapping[str, Any]:
    """A source with all that it needs."""
    if isinstance(given, Mapping):
        if isinstance(given.get("bundled"), str):
            if given["bundled"] not in names():
                raise ParameterError(f"session: there is no bundled set {given['bundled']!r}")
            return given
        complete = all(
            isinstance(given.get(name), kind) for name, kind in (("file", str), ("size", int), ("sha256", str))
        )
        if complete:
            return given
    raise ParameterError("session: source must name a bundled set, or a file with its size and sha256")


def _checked_action(given: Mapping[str, Any], at: int) -> dict[str, Any]:
    try:
        entry = action_named(given.get("action"))
        settings = dict(given.get("parameters") or {})
        held = {
            field.parameter.name: settings.pop(field.parameter.name)
            for field in entry.fields
            if field.role == "data" and isinstance(settings.get(field.parameter.name), Mapping)
        }
        return {"action": entry.name, "parameters": entry.settings(settings) | held}
    except ParameterError as error:
        message, _, hint = str(error).partition("\nhint: ")
        raise ParameterError(f"session, action {at + 1}: {message}", hint=hint or None) from error


def _source_of(shelf: Shelf, data: str) -> dict[str, Any]:
    file = shelf.files.get(data)
    if file is None:
        return {"bundled": data}
    return {"file": file.written, "size": len(file.content), "sha256": file.sha256}


def _with_sources(shelf: Shelf, given: dict[str, Any]) -> dict[str, Any]:
    settings = dict(given["parameters"])
    for field in action_named(given["action"]).fields:
        name, value = field.parameter.name, settings[field.parameter.name]
        if field.role == "data" and value in shelf.files:
            settings[name] = _source_of(shelf, value)
        elif field.role == "runs" and isinstance(value, list):
            settings[name] = [
                {**run, "test": _source_of(shelf, run["test"])} if run.get("test") in shelf.files else run
                for run in value
            ]
    return {"action": given["action"], "parameters": settings}


def _placed_run(shelf: Shelf, run: Any) -> Any:
    if isinstance(run, Mapping) and isinstance(run.get("test"), Mapping):
        return {**run, "test": _place(shelf, checked_source(run["test"]))}
    return run


def _place(shelf: Shelf, source: Mapping[str, Any]) -> str:
    """The data of a source on the shelf, if it is the same."""
    if "bundled" in source:
        return str(source["bundled"])
    for file in shelf.given():
        if file.sha256 == source["sha256"] and len(file.content) == source["size"]:
            return file.data
    named = str(source["file"]).replace("\\", "/").rpartition("/")[2]
    for file in shelf.given():
        if file.name == named:
            raise DataError(
                f"{file.name} has changed since the session was saved: {source['size']:,} bytes then, "
                f"{len(file.content):,} now, or other content",
                hint="nothing is run on other data; give the file of then, or start a new session",
            )
    raise DataError(f"the session is about {named}, which is not here", hint="open that file first")
