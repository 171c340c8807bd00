"""Iterative case filtering: a row goes if its reach is larger than its coverage."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from sepal.measures import PREPARING, Preparing, groups_of
from sepal.parameters import checked
from sepal.progress import Progress
from sepal.prototypes._cases import as_cases, label_rows
from sepal.prototypes._drop3 import cases_apart, edited_cases, filtered_set
from sepal.prototypes._prototype_set import PrototypeSet


@checked(passes_on=PREPARING)
def icf(
    X: Any,
    y: Any = None,
    *,
    n_neighbors: int = 3,
    groups: Any = None,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """Iterative case filtering.

    After :func:`enn`, in each pass: the reach of a row are the rows nearer to it than its nearest enemy, its coverage
    the rows whose reach holds it. All rows with more reach than coverage go together; passes end when none does.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`hart`.
    n_neighbors : int
        Neighbours that vote in the noise filter.
    groups : array-like, "copies" or None
        Rows that are no neighbours of each other: those with the same label in an array (of one patient, for instance),
        or "copies", equal in every column. In the filter, as the nearest enemy and in reach and
        coverage only rows of other groups count, and a row itself. None: every other row, as the method has it.

    Returns
    -------
    PrototypeSet
        Equal rows of one class count once; in groups as in :func:`drop3`. Not consistent in general.

    References
    ----------
    H. Brighton, C. Mellish, "Advances in instance selection for instance-based learning algorithms", Data Mining and
    Knowledge Discovery 6, 2002.

    Examples
    --------
    >>> icf([[0.0], [1.0], [2.0], [3.0], [5.0], [6.0]], list("aaaabb"), n_neighbors=1).rows.tolist()
    [2, 3, 4, 5]
    """
    data = label_rows(X, y, **how)
    cases = as_cases(data)
    apart = groups_of(data, groups, X, y)
    filtered_pos = edited_cases(cases, data, n_neighbors, progress, apart)
    kept_pos, passes = filtered_pos, []
    while len(kept_pos):
        part = cases_apart(cases, kept_pos, apart, progress)
        reach, coverage = part.local_sets(part.enemy_values())
        goes = reach > coverage
        if not np.any(goes):
            break
        passes.append(kept_pos[goes])
        kept_pos = kept_pos[~goes]
    return filtered_set("icf", cases, filtered_pos, kept_pos, passes, progress)
