"""Iterative case filtering: rows that others reach, and reach others less, go."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from sepal.measures import PREPARING, Preparing
from sepal.parameters import checked
from sepal.progress import Progress
from sepal.prototypes._cases import as_cases, label_rows
from sepal.prototypes._condense import CaseMetric
from sepal.prototypes._drop3 import edited_cases, filtered_set
from sepal.prototypes._prototype_set import PrototypeSet


@checked(
    without={"groups": "it counts single rows; edit with enn(..., groups=...), and give icf what it keeps"},
    passes_on=PREPARING,
)
def icf(
    X: Any,
    y: Any = None,
    *,
    n_neighbors: int = 3,
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

    Returns
    -------
    PrototypeSet
        Single rows are counted, as the method is defined (there is no ``groups``); equal rows of one class count once.
        Not consistent in general.

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
    filtered_pos = edited_cases(cases, data, n_neighbors, progress)
    kept_pos, passes = filtered_pos, []
    while len(kept_pos):
        part = CaseMetric(data.dense, cases.points[kept_pos], cases.codes[kept_pos], progress)
        reach, coverage = part.local_sets(part.enemy_values())
        goes = reach > coverage
        if not np.any(goes):
            break
        passes.append(kept_pos[goes])
        kept_pos = kept_pos[~goes]
    return filtered_set("icf", cases, filtered_pos, kept_pos, passes, progress)
