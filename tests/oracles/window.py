"""A window of rows and two drift detectors as plain loops, everything recomputed from its definition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

TOL = 2.0**-40
SAME = 1e-10  # of the most votes


@dataclass
class Window:
    """Rows are tuples of numbers (None: missing) and texts; ``scaled`` divides numbers by their range."""

    k: int = 5
    most: int | None = None
    max_age: float = math.inf
    quota: int | None = None
    by_distance: bool = False
    scaled: bool = True
    edit_k: int | None = None
    edit_every: int = 100
    rows: list[tuple[int, tuple, Any, float]] = field(default_factory=list)  # arrival, row, label, time
    seen: list[Any] = field(default_factory=list)

    def ranges(self) -> list[float]:
        found = []
        for f in range(len(self.rows[0][1])):
            numbers = [r[1][f] for r in self.rows if isinstance(r[1][f], float)]
            spread = max(numbers) - min(numbers) if numbers else 0.0
            found.append(spread if self.scaled and spread > 0 else 1.0)
        return found

    def value(self, x: tuple, z: tuple, ranges: list[float]) -> float:
        total = 0.0
        for a, b, spread in zip(x, z, ranges, strict=True):
            if a is None or b is None:
                total += 1.0
            elif isinstance(a, str):
                total += a != b
            else:
                total += (a / spread - b / spread) ** 2
        return total

    def votes(self, x: tuple, k: int, skip: int | None = None) -> tuple[dict, dict]:
        """Votes and nearest value of each class."""
        ranges = self.ranges()
        left = [(self.value(x, r[1], ranges), r[2]) for r in self.rows if r[0] != skip]
        groups: list[list[tuple[float, Any]]] = []
        taken = 0
        while left and taken < k:
            smallest = min(v for v, _ in left)
            group = [(smallest, label) for v, label in left if v <= smallest * (1 + TOL)]
            left = [(v, label) for v, label in left if v > smallest * (1 + TOL)]
            groups.append(group)
            taken += len(group)
        votes: dict[Any, float] = {}
        nearest: dict[Any, float] = {}
        before = 0
        for group in groups:
            share = min(1.0, (k - before) / len(group))
            before += len(group)
            for v, label in group:
                weight = share
                if self.by_distance:
                    touching = groups[0][0][0] == 0
                    weight = (share if v == 0 else 0.0) if touching else share / math.sqrt(v)
                votes[label] = votes.get(label, 0.0) + weight
                nearest.setdefault(label, v)
        return votes, nearest

    def predict(self, x: tuple) -> Any:
        if not self.rows:
            counts = {label: self.seen.count(label) for label in sorted(set(self.seen))}
            return max(counts, key=counts.__getitem__) if counts else None
        votes, nearest = self.votes(x, self.k)
        best, same = None, SAME * max(votes.values(), default=0.0)
        for label in sorted(votes):
            if best is None:
                best = label
                continue
            ahead = votes[label] - votes[best]
            if ahead > same or (ahead >= -same and nearest[label] < nearest[best]):
                best = label
        return best

    def expire(self, now: float) -> None:
        self.rows = [r for r in self.rows if not r[3] < now - self.max_age]

    def learn(self, x: tuple, label: Any, time: float) -> None:
        own = [r for r in self.rows if r[2] == label]
        if self.quota and len(own) >= self.quota:
            self.rows.remove(own[0])
        elif self.most and len(self.rows) >= self.most:
            self.rows.pop(0)
        self.rows.append((len(self.seen), x, label, time))
        self.seen.append(label)
        if self.edit_k and len(self.seen) % self.edit_every == 0 and len(self.rows) > self.edit_k:
            self.rows = [r for r in self.rows if not self.contradicted(r)]

    def contradicted(self, r: tuple) -> bool:
        votes, nearest = self.votes(r[1], self.edit_k, skip=r[0])
        own, own_nearest = votes.get(r[2], 0.0), nearest.get(r[2], math.inf)
        same = SAME * max(votes.values(), default=0.0)
        return any(
            v > own + same or (v >= own - same and nearest[label] < own_nearest)
            for label, v in votes.items()
            if label != r[2]
        )

    def prequential(self, X: Sequence[tuple], y: Sequence, times: Sequence[float]) -> list[Any]:
        said = []
        for x, label, time in zip(X, y, times, strict=True):
            self.expire(time)
            said.append(self.predict(x))
            self.learn(x, label, time)
        return said


def adwin(values: Sequence[float], delta: float, clock: int, per_size: int, min_part: int) -> tuple[list[int], int]:
    """Bifet & Gavalda 2007 on buckets that keep their values; the drifts, and how many values are left."""
    rows: list[list[list[float]]] = []  # rows[i]: buckets of 2**i values, oldest first
    drifts = []
    for t, value in enumerate(values):
        bucket = [value]
        size = 0
        while True:
            if size == len(rows):
                rows.append([])
            rows[size].append(bucket)
            if len(rows[size]) <= per_size:
                break
            bucket = rows[size].pop(0) + rows[size].pop(0)
            size += 1
        if (t + 1) % clock:
            continue
        changed = False
        while _some_cut_differs([b for row in reversed(rows) for b in row], delta, min_part):
            changed = True
            rows[-1].pop(0)
            while rows and not rows[-1]:
                rows.pop()
        if changed:
            drifts.append(t)
    return drifts, sum(len(b) for row in rows for b in row)


def _some_cut_differs(buckets: list[list[float]], delta: float, min_part: int) -> bool:
    everything = [v for b in buckets for v in b]
    n = len(everything)
    if n < 2 * min_part:
        return False
    mean = math.fsum(everything) / n
    variance = math.fsum((v - mean) ** 2 for v in everything) / n
    confidence = math.log(2 * math.log(n) / delta)
    for i in range(1, len(buckets)):
        old = [v for b in buckets[:i] for v in b]
        new = [v for b in buckets[i:] for v in b]
        if len(old) < min_part or len(new) < min_part:
            continue
        inverse = 1 / len(old) + 1 / len(new)
        bound = math.sqrt(2 * inverse * variance * confidence) + 2 / 3 * inverse * confidence
        if abs(math.fsum(old) / len(old) - math.fsum(new) / len(new)) > bound:
            return True
    return False


def ddm(errors: Sequence[int], warm_up: int, warn: float, alarm: float) -> tuple[list[int], list[int]]:
    """Gama et al. 2004; s is never below that of half an error. Drifts and warnings."""
    drifts, warnings = [], []
    since: list[int] = []
    best = (math.inf, 0.0)
    for t, error in enumerate(errors):
        since.append(error)
        n = len(since)
        if n < warm_up:
            continue
        p = sum(since) / n
        s = math.sqrt(p * (1 - p) / n)
        if p + s < sum(best):
            half = 0.5 / n
            best = (p, max(s, math.sqrt(half * (1 - half) / n)))
        if p + s > best[0] + alarm * best[1]:
            drifts.append(t)
            since, best = [], (math.inf, 0.0)
        elif p + s > best[0] + warn * best[1]:
            warnings.append(t)
    return drifts, warnings
