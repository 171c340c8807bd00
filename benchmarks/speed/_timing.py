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


SHORT = 3.0  # seconds; who is done sooner runs twice in its turn, and the second time counts


def _turn(run: Callable[[], object]) -> float:
    """Seconds of a run that does not pay for what ran before it: memory given back, cold caches, threads that spin."""
    seconds = 0.0
    for _ in range(2):
        start = time.perf_counter()
        run()
        seconds = time.perf_counter() - start
        if seconds > SHORT:
            break
    return seconds


def race(contestants: Mapping[str, Callable[[], object]], rounds: int = 5, budget: float = 60.0) -> Timing:
    """Run all contestants in turn, ``rounds`` times or until the budget is spent (at least twice).

    Every round begins with another one, so that nobody always comes after the same one, whose threads may still spin.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    begin = time.perf_counter()
    for done in range(rounds):
        first = done % len(contestants)
        for name in [*contestants][first:] + [*contestants][:first]:
            seconds[name].append(_turn(contestants[name]))
        if done >= 1 and time.perf_counter() - begin > budget:
            break
    return Timing(seconds)


def show(title: str, timing: Timing, ours: str) -> None:
    """Print one table: median seconds and how many times slower than ours."""
    print(f"\n{title}  ({len(timing.seconds[ours])} rounds)")
    for name in timing.seconds:
        ratio = "" if name == ours else f"{timing.ratio(name, ours):8.1f} x"
        print(f"  {name:<28}{timing.median(name):10.4f} s {ratio}")
