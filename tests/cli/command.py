"""The command, run inside this process."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner

from sepal.cli._app import app

_runner = CliRunner()


def sepal(*args: str, given: bytes | None = None, **env: str) -> Any:
    """Run the command with these words, and what is given on stdin; its status, and what it printed."""
    return _runner.invoke(app, args, input=given, env=env)


def refused(*args: str) -> str:
    """The message of a command that must fail, without a word on standard output and without a traceback."""
    result = sepal(*args)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert "Traceback" not in result.stderr
    return result.stderr
