"""FCNN: a consistent set grown from the class centres, in rounds."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from sepal.measures import PREPARING, Preparing
from sepal.neighbors import TIE_TOLERANCE
from sepal.parameters import checked
from sepal.progress import Progress
from sepal.prototypes._cases import Cases, CaseTies, as_cases, label_rows
from sepal.prototypes._condense import CaseMetric, Kept, Positions
from sepal.prototypes._prototype_set import PrototypeSet, added_rounds, prototype_set


def _center(points: NDArray[np.float64], mass: NDArray[np.float64], n_numbers: int) -> NDArray[np.float64]:
    """Mean of the numbers, most frequent level of the rest; a column without a value has no center."""
    center = np.full(points.shape[1], np.nan)
    for j in range(points.shape[1]):
        present = ~np.isnan(points[:, j])
        if not np.any(present):
            continue
        values, weights = (points[:, j], mass) if np.all(present) else (points[present, j], mass[present])
        if j < n_numbers:
            center[j] = np.sum(values * weights) / np.sum(weights)
        else:
            levels, level_of = np.unique(values, return_inverse=True)
            center[j] = levels[np.argmax(np.bincount(level_of, weights=weights))]
    return center


def center_cases(cases: Cases, metric: CaseMetric) -> Positions:
    """Of each class the case nearest to its center, the first of those tied."""
    fitted = cases.data.dense.fitted
    n_numbers = fitted.n_numeric if fitted.metric == "mixed" else cases.points.shape[1]
    seeds = []
    for code in np.flatnonzero(np.bincount(cases.codes[cases.may_keep])):
        own_pos = np.flatnonzero(cases.may_keep & (cases.codes == code))
        center = _center(metric.points.take(own_pos, axis=0), cases.mass[own_pos], n_numbers)
        values = metric.values_to(center, own_pos)
        seeds.append(own_pos[np.argmax(values <= values.min() * (1.0 + TIE_TOLERANCE))])
    return np.sort(np.array(seeds, dtype=np.intp))


def fcnn_solve(cases: Cases, metric: CaseMetric) -> Kept:
    """From the centers, round by round, until every case is right."""
    return metric.fcnn(center_cases(cases, metric), cases.may_keep)


@checked(passes_on=PREPARING)
def fcnn(
    X: Any,
    y: Any = None,
    *,
    ties: CaseTies = "expected",
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """Fast condensed nearest neighbour (FCNN1): the usual choice where there is no label noise.

    It starts from the row nearest to the center of each class. In each round every kept row takes in the nearest of the
    rows in its cell that it gets wrong.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`hart`.
    ties : {"expected", "index"}
        Of equally near rows the first by coordinates is taken, which depends neither on the order of rows nor on that
        of columns (unless columns hold the very same values, so that no rule could tell them apart), or with
        ``"index"`` the first as they stand. Either way a row equally near to kept rows of two
        classes counts as wrong.

    Returns
    -------
    PrototypeSet
        Consistent. ``history`` has one entry per round.

    Notes
    -----
    On the 683 complete rows of breast-cancer 65 are kept, and 64 with ``ties="index"``; both figures are known, the
    second depends on the order of the rows.

    References
    ----------
    F. Angiulli, "Fast nearest neighbor condensation for large data sets classification", IEEE TKDE 19, 2007.

    Examples
    --------
    >>> fcnn([[0.0], [1.0], [2.0], [5.0], [6.0]], list("aaabb")).rows.tolist()
    [1, 3]
    """
    data = label_rows(X, y, **how)
    cases = as_cases(data, ties)
    metric = CaseMetric.of(cases, progress)
    kept = fcnn_solve(cases, metric)
    rounds = added_rounds(cases, kept)
    return prototype_set("fcnn", cases, metric, cases.first_rows[kept.pos], rounds, right=kept.right)
