"""What scikit-learn's neighbour estimators answer: the nearest rows, those within a radius, and both as graphs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sepal.estimators import TableEstimator
from sepal.exceptions import ParameterError
from sepal.learners._neighbor_lists import NeighborLists
from sepal.learners._neighborhood import Neighborhood
from sepal.neighbors import GraphMode, as_graph, check_mode, checked_radius
from sepal.parameters import check_whole


class NeighborQueries(TableEstimator):
    """Questions about the neighbours themselves, for an estimator with a fitted neighbourhood."""

    neighborhood_: Neighborhood
    rows_: NDArray[np.intp]
    n_neighbors_: float
    n_rows_in_: int

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The nearest training rows.

        Parameters
        ----------
        X : Table, ndarray, data frame or sparse matrix, optional
            New rows. Left out, every training row asks about the others.
        n_neighbors : int, optional
            How many; by default the fitted number.
        return_distance : bool
            Whether distances come first.

        Returns
        -------
        distances, rows : (n_queries, n_neighbors) arrays
            Positions among the rows given to ``fit``, nearest first, lowest rows first where tied. Only ``rows``
            without ``return_distance``.
        """
        check_is_fitted(self)
        hood = self.neighborhood_.for_rows()
        k = int(np.ceil(self.n_neighbors_)) if n_neighbors is None else n_neighbors
        largest = hood.n_rows - (X is None)
        check_whole("n_neighbors", k, at_most=largest)
        lists = hood.plain_lists(None if X is None else self._new_rows(X), int(k))
        at = lists.start[:-1, None] + np.arange(k)
        rows = self.rows_[lists.voter[at]]
        return (lists.distance[at], rows) if return_distance else rows

    def radius_neighbors(
        self, X: Any = None, radius: Any = None, return_distance: bool = True, sort_results: bool = False
    ) -> Any:
        """All training rows within a radius.

        Parameters
        ----------
        X : Table, ndarray, data frame or sparse matrix, optional
            New rows. Left out, every training row asks about the others.
        radius : float, or array with one for each row of X
            In units of the distance, after scaling; rows at this distance are within.
        return_distance : bool
            Whether distances come first.
        sort_results : bool
            Nearest first; otherwise the rows of each answer ascend.

        Returns
        -------
        distances, rows : (n_queries,) arrays of arrays
            Positions among the rows given to ``fit``. Only ``rows`` without ``return_distance``.
        """
        lists = self._within(X, radius)
        if not sort_results:
            order = np.lexsort((lists.voter, lists.query))
            lists = replace(lists, voter=lists.voter[order], distance=lists.distance[order])
        rows = _array_of_arrays(self.rows_[lists.voter], lists.start)
        return (_array_of_arrays(lists.distance, lists.start), rows) if return_distance else rows

    def _within(self, X: Any, radius: Any) -> NeighborLists:
        check_is_fitted(self)
        if radius is None:
            raise ParameterError(
                "radius is None; a search by radius needs one", hint="a radius is a distance after scaling"
            )
        hood = self.neighborhood_.for_rows()
        table = None if X is None else self._new_rows(X)
        n_queries = hood.n_rows if table is None else table.n_rows
        return hood.lists_within(table, checked_radius(radius, n_queries, alone=table is None))

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: GraphMode = "connectivity") -> Any:
        """The graph of the nearest training rows, as a sparse matrix.

        Parameters
        ----------
        X, n_neighbors
            As in :meth:`kneighbors`.
        mode : {"connectivity", "distance"}
            What stands in the cells: 1, or the distance.

        Returns
        -------
        scipy.sparse.csr_array
            (n_queries, n_rows_in_fit), nearest first in each row.
        """
        check_is_fitted(self)
        check_mode(mode)
        distances, rows = self.kneighbors(X, n_neighbors)
        start = np.arange(len(rows) + 1) * rows.shape[1]
        return as_graph(start, rows.ravel(), distances.ravel(), self.n_rows_in_, mode)

    def radius_neighbors_graph(
        self, X: Any = None, radius: Any = None, mode: GraphMode = "connectivity", sort_results: bool = False
    ) -> Any:
        """The graph of all training rows within a radius, as a sparse matrix.

        Parameters
        ----------
        X, radius
            As in :meth:`radius_neighbors`.
        mode : {"connectivity", "distance"}
            What stands in the cells: 1, or the distance.
        sort_results : bool
            For the sake of scikit-learn: the entries of a row are always nearest first.

        Returns
        -------
        scipy.sparse.csr_array
            (n_queries, n_rows_in_fit)
        """
        check_is_fitted(self)
        check_mode(mode)
        lists = self._within(X, radius)
        return as_graph(lists.start, self.rows_[lists.voter], lists.distance, self.n_rows_in_, mode)


def _array_of_arrays(flat: NDArray[Any], start: NDArray[np.int64]) -> NDArray[Any]:
    found = np.empty(len(start) - 1, dtype=object)
    found[:] = np.split(flat, start[1:-1]) if len(found) > 1 else [flat] * len(found)
    return found
