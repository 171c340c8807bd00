"""The graph of near rows of one class: density, clustering and hubs of the survey.

Two rows of one class are joined if their distance is below 0.15, where 1 is the largest distance there can be (Gower)
or is (any other distance): the text of the survey. Its authors' program instead joins a row to the nearest 15 % of all
rows, as far as these are of its class. Classes are never joined, so each is a graph of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sepal.data import content_order, sample_by_class
from sepal.measures._complexity._spheres import TIED
from sepal.neighbors import Search

GraphRule = Literal["radius", "nearest"]
OfRows = Callable[[NDArray[np.intp]], dict[str, float]]
GRAPH_RULES: tuple[GraphRule, ...] = get_args(GraphRule)
EPSILON = 0.15
# Triangles are cubic and the matrix of a class is square: beyond this work and size the graph is that of samples.
_MOST_WORK, _LARGEST_CLASS = 6e10, 5_000
GRAPH_SAMPLE_ROWS, N_SAMPLES = 1_500, 5
_ALIKE = 1e-9  # eigenvalues that differ by less than this share are the same
_STEPS, _MOST_RESTARTS = 40, 50


def asks_all_rows(codes: NDArray[np.int32]) -> bool:
    """Whether the graph of all rows is small enough."""
    counts = np.bincount(codes).astype(np.float64)
    return bool(counts.max() <= _LARGEST_CLASS and np.sum(counts**3) <= _MOST_WORK)


def graph_measures(
    search: Search, codes: NDArray[np.int32], rows: NDArray[np.intp], unit: float | None, rule: GraphRule = "radius"
) -> dict[str, float]:
    """The measures of the graph of these rows. ``unit`` is the largest distance; None: the largest seen.

    ClsCoef is the mean over rows of (edges among the neighbours of a row) / (pairs of them), ClsCoefG the same ratio of
    both sums: the transitivity of the graph.
    """
    radius = _nearest_share(search, rows) if rule == "nearest" else common_radius(search, rows, unit)
    n, edges, clustering, closed_pairs, all_pairs = len(rows), 0.0, 0.0, 0.0, 0.0
    scores: list[tuple[float, NDArray[np.float64]]] = []
    for c in range(int(codes.max()) + 1):
        mine = np.flatnonzero(codes[rows] == c)
        if len(mine) < 2:
            continue
        start, neighbors, closed = search.near_graph(rows[mine], radius[mine])
        degree = np.diff(start).astype(np.float64)
        pairs = degree * (degree - 1)  # ordered ones: closed counts each edge among the neighbours of a row twice
        edges += float(degree.sum()) / 2
        clustering += float(np.sum(closed[pairs > 0] / pairs[pairs > 0]))
        closed_pairs, all_pairs = closed_pairs + float(closed.sum()), all_pairs + float(pairs.sum())
        graph = csr_array((np.ones(len(neighbors)), neighbors, start), shape=(len(mine), len(mine)))
        scores.append(principal(graph))
    return {
        "Density": 1 - 2 * edges / (n * (n - 1)),
        "ClsCoef": 1 - clustering / n,
        "ClsCoefG": 1 - closed_pairs / all_pairs if all_pairs else 1.0,
        "Hubs": 1 - hub_sum(scores) / n,
    }


def _steps(n_rows: int) -> list[slice]:
    step = max(1, 4_000_000 // n_rows)
    return [slice(i, i + step) for i in range(0, n_rows, step)]


def common_radius(search: Search, rows: NDArray[np.intp], unit: float | None) -> NDArray[np.float64]:
    """0.15 of the unit for every row; of the largest distance between any two where there is no unit."""
    if unit is None:
        unit = max(float(search.block(rows[part], rows).max()) for part in _steps(len(rows)))
    return np.full(len(rows), EPSILON * unit)


def _nearest_share(search: Search, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Just beyond the last of the nearest 15 % of the other rows, everyone tied with it included."""
    k = max(1, int(EPSILON * len(rows)))
    found = np.empty(len(rows))
    for part in _steps(len(rows)):
        distances = search.block(rows[part], rows)
        distances[np.arange(len(distances)), np.arange(len(rows))[part]] = -1.0  # itself is not one of them
        found[part] = np.partition(distances, k, axis=1)[:, k]
    return np.maximum(found * (1 + TIED), 1e-150)  # above 0, so that copies are near


