"""A number from the neighbours: their mean, a quantile, or a line through them; and leave-one-out for every k."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data import unit_of
from sepal.exceptions import DataError
from sepal.learners._leave_one_out import LeaveOneOutCurve, curve_of
from sepal.learners._neighbor_lists import NeighborLists
from sepal.learners._neighborhood import Neighborhood
from sepal.learners._target_sums import spread
from sepal.learners._vote_weights import VoteWeights
from sepal.learners._votes import entry_shares, sums_at, sums_for_every_k
from sepal.neighbors import Search

Aggregate = Literal["mean", "median", "linear"]
AGGREGATES = ("mean", "median", "linear")


def neighbor_mean(
    hood: Neighborhood, lists: NeighborLists, y: NDArray[np.float64], weights: VoteWeights, k: float
) -> NDArray[np.float64]:
    """Weighted mean of the targets among the nearest mass k."""
    known = hood.target_sums(y)
    total, first = sums_at(hood.groups(lists, known.of_voter, known.of_row, k), weights, k).T
    return np.asarray(first / total / known.unit)


def neighbor_std(
    hood: Neighborhood, lists: NeighborLists, y: NDArray[np.float64], weights: VoteWeights, k: float
) -> NDArray[np.float64]:
    """Weighted standard deviation of the targets among the nearest mass k, around their own mean."""
    known = hood.target_sums(y)
    listed, share = entry_shares(hood, lists, weights, k)
    query = listed.query
    at, inside = known.means[listed.voter], known.stds[listed.voter]
    if listed.asker is not None:  # who asks is left out
        asker = listed.asker[query]
        own = np.flatnonzero(listed.voter == hood.voter_of[asker])
        at[own], inside[own] = known.without(listed.voter[own], asker[own], hood.left_out[asker[own]])
    total = np.bincount(query, weights=share, minlength=len(lists))
    mean = np.bincount(query, weights=share * at, minlength=len(lists)) / total
    return spread(at, inside, share, query, mean) / known.unit


def weighted_quantiles(
    hood: Neighborhood,
    lists: NeighborLists,
    y: NDArray[np.float64],
    weights: VoteWeights,
    k: float,
    wanted: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(n_lists, n_wanted) quantiles of the targets among the nearest mass k; between two rows, their mean.

    The step function of shares is inverted from below and from above and the two are averaged, which for equal shares
    and 1/2 is the usual median.
    """
    listed, share = entry_shares(hood, lists, weights, k)
    query, target = listed.query, y[listed.voter]
    order = np.lexsort((target, query))
    query, target, share = query[order], target[order], share[order]
    first, last = listed.start[:-1], listed.start[1:] - 1
    running = _running(share, first, last)
    total = running[last]
    found = np.empty((len(lists), len(wanted)))
    slack = 1e-9 * total  # sums round: a quantile exactly between two rows must stay there
    for j, q in enumerate(wanted):
        below = np.bincount(query, weights=running < (q * total - slack)[query], minlength=len(lists))
        up_to = np.bincount(query, weights=running <= (q * total + slack)[query], minlength=len(lists))
        low, high = (np.minimum(first + count.astype(np.intp), last) for count in (below, up_to))
        found[:, j] = target[low] / 2.0 + target[high] / 2.0  # their sum may be beyond the largest number
    return found


def _running(share: NDArray[np.float64], first: NDArray[np.intp], last: NDArray[np.intp]) -> NDArray[np.float64]:
    """Sums of shares from the first entry of each list on; no list knows of another's."""
    running, at = share.copy(), first
    while np.any(left := at < last):
        at, last = at[left] + 1, last[left]
        running[at] += running[at - 1]
    return running


