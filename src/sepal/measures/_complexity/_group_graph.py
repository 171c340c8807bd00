"""The graph of near rows of one class and different groups: density, clustering and hubs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sepal.measures._complexity._graph import EPSILON, GraphRule, common_radius, hub_sum, principal
from sepal.measures._complexity._group_rows import Groups, parts
from sepal.measures._complexity._spheres import TIED
from sepal.neighbors import Search


def group_graph_measures(
    search: Search,
    codes: NDArray[np.int32],
    groups: Groups,
    rows: NDArray[np.intp],
    unit: float | None,
    rule: GraphRule,
) -> dict[str, float]:
    """As ``graph_measures``; pairs of one group are neither joined nor counted among those that could be."""
    of_rows, n = groups[rows], len(rows)
    others = n - np.bincount(of_rows)[of_rows]
    if rule == "nearest":
        limit = _nearest_others(search, rows, of_rows, others)
    else:
        limit = common_radius(search, rows, unit) * (1 - TIED)
    edges, clustering, closed_pairs, all_pairs, scores = 0.0, 0.0, 0.0, 0.0, []
    for c in range(int(codes.max()) + 1):
        mine = np.flatnonzero(codes[rows] == c)
        if len(mine) < 2:
            continue
        joined = _joined(search, rows[mine], of_rows[mine], limit[mine])
        pairs, closed = _around(joined, of_rows[mine])
        edges += float(joined.sum()) / 2
        clustering += float(np.sum(closed[pairs > 0] / pairs[pairs > 0]))
        closed_pairs, all_pairs = closed_pairs + float(closed.sum()), all_pairs + float(pairs.sum())
        scores.append(principal(csr_array(joined.astype(np.float64))))
    return {
        "Density": 1 - 2 * edges / max(1.0, float(others.sum())),  # a sample may be of one group
        "ClsCoef": 1 - clustering / n,
        "ClsCoefG": 1 - closed_pairs / all_pairs if all_pairs else 1.0,
        "Hubs": 1 - hub_sum(scores) / n,
    }


def _joined(search: Search, rows: NDArray[np.intp], groups: Groups, limit: NDArray[np.float64]) -> NDArray[np.float32]:
    """1 where two rows of different groups are nearer than the limit of one of both."""
    joined = np.empty((len(rows), len(rows)), dtype=np.float32)
    for part in parts(len(rows), len(rows)):
        near = search.block(rows[part], rows, without_noise=True) < np.maximum(limit[part][:, None], limit)
        joined[part] = near & (groups[part][:, None] != groups)
    return joined


def _around(joined: NDArray[np.float32], groups: Groups) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of each row: ordered pairs of its neighbours that are of different groups, and those of them that are joined."""
    inside = csr_array((np.ones(len(groups)), (np.arange(len(groups)), groups)))
    degree = joined.sum(axis=1, dtype=np.float64)
    by_group = csr_array(joined.astype(np.float64)) @ inside
    pairs = degree**2 - np.asarray(by_group.multiply(by_group).sum(axis=1)).ravel()
    closed = np.empty(len(groups))
    for part in parts(len(groups), len(groups)):
        closed[part] = np.sum((joined[part] @ joined) * joined[part], axis=1, dtype=np.float64)
    return pairs, closed


def _nearest_others(
    search: Search, rows: NDArray[np.intp], groups: Groups, others: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Just beyond the last of the nearest 15 % of the rows of other groups, everyone tied with it included."""
    k = np.maximum(1, (EPSILON * (others + 1)).astype(int))
    found = np.empty(len(rows))
    for part in parts(len(rows), len(rows)):
        apart = np.where(groups[part][:, None] != groups, search.block(rows[part], rows, without_noise=True), np.inf)
        found[part] = np.take_along_axis(np.sort(apart, axis=1), k[part][:, None] - 1, axis=1)[:, 0]
    return np.maximum(found * (1 + TIED), 1e-150)  # above 0, so that copies are near