def principal(graph: csr_array) -> tuple[float, NDArray[np.float64]]:
    """Largest eigenvalue of a graph, and equal scores of all rows projected onto its vectors: no row is preferred.

    Every connected part has one such vector, and only parts with the largest value count.

    >>> pairs = csr_array(([1.0] * 4, ([0, 1, 2, 3], [1, 0, 3, 2])), shape=(5, 5))
    >>> value, scores = principal(pairs)
    >>> value, scores.round(9).tolist()
    (1.0, [1.0, 1.0, 1.0, 1.0, 0.0])
    """
    n_parts, part = connected_components(graph, directed=False)
    order = np.argsort(part, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(part))])
    degree = np.diff(graph.indptr)[order]
    most, fewest = (pick.reduceat(degree, ends[:-1]) for pick in (np.maximum, np.minimum))
    top, scores = 0.0, np.zeros(graph.shape[0])
    for c in np.argsort(-most, kind="stable")[:n_parts]:
        if most[c] == 0 or most[c] < top * (1 - _ALIKE):  # no eigenvalue is above the largest degree
            break
        rows = order[ends[c] : ends[c + 1]]
        if most[c] == fewest[c]:  # equal scores are the vector
            value, vector = float(most[c]), np.full(len(rows), len(rows) ** -0.5)
        else:
            value, vector = _perron(graph[rows][:, rows])
        if value < top * (1 - _ALIKE):
            continue
        if value > top * (1 + _ALIKE):
            scores[:] = 0.0
        top = max(top, value)
        scores[rows] = vector * vector.sum()
    return top, scores


def _perron(graph: csr_array) -> tuple[float, NDArray[np.float64]]:
    """Largest eigenvalue of a connected graph and its vector, of length 1: Lanczos' method from equal scores.

    There is no chance in it, unlike in ARPACK, which goes on from random scores where a graph is too regular.
    """
    n = graph.shape[0]
    value, vector = 0.0, np.full(n, n**-0.5)
    for _ in range(_MOST_RESTARTS):
        basis, on, off = np.empty((min(_STEPS, n), n)), [], []
        basis[0] = vector
        for j in range(len(basis)):
            image = graph @ basis[j]
            on.append(float(basis[j] @ image))
            for _ in range(2):  # once is not enough for rounding
                image -= basis[: j + 1].T @ (basis[: j + 1] @ image)
            left = float(np.linalg.norm(image))
            if j + 1 == len(basis) or left <= 1e-12 * n:
                break
            off.append(left)
            basis[j + 1] = image / left
        values, weights = eigh_tridiagonal(on, off)
        value, vector = float(values[-1]), np.abs(weights[:, -1] @ basis[: len(on)])
        vector /= np.linalg.norm(vector)
        if left * abs(weights[-1, -1]) <= 1e-10 * value:
            break
    return value, vector


def hub_sum(scores: list[tuple[float, NDArray[np.float64]]]) -> float:
    """Sum of hub scores of the whole graph, largest 1: only classes with its largest eigenvalue have any."""
    top = max((value for value, _ in scores), default=0.0)
    if top == 0.0:
        return 0.0
    hubs = [vector for value, vector in scores if value >= top * (1 - _ALIKE)]
    return float(sum(vector.sum() for vector in hubs) / max(vector.max() for vector in hubs))


def sampled_graph_measures(
    search: Search, codes: NDArray[np.int32], measures: OfRows, rng: np.random.Generator
) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Means of measures over samples of rows, each class by its share, and intervals of 95 % for these means."""
    order = content_order(search.coordinates(np.arange(len(codes))), codes)
    samples = [sample_by_class(order, codes, GRAPH_SAMPLE_ROWS, rng) for _ in range(N_SAMPLES)]
    found = [measures(rows) for rows in samples]
    values, intervals = {}, {}
    for name in found[0]:
        each = np.array([one[name] for one in found])
        half = 2.776 * each.std(ddof=1) / np.sqrt(N_SAMPLES)  # Student's t with 4 degrees of freedom
        values[name] = float(each.mean())
        intervals[name] = (max(0.0, float(each.mean() - half)), min(1.0, float(each.mean() + half)))
    return values, intervals
