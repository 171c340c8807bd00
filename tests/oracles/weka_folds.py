"""The ten folds a Weka user gets with seed 1, rebuilt.

Java's linear congruential generator (its constants are part of the Java specification), a shuffle from the last row
down, rows put class after class by swapping, and rows dealt out to the folds one at a time. Compared with the folds
that Weka 3.9.7 prints (predictions with a column of row numbers) for 13 of its own data sets and 7 bundled ones: the
same rows in the same order in every fold. ``weka_ibk.py`` answers on them as Weka does.
"""

from __future__ import annotations

from collections.abc import Sequence


class JavaRandom:
    """java.util.Random, as its specification prescribes."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def bits(self, count: int) -> int:
        self.state = (self.state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        value = self.state >> (48 - count)
        return value - (1 << count) if value >= 1 << (count - 1) else value

    def below(self, bound: int) -> int:
        if bound & (bound - 1) == 0:
            return (bound * (self.bits(31) & 0x7FFFFFFF)) >> 31
        while True:
            bits = self.bits(31) & 0x7FFFFFFF
            value = bits % bound
            if bits - value + (bound - 1) < 1 << 31:
                return value


def weka_folds(y: Sequence[object], n_folds: int = 10, seed: int = 1) -> list[list[int]]:
    """The rows of each test fold, for classes y."""
    rows = list(range(len(y)))
    random = JavaRandom(seed)
    for last in range(len(rows) - 1, 0, -1):
        other = random.below(last + 1)
        rows[last], rows[other] = rows[other], rows[last]
    place = 1
    while place < len(rows):
        wanted = y[rows[place - 1]]
        for other in range(place, len(rows)):
            if y[rows[other]] == wanted:
                rows[place], rows[other] = rows[other], rows[place]
                place += 1
        place += 1
    dealt = [row for start in range(n_folds) for row in rows[start::n_folds]]
    folds, begin = [], 0
    for fold in range(n_folds):
        size = len(rows) // n_folds + (fold < len(rows) % n_folds)
        folds.append(dealt[begin : begin + size])
        begin += size
    return folds
