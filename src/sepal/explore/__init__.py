"""The Explorer: a workbench in the browser, and the same questions without one.

In: a view (which table, how read, which columns, scale and distance) and questions about it, each one entry of
``ACTIONS``. Out: frozen results of the other rooms as JSON or binary arrays, the shell line and the Python that give
the same numbers, sessions, and a page that shows all this. There is no mathematics in this room.

May be imported by cli only. ``serve`` needs starlette and uvicorn, which are imported when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sepal.explore._as_in_training import kinds_as_in as kinds_as_in
from sepal.explore._as_in_training import read_as_in as read_as_in
from sepal.explore._learners import FOR_NUMBERS as FOR_NUMBERS
from sepal.explore._learners import LEARNERS as LEARNERS
from sepal.explore._learners import Learner as Learner
from sepal.explore._learners import number_to_predict as number_to_predict

if TYPE_CHECKING:
    from sepal.explore._actions import ACTIONS as ACTIONS
    from sepal.explore._answering import answer as answer
    from sepal.explore._answering import plain_answer as plain_answer
    from sepal.explore._routes import Server as Server
    from sepal.explore._serving import needs_explore as needs_explore
    from sepal.explore._serving import serve as serve
    from sepal.explore._session import Session as Session
    from sepal.explore._session_page import session_page as session_page
    from sepal.explore._shelf import Shelf as Shelf
    from sepal.explore._view import TableView as TableView

__all__: list[str] = []

# Loaded when first used: the command imports this room for the table of learners alone.
_HOMES = {
    "ACTIONS": "sepal.explore._actions",
    "Server": "sepal.explore._routes",
    "Session": "sepal.explore._session",
    "Shelf": "sepal.explore._shelf",
    "TableView": "sepal.explore._view",
    "answer": "sepal.explore._answering",
    "needs_explore": "sepal.explore._serving",
    "plain_answer": "sepal.explore._answering",
    "serve": "sepal.explore._serving",
    "session_page": "sepal.explore._session_page",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'sepal.explore' has no attribute {name!r}")
