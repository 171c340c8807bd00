"""How well single columns, or one direction, tell the classes apart: F1, F1v, F2, F3, F4 of the survey."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from sepal.data import content_columns
from sepal.measures._class_pairs import class_pairs
from sepal.measures._within import Matrix, class_scatter, within_pair

Codes = NDArray[np.int32]


def rows_of_classes(codes: Codes) -> list[NDArray[np.intp]]:
    """The rows of each class, ascending."""
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def paired_rows(codes: Codes) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """The rows of both classes, for every pair of classes that is looked at."""
    rows = rows_of_classes(codes)
    yield from ((rows[a], rows[b]) for a, b in class_pairs(np.bincount(codes)))


def fisher_ratios(values: Matrix, codes: Codes) -> NDArray[np.float64]:
    """Per column the scatter between class means over that inside classes; NaN for a constant column."""
    counts = np.bincount(codes)
    around = values - values.mean(axis=0)
    means = np.array([around[rows].mean(axis=0) for rows in rows_of_classes(codes)])
    between = counts @ means**2
    within = np.sum((around - means[codes]) ** 2, axis=0)
    # A column that is constant inside classes leaves rounding behind.
    within = np.where(within <= 1e-24 * np.sum(around**2, axis=0), 0.0, within)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.ptp(values, axis=0) == 0, np.nan, between / within)


def max_fisher(values: Matrix, codes: Codes) -> float:
    """F1: 1 / (1 + the largest Fisher ratio of a column)."""
    ratios = fisher_ratios(values, codes)
    return 1.0 if np.all(np.isnan(ratios)) else float(1 / (1 + np.nanmax(ratios)))


def directional_fisher(values: Matrix, codes: Codes) -> float:
    """F1v: the same for the best direction, mean over pairs of classes."""
    found = []
    rows = rows_of_classes(codes)
    pairs = class_pairs(np.bincount(codes))
    scatters = {c: class_scatter(values[rows[c]]) for c in sorted({c for pair in pairs for c in pair})}
    for a, b in ((scatters[a], scatters[b]) for a, b in pairs):
        n = a.count + b.count
        if n <= 2:
            continue
        within = within_pair(a, b)
        d = within.means[0] - within.means[1]
        if within.rank == 0:
            found.append(0.0 if np.any(d != 0) else 1.0)
            continue
        found.append(1 / (1 + within.squared_distance(d) * n / (n - 2)))
    return float(np.mean(found)) if found else float("nan")


def _overlap(a: Matrix, b: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.maximum(a.min(axis=0), b.min(axis=0)), np.minimum(a.max(axis=0), b.max(axis=0))


def overlap_volume(values: Matrix, codes: Codes) -> float:
    """F2: product over columns of (overlap of both classes / range), mean over pairs of classes."""
    found = []
    for a, b in paired_rows(codes):
        A, B = values[a], values[b]
        low, high = _overlap(A, B)
        size = np.maximum(A.max(axis=0), B.max(axis=0)) - np.minimum(A.min(axis=0), B.min(axis=0))
        varies = size > 0
        shares = np.maximum(0.0, high - low)[varies] / size[varies]
        with np.errstate(divide="ignore"):
            found.append(float(np.exp(np.sum(np.log(shares)))))
    return float(np.mean(found))


def _inside(A: Matrix, B: Matrix) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    low, high = _overlap(A, B)
    return (low <= A) & (high >= A), (low <= B) & (high >= B)


def feature_efficiency(values: Matrix, codes: Codes) -> float:
    """F3: the smallest share of rows that lie where a column's classes overlap, mean over pairs."""
    found = []
    for a, b in paired_rows(codes):
        first, second = _inside(values[a], values[b])
        found.append(float(np.min(first.sum(axis=0) + second.sum(axis=0)) / (len(a) + len(b))))
    return float(np.mean(found))


