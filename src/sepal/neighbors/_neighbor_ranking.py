"""The public question: who are the k nearest rows of each row?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sepal.data import Rows, ScaleName, SparseRows, as_rows, match_table, rows_in_order
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors._any_search import DistanceLike, search_of
from sepal.neighbors._planner import SEARCH_METHODS, Method
from sepal.neighbors._precomputed import rank_matrix
from sepal.neighbors._ranking import NeighborRanking, Ties, check_k
from sepal.parameters import checked
from sepal.progress import SEARCHING, Progress, stage


@checked()
def neighbor_ranking(
    X: Any,
    n_neighbors: int,
    *,
    queries: Any = None,
    distance: DistanceLike = "auto",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = None,
    ties: Ties = "index",
    method: Method = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> NeighborRanking:
    """Find the k nearest training rows of each query, exactly.

    Parameters
    ----------
    X : Table, ndarray, data frame, scipy sparse matrix or list of sets
        The training rows, or with ``distance="precomputed"`` the square matrix of distances between them. What
        :func:`sepal.prepare` made brings its distance, scaling and search.
    n_neighbors : int
        How many neighbours.
    queries : as X, optional
        The rows to find neighbours for. Left out, every training row asks about the others: itself is left out by
        its index, copies of it at distance 0 are not. With ``distance="precomputed"`` the distances from queries (rows)
        to training rows (columns).
    distance : str or callable
        A name in ``sepal.distances.DISTANCES``, ``"auto"`` or ``"precomputed"``; or a function of two rows (arrays of
        numbers, scaled as asked; one-row matrices where X is sparse) that gives a number of at least 0. Such a function
        is called from Python for every pair, query first, with ``distance_params`` as keywords: slow, and nothing is
        assumed of it, neither symmetry nor 0 between equal rows. Sparse matrices, which are never
        filled, have the cosine (their ``"auto"``) and the Euclidean distance, sets and 0/1 matrices Tanimoto's.
    distance_params : mapping, optional
        ``weights``, ``p`` or ``covariance``, as the distance takes them.
    scale : {"minmax", "standard"} or None
        Scaling of numeric columns, from the training rows only. ``"minmax"`` leaves sparse matrices as they are.
    ties : {"index", "expected"}
        ``"index"`` keeps exactly k neighbours, the lowest rows among those tied at the k-th place; ``"expected"`` keeps
        everyone tied there.
    method : {"auto", "brute", "tree", "approximate"}
        How to search. All but the last give the same answer; the result says which was used. "approximate", which needs
        FAISS, misses some neighbours: which share it finds is measured, warned of, and among the notes.
    n_jobs : int, optional
        Threads; all cores by default. The answer does not depend on it.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Returns
    -------
    NeighborRanking

    Notes
    -----
    Distances are sums in float64 over the columns in their order. Two of them are tied when they differ by less than a
    2**-40 part of their square, which covers the rounding of scaled values; for integers they must be equal.

    Examples
    --------
    >>> ranking = neighbor_ranking([[0.0], [1.0], [3.0]], n_neighbors=1)
    >>> ranking.rows.ravel().tolist(), ranking.distances.ravel().tolist()
    ([1, 0, 1], [1.0, 1.0, 2.0])
    """
    if ties not in ("index", "expected"):
        raise ParameterError(f"ties must be 'index' or 'expected'; got {ties!r}")
    if method not in SEARCH_METHODS:
        raise ParameterError(f"method must be 'auto', 'brute', 'tree' or 'approximate'; got {method!r}")
    tell = stage(progress, SEARCHING)
    if distance == "precomputed" and not hasattr(type(X), "__sepal_search__"):
        if method in ("tree", "approximate"):
            raise ParameterError(
                f"method={method!r} has no meaning with distance='precomputed'", hint="use method='auto'"
            )
        return rank_matrix(X, n_neighbors, queries, scale, distance_params, ties, n_jobs, tell)
    search = search_of(X, distance=distance, distance_params=distance_params, scale=scale, method=method, n_jobs=n_jobs)
    table = search.table
    if queries is None:
        k = check_k(n_neighbors, table.n_rows - 1, "one less than the rows, since a row is not its own neighbour")
        found = search.distinct_ranking(k, progress=tell)
        lists = found.per_row(k, ties, np.arange(table.n_rows))
    else:
        k = check_k(n_neighbors, table.n_rows, "the number of training rows")
        found = search.query_ranking(as_queries(queries, table), k, tell)  # type: ignore[arg-type]
        lists = found.per_row(k, ties, None)
    if tell is not None:
        tell(1.0)
    name, notes = search.fitted.name, search.fitted.notes
    return NeighborRanking(k, ties, distance=name, method=search.found_by, notes=notes, **lists)


def as_queries(queries: Any, training: Rows) -> Rows:
    """Rows to compare with training rows."""
    if isinstance(training, SparseRows):
        return as_rows(queries, like=training)
    asked = rows_in_order(queries, training.names)
    if asked.n_columns != training.n_columns:
        raise DataError(f"the training rows have {training.n_columns} columns, the queries have {asked.n_columns}")
    return match_table(asked, training)
