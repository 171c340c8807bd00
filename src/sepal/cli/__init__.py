"""The command ``sepal``: a thin program on top of the report.

In: words on a command line. Out: text or JSON on stdout, progress and errors on stderr, and an exit status: 0 for an
answer, 2 for something the user can mend, 130 after Ctrl-C. Nothing imports this room.
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command; the entry point of the script ``sepal``."""
    from sepal.cli._leaving import leaving_cleanly

    with leaving_cleanly():
        try:
            from sepal.cli._app import app
        except ModuleNotFoundError as error:
            if error.name not in ("typer", "click", "rich"):
                raise
            sys.stderr.write(
                f"The command sepal needs the package {error.name}, which is not installed.\n"
                "hint: pip install 'sepal-learn[app]'\n"
            )
            sys.exit(2)
        app(prog_name="sepal")
