"""The hypothesis margin: how much nearer the nearest row of another class could come.

HM_i = (d(i, nearest miss) - d(i, nearest hit)) / 2. Its sign is Thornton's indicator where nothing is tied.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from sepal.measures._neighborhood import hit_and_miss_of
from sepal.measures._prepared import PREPARING_SEARCH, Prepared, PreparingSearch, prepare
from sepal.measures._thornton_groups import groups_of
from sepal.parameters import checked


def nearest_hit_and_miss(data: Prepared) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distance to the nearest other row of the same class, and to the nearest row of another class.

    A class with one member has no hit: its distance is infinite.
    """
    hit = np.full(data.n_rows, np.inf)
    miss = np.full(data.n_rows, np.inf)
    for code in range(len(data.classes)):
        inside, outside = np.flatnonzero(data.codes == code), np.flatnonzero(data.codes != code)
        if len(inside) > 1:
            hit[inside] = data.search.nearest_distance(inside, inside)
        miss[inside] = data.search.nearest_distance(outside, inside)
    return hit, miss


@checked(passes_on=PREPARING_SEARCH)
def hypothesis_margin(
    X: Any,
    y: Any = None,
    *,
    normalized: bool = False,
    groups: Any = None,
    **how: Unpack[PreparingSearch],
) -> NDArray[np.float64]:
    """The hypothesis margin of each row: how far it is from changing sides, by its nearest neighbours.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, method, n_jobs
        As in :func:`thornton_samples`.
    normalized : bool
        Divide by the sum of both distances, which makes the margin free of scale and bounded by 1/2.

    groups : array-like, "copies" or None
        As in :func:`thornton_samples`: rows of one group are neither hit nor miss of each other.

    Returns
    -------
    ndarray of float64
        Half of (distance to the nearest row of another class - distance to the nearest other row of its own), per row.
        Negative where the other class is nearer. NaN for the only member of a class, which has no row of its own
        class (with groups: no other group has one), and where no other group has a row of another class. The normalized
        margin is 0 where both distances are 0.

    Notes
    -----
    Without groups every row counts by itself, as the margin is defined: a copy of a row is its nearest hit or miss.

    References
    ----------
    R. Gilad-Bachrach, A. Navot, N. Tishby, "Margin based feature selection", ICML 2004.

    Examples
    --------
    >>> hypothesis_margin([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"], scale=None).tolist()
    [1.5, 1.0, 1.0, 1.5]
    """
    data = prepare(X, y, **how)
    apart = groups_of(data, groups, X, y)
    if apart is None:
        return margin_solve(*nearest_hit_and_miss(data), normalized=normalized)
    return margin_solve(*hit_and_miss_of(data, np.arange(data.n_rows), apart), normalized=normalized)


def margin_solve(hit: NDArray[np.float64], miss: NDArray[np.float64], *, normalized: bool) -> NDArray[np.float64]:
    """The margins from both distances; NaN where there is no hit, or no miss."""
    with np.errstate(invalid="ignore"):
        margin = (miss - hit) / 2.0
        total = miss + hit
        if normalized:
            margin = np.where(total == 0.0, 0.0, margin / np.where(total == 0.0, 1.0, total))
    return np.where(np.isinf(hit) | np.isinf(miss), np.nan, margin)
