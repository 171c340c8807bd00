"""Ctrl-C: before the work and within imports it ends the command at once; during the work it is a KeyboardInterrupt."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from sepal.progress import importing

INTERRUPTED = 130
_before: dict[str, tuple[int, int] | None] = {}
_working = [False]
_in_steps = [False]


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def command_begins() -> None:
    """Forget what an earlier command of this process wrote."""
    _before.clear()
    _in_steps[0] = False


def writes_in_steps() -> None:
    """What goes into a store message by message is not told file by file."""
    _in_steps[0] = True


def will_write(path: str) -> None:
    """Remember what a file is now, so that one can say later whether it was written."""
    _before[path] = _identity(path)


def interrupted_text() -> str:
    """What was written until now: a file is replaced as a whole, so that it is another one or the same."""
    if _in_steps[0]:
        return "\nInterrupted."
    written = [path for path, was in _before.items() if _identity(path) != was]
    return f"\nInterrupted after writing {' and '.join(written)}." if written else "\nInterrupted; nothing was written."


def listen() -> None:
    """Take over Ctrl-C, unless whoever started the command wants it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _on_interrupt)
        sys.unraisablehook = _on_lost


def work_begins() -> None:
    """From here on Ctrl-C unwinds the work."""
    _working[0] = True


def all_done() -> None:
    """The answer is out: Ctrl-C has nothing left to stop."""
    if signal.getsignal(signal.SIGINT) is _on_interrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _on_interrupt(number: int, frame: FrameType | None) -> None:
    if not _working[0] or importing(frame):
        _leave_at_once()  # an import may swallow the exception, or turn it into another
    raise KeyboardInterrupt


def _leave_at_once() -> None:
    cursor = b"\x1b[?25h" if os.isatty(2) and os.environ.get("TERM") != "dumb" else b""
    try:
        os.write(2, cursor + os.fsencode(interrupted_text() + "\n"))
    finally:
        os._exit(INTERRUPTED)


def _on_lost(lost: Any) -> None:
    """A Ctrl-C that came while the interpreter tidied up, where no exception can leave."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _leave_at_once()
    sys.__unraisablehook__(lost)
