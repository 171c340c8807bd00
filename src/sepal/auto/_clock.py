"""How much time is left, and how much of the work is done. The time is looked at between the stages of the work."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from sepal.progress import Share


class GivenUpError(Exception):
    """Raised in a thread whose result is not needed any more; never leaves the package."""


@dataclass
class StageClock:
    """Started when made.

    Parameters
    ----------
    limit : float
        Seconds; may be infinite.
    heard : callable, optional
        Gets the share of the work that is done, from 0 to 1, from any thread.
    now : callable
        The time in seconds.
    """

    limit: float
    heard: Share | None = None
    now: Callable[[], float] = time.monotonic
    start: float = field(init=False)
    done: float = field(init=False, default=0.0)
    given_up: bool = field(init=False, default=False)
    _lock: Lock = field(init=False, default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        self.start = self.now()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.now() - self.start

    @property
    def left(self) -> float:
        """Seconds until the limit; below 0 after it."""
        return self.limit - self.elapsed

    def allows(self, seconds: float) -> bool:
        """Whether a stage of so many seconds still fits."""
        return self.elapsed + seconds <= self.limit

    def step(self, share: float) -> None:
        """So much more is done. Long loops call it often: it also ends work that was given up."""
        if self.given_up:
            raise GivenUpError
        with self._lock:
            self.done = min(1.0, self.done + share)
            if self.heard is not None:
                self.heard(self.done)

    def give_up(self) -> None:
        """Let the next ``step`` of every thread be its last."""
        self.given_up = True
