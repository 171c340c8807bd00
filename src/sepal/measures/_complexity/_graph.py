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
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh

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
    """Largest eigenvalue of a graph and its vector, largest entry 1; starts from equal scores: no row is preferred."""
    n = graph.shape[0]
    if graph.nnz == 0:
        return 0.0, np.zeros(n)
    if n <= 32:
        values, vectors = np.linalg.eigh(graph.toarray())
        top = vectors[:, values >= values[-1] * (1 - 1e-9)]
        vector = top @ (top.T @ np.ones(n))
        return float(values[-1]), np.abs(vector) / np.abs(vector).max()
    value, found = eigsh(graph, k=1, which="LA", v0=np.ones(n), ncv=10, tol=1e-10)
    vector = np.abs(found[:, 0])
    return float(value[0]), vector / vector.max()


def hub_sum(scores: list[tuple[float, NDArray[np.float64]]]) -> float:
    """Sum of hub scores of the whole graph: only classes with its largest eigenvalue have any."""
    top = max((value for value, _ in scores), default=0.0)
    if top == 0.0:
        return 0.0
    return float(sum(vector.sum() for value, vector in scores if value >= top * (1 - 1e-9)))


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
