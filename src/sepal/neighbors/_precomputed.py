"""The neighbour ranking of rows that are known by their distances only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.exceptions import CellTypeError, DataError, ParameterError
from sepal.neighbors._radius import checked_radius
from sepal.neighbors._ranking import NeighborRanking, Ties, check_k, cut
from sepal.neighbors._search import rank_distances
from sepal.progress import Share

_KEEPS_ZEROS = ("csr", "csc", "coo", "lil")


def graph_distances(graph: Any) -> NDArray[np.float64]:
    """A sparse graph of distances as a matrix: what is not stored is infinitely far, and a stored 0 is a distance.

    The entries of a row may come in any order; a cell that is stored twice holds the sum, as in scipy.
    """
    if graph.format not in _KEEPS_ZEROS:
        raise CellTypeError(
            f"X: a graph of distances in {graph.format} format is not supported due to its handling of explicit zeros",
            hint=f"convert it to one of {', '.join(_KEEPS_ZEROS)} before zeros are lost",
        )
    rows = graph.tocsr(copy=True)
    rows.sum_duplicates()
    found = np.full(rows.shape, np.inf)
    found[np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), rows.indices] = rows.data
    return found


def check_reached(distances: NDArray[np.float64], k: int, *, without_self: bool) -> None:
    """Whether a graph holds k neighbours of every row."""
    stored = np.isfinite(distances)
    if without_self:
        np.fill_diagonal(stored, False)
    fewest = int(stored.sum(axis=1).min())
    if fewest < k:
        row, others = int(stored.sum(axis=1).argmin()), " besides the row itself" if without_self else ""
        raise DataError(
            f"{k} neighbors per samples are required{others}, but some samples have only {fewest} neighbors in the "
            f"graph of distances: row {row} for instance",
            hint="ask for fewer neighbours, or make the graph with more of them or a larger radius",
        )


def _check_distances(given: Any, name: str) -> NDArray[np.float64]:
    array = graph_distances(given) if hasattr(given, "tocsr") else np.asarray(given)
    if array.dtype.kind not in "fiub":
        raise DataError(f"{name} must hold numbers with distance='precomputed'; got {array.dtype}")
    D = np.ascontiguousarray(array, dtype=np.float64)
    if D.ndim != 2 or 0 in D.shape:
        raise DataError(f"{name} must be a matrix of distances with distance='precomputed'; got shape {D.shape}")
    wrong = np.isnan(D) | (D < 0)
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        found = "nan (NaN)" if np.isnan(D[row, column]) else D[row, column]
        raise DataError(f"{name}, row {row}, column {column}: a distance is at least 0; found {found}")
    return D


def square_distances(X: ArrayLike) -> NDArray[np.float64]:
    """Checked distances from every training row to every other."""
    D = _check_distances(X, "X")
    if D.shape[0] != D.shape[1]:
        raise DataError(
            f"X must be square with distance='precomputed': from every training row to every other; got {D.shape}",
            hint="give the distances from queries (rows) to training rows (columns) as queries=",
        )
    return D


def _both(
    X: ArrayLike, queries: ArrayLike | None, scale: Any, distance_params: Any
) -> tuple[NDArray[np.float64], bool]:
    """The distances to rank, and whether every training row asks about the others."""
    for name, value in (("scale", scale), ("distance_params", distance_params)):
        if value is not None:
            raise ParameterError(f"{name} has no meaning with distance='precomputed': X holds the distances already")
    D = square_distances(X)
    if queries is None:
        return D, True
    asked = _check_distances(queries, "queries")
    if asked.shape[1] != len(D):
        raise DataError(f"queries must have one column per training row, {len(D)}; got {asked.shape[1]}")
    return asked, False


def within_matrix(
    X: ArrayLike, radius: Any, queries: ArrayLike | None, scale: Any, distance_params: Any, n_jobs: int | None
) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float64]]:
    """Everyone up to a radius: start, rows, distances."""
    D, self_join = _both(X, queries, scale, distance_params)
    reach = checked_radius(radius, len(D), alone=self_join)
    return rank_distances(D, 1, n_jobs=n_jobs, without_self=self_join, limits=reach)


def rank_matrix(
    X: ArrayLike,
    k: int,
    queries: ArrayLike | None,
    scale: Any,
    distance_params: Any,
    ties: Ties,
    n_jobs: int | None,
    progress: Share | None,
) -> NeighborRanking:
    """What :func:`neighbor_ranking` answers with ``distance="precomputed"``."""
    D, self_join = _both(X, queries, scale, distance_params)
    k = check_k(k, D.shape[1] - self_join, "the number of rows a query may be near to")
    if hasattr(X if self_join else queries, "tocsr"):
        check_reached(D, k, without_self=self_join)
    lists = cut(*rank_distances(D, k, n_jobs=n_jobs, without_self=self_join, progress=progress), k, ties)
    return NeighborRanking(k, ties, distance="precomputed", method="precomputed", **lists)
