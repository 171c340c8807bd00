"""A question in, its answer out: the same for the browser, for sessions and for the command."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from sepal.explore._action import Action, ActionSettings
from sepal.explore._actions import action_named
from sepal.explore._code import python_code, shell_code
from sepal.explore._facts import as_lists, facts
from sepal.explore._shelf import Shelf, Space
from sepal.explore._view import TableView
from sepal.progress import Progress, silent


def answer_key(action: Action, view: TableView, settings: ActionSettings) -> str:
    """The same for equal questions."""
    return json.dumps([action.name, view.to_dict(), settings], sort_keys=True)


def kept_answer(shelf: Shelf, action: str, view: Any, given: Any = None) -> dict[str, Any] | None:
    """The answer, if this was asked before."""
    entry, seen = action_named(action), TableView.of(view)
    found = shelf.found(answer_key(entry, seen, entry.settings(given)))
    return None if found is None else {**found, "cached": True}


def answer(shelf: Shelf, action: str, view: Any, given: Any = None, progress: Progress = silent) -> dict[str, Any]:
    """Ask, or give the answer of before.

    Parameters
    ----------
    shelf : Shelf
        The data of this run.
    action : str
        A key of ``ACTIONS``.
    view : mapping
        As :meth:`TableView.of` takes it.
    given : mapping, optional
        Parameters of the action.
    progress : callable
        Called with a few words and the share that is done.

    Returns
    -------
    dict
        ``action``, ``view``, ``parameters`` (all of them), ``result`` (facts, with arrays), ``code``, ``seconds``,
        ``cached``.

    Examples
    --------
    >>> from sepal.explore import Shelf
    >>> found = answer(Shelf(), "data.rows", {"data": "iris"}, {"count": 1})
    >>> found["result"]["cells"], found["code"]["shell"]
    ([[5.1, 3.5, 1.4, 0.2, 'setosa']], 'sepal do data.rows iris --set count=1 --json\\n')
    """
    entry, seen = action_named(action), TableView.of(view)
    settings = entry.settings(given)
    key = answer_key(entry, seen, settings)
    found = shelf.found(key)
    if found is not None:
        return {**found, "cached": True}
    begin = time.perf_counter()
    space = shelf.space(seen)
    result = facts(entry.run(space, settings, progress))
    made = {
        "action": entry.name,
        "view": seen.to_dict(),
        "parameters": settings,
        "result": result,
        "code": code_of(space, entry, settings),
        "seconds": time.perf_counter() - begin,
        "cached": False,
    }
    shelf.remember(key, made)
    return made


def code_of(space: Space, action: Action, settings: ActionSettings) -> dict[str, str]:
    """One action as a shell line and as Python."""
    asked = [(action, settings)]
    return {"shell": shell_code(space, asked), "python": python_code(space, asked)}


def plain_answer(found: Mapping[str, Any]) -> dict[str, Any]:
    """An answer as JSON has it, without what differs from run to run."""
    kept = ("action", "view", "parameters", "result", "code")
    return {name: as_lists(found[name]) for name in kept}
