"""How long the command has been running: what it loads and reads counts for a time limit, too."""

from __future__ import annotations

import time

_began: list[float] = []


def started() -> None:
    """The command begins now."""
    _began[:] = [time.perf_counter()]


def seconds_so_far() -> float:
    """Since then; 0 where a verb was called without the command."""
    return time.perf_counter() - _began[0] if _began else 0.0


def left_of(limit: float | None) -> float | None:
    """What is left of a time limit, and never nothing."""
    return None if limit is None else max(1e-3, limit - seconds_so_far())
