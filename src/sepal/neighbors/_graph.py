"""Neighbours as a sparse matrix: row i holds the neighbours of query i."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.exceptions import ParameterError
from sepal.neighbors._neighbor_ranking import neighbor_ranking
from sepal.neighbors._radius_ranking import radius_ranking
from sepal.parameters import checked

if TYPE_CHECKING:
    from scipy.sparse import csr_array

GraphMode = Literal["connectivity", "distance"]


def _keywords(ranking: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """How a ranking is asked for: its keywords but for the rows that ask, which are all."""
    given = inspect.signature(ranking).parameters.values()
    return tuple(each for each in given if each.kind == each.KEYWORD_ONLY and each.name != "queries")


@checked(passes_on=_keywords(neighbor_ranking))
def kneighbors_graph(
    X: Any, n_neighbors: int, *, mode: GraphMode = "connectivity", include_self: bool = False, **options: Any
) -> csr_array:
    """The graph of the k nearest neighbours of the rows.

    Parameters
    ----------
    X : Table, ndarray, data frame, scipy sparse matrix or list of sets
        The rows.
    n_neighbors : int
        How many neighbours each row has.
    mode : {"connectivity", "distance"}
        What stands in the cells: 1, or the distance (copies keep a stored 0).
    include_self : bool
        Whether a row may be its own neighbour.
    distance, distance_params, scale, ties, method, n_jobs, progress, **options
        As in :func:`neighbor_ranking`.

    Returns
    -------
    scipy.sparse.csr_array
        (n_rows, n_rows); the entries of a row are nearest first.

    Examples
    --------
    >>> kneighbors_graph([[0.0], [1.0], [3.0]], 1, mode="distance").toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
    """
    check_mode(mode)
    found = neighbor_ranking(X, n_neighbors, queries=X if include_self else None, **options)
    if found.method == "approximate":
        raise ParameterError(
            "a sparse matrix cannot tell the recall of approximate neighbours", hint="ask neighbor_ranking, which does"
        )
    return as_graph(found.start, found.flat_rows, found.flat_distances, found.n_queries, mode)


@checked(passes_on=_keywords(radius_ranking))
def radius_neighbors_graph(
    X: Any, radius: ArrayLike, *, mode: GraphMode = "connectivity", include_self: bool = False, **options: Any
) -> csr_array:
    """The graph of all neighbours within a radius.

    Parameters
    ----------
    X, mode, include_self, distance, distance_params, scale, method, n_jobs, **options
        As in :func:`kneighbors_graph`.
    radius : float
        Rows at this distance are neighbours too.

    Returns
    -------
    scipy.sparse.csr_array
        (n_rows, n_rows); the entries of a row are nearest first.

    Examples
    --------
    >>> radius_neighbors_graph([[0.0], [1.0], [3.0]], 1.5).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    check_mode(mode)
    found = radius_ranking(X, radius, queries=X if include_self else None, **options)
    return as_graph(found.start, found.flat_rows, found.flat_distances, found.n_queries, mode)


def check_mode(mode: Any) -> None:
    """Refuse what no graph can hold."""
    if mode not in ("connectivity", "distance"):
        raise ParameterError(
            f'mode: Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead'
        )


def as_graph(
    start: NDArray[np.int64], rows: NDArray[np.intp], distances: NDArray[np.float64], n_rows: int, mode: GraphMode
) -> csr_array:
    """Ragged lists as a sparse matrix with ``n_rows`` columns."""
    from scipy.sparse import csr_array  # late: searches need none of it

    cells = distances if mode == "distance" else np.ones(len(rows))
    return csr_array((cells, rows, start), shape=(len(start) - 1, n_rows))