def line_points(hood: Neighborhood, rows: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
    """Coordinates of training rows, of all if none are named, in which lines can be drawn."""
    search = hood.search
    if not isinstance(search, Search) or search.fitted.metric not in ("l2", "l1", "linf", "lp"):
        raise DataError(
            "aggregate='linear' needs a dense table of numeric columns without missing cells, so that a line can be "
            "drawn",
            hint="use aggregate='mean' or 'median'",
        )
    return search.coordinates(np.arange(search.n_rows) if rows is None else rows)


def local_lines(
    hood: Neighborhood,
    lists: NeighborLists,
    y: NDArray[np.float64],
    weights: VoteWeights,
    k: float,
    at: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The value at each query of the weighted least-squares plane through the nearest mass k.

    Where the neighbours do not span all directions the flattest such plane is taken.
    """
    listed, share = entry_shares(hood, lists, weights, k)
    points, unit = line_points(hood, listed.voter), hood.target_sums(y).near_one
    width = int(np.diff(listed.start).max())
    shape = (len(lists), width)
    query = listed.query
    column = np.arange(len(query)) - listed.start[query]
    w, t = np.zeros(shape), np.zeros(shape)
    x = np.zeros((*shape, points.shape[1]))
    w[query, column], t[query, column] = share, y[listed.voter] * unit
    x[query, column] = points
    w /= w.sum(axis=1, keepdims=True)
    mean_x, mean_t = np.einsum("ql,qlp->qp", w, x), np.einsum("ql,ql->q", w, t)
    rounding = (width + 8) * np.finfo(float).eps * np.abs(x).max(axis=1, keepdims=True)  # of the mean
    x, t = x - mean_x[:, None, :], t - mean_t[:, None]
    x[np.abs(x) <= rounding] = 0.0  # a column in which all neighbours agree has no slope
    moments = np.einsum("ql,qlp,qlr->qpr", w, x, x, optimize=True)
    cross = np.einsum("ql,qlp,ql->qp", w, x, t, optimize=True)
    slope = np.einsum("qpr,qr->qp", np.linalg.pinv(moments, rcond=1e-8, hermitian=True), cross)
    return np.asarray(mean_t + np.einsum("qp,qp->q", slope, at - mean_x)) / unit


def answers(
    hood: Neighborhood,
    lists: NeighborLists,
    y: NDArray[np.float64],
    weights: VoteWeights,
    k: float,
    aggregate: Aggregate,
    at: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """The number for each list; ``at`` are the coordinates of the queries, for lines only."""
    if aggregate == "mean":
        return neighbor_mean(hood, lists, y, weights, k)
    if aggregate == "median":
        return weighted_quantiles(hood, lists, y, weights, k, np.array([0.5]))[:, 0]
    assert at is not None  # noqa: S101 - lines are asked for with coordinates
    return local_lines(hood, lists, y, weights, k, at)


def regression_curve(
    hood: Neighborhood,
    y: NDArray[np.float64],
    weights: VoteWeights,
    k_max: int,
    aggregate: Aggregate = "mean",
    groups: NDArray[np.intp] | None = None,
) -> LeaveOneOutCurve:
    """Leave-one-out R squared for k = 1..k_max; with ``groups`` a row's whole group is left out with it."""
    hood = hood.for_rows() if groups is not None or aggregate != "mean" else hood
    lists = hood.lists_without(k_max, groups)
    found, y = np.empty((hood.n_rows, k_max)), y * unit_of(y)  # R squared has no unit
    for begin, end in hood.chunks(len(lists), 6, k_max):
        part = lists.part(begin, end)
        if aggregate == "mean":
            found[begin:end] = _means(hood, part, y, weights, k_max)
            continue
        at = line_points(hood)[begin:end] if aggregate == "linear" else None
        for k in range(1, k_max + 1):
            found[begin:end, k - 1] = answers(hood, part, y, weights, k, aggregate, at)
    importance = hood.weights / hood.total_mass
    mean = float(importance @ y)
    variance = float(importance @ (y - mean) ** 2)
    explained = 1.0 - (found - y[:, None]) ** 2 / (variance or 1.0)
    return curve_of(explained, importance, hood.weights, groups, measure="r2", baseline=0.0)


def _means(
    hood: Neighborhood, lists: NeighborLists, y: NDArray[np.float64], weights: VoteWeights, k_max: int
) -> NDArray[np.float64]:
    known = hood.target_sums(y)
    sums = sums_for_every_k(hood.groups(lists, known.of_voter, known.of_row, k_max), weights, k_max)
    return np.asarray(sums[:, :, 1] / sums[:, :, 0] / known.unit)
