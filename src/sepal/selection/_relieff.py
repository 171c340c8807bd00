"""ReliefF: how much more a feature differs between near rows of different classes than between near rows of one class.

    w_f = mean over rows of [ sum_{c != y} P(c)/(1-P(y)) mean diff(near rows of c) - mean diff(near rows of y) ]

diff is |x - z| / range for numbers and ranks, 0 or 1 for levels. A missing cell counts what it would on average, given
the class of its row. All rows take part; rows tied at the k-th place share it: the weights depend on no order.

References: I. Kononenko, ECML 1994; M. Robnik-Sikonja & I. Kononenko, Machine Learning 53, 2003.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, fit_scaling
from sepal.neighbors import neighbor_ranking

_CHUNK_CELLS = 500_000  # pairs compared together, few enough for the cache
_TIE = 2.0**-40

# Rows, rows near them, and how much each of these counts; for one class of near rows.
_Near = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]


class _Column:
    """Differences in one column."""

    def __init__(self, x: NDArray[np.float64], nominal: bool, codes: NDArray[np.int32], n_classes: int) -> None:
        self.x, self.nominal, self.codes = x, nominal, codes
        self.missing = np.isnan(x)
        if not self.missing.any():
            return
        # expected[c, i]: mean difference of row i from the known cells of class c; between[c, d]: of two such cells
        self.expected = np.zeros((n_classes, len(x)))
        for c in range(n_classes):
            known = x[(codes == c) & ~self.missing]
            known = known if len(known) else x[~self.missing]
            if len(known):
                self.expected[c, ~self.missing] = self._mean_differences(x[~self.missing], np.sort(known))
        self.between = np.zeros((n_classes, n_classes))
        for d in range(n_classes):
            known_rows = (codes == d) & ~self.missing
            known_rows = known_rows if known_rows.any() else ~self.missing
            if known_rows.any():
                self.between[:, d] = self.expected[:, known_rows].mean(axis=1)

    def _mean_differences(self, x: NDArray[np.float64], ordered: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of each value from all of ``ordered``."""
        n = len(ordered)
        below = np.searchsorted(ordered, x)
        if self.nominal:
            return np.asarray(1.0 - (np.searchsorted(ordered, x, side="right") - below) / n)
        sums = np.concatenate([[0.0], np.cumsum(ordered)])
        return np.asarray((x * (2 * below - n) - 2 * sums[below] + sums[-1]) / n)

    def _differ(self, a: NDArray[np.float64] | float, b: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(a != b, dtype=np.float64) if self.nominal else np.abs(a - b)

    def differences(self, rows: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.float64]:
        """Between each row and the other at the same place."""
        result = self._differ(self.x[rows], self.x[others])
        if self.missing.any():
            here, there = self.missing[rows], self.missing[others]
            result = np.where(here & ~there, self.expected[self.codes[rows], others], result)
            result = np.where(~here & there, self.expected[self.codes[others], rows], result)
            result = np.where(here & there, self.between[self.codes[rows], self.codes[others]], result)
        return result

    def block(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Between rows and all rows: the few missing cells are put in afterwards."""
        result = self._differ(self.x[rows, None], self.x)
        here, there = np.flatnonzero(self.missing[rows]), np.flatnonzero(self.missing)
        if len(there):
            result[here] = self.expected[self.codes[rows[here]]]
            result[:, there] = self.expected[self.codes[there]][:, rows].T
            result[np.ix_(here, there)] = self.between[np.ix_(self.codes[rows[here]], self.codes[there])]
        return result

    def coordinates(self) -> NDArray[np.float64]:
        """Such that the Manhattan distance is the difference: the numbers, or half a one-hot code of the levels."""
        return 0.5 * (self.x[:, None] == np.unique(self.x)) if self.nominal else self.x[:, None]


def relieff(
    table: Table,
    codes: NDArray[np.int32],
    n_classes: int,
    k: int = 10,
    groups: NDArray[np.intp] | None = None,
) -> NDArray[np.float64]:
    """ReliefF weight of every column, from all rows; those of one group are not near each other."""
    scaled = fit_scaling(table.values, table.kinds, "minmax", levels=table.levels).apply(table.values)
    columns = [_Column(scaled[:, f], kind == "nominal", codes, n_classes) for f, kind in enumerate(table.kinds)]
    n = len(codes)
    share = np.bincount(codes, minlength=n_classes) / n
    weights = np.zeros(len(columns))
    alone = groups is None and not np.isnan(scaled).any()
    units = np.arange(n) if groups is None else groups
    found = _searched(columns, codes, n_classes, k) if alone else _compared(columns, codes, n_classes, k, units)
    for rows, near, part in found:
        own, other = codes[rows], codes[near]
        with np.errstate(divide="ignore"):  # where there is one class only, no row is near one of another
            influence = np.where(own == other, -part, part * share[other] / (1 - share[own]))
        weights += [float(influence @ column.differences(rows, near)) for column in columns]
    return weights / n


def _searched(columns: list[_Column], codes: NDArray[np.int32], n_classes: int, k: int) -> Iterator[_Near]:
    """Complete columns: the nearest rows of each class by the native search."""
    points = np.hstack([column.coordinates() for column in columns])
    for c in range(n_classes):
        among, rest = np.flatnonzero(codes == c), np.flatnonzero(codes != c)
        for rows, queries, others in ((among, None, len(among) - 1), (rest, points[rest], len(among))):
            if len(rows) == 0 or others < 1:
                continue
            ranking = neighbor_ranking(
                points[among], min(k, others), queries=queries, distance="manhattan", ties="expected"
            )
            counts = np.diff(ranking.start)
            last = np.repeat(ranking.flat_distances[ranking.start[1:] - 1], counts)
            tied = ranking.flat_distances == last
            at = np.repeat(np.arange(len(rows)), counts)
            n_tied = np.bincount(at, weights=tied, minlength=len(rows))
            left = ranking.k - (counts - n_tied)  # places for those tied at the end
            yield rows[at], among[ranking.flat_rows], np.where(tied, (left / n_tied)[at], 1.0) / ranking.k


def _compared(
    columns: list[_Column], codes: NDArray[np.int32], n_classes: int, k: int, units: NDArray[np.intp]
) -> Iterator[_Near]:
    """Missing cells, whose differences are no distance between points, and groups: all pairs of rows, in chunks."""
    n = len(codes)
    for rows in np.array_split(np.arange(n), max(1, n * n // _CHUNK_CELLS)):
        distance = np.zeros((len(rows), n))
        for column in columns:
            distance += column.block(rows)
        distance[units[rows][:, None] == units[None, :]] = np.inf
        for c in range(n_classes):
            among = np.flatnonzero(codes == c)
            shares = _nearest_shares(distance[:, among], k)
            at, near = np.nonzero(shares)
            yield rows[at], among[near], shares[at, near]


def _nearest_shares(distance: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Weights of the k nearest of each row of a matrix, adding up to 1; the tied share the last places."""
    finite = np.isfinite(distance)
    most = np.minimum(k, finite.sum(axis=1))
    ordered = np.partition(distance, min(k, distance.shape[1]) - 1, axis=1)[:, : min(k, distance.shape[1])]
    ordered.sort(axis=1)
    last = ordered[np.arange(len(distance)), np.maximum(most, 1) - 1][:, None]
    with np.errstate(invalid="ignore"):
        sure = distance < last * (1 - _TIE)
        tied = ~sure & (distance <= last * (1 + _TIE)) & finite
    left = most[:, None] - sure.sum(axis=1, keepdims=True)
    part = left / np.maximum(tied.sum(axis=1, keepdims=True), 1)
    return np.asarray((sure + tied * part) / np.maximum(most, 1)[:, None])
