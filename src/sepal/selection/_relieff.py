"""ReliefF: how much more a feature differs between near rows of different classes than between near rows of one class.

    w_f = mean over rows of [ sum_{c != y} P(c)/(1-P(y)) mean diff(near rows of c) - mean diff(near rows of y) ]

diff is |x - z| / range for numbers and ranks, 0 or 1 for levels. A missing cell counts what it would on average, given
the class of its row. All rows take part; rows tied at the k-th place share it: the weights depend on no order.

References: I. Kononenko, ECML 1994; M. Robnik-Sikonja & I. Kononenko, Machine Learning 53, 2003.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, fit_scaling
from sepal.exceptions import ParameterError

_CHUNK_CELLS = 4_000_000
_TIE = 2.0**-40


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
                self.expected[c] = [0.0 if np.isnan(v) else float(self._differ(v, known).mean()) for v in x]
        self.between = np.zeros((n_classes, n_classes))
        for d in range(n_classes):
            known_rows = (codes == d) & ~self.missing
            known_rows = known_rows if known_rows.any() else ~self.missing
            if known_rows.any():
                self.between[:, d] = self.expected[:, known_rows].mean(axis=1)

    def _differ(self, a: NDArray[np.float64] | float, b: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(a != b, dtype=np.float64) if self.nominal else np.abs(a - b)

    def differences(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Between these rows and all rows."""
        result = self._differ(self.x[rows, None], self.x[None, :])
        if self.missing.any():
            here, there = self.missing[rows][:, None], self.missing[None, :]
            result = np.where(here & ~there, self.expected[self.codes[rows]], result)
            result = np.where(~here & there, self.expected[self.codes][:, rows].T, result)
            result = np.where(here & there, self.between[np.ix_(self.codes[rows], self.codes)], result)
        return result


def relieff(table: Table, codes: NDArray[np.int32], n_classes: int, k: int = 10) -> NDArray[np.float64]:
    """ReliefF weight of every column, from all rows."""
    if k < 1:
        raise ParameterError(f"k must be at least 1; got {k!r}")
    scaled = fit_scaling(table.values, table.kinds, "minmax", levels=table.levels).apply(table.values)
    columns = [_Column(scaled[:, f], kind == "nominal", codes, n_classes) for f, kind in enumerate(table.kinds)]
    n = len(codes)
    share = np.bincount(codes, minlength=n_classes) / n
    weights = np.zeros(len(columns))
    for rows in np.array_split(np.arange(n), max(1, n * n // _CHUNK_CELLS)):
        distance = np.zeros((len(rows), n))
        for column in columns:
            distance += column.differences(rows)
        distance[np.arange(len(rows)), rows] = np.inf
        influence = np.zeros((len(rows), n))
        for c in range(n_classes):
            among = np.flatnonzero(codes == c)
            near = _nearest_shares(distance[:, among], k)
            own = codes[rows] == c
            influence[np.ix_(~own, among)] += near[~own] * (share[c] / (1 - share[codes[rows][~own]]))[:, None]
            influence[np.ix_(own, among)] -= near[own]
        weights += [float(np.sum(influence * column.differences(rows))) for column in columns]
    return weights / n


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
