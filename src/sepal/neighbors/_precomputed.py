"""The neighbour ranking of rows that are known by their distances only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.exceptions import DataError, ParameterError
from sepal.neighbors._ranking import NeighborRanking, Ties, check_k, cut
from sepal.neighbors._search import Progress, rank_distances


def _check_distances(given: ArrayLike, name: str) -> NDArray[np.float64]:
    array = np.asarray(given)
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


def rank_matrix(
    X: ArrayLike,
    k: int,
    queries: ArrayLike | None,
    scale: Any,
    distance_params: Any,
    ties: Ties,
    n_jobs: int | None,
    progress: Progress | None,
) -> NeighborRanking:
    """What :func:`neighbor_ranking` answers with ``distance="precomputed"``."""
    for name, value in (("scale", scale), ("distance_params", distance_params)):
        if value is not None:
            raise ParameterError(f"{name} has no meaning with distance='precomputed': X holds the distances already")
    D = square_distances(X)
    n_points, self_join = len(D), queries is None
    if queries is not None:
        D = _check_distances(queries, "queries")
        if D.shape[1] != n_points:
            raise DataError(f"queries must have one column per training row, {n_points}; got {D.shape[1]}")
    k = check_k(k, n_points - self_join, "the number of rows a query may be near to")
    lists = cut(*rank_distances(D, k, n_jobs=n_jobs, without_self=self_join, progress=progress), k, ties)
    return NeighborRanking(k, ties, distance="precomputed", method="precomputed", **lists)
