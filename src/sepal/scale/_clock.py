"""What the first blocks of a search tell about the rest: the estimate of the plan is made better during the work."""

from __future__ import annotations

import time
from collections.abc import Callable

from sepal.progress import SEARCHING, Progress
from sepal.scale._planning import Stages

ASKING = "asking for neighbours"
_FIRST_BLOCKS = 0.2  # of the search: what comes first is slower, since no row knows yet how near its nearest may be
_APART = 0.05  # of the search between two reports that tell how fast it goes
_DOUBT = 0.05  # the share of the search that tells as much as the trial before the work did


class SearchClock:
    """Progress that is passed on, and that tells after the first blocks of the search how long all will take.

    What was done took what it took. What is left of the search goes as fast as between the last two reports, so that
    its start is counted once; where there was one report only, as fast as on the whole. The trial is not forgotten: it
    counts as if it had seen a twentieth of the search. What follows the search is taken from the plan.
    """

    def __init__(self, say: Progress, stages: Stages, now: Callable[[], float] = time.perf_counter) -> None:
        self._say, self._stages, self._now = say, stages, now
        self._begin = self._search = now()
        self._last: tuple[float, float] | None = None  # share and seconds of the search at an earlier report
        self.total: float | None = None

    def tell(self, text: str, share: float) -> None:
        """Pass it on; a report of the search past a fifth of it tells how long all will take."""
        now = self._now()
        if text not in (SEARCHING, ASKING):
            self._search = now
        elif self.total is None:
            self._look(share, now)
        self._say(text, share)

    def _look(self, share: float, now: float) -> None:
        here = share, now - self._search
        before = self._last
        if before is None or share - before[0] >= _APART or share <= before[0]:  # the first, a step on, or begun anew
            self._last = here
        if share < _FIRST_BLOCKS:
            return
        if before is None or share - before[0] < _APART:
            before = 0.0, 0.0
        each = (here[1] - before[1]) / (share - before[0])
        sure = share / (share + _DOUBT)
        left = (1 - share) * (sure * each + (1 - sure) * self._stages.search)
        self.total = now - self._begin + left + self._stages.after
