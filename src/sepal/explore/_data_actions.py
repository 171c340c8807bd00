"""The screen Data: what is in each column, the rows, and where they lie on a plane."""

from __future__ import annotations

from typing import Any

from sepal.data import Plane, plane, row_page, summarize
from sepal.exceptions import ParameterError
from sepal.explore._action import Action, ActionSettings, Field, call, field
from sepal.explore._shelf import Space

X = field(
    "x", "word", "the column across; without both the two principal axes", None, "column", optional=True, looked_up=True
)
Y = field("y", "word", "the column up", None, "column", optional=True, looked_up=True)
PLANE: tuple[Field, ...] = (X, Y)


def columns_of(settings: ActionSettings) -> tuple[str, str] | None:
    """The two columns of a plane, or None for principal axes."""
    x, y = settings["x"], settings["y"]
    if x is None and y is None:
        return None
    if x is None or y is None:
        raise ParameterError("x and y: give both columns, or neither for the two principal axes")
    return x, y


def plane_of(space: Space, settings: ActionSettings) -> Plane:
    """The plane, kept for maps and neighbours."""
    columns = columns_of(settings)
    made: Plane = space.keep(("plane", columns), lambda: plane(space.table, columns, **space.view.scaling))
    return made


def plane_code(space: Space, settings: ActionSettings) -> str:
    """``plane = ...``, as Python."""
    return "plane = " + call("sepal.data.plane", "table", repr(columns_of(settings)), **space.view.scaling)


def _summary(space: Space, settings: ActionSettings, progress: Any) -> Any:
    return summarize(space.table, settings["bins"])


def _rows(space: Space, settings: ActionSettings, progress: Any) -> Any:
    return row_page(space.table, **settings)


DATA_ACTIONS = (
    Action(
        "data.summary",
        "what is in each column, split by class, and what to be careful about",
        "cheap",
        (field("bins", "whole", "how many bins a histogram has", 20, at_least=1, at_most=1_000),),
        _summary,
        lambda space, settings: "result = " + call("sepal.data.summarize", "table", **settings),
    ),
    Action(
        "data.rows",
        "some rows, sorted by a column",
        "cheap",
        (
            field("start", "whole", "the first row to show, in this order", 0, at_least=0),
            field("count", "whole", "how many rows to show", 100, at_least=1, at_most=10_000),
            field("sort", "word", "the column to sort by", None, "column", optional=True, looked_up=True),
            field("descending", "flag", "the highest first", False),
            field("rows", "other", "these rows only", None, "rows", optional=True, also=("sequence",)),
        ),
        _rows,
        lambda space, settings: "result = " + call("sepal.data.row_page", "table", **settings),
    ),
    Action(
        "data.plane",
        "where the rows lie on two columns or on the two principal axes",
        "cheap",
        PLANE,
        lambda space, settings, progress: plane_of(space, settings),
        lambda space, settings: plane_code(space, settings) + "\nresult = plane",
    ),
)
