"""The command's page: what every verb says of itself, written anew by each build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WIDTH = 100


def write_command(page: Path) -> None:
    """Write the page from the help texts themselves."""
    from typer.main import get_command

    from sepal.cli._app import app

    lines = ["# The command", "", "What `sepal --help` and `sepal VERB --help` print."]
    for name, command in _verbs("sepal", get_command(app)):
        context = command.make_context(name, [], resilient_parsing=True, max_content_width=WIDTH, terminal_width=WIDTH)
        lines += ["", f"## {name}", "", "```text", command.get_help(context).rstrip(), "```"]
    page.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _verbs(name: str, command: Any) -> list[tuple[str, Any]]:
    below = getattr(command, "commands", {})
    return [(name, command), *(pair for verb, child in below.items() for pair in _verbs(f"{name} {verb}", child))]
