"""How the command ends: every way out has a status, one or two lines at most, and no traceback for mendable errors."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sepal.cli._interrupts import INTERRUPTED, interrupted_text, work_begins
from sepal.cli._since_start import MENDABLE as MENDABLE
from sepal.exceptions import SepalError

BROKEN_PIPE = 141


@contextmanager
def leaving_cleanly() -> Iterator[None]:
    """Turn errors, Ctrl-C and a stdout that takes no more into messages on stderr and exit statuses."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _showing_each_once()
            work_begins()
            yield
            sys.stdout.flush()
    except (SepalError, MemoryError, KeyboardInterrupt, OSError) as error:
        sys.exit(last_words(error))


def last_words(
    error: SepalError | MemoryError | KeyboardInterrupt | OSError,
    mendable: int = MENDABLE,
    less: str = "take a sample of its rows first",
) -> int:
    """Say on stderr what ended the command, and give its status; ``less`` is what to do where memory is short."""
    if isinstance(error, KeyboardInterrupt):
        _say(interrupted_text())
        return INTERRUPTED
    if isinstance(error, SepalError):
        _say(f"error: {error}")
    elif isinstance(error, MemoryError):
        _say(f"error: there is not enough memory for this\nhint: {less}")
    else:
        _silence()
        if isinstance(error, BrokenPipeError):  # nobody reads any more
            return BROKEN_PIPE
        _say(f"error: {error.filename or 'the answer'}: cannot be read or written: {error.strerror or error}")
    return mendable


def open_streams() -> None:
    """Give stdin, stdout and stderr something to stand for where the command was started without them."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - for as long as the command runs
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:  # printing must fail, not vanish
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: PTH123, SIM115


def forget_odd_sizes() -> None:
    """A width of the terminal that is no number, such as "²", is not passed on: libraries take it for one and fail."""
    for name in ("COLUMNS", "LINES"):
        said = os.environ.get(name, "")
        if said and not (said.isdecimal() and len(said) < 6):
            del os.environ[name]


def _silence() -> None:
    """What is still buffered for stdout must go nowhere, or Python complains on its way out."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    with suppress(OSError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def _showing_each_once() -> Callable[..., None]:
    """What every fold has to say is said once."""
    said: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        text = f"warning: {message}"
        if text not in said:
            said.add(text)
            _say(text)

    return show
