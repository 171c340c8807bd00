"""What was asked, as a shell line and as Python."""

from __future__ import annotations

import ast
import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sepal.data import kind_words
from sepal.explore._action import Action, ActionSettings, call
from sepal.explore._learners import number_to_predict
from sepal.explore._shelf import Shelf, Space
from sepal.explore._view import TableView


def table_code(view: TableView, shelf: Shelf) -> str:
    """``table = ...``, as Python."""
    if view.data in shelf.files:
        named: dict[str, Any] = {} if view.target is None else {"target": view.target}
        named |= {"kinds": _kinds(view)} if view.kinds else {}
        named |= view.of_file
        text = call("sepal.read_table", repr(shelf.files[view.data].written), **named)
    else:
        text = f"sepal.datasets.load({view.data!r})"
        text += "" if view.target is None else f".with_target({view.target!r})"
        text += f".with_kinds({_kinds(view)!r})" if view.kinds else ""
    text += "" if view.groups is None else f".set_apart({[view.groups]!r})"
    text += f".drop({view.dropped!r})" if view.dropped else ""
    text += "" if view.chosen is None else f".select({view.chosen!r})"
    text += "" if view.task is None else f".with_task({view.task!r})"
    text += "" if view.missing == "distance" else ".drop_missing()"
    text = text if view.sample is None else f"sepal.data.sampled({text}, {view.sample})"
    return f"table = {text}"


def _groups_code(view: TableView, asked: Iterable[str]) -> str:
    """``groups = ...`` where one of the actions, as Python, uses it; others do not mind gaps in that column."""
    nodes = (node for text in asked for node in ast.walk(ast.parse(text)))
    if view.groups is None or not any(isinstance(node, ast.Name) and node.id == "groups" for node in nodes):
        return ""
    return f"\ngroups = sepal.data.group_labels(table, {view.groups!r})"


def asking(space: Space, function: str, *given: str, **named: Any) -> str:
    """A call that is told of the groups, where there are any and it takes them."""
    told = ["groups=groups"] if space.together(function) else []
    return call(function, *given, *told, **named)


def _kinds(view: TableView) -> dict[str, Any]:
    return {name: list(kind) if isinstance(kind, tuple) else kind for name, kind in view.kinds.items()}


def other_code(space: Space, data: str, called: str = "test") -> str:
    """Rows of another file with the same columns, as Python."""
    view = space.view_of_other(data)
    if data not in space.shelf.files and space.view.target is None:
        view = replace(view, target=None)
    text = table_code(view, space.shelf).removeprefix("table = ")
    return f"{called} = {text}.select(table.names)"


def python_code(space: Space, asked: Iterable[tuple[Action, ActionSettings]]) -> str:
    """A program that ends with the result of the last action."""
    parts = [f"# {action.help}\n{action.python(space, settings)}" for action, settings in asked]
    parts.insert(0, f"import sepal\n\n{table_code(space.view, space.shelf)}{_groups_code(space.view, parts)}")
    return "\n\n".join(parts) + "\n"


def shell_code(space: Space, asked: Iterable[tuple[Action, ActionSettings]]) -> str:
    """A line for each action."""
    return "\n".join(_line(space, action, settings) for action, settings in asked) + "\n"


def _line(space: Space, action: Action, settings: ActionSettings) -> str:
    words = None if action.verb is None else action.verb(space, settings)
    if words is None:
        words = ["do", action.name, source_word(space), *view_words(space.view), *_set_words(space, action, settings)]
        words += ["--json"]
    return shlex.join(["sepal", *words])


def source_word(space: Space) -> str:
    """DATA on the command line."""
    file = space.shelf.files.get(space.view.data)
    return space.view.data if file is None else file.written


def reading_words(view: TableView) -> list[str]:
    """The options that say how a file is read."""
    words: list[str] = []
    words += ["--target", view.target] if view.target is not None else []
    words += ["--drop", _listed(view.dropped)] if view.dropped else []
    words += ["--columns", _listed(view.chosen)] if view.chosen is not None else []
    words += ["--id", _listed(view.ids)] if view.ids else []
    words += ["--na", _listed(view.na)] if view.na else []
    words += ["--encoding", view.encoding] if view.encoding is not None else []
    words += ["--missing-target", view.missing_target] if view.missing_target != "error" else []
    words += ["--groups", view.groups] if view.groups is not None else []
    for name, kind in view.kinds.items():
        words += ["--kind", kind_words(name, kind)]
    words += ["--task", view.task] if view.task is not None else []
    return words


def view_words(view: TableView) -> list[str]:
    """All that a view says, as options."""
    words = reading_words(view)
    words += ["--missing", view.missing] if view.missing != "distance" else []
    words += ["--distance", view.distance] if view.distance != "auto" else []
    words += ["--scale", view.scale] if view.scale != "minmax" else []
    words += ["--sample", str(view.sample)] if view.sample is not None else []
    return words


def _listed(names: Iterable[str]) -> str:
    """Names between commas; one that holds a comma or a quote stands in double quotes."""
    return ",".join('"' + name.replace('"', '""') + '"' if set(name) & set(',"') else name for name in names)


def _set_words(space: Space, action: Action, settings: ActionSettings) -> list[str]:
    words = []
    for each in action.fields:
        name = each.parameter.name
        if settings[name] == each.parameter.default:
            continue
        value = written(space.shelf, each.role, settings[name])
        words += ["--set", f"{name}={set_text(value)}"]
    return words


def written(shelf: Shelf, role: str | None, value: Any) -> Any:
    """A value with files by the names that people know, in place of their numbers here."""
    if role == "data" and value in shelf.files:
        return shelf.files[value].written
    if role == "runs" and isinstance(value, list):
        return [
            {name: written(shelf, "data" if name == "test" else None, v) for name, v in run.items()} for run in value
        ]
    return value


def set_text(value: Any) -> str:
    """As ``--set NAME=VALUE`` reads it: a text as it is, unless it would be taken for something else."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value, ensure_ascii=False)


def verb_reads(space: Space, numbers: bool = False) -> bool:
    """Whether an older verb reads this view as it is here: all rows, a bundled set as it is, and the target as numbers
    to predict or as classes. The verbs decide that by the target where no task is said, the Explorer by what is asked.
    """
    view = space.view
    all_rows = view.sample is None and view.missing == "distance"
    predicts = number_to_predict(space.table) if view.task is None else view.task == "regress"
    return all_rows and predicts == numbers and (view.data in space.shelf.files or view.as_read)


def set_words(settings: Mapping[str, Any]) -> list[str]:
    """``--set`` for each parameter of a learner."""
    return [word for name, value in settings.items() for word in ("--set", f"{name}={set_text(value)}")]
