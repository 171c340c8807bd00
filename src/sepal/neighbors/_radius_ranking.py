"""Who is within a radius: every training row up to a distance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.data import ScaleName
from sepal.neighbors._any_search import DistanceLike, search_of
from sepal.neighbors._neighbor_ranking import as_queries
from sepal.neighbors._planner import Method
from sepal.neighbors._precomputed import within_matrix
from sepal.neighbors._radius import checked_radius
from sepal.neighbors._ranking import RaggedLists
from sepal.parameters import checked


@dataclass(frozen=True, eq=False)
class RadiusRanking(RaggedLists):
    """Every training row within a radius of each query.

    Attributes
    ----------
    radius : (n_queries,) array
    start : (n_queries + 1,) array
        The neighbours of query i are entries ``start[i]:start[i+1]`` of ``flat_rows`` and ``flat_distances``; there
        may be none.
    flat_rows, flat_distances : arrays
        Nearest first, ordered by row within a tied group. Tied neighbours carry exactly the same distance.
    distance, method : str
        What was measured, and which search found it: ``"brute"``, ``"tree"`` or ``"precomputed"``.
    notes : tuple of str
        What the reader should know, constant columns for instance.

    Examples
    --------
    >>> from sepal.neighbors import radius_ranking
    >>> radius_ranking([[0.0], [1.0], [3.0]], radius=1.5)
    <RadiusRanking of 3 queries: 2 neighbours, euclidean, by tree>
    """

    radius: NDArray[np.float64]
    start: NDArray[np.int64]
    flat_rows: NDArray[np.intp]
    flat_distances: NDArray[np.float64]
    distance: str
    method: str
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> list[NDArray[np.intp]]:
        """The training rows of each query, nearest first."""
        return np.split(self.flat_rows, self.start[1:-1])

    @property
    def distances(self) -> list[NDArray[np.float64]]:
        """Distances to ``rows``."""
        return np.split(self.flat_distances, self.start[1:-1])

    def __repr__(self) -> str:
        return (
            f"<RadiusRanking of {self.n_queries} queries: {len(self.flat_rows)} neighbours, {self.distance}, "
            f"by {self.method}>"
        )


@checked()
def radius_ranking(
    X: Any,
    radius: ArrayLike,
    *,
    queries: Any = None,
    distance: DistanceLike = "auto",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = None,
    method: Method = "auto",
    n_jobs: int | None = None,
) -> RadiusRanking:
    """Find every training row within a radius of each query, exactly.

    Parameters
    ----------
    X : Table, ndarray, data frame, scipy sparse matrix or list of sets
        The training rows, or with ``distance="precomputed"`` the square matrix of distances between them.
    radius : float or array
        A row belongs to the answer if its distance is at most this. One number, or with ``queries`` one for each.
    queries, distance, distance_params, scale, method, n_jobs
        As in :func:`neighbor_ranking`.

    Returns
    -------
    RadiusRanking

    Notes
    -----
    The answer is the beginning of the complete ranking of :func:`neighbor_ranking`: a distance that is larger than the
    radius by no more than rounding can explain (a 2**-40 part of its square) is at the radius, and so within.

    Examples
    --------
    >>> found = radius_ranking([[0.0], [1.0], [3.0]], 2.0)
    >>> [rows.tolist() for rows in found.rows], found.flat_distances.tolist()
    ([[1], [0, 2], [1]], [1.0, 1.0, 2.0, 2.0])
    """
    if distance == "precomputed" and not hasattr(type(X), "__sepal_search__"):
        start, rows, distances = within_matrix(X, radius, queries, scale, distance_params, n_jobs)
        reach = checked_radius(radius, len(start) - 1, alone=queries is None)
        return RadiusRanking(reach, start, rows, distances, "precomputed", "precomputed")
    search = search_of(X, distance=distance, distance_params=distance_params, scale=scale, method=method, n_jobs=n_jobs)
    table = search.table
    if queries is None:
        reach = checked_radius(radius, table.n_rows, alone=True)
        lists = search.within(reach).everyone(np.arange(table.n_rows))
    else:
        asked = as_queries(queries, table)
        reach = checked_radius(radius, asked.n_rows)
        lists = search.within(reach, asked).everyone(None)  # type: ignore[arg-type]
    return RadiusRanking(reach, *lists, search.fitted.name, search.found_by, search.fitted.notes)
