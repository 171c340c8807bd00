"""How much time is left. Work is cut into stages; between stages somebody asks."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Clock:
    """Started when made.

    Parameters
    ----------
    limit : float
        Seconds; may be infinite.
    """

    limit: float
    start: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.start

    def allows(self, seconds: float) -> bool:
        """Whether a stage of so many seconds still fits."""
        return self.elapsed + seconds <= self.limit
