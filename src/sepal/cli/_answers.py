"""What all verbs say about their answers: where these go, and how they look as JSON. Nothing heavy is imported."""

from __future__ import annotations

import json
from typing import Any

OUT_HELP = (
    "Write to this file instead of the screen. Its ending says how: .json, .txt; .html for a report, .csv for answers, "
    ".sepal for a model, which replaces no file but another model."
)
JSON_HELP = "Print the same facts as one JSON object."


def as_json_text(kind: str, facts: dict[str, Any]) -> str:
    """Facts as one JSON object that says what it is and who wrote it."""
    from sepal.report import plain

    return _object(kind, plain(facts), indent=2)


def as_json_line(kind: str, facts: dict[str, str | float | None]) -> str:
    """The same on one line, for logs, of facts that are in the types JSON has: nothing is loaded for it."""
    return _object(kind, facts, indent=None)


def _object(kind: str, facts: dict[str, Any], indent: int | None) -> str:
    from sepal import __version__

    return json.dumps({"sepal": __version__, "kind": kind, **facts}, indent=indent, allow_nan=False) + "\n"
