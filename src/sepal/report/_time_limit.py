"""How long sections take, and an end to those that take longer than the limit allows."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

import numpy as np

from sepal.exceptions import DataError, ParameterError
from sepal.progress import importing

_T = TypeVar("_T")

_AGAIN = 0.2  # seconds after which an alarm that came to nothing rings again


def check_limit(time_limit: float | None) -> float | None:
    """The seconds, if they are above 0."""
    if time_limit is not None and not (isinstance(time_limit, (int, float, np.number)) and time_limit > 0):
        raise ParameterError(f"time_limit must be None or a number of seconds above 0; got {time_limit!r}")
    return time_limit


class TimeIsOverError(Exception):
    """Ends a section in the middle; never leaves the report."""


class Clock:
    """How long each section took, which were left out, and whether time is over."""

    def __init__(self, limit: float | None) -> None:
        self.started = self.last = time.perf_counter()
        self.limit = limit
        self.until: float | None = None  # when the share of the section at work is over
        self.seconds: dict[str, float] = {}
        self.skipped: dict[str, str] = {}

    def left(self) -> float | None:
        """Seconds that are left, of its share to the section at work; None without a limit."""
        left = self._left_in_all()
        return left if left is None or self.until is None else min(left, self.until - time.perf_counter())

    def _left_in_all(self) -> float | None:
        return None if self.limit is None else self.started + self.limit - time.perf_counter()

    def why_over(self) -> str:
        """Why a section was ended."""
        left = self._left_in_all()
        whose = "the" if self.until is None or left is None or left <= 0 else "its share of the"
        return f"{whose} time limit was over"

    def check(self) -> None:
        """Raise if there is no time left."""
        left = self.left()
        if left is not None and left <= 0:
            raise TimeIsOverError

    @contextmanager
    def share(self, of_the_rest: float) -> Iterator[None]:
        """Let a section use this share of the time that is left, where that is not all: others wait."""
        left = self.left()
        self.until = None if left is None or of_the_rest == 1 else time.perf_counter() + of_the_rest * left
        try:
            yield
        finally:
            self.until = None

    def lap(self, name: str) -> None:
        """Note what the section took."""
        now = time.perf_counter()
        self.seconds[name], self.last = now - self.last, now


@contextmanager
def alarm(clock: Clock) -> Iterator[None]:
    """Raise TimeIsOverError inside when time is over, as Ctrl-C would, wherever the work is.

    Only the main thread of a system with SIGALRM can be interrupted, and only if nobody else uses that signal.
    Elsewhere sections end where they tell their progress.
    """
    left = clock.left()
    if left is None or not _alarm_is_free():
        yield
        return
    inside = [True]

    def ring(number: int, frame: FrameType | None) -> None:
        if inside[0] and not importing(frame):  # an import may swallow the exception: it rings again
            raise TimeIsOverError

    old = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3), _AGAIN)
        yield
    finally:
        inside[0] = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def in_time(clock: Clock, name: str, work: Callable[[], _T]) -> _T | None:
    """What the work gives; None where time was over or the rows do not allow it, and the clock knows why."""
    try:
        clock.check()
        with alarm(clock):
            return work()
    except TimeIsOverError:
        clock.skipped[name] = clock.why_over()
    except DataError as error:
        clock.skipped[name] = str(error).split("\n", 1)[0]
    finally:
        clock.lap(name)
    return None


def _alarm_is_free() -> bool:
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        return False
    return signal.getsignal(signal.SIGALRM) is signal.SIG_DFL and signal.getitimer(signal.ITIMER_REAL)[0] == 0