def collective_efficiency(values: Matrix, codes: Codes) -> float:
    """F4: the share of rows left after the best columns, one after the other, took out what they resolve."""
    ranks: list[NDArray[np.intp]] = []

    def rank() -> NDArray[np.intp]:
        if not ranks:  # few tables have ties, and this takes longer than all the rest
            ranks.append(np.argsort(content_columns(values, codes)))
        return ranks[0]

    return float(np.mean([_left(values[a], values[b], rank) for a, b in paired_rows(codes)]))


def _left(A: Matrix, B: Matrix, rank: Callable[[], NDArray[np.intp]]) -> float:
    """Among columns that leave as many rows the order of their content decides, not where they stand."""
    first, second = _Kept(A), _Kept(B)
    columns = np.arange(A.shape[1])
    low, high = np.maximum(first.low, second.low), np.minimum(first.high, second.high)
    left = first.inside(columns, low, high).sum(axis=0) + second.inside(columns, low, high).sum(axis=0)
    while len(columns) and len(first) and len(second):
        tied = columns[left[columns] == left[columns].min()]
        if left[tied[0]] == len(first) + len(second):  # no column takes out any row, now or later
            break
        best = tied[0]
        if not all(kept.alike(tied, low, high) for kept in (first, second)):
            best = tied[np.argmin(rank()[tied])]
        columns = columns[columns != best]
        taken = [kept.take_out(int(best), low[best], high[best], columns) for kept in (first, second)]
        if not len(first) or not len(second):
            break
        new_low, new_high = np.maximum(first.low, second.low), np.minimum(first.high, second.high)
        moved = (new_low != low) | (new_high != high)
        still, anew = columns[~moved[columns]], columns[moved[columns]]
        low, high = new_low, new_high
        for rows in taken:
            left[still] -= _between(rows[:, still], low[still], high[still]).sum(axis=0)
        left[anew] = sum(kept.inside(anew, low, high).sum(axis=0) for kept in (first, second))
    return (len(first) + len(second)) / (len(A) + len(B)) if len(first) and len(second) else 0.0


def _between(rows: Matrix, low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    return (low <= rows) & (high >= rows)


class _Kept:
    """The rows of a class that no column has taken out yet, and the range of each column among them."""

    def __init__(self, rows: Matrix) -> None:
        self._rows = rows
        self._alive = np.arange(len(rows))
        self.low, self.high = rows.min(axis=0), rows.max(axis=0)
        self._at_low, self._at_high = (np.sum(rows == edge, axis=0) for edge in (self.low, self.high))

    def __len__(self) -> int:
        return len(self._alive)

    def inside(
        self, columns: NDArray[np.intp], low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Which rows lie where the classes overlap in these columns."""
        return _between(self._rows[np.ix_(self._alive, columns)], low[columns], high[columns])

    def alike(self, columns: NDArray[np.intp], low: NDArray[np.float64], high: NDArray[np.float64]) -> bool:
        """Whether all of these columns take out the same rows; most differ already in the first two."""
        for some in (columns[:2], columns):
            found = self.inside(some, low, high)
            if np.any(found != found[:, :1]):
                return False
        return True

    def take_out(self, column: int, low: float, high: float, others: NDArray[np.intp]) -> Matrix:
        """Drop the rows outside, and give them; ranges are looked at anew only in columns that lose their last row."""
        cells = self._rows[self._alive, column]
        out = (cells < low) | (cells > high)
        rows, self._alive = self._rows[self._alive[out]], self._alive[~out]
        if not len(self._alive):
            return np.asarray(rows)
        self._at_low -= np.sum(rows == self.low, axis=0)
        self._at_high -= np.sum(rows == self.high, axis=0)
        lost = others[(self._at_low[others] == 0) | (self._at_high[others] == 0)]
        if len(lost):
            left = self._rows[np.ix_(self._alive, lost)]
            self.low[lost], self.high[lost] = left.min(axis=0), left.max(axis=0)
            self._at_low[lost] = np.sum(left == self.low[lost], axis=0)
            self._at_high[lost] = np.sum(left == self.high[lost], axis=0)
        return np.asarray(rows)
