"""The heterogeneous value difference metric: nominal levels are near when their classes are alike.

References
----------
D. R. Wilson, T. R. Martinez, "Improved heterogeneous distance functions", JAIR 6, 1997, with the authors' correction of
2000: the squared nominal term is the plain sum of squared differences of class probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Scaling, Table, class_codes
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
        if groups is None:
            total += weight * _level_squares(table.values[:, j], codes, counted, left_out, rows)
        else:
            total += weight * _level_squares_without_groups(table.values[:, j], codes, counted, left_out, rows, groups)
        begin += n_classes
    total[np.arange(len(rows)), rows] = np.inf
    return total


def _level_squares_without_groups(
    column: NDArray[np.float64],
    codes: NDArray[np.int32],
    counted: NDArray[np.float64],
    left_out: NDArray[np.float64],
    rows: NDArray[np.intp],
    groups: NDArray[np.intp],
) -> NDArray[np.float64]:
    missing = np.isnan(column)
    level = np.where(missing, 0, column).astype(np.intp)
    found = np.empty((len(rows), len(column)))
    by_group = np.argsort(groups, kind="stable")
    begins = np.searchsorted(groups[by_group], np.arange(groups.max() + 2))
    for group in np.unique(groups[rows]):
        members = by_group[begins[group] : begins[group + 1]]
        own = level_counts(column[members], codes[members], left_out[members], *counted.shape)
        known = probabilities(np.maximum(counted - own, 0.0))
        asking = np.flatnonzero(groups[rows] == group)
        difference = known[level[rows[asking]]][:, None, :] - known[None, :, :]
        found[asking] = (difference**2).sum(axis=2)[:, level]
    return np.where(missing[rows][:, None] | missing[None, :], 1.0, found)


def _level_squares(
    column: NDArray[np.float64],
    codes: NDArray[np.int32],
    counted: NDArray[np.float64],
    left_out: NDArray[np.float64],
    rows: NDArray[np.intp],
) -> NDArray[np.float64]:
    missing = np.isnan(column)
    level = np.where(missing, 0, column).astype(np.intp)
    # Rows of one level, class and weight ask the same question.
    asked = np.stack([level[rows], codes[rows], left_out[rows]], axis=1)
    cases, case_of = np.unique(asked, axis=0, return_inverse=True)
    own = cases[:, 0].astype(np.intp)
    reduced = counted[own].copy()
    reduced[np.arange(len(cases)), cases[:, 1].astype(np.intp)] -= cases[:, 2]
    difference = probabilities(reduced)[:, None, :] - probabilities(counted)[None, :, :]
    squares = (difference**2).sum(axis=2)
    squares[np.arange(len(cases)), own] = 0.0
    found = squares[case_of.reshape(-1)][:, level]
    return np.where(missing[rows][:, None] | missing[None, :], 1.0, found)
