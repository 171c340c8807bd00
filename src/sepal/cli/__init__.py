"""The command ``sepal``: a thin program on top of the report.

In: words on a command line. Out: text or JSON on stdout, progress and errors on stderr, and an exit status: 0 for an
answer, 2 for something the user can mend, 130 after Ctrl-C. Nothing imports this room.
"""

from __future__ import annotations

import gc
import sys

__all__ = ["main"]

_NEW_OBJECTS = 50_000  # before Python looks for cycles among them: modules that load make many objects and no rubbish


def main() -> None:
    """Run the command; the entry point of the script ``sepal``.

    Its words are those of ``sys.argv``.

    Examples
    --------
    >>> import subprocess, sys
    >>> words = ["-c", "from sepal.cli import main; main()", "datasets", "iris"]
    >>> subprocess.run([sys.executable, *words], capture_output=True, text=True).returncode
    0
    """
    if sys.argv[1:2] == ["mail"]:  # starts for every message, and must not wait for what it does not need
        _run_mail()
    from sepal.cli._interrupts import all_done, listen
    from sepal.cli._since_start import ended, started

    started()
    gc.set_threshold(_NEW_OBJECTS)
    listen()
    try:
        _run()
    finally:
        all_done()
        ended()


def _run_mail() -> None:
    from sepal.cli._interrupts import listen, writes_in_steps

    writes_in_steps()
    listen()
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from sepal.cli._leaving import open_streams

        open_streams()
    from sepal.cli._mail import main_mail

    sys.exit(main_mail(sys.argv[2:]))


def _run() -> None:
    from sepal.cli._leaving import forget_odd_sizes, last_words, open_streams

    open_streams()
    forget_odd_sizes()
    try:
        from sepal.cli._app import app

        app(prog_name="sepal")
        sys.stdout.flush()
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "click", "rich"):
            raise
        sys.stderr.write(
            f"The command sepal needs the package {error.name}, which is not installed.\n"
            "hint: pip install 'sepal-learn[app]'\n"
        )
        sys.exit(2)
    except (MemoryError, OSError) as error:
        sys.exit(last_words(error))
