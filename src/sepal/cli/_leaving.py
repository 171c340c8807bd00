"""How the command ends: every way out has a status, one or two lines at most, and no traceback for mendable errors."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sepal.cli._interrupts import INTERRUPTED, interrupted_text, work_begins
from sepal.exceptions import SepalError

MENDABLE, BROKEN_PIPE = 2, 141


@contextmanager
def leaving_cleanly() -> Iterator[None]:
    """Turn errors, Ctrl-C and a stdout that takes no more into messages on stderr and exit statuses."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            work_begins()
            yield
            sys.stdout.flush()
    except SepalError as error:
        _say(f"error: {error}")
        sys.exit(MENDABLE)
    except MemoryError as error:
        leave_out_of_memory(error)
    except KeyboardInterrupt:
        _say(interrupted_text())
        sys.exit(INTERRUPTED)
    except OSError as error:
        stdout_is_full(error)


def leave_out_of_memory(error: MemoryError) -> None:
    """Say so, with what can be done, and leave."""
    _say(f"error: {_too_large(error)}")
    sys.exit(MENDABLE)


def stdout_is_full(error: OSError) -> None:
    """Nobody reads any more, or a device takes no more: say so, unless it is a closed pipe, and leave."""
    _silence()
    if isinstance(error, BrokenPipeError):
        sys.exit(BROKEN_PIPE)
    _say(f"error: {error.filename or 'the answer'}: cannot be read or written: {error.strerror or error}")
    sys.exit(MENDABLE)


def open_streams() -> None:
    """Give stdin, stdout and stderr something to stand for where the command was started without them."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - for as long as the command runs
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:  # printing must fail, not vanish
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: PTH123, SIM115


def _silence() -> None:
    """What is still buffered for stdout must go nowhere, or Python complains on its way out."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _too_large(error: MemoryError) -> str:
    text = str(error).strip()
    if "hint:" in text:
        return text
    return "there is not enough memory for this table\nhint: take a sample of its rows first"


def _say(text: str) -> None:
    with suppress(OSError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    _say(f"warning: {message}")
