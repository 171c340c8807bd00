"""Selective subsets: every row is nearer to a kept row of its class than to any row of another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from sepal.measures import PREPARING, Prepared, Preparing
from sepal.parameters import checked
from sepal.progress import Progress
from sepal.prototypes._cases import Cases, as_cases, label_rows
from sepal.prototypes._condense import CaseMetric, Kept, tied_order
from sepal.prototypes._prototype_set import PrototypeSet, added_rounds, nothing_left, prototype_set


def _keepable(cases: Cases, progress: Progress | None) -> tuple[CaseMetric, NDArray[np.intp]]:
    """The cases that may be prototypes; only these count as nearest enemies, the nearest rows of another class."""
    pos = np.flatnonzero(cases.may_keep)
    return CaseMetric(cases.data.dense, cases.points[pos], cases.codes[pos], progress), pos


def mss_solve(metric: CaseMetric) -> Kept:
    """By ascending distance to the enemy, each case that covers one not covered yet."""
    enemy = metric.enemy_values()
    return metric.selective(tied_order(enemy, metric.tie), enemy)


def rss_solve(metric: CaseMetric) -> Kept:
    """By ascending distance to the enemy, each case that is not covered yet."""
    enemy = metric.enemy_values()
    return metric.relaxed_selective(tied_order(enemy, metric.tie), enemy)


def _selective(
    name: str, solve: Callable[[CaseMetric], Kept], data: Prepared, progress: Progress | None
) -> PrototypeSet:
    cases = as_cases(data)
    if not cases.may_keep.any():
        raise nothing_left(name, cases)
    part, part_pos = _keepable(cases, progress)
    found = solve(part)
    kept = Kept(part_pos[found.pos], found.round)
    metric = CaseMetric.of(cases, progress)
    return prototype_set(name, cases, metric, cases.first_rows[kept.pos], added_rounds(cases, kept))


@checked(passes_on=PREPARING)
def mss(
    X: Any,
    y: Any = None,
    *,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """Modified selective subset: rows near the boundary that cover all others.

    A row covers another if it is nearer to it than that one's nearest row of another class. Rows are taken by ascending
    distance to their own enemy, each if it covers a row that none before it covers.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`hart`.

    Returns
    -------
    PrototypeSet
        Consistent, independent of row order, and close to the class boundary.

    References
    ----------
    R. Barandela, F. J. Ferri, J. S. Sánchez, "Decision boundary preserving prototype selection for nearest neighbor
    classification", Int. J. Pattern Recognition and Artificial Intelligence 19, 2005.

    Examples
    --------
    >>> mss([[0.0], [1.0], [2.0], [5.0], [6.0]], list("aaabb")).rows.tolist()
    [2, 3]
    """
    data = label_rows(X, y, **how)
    return _selective("mss", mss_solve, data, progress)


@checked(passes_on=PREPARING)
def rss(
    X: Any,
    y: Any = None,
    *,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """Relaxed selective subset: as :func:`mss`, but a row already covered is never taken.

    Its size is bounded in terms of the number of rows that are somebody's nearest enemy.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`hart`.

    Returns
    -------
    PrototypeSet
        Consistent and independent of row order.

    References
    ----------
    A. Flores-Velazco, D. M. Mount, "Guarantees on nearest-neighbor condensation heuristics", CCCG 2019,
    arXiv:1904.12142.

    Examples
    --------
    >>> rss([[0.0], [1.0], [2.0], [5.0], [6.0]], list("aaabb")).rows.tolist()
    [2, 3]
    """
    data = label_rows(X, y, **how)
    return _selective("rss", rss_solve, data, progress)
