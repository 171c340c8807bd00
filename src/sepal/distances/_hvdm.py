"""The heterogeneous value difference metric: nominal levels are near when their classes are alike.

References
----------
D. R. Wilson, T. R. Martinez, "Improved heterogeneous distance functions", JAIR 6, 1997, with the authors' correction of
2000: the squared nominal term is the plain sum of squared differences of class probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Scaling, Table, class_codes, row_groups
from sepal.distances._fitted import FittedDistance
from sepal.distances._weights import column_weights
from sepal.exceptions import DataError


def hvdm(table: Table, scaling: Scaling, params: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers by a quarter of their standard deviation, levels by their class probabilities, missing cells cost 1.

    Row weights of the table count rows. A level that training did not have has probability 0 for every class.
    """
    if table.y is None:
        raise DataError("the distance 'hvdm' learns from the classes, and there are none", hint="give the labels as y")
    codes, classes = class_codes(table)
    rows = np.ones(table.n_rows) if table.weights is None else table.weights
    weights, scaled = column_weights(table, params), scaling.apply(table.values)
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    order = np.concatenate([np.flatnonzero(~nominal), np.flatnonzero(nominal)])
    factors, costs = np.ones(len(order)), []
    profiles: list[NDArray[np.float64] | None] = []
    counts: list[NDArray[np.float64] | None] = []
    for place, j in enumerate(order):
        if not nominal[j]:
            factors[place] = np.sqrt(weights[j]) / (4.0 * _deviation(scaled[:, j], rows))
            profiles.append(None)
            counts.append(None)
            costs.append([weights[j]])
            continue
        counted = level_counts(table.values[:, j], codes, rows, len(table.levels[j] or ()), len(classes))
        counts.append(counted)
        profiles.append(np.sqrt(weights[j]) * probabilities(counted))
        costs.append([weights[j] / len(classes)] * len(classes))
    return {
        "metric": "mixed",
        "order": order,
        "factors": factors,
        "n_numeric": sum(len(cost) for cost in costs),
        "costs": np.concatenate(costs),
        "profiles": tuple(profiles),
        "counts": tuple(counts),
    }


def _deviation(column: NDArray[np.float64], rows: NDArray[np.float64]) -> float:
    present = ~np.isnan(column)
    if not present.any():
        return 1.0
    mean = np.average(column[present], weights=rows[present])
    found = float(np.sqrt(np.average((column[present] - mean) ** 2, weights=rows[present])))
    return found or 1.0


def level_counts(
    column: NDArray[np.float64], codes: NDArray[np.int32], rows: NDArray[np.float64], n_levels: int, n_classes: int
) -> NDArray[np.float64]:
    """(n_levels, n_classes) rows of each level and class."""
    present = ~np.isnan(column)
    flat = column[present].astype(np.intp) * n_classes + codes[present]
    counted = np.bincount(flat, weights=rows[present], minlength=n_levels * n_classes)
    return np.asarray(counted.reshape(n_levels, n_classes), dtype=np.float64)


def probabilities(counted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Class probabilities of each level; zeros for a level without rows."""
    total = counted.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(counted, total, out=np.zeros_like(counted), where=total > 1e-12))


def squares_without(
    fitted: FittedDistance,
    table: Table,
    codes: NDArray[np.int32],
    left_out: NDArray[np.float64],
    rows: NDArray[np.intp],
    groups: NDArray[np.intp] | None = None,
) -> NDArray[np.float64]:
    """(len(rows), n_rows) squared distances from rows that are taken out of the counts they asked about.

    Without row i the probabilities of its own levels change, and only those; a row of the same level stays at 0 in that
    column. The row's distance to itself is infinite. With ``groups`` all rows of its group are taken out with it.
    """
    points = fitted.embed(table)
    total = np.zeros((len(rows), table.n_rows))
    begin = 0
    for place, j in enumerate(fitted.order):
        counted = None if fitted.counts is None else fitted.counts[place]
        if counted is None:
            gap = points[rows, begin, None] - points[None, :, begin]
            total += np.where(np.isnan(gap), fitted.mismatch[begin], gap**2)
            begin += 1
            continue
        n_classes = counted.shape[1]
        weight = float(fitted.mismatch[begin : begin + n_classes].sum())
        column = _LeftOutLevels(table.values[:, j], codes, counted, left_out)
        total += weight * column.squares(rows, groups)
        begin += n_classes
    total[np.arange(len(rows)), rows] = np.inf
    return total


@dataclass(frozen=True, eq=False)
class _LeftOutLevels:
    """A column of levels, what was counted of it, and how much of that goes with each row."""

    column: NDArray[np.float64]
    codes: NDArray[np.int32]
    counted: NDArray[np.float64]
    left_out: NDArray[np.float64]

    def squares(self, rows: NDArray[np.intp], groups: NDArray[np.intp] | None) -> NDArray[np.float64]:
        """(len(rows), n_rows) squared distances in this column; a missing cell is at 1 from every other."""
        missing = np.isnan(self.column)
        level = np.where(missing, 0, self.column).astype(np.intp)
        case_of, squares = self._alone(level, rows) if groups is None else self._with_group(level, rows, groups)
        return np.where(missing[rows][:, None] | missing[None, :], 1.0, squares[case_of][:, level])

    def _alone(self, level: NDArray[np.intp], rows: NDArray[np.intp]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The case of each row, which goes alone, and the squared distances of the cases to the levels."""
        # Rows of one level, class and weight ask the same question.
        case_of, first = row_groups(np.stack([level[rows], self.codes[rows], self.left_out[rows]], axis=1))
        cases, every = rows[first], np.arange(len(first))
        reduced = self.counted[level[cases]].copy()
        reduced[every, self.codes[cases]] -= self.left_out[cases]
        squares = _squared_gaps(probabilities(reduced), probabilities(self.counted))
        squares[every, level[cases]] = 0.0
        return case_of, squares

    def _with_group(
        self, level: NDArray[np.intp], rows: NDArray[np.intp], groups: NDArray[np.intp]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The same where the whole group of a row goes with it."""
        case_of, first = row_groups(np.stack([level[rows], groups[rows]], axis=1))
        cases = rows[first]
        squares = np.empty((len(cases), len(self.counted)))
        by_group = np.argsort(groups, kind="stable")
        begins = np.searchsorted(groups[by_group], np.arange(groups.max() + 2))
        for group in np.unique(groups[rows]):
            members = by_group[begins[group] : begins[group + 1]]
            own = level_counts(self.column[members], self.codes[members], self.left_out[members], *self.counted.shape)
            known = probabilities(np.maximum(self.counted - own, 0.0))
            asking = np.flatnonzero(groups[cases] == group)
            squares[asking] = _squared_gaps(known[level[cases[asking]]], known)
        return case_of, squares


def _squared_gaps(some: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(((some[:, None, :] - others[None, :, :]) ** 2).sum(axis=2))
