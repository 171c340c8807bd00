"""What all verbs say about their answers: where these go, and how they look as JSON. Nothing heavy is imported."""

from __future__ import annotations

import json
from typing import Any

OUT_HELP = (
    "Write to this file instead of the screen. Its ending says how: .json, .txt; .html for a report, .csv for answers, "
    "by custom .sepal for a model."
)
JSON_HELP = "Print the same facts as one JSON object."


def as_json_text(kind: str, facts: dict[str, Any]) -> str:
    """Facts as one JSON object that says what it is and who wrote it."""
    from sepal import __version__
    from sepal.report import plain

    return json.dumps({"sepal": __version__, "kind": kind, **plain(facts)}, indent=2, allow_nan=False) + "\n"
