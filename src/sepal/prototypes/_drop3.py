"""DROP3, decremental reduction: a row goes if its associates are classified as well without it."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from sepal.measures import PREPARING, Prepared, Preparing, groups_of
from sepal.parameters import checked
from sepal.progress import Progress
from sepal.prototypes._cases import Cases, as_cases, label_rows
from sepal.prototypes._condense import CaseMetric, Positions, tied_order
from sepal.prototypes._neighbor_vote import Groups, enn_solve
from sepal.prototypes._prototype_set import PrototypeSet, Round, nothing_left, prototype_set


def edited_cases(
    cases: Cases, data: Prepared, k: int, progress: Progress | None, groups: Groups | None = None
) -> Positions:
    """Cases with a row that Wilson's editing leaves; of conflicting ones only the most frequent class."""
    noisy = np.zeros(data.n_rows, dtype=bool)
    noisy[enn_solve(data, k, progress, groups)] = True
    kept = np.zeros(cases.n_cases, dtype=bool)
    kept[cases.case_of[~noisy]] = True
    return np.flatnonzero(kept & cases.may_keep)


def cases_apart(cases: Cases, some_pos: Positions, groups: Groups | None, progress: Progress | None) -> CaseMetric:
    """Some cases, those of one group no neighbours of each other."""
    found = cases.groups_of_cases(groups)
    kept_apart = None if found is None else found[some_pos]
    return CaseMetric(cases.data.dense, cases.points[some_pos], cases.codes[some_pos], progress, kept_apart)


def drop_solve(metric: CaseMetric, k: int) -> Positions:
    """From the farthest enemy to the nearest, drop each case that its associates do without."""
    visit = tied_order(metric.enemy_values(), metric.tie, descending=True)
    return metric.drop(k, visit).pos


def filtered_set(
    name: str,
    cases: Cases,
    filtered_pos: NDArray[np.intp],
    kept_pos: NDArray[np.intp],
    passes: list[NDArray[np.intp]],
    progress: Progress | None,
) -> PrototypeSet:
    """The set left after noise filtering and further passes over cases."""
    none = np.zeros(0, dtype=np.intp)
    start_rows = cases.first_rows[filtered_pos]
    history = [Round(none, np.setdiff1d(cases.data.rows, start_rows), len(filtered_pos))]
    for removed_pos in passes:
        history.append(Round(none, cases.first_rows[removed_pos], history[-1].n_kept - len(removed_pos)))
    metric = CaseMetric.of(cases, progress)
    return prototype_set(name, cases, metric, cases.first_rows[kept_pos], tuple(history))


@checked(passes_on=PREPARING)
def drop3(
    X: Any,
    y: Any = None,
    *,
    n_neighbors: int = 3,
    groups: Any = None,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """DROP3: small sets that stand label noise.

    After :func:`enn` rows are tried from the farthest to the nearest enemy. One goes if at least as many of its
    associates (rows that have it among their ``n_neighbors`` + 1 nearest) are right without it as with it. Rows that
    went stay associates of others.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`hart`.
    n_neighbors : int
        Neighbours that vote, in the filter and after it.
    groups : array-like, "copies" or None
        Rows that are no neighbours of each other: those with the same label in an array (of one patient, for instance),
        or "copies", equal in every column. Neither in the filter nor after it does a row then vote
        on one of its group, be its associate or its enemy. None: every other row is a neighbour, as the method has it.

    Returns
    -------
    PrototypeSet
        Equal rows of one class count once, in groups too: such rows and others are kept apart after the filter only
        where all of them are in one group. Not consistent in general: noise is not to be reproduced.

    References
    ----------
    D. R. Wilson, T. R. Martinez, "Reduction techniques for instance-based learning algorithms", Machine Learning 38,
    2000. Associates are taken among the rows that the noise filter leaves.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0]]
    >>> drop3(X, list("aaaabbbb"), n_neighbors=1).consistency
    1.0
    """
    data = label_rows(X, y, **how)
    cases = as_cases(data)
    apart = groups_of(data, groups, X, y)
    filtered_pos = edited_cases(cases, data, n_neighbors, progress, apart)
    if len(filtered_pos) == 0:
        raise nothing_left("drop3", cases)
    part = cases_apart(cases, filtered_pos, apart, progress)
    kept_pos = filtered_pos[drop_solve(part, n_neighbors)]
    removed_pos = np.setdiff1d(filtered_pos, kept_pos)
    return filtered_set("drop3", cases, filtered_pos, kept_pos, [removed_pos], progress)
