"""Interleaved timing: every contestant has its turn in each round, so that a noisy machine is noisy for all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds of each contestant, one per round."""

    seconds: dict[str, list[float]]

    def median(self, name: str) -> float:
        return statistics.median(self.seconds[name])

    def ratio(self, name: str, ours: str) -> float:
        """How many times longer than ours: the median of the ratios within a round."""
        pairs = zip(self.seconds[name], self.seconds[ours], strict=True)
        return statistics.median(theirs / own for theirs, own in pairs)


SHORT = 1.0  # seconds; who is done sooner runs again in its turn, and the last time counts
WARM = 0.03  # so long at least are the runs before it: threads of others spin for some milliseconds
ROUNDS = 5  # ratios decide: so many rounds are run where no run takes longer than QUICK, whatever the budget
QUICK = 2.0
MOST = 30.0  # seconds; after these no more rounds begin for the sake of their number


def _turn(run: Callable[[], object]) -> float:
    """Seconds of a run that does not pay for what ran before it: memory given back, cold caches, threads that spin."""
    spent: list[float] = []
    while not spent or (spent[-1] <= SHORT and (len(spent) < 2 or sum(spent[:-1]) < WARM)):
        start = time.perf_counter()
        run()
        spent.append(time.perf_counter() - start)
    return spent[-1]


def enough(done: int, slowest: float, spent: float, budget: float) -> bool:
    """Whether no further round begins: the budget is spent, and there were two rounds, or ``ROUNDS`` of quick runs.

    >>> enough(2, slowest=5.0, spent=30.0, budget=9.0), enough(2, slowest=1.5, spent=12.0, budget=9.0)
    (True, False)
    """
    return spent > budget and done >= (ROUNDS if slowest <= QUICK and spent <= MOST else 2)


def race(contestants: Mapping[str, Callable[[], object]], rounds: int = ROUNDS, budget: float = 60.0) -> Timing:
    """Run all contestants in turn, ``rounds`` times or until the budget is spent.

    At least twice, and ``ROUNDS`` times where all are ``QUICK``, unless ``rounds`` is less. Every round begins with
    another one, and every second one goes backwards, so that nobody always comes after the same one, whose threads may
    still spin.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    begin = time.perf_counter()
    for done in range(rounds):
        first = done % len(contestants)
        turns = [*contestants][first:] + [*contestants][:first]
        for name in turns if done % 2 == 0 else reversed(turns):
            seconds[name].append(_turn(contestants[name]))
        if enough(done + 1, max(each[-1] for each in seconds.values()), time.perf_counter() - begin, budget):
            break
    return Timing(seconds)


def show(title: str, timing: Timing, ours: str) -> None:
    """Print one table: median seconds and how many times slower than ours."""
    print(f"\n{title}  ({len(timing.seconds[ours])} rounds)")
    for name in timing.seconds:
        ratio = "" if name == ours else f"{timing.ratio(name, ours):8.1f} x"
        print(f"  {name:<28}{timing.median(name):10.4f} s {ratio}")
