"""IB3: rows arrive one by one and must earn their place."""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np
from scipy.special import ndtri

from sepal.data import rows_by_content
from sepal.exceptions import ParameterError
from sepal.measures import PREPARING, Prepared, Preparing, groups_of
from sepal.parameters import Parameter, RandomState, checked, generator
from sepal.progress import Progress
from sepal.prototypes._cases import as_cases, label_rows
from sepal.prototypes._condense import CaseMetric, Positions
from sepal.prototypes._neighbor_vote import Groups
from sepal.prototypes._prototype_set import PrototypeSet, Round, prototype_set


def _two_sided_z(confidence: float, name: str) -> float:
    if not 0.0 < confidence < 1.0:
        raise ParameterError(f"{name} must be between 0 and 1; got {confidence!r}")
    return float(ndtri(0.5 + confidence / 2.0))


def ib3_solve(
    data: Prepared,
    stream_pos: Positions,
    chance: Any,
    accept: float,
    drop: float,
    progress: Progress | None,
    groups: Groups | None = None,
) -> Positions:
    """Data positions with an acceptable record after the stream."""
    points = data.dense.coordinates(np.arange(data.n_rows))
    metric = CaseMetric(data.dense, points, data.codes, progress, groups)
    return metric.ib3(stream_pos, chance, _two_sided_z(accept, "accept"), _two_sided_z(drop, "drop")).pos


@checked(
    Parameter("accept", "number", "confidence at which a row is taken into use", above=0.0, below=1.0),
    Parameter("drop", "number", "confidence at which a row is dropped", above=0.0, below=1.0),
    passes_on=PREPARING,
)
def ib3(
    X: Any,
    y: Any = None,
    *,
    accept: float = 0.9,
    drop: float = 0.75,
    order: Literal["rows", "random"] = "rows",
    random_state: RandomState = 0,
    groups: Any = None,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> PrototypeSet:
    """IB3: keeps rows whose record of right answers is better than the frequency of their class.

    Rows arrive in turn. The nearest member with an acceptable record answers (without any, one at a random rank); a row
    answered wrongly becomes a member. Every member at least as near as the one that answered has its record updated,
    and goes when it is significantly worse than the frequency of its class.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`hart`.
    accept, drop : float
        Two-sided confidence of the intervals that must not overlap for a member to be accepted, or dropped.
    order : {"rows", "random"}
        How rows arrive. The result depends on it, by the nature of the method.
    random_state : int, Generator or None
        For the random rank, and for ``order="random"``.
    groups : array-like, "copies" or None
        Rows that are no neighbours of each other: those with the same label in an array (of one patient, for instance),
        or "copies", equal in every column. Only members of other groups answer a row, and only their
        records are updated; a row becomes a member also where there is none. None: all members, as the method has it.

    Returns
    -------
    PrototypeSet
        The members with an acceptable record at the end. On small data there may be few.

    Raises
    ------
    DataError
        If no member has an acceptable record at the end, as happens on small data.

    Notes
    -----
    A stream by its nature: what a row does depends on the one before. Only distances of the next rows to the members
    are made side by side on all threads; members that come meanwhile are met one by one.

    References
    ----------
    D. W. Aha, D. Kibler, M. K. Albert, "Instance-based learning algorithms", Machine Learning 6, 1991.

    Examples
    --------
    >>> X = [[float(i % 2 * 10 + i / 100)] for i in range(60)]
    >>> ib3(X, [i % 2 for i in range(60)]).consistency
    1.0
    """
    if order not in ("rows", "random"):
        raise ParameterError(f"order must be 'rows' or 'random'; got {order!r}")
    data = label_rows(X, y, **how)
    rng = generator(random_state)
    stream_pos = np.arange(data.n_rows)
    if order == "random":
        stream_pos = rng.permutation(rows_by_content(data.search.table, data.codes))
    apart = groups_of(data, groups, X, y)
    kept_pos = ib3_solve(data, stream_pos, rng.random(data.n_rows), accept, drop, progress, apart)
    cases = as_cases(data)
    kept_rows = data.rows[kept_pos]
    history = (Round(kept_rows, np.zeros(0, dtype=np.intp), len(kept_rows)),)
    return prototype_set("ib3", cases, CaseMetric.of(cases, progress), kept_rows, history)
