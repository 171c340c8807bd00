"""How long the command has been running: what it loads and reads counts for a time limit, too."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

MENDABLE = 2  # the status of a command that a user can mend
GRACE_SHARE, GRACE_SECONDS = 0.1, 0.8  # of the limit, and seconds, after which not even an answer in part is awaited

_began: list[float] = []


def started() -> None:
    """The command begins now."""
    _began[:] = [time.perf_counter()]


def ended() -> None:
    """The command is over; what runs later in the same process does not count for it."""
    _began.clear()


def seconds_so_far() -> float:
    """Since then; 0 where a verb was called without the command."""
    return time.perf_counter() - _began[0] if _began else 0.0


def left_of(limit: float | None) -> float | None:
    """What is left of a time limit, and never nothing."""
    return None if limit is None else max(1e-3, limit - seconds_so_far())


@contextmanager
def ended_after(limit: float | None, doing: Callable[[], str]) -> Iterator[None]:
    """End the command a little after its time limit, whatever it is in the middle of, and say what that was.

    Work looks at the limit by itself and leaves out what does not fit. This is for what cannot be cut short: reading a
    large file, loading modules, one long step. Nothing is written inside, so that no file is left in pieces. A verb
    that was called without the command is never ended.
    """
    if limit is None or not _began:
        yield
        return
    seconds = max(0.05, limit * (1 + GRACE_SHARE) + GRACE_SECONDS - seconds_so_far())
    timer = Timer(seconds, lambda: _end(limit, doing()))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _end(limit: float, doing: str) -> None:
    text = f"error: the time limit of {limit:g} s was over ({doing}); nothing was written\nhint: allow more time\n"
    cursor = "\x1b[?25h" if os.isatty(2) and os.environ.get("TERM") != "dumb" else ""
    try:
        os.write(2, (cursor + text).encode("utf-8", "replace"))
    finally:
        os._exit(MENDABLE)
