"""The nearest neighbours of Weka's IBk, written from what its command line answers (3.9.7), never from its source.

What it does differently, each seen in its output: every row asked about first widens the ranges that scale the columns,
for itself and for all rows after it; a missing number is as far away as it could be; everyone tied with the k-th
neighbour in the last bit of the distance has a whole vote; each class starts with a vote of 1 / n; the first class wins
a draw. With ``moving=False`` the ranges are those of the training rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, sqrt


def _scaled(value: float, low: float, high: float) -> float:
    return 0.0 if low == high else (value - low) / (high - low)


def _gap(x: float, z: float, low: float, high: float, nominal: bool) -> float:
    if nominal:
        return 0.0 if x == z else 1.0  # NaN equals nothing
    if isnan(x) and isnan(z):
        return 1.0
    if isnan(x) or isnan(z):
        known = _scaled(z if isnan(x) else x, low, high)
        return max(known, 1.0 - known)
    return _scaled(x, low, high) - _scaled(z, low, high)


class Ranges:
    """Training rows (NaN where missing, levels as codes) and the ranges that scale their columns."""

    def __init__(self, rows: Sequence[Sequence[float]], nominal: Sequence[bool], *, moving: bool) -> None:
        self.rows, self.nominal, self.moving = rows, nominal, moving
        known = [[v for v in column if not isnan(v)] for column in zip(*rows, strict=True)]
        self.low = [min(column, default=0.0) for column in known]
        self.high = [max(column, default=0.0) for column in known]

    def distances(self, query: Sequence[float]) -> list[float]:
        """To every training row, in ranges that the query may have widened."""
        if self.moving:
            for j, value in enumerate(query):
                if not isnan(value):
                    self.low[j], self.high[j] = min(self.low[j], value), max(self.high[j], value)
        found = []
        for row in self.rows:
            square = 0.0
            for j, (x, z) in enumerate(zip(query, row, strict=True)):
                square += _gap(x, z, self.low[j], self.high[j], self.nominal[j]) ** 2
            found.append(sqrt(square))
        return found


def shares(distances: Sequence[float], codes: Sequence[int], n_classes: int, k: int) -> list[float]:
    """The share of each class in the vote of the k nearest and all who are tied with them."""
    reach = sorted(distances)[min(k, len(distances)) - 1]
    votes = [1.0 / len(distances)] * n_classes
    for distance, code in zip(distances, codes, strict=True):
        if distance <= reach:
            votes[code] += 1.0
    return [vote / sum(votes) for vote in votes]


def answers(
    rows: Sequence[Sequence[float]],
    codes: Sequence[int],
    nominal: Sequence[bool],
    folds: Sequence[Sequence[int]],
    ks: Sequence[int],
    *,
    moving: bool,
) -> dict[int, dict[int, list[float]]]:
    """For each k and row the shares of the classes when its fold is asked about, row after row."""
    found: dict[int, dict[int, list[float]]] = {k: {} for k in ks}
    for fold in folds:
        inside = set(fold)
        training = [i for i in range(len(rows)) if i not in inside]
        ranges = Ranges([rows[i] for i in training], nominal, moving=moving)
        known = [codes[i] for i in training]
        for i in fold:
            distances = ranges.distances(rows[i])
            for k in ks:
                found[k][i] = shares(distances, known, max(codes) + 1, k)
    return found
