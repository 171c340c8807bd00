"""The graph of near rows of one class: density, clustering and hubs of the survey.

Two rows are joined if they have one class and their distance is below 0.15, where 1 is the largest distance there can
be (Gower) or is (any other distance). Classes are never joined, so each is a graph of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh

from sepal.neighbors import Search

EPSILON = 0.15
# Triangles are cubic and the matrix of a class is square: beyond this work and size the graph is that of samples.
_MOST_WORK, _LARGEST_CLASS = 6e10, 5_000
SAMPLE_ROWS, N_SAMPLES = 1_500, 5


def is_exact(codes: NDArray[np.int32]) -> bool:
    """Whether the graph of all rows is small enough."""
    counts = np.bincount(codes).astype(np.float64)
    return bool(counts.max() <= _LARGEST_CLASS and np.sum(counts**3) <= _MOST_WORK)


def graph_measures(
    search: Search, codes: NDArray[np.int32], rows: NDArray[np.intp], unit: float | None
) -> dict[str, float]:
    """The three measures of the graph of these rows. ``unit`` is the largest distance; None: the largest seen."""
    parts = [rows[codes[rows] == c] for c in range(int(codes.max()) + 1)]
    if unit is None:
        unit = _largest(search, rows)
    n, edges, clustering = len(rows), 0.0, 0.0
    scores: list[tuple[float, NDArray[np.float64]]] = []
    for part in parts:
        if len(part) < 2:
            continue
        start, neighbors, closed = search.near_graph(part, EPSILON * unit)
        degree = np.diff(start).astype(np.float64)
        edges += float(degree.sum()) / 2
        several = degree > 1  # closed counts each edge among the neighbours of a row twice
        clustering += float(np.sum(closed[several] / (degree[several] * (degree[several] - 1))))
        graph = csr_array((np.ones(len(neighbors)), neighbors, start), shape=(len(part), len(part)))
        scores.append(_principal(graph))
    return {
        "Density": 1 - 2 * edges / (n * (n - 1)),
        "ClsCoef": 1 - clustering / n,
        "Hubs": 1 - _hub_sum(scores) / n,
    }


def _largest(search: Search, rows: NDArray[np.intp]) -> float:
    step = max(1, 4_000_000 // len(rows))
    return max(float(search.block(rows[i : i + step], rows).max()) for i in range(0, len(rows), step))


def _principal(graph: csr_array) -> tuple[float, NDArray[np.float64]]:
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


def _hub_sum(scores: list[tuple[float, NDArray[np.float64]]]) -> float:
    """Sum of hub scores of the whole graph: only classes with its largest eigenvalue have any."""
    top = max((value for value, _ in scores), default=0.0)
    if top == 0.0:
        return 0.0
    return float(sum(vector.sum() for value, vector in scores if value >= top * (1 - 1e-9)))


def sampled_graph_measures(
    search: Search, codes: NDArray[np.int32], unit: float | None, rng: np.random.Generator
) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Means over samples of rows, each class by its share, and intervals of 95 % for these means."""
    found = []
    for _ in range(N_SAMPLES):
        parts = []
        for c in range(int(codes.max()) + 1):
            inside = np.flatnonzero(codes == c)
            wanted = min(len(inside), max(2, round(len(inside) * SAMPLE_ROWS / len(codes))))
            parts.append(rng.choice(inside, size=wanted, replace=False))
        found.append(graph_measures(search, codes, np.concatenate(parts), unit))
    values, intervals = {}, {}
    for name in found[0]:
        each = np.array([one[name] for one in found])
        half = 2.776 * each.std(ddof=1) / np.sqrt(N_SAMPLES)  # Student's t with 4 degrees of freedom
        values[name] = float(each.mean())
        intervals[name] = (max(0.0, float(each.mean() - half)), min(1.0, float(each.mean() + half)))
    return values, intervals


def exact_density(search: Search, codes: NDArray[np.int32], unit: float) -> float:
    """Density of the graph of all rows, by counting."""
    n, ordered_pairs = len(codes), 0.0
    for c in range(int(codes.max()) + 1):
        inside = np.flatnonzero(codes == c)
        near = search.count_within(inside, inside, np.full(len(inside), EPSILON * unit), None)
        ordered_pairs += float(near.sum()) - len(inside)
    return 1 - ordered_pairs / (n * (n - 1))
