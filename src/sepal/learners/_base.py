"""What all neighbour learners share: reading the input, preparing the neighbourhood, listing neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sepal.data import Rows, SparseRows, Table
from sepal.distances import DISTANCES
from sepal.estimators import Diet, TableEstimator
from sepal.exceptions import DataError, ParameterError
from sepal.learners._neighborhood import Lists, Neighborhood
from sepal.neighbors import Search, SparseSearch
from sepal.prototypes._methods import method_named


class NeighborLearner(TableEstimator):
    """Base of the learners; see KNNClassifier for the parameters."""

    n_neighbors: Any
    distance: Any
    distance_params: Any
    feature_weights: Any
    scale: Any
    ties: Any
    prototypes: Any
    n_jobs: Any
    k_max: Any
    neighborhood_: Neighborhood
    table_: Rows
    rows_: NDArray[np.intp]
    n_neighbors_: float

    def _diet(self) -> Diet:
        entry = DISTANCES.get(self.distance) if isinstance(self.distance, str) else None
        auto = self.distance == "auto"
        return Diet(
            levels=auto or (entry is not None and "nominal" in entry.kinds),
            missing=auto or (entry is not None and entry.allows_missing),
            sparse=self.scale != "standard" and (auto or (entry is not None and entry.sparse)),
            pairwise=self.distance == "precomputed",
            not_negative=self.distance == "tanimoto",
        )

    def fits_together(self) -> bool:
        """Whether the fitted attributes belong to one model: a model file may hold anything."""
        if not hasattr(self, "neighborhood_"):
            return True
        hood, rows, k = self.neighborhood_, self.rows_, self.n_neighbors_
        return (
            isinstance(hood, Neighborhood)
            and isinstance(self.table_, (Table, SparseRows))
            and isinstance(rows, np.ndarray)
            and rows.dtype.kind == "i"
            and rows.shape == (hood.n_rows,)
            and isinstance(k, (int, float))
            and 1 <= k <= hood.total_mass
        )

    def _training_table(self, X: Any, y: Any) -> Rows:
        """The training rows and labels; remembers the columns."""
        rows = self._training_rows(X, y, sparse=True)
        if isinstance(rows, SparseRows) and self.distance == "precomputed":
            raise ParameterError(
                "distance='precomputed' needs a dense table; X is sparse", hint="use X.toarray() if it fits into memory"
            )
        return rows

    def _fit_neighborhood(self, table: Rows, y: NDArray[Any], sample_weight: Any) -> NDArray[np.intp]:
        """Prepare the search over the rows that count; returns their positions."""
        weights = checked_weights(sample_weight, table)
        rows = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights > 0)
        if len(rows) < table.n_rows:
            table = table.take(rows)
        hood = Neighborhood.prepare(
            table,
            None if weights is None else weights[rows],
            distance=self.distance,
            distance_params=self._distance_params(table),
            scale=None if self.distance == "precomputed" else self.scale,
            ties=self.ties,
            n_jobs=self.n_jobs,
        )
        weighted = table if weights is None else replace(table, weights=weights[rows])
        kept = None if self.prototypes is None else self._prototype_rows(weighted, y[rows])
        if kept is not None:
            hood, rows = hood.among(kept), rows[kept]
        self.table_, self.neighborhood_, self.rows_ = table, hood, rows
        return rows

    def _prototype_rows(self, table: Rows, y: NDArray[Any]) -> NDArray[np.intp]:
        """Which rows to keep: by the name of a method, a function like those, their result, or positions."""
        chosen = self.prototypes
        if isinstance(chosen, str):
            chosen = method_named(chosen, "prototypes")
        if callable(chosen) and not hasattr(chosen, "rows"):
            options = {"distance": self.distance, "scale": self.scale}
            params = self._distance_params(table)
            chosen = chosen(table, y, **options, **({} if params is None else {"distance_params": params}))
        rows = np.asarray(getattr(chosen, "rows", chosen))
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or len(rows) == 0 or len(np.unique(rows)) < len(rows):
            raise ParameterError("prototypes: expected the positions of at least one row, none of them twice")
        if rows.min() < 0 or rows.max() >= table.n_rows:
            raise ParameterError(f"prototypes: expected rows from 0 to {table.n_rows - 1}, found {rows.max()}")
        return np.sort(rows).astype(np.intp)

    def _distance_params(self, table: Rows) -> Mapping[str, Any] | None:
        params = dict(self.distance_params or {})
        if self.feature_weights is None:
            return params or None
        if "weights" in params:
            raise ParameterError("feature_weights and distance_params['weights'] both give weights; leave one out")
        params["weights"] = _column_weights(self.feature_weights, table)
        return params

    def _check_n_neighbors(self) -> float | None:
        """The mass that votes, or None where it is to be chosen."""
        hood, k = self.neighborhood_, self.n_neighbors
        if isinstance(k, str):
            if k not in ("auto", "all"):
                raise ParameterError(f"n_neighbors must be 'auto', 'all' or an integer of at least 1; got {k!r}")
            return None if k == "auto" else hood.total_mass
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise ParameterError(f"n_neighbors must be 'auto', 'all' or an integer of at least 1; got {k!r}")
        if k > hood.total_mass:
            weigh = "" if np.all(hood.weights == 1.0) else " (their weights added)"
            raise ParameterError(
                f"n_neighbors is {k}, but there are only {hood.total_mass:g} training rows{weigh}: "
                f"n_samples = {hood.n_rows}",
                hint="use n_neighbors='auto', or 'all' with a kernel weight",
            )
        return int(k)

    def _largest_k(self, default: int) -> int:
        """How far the choice of k goes: at most all rows but the one left out."""
        largest = max(1, int(self.neighborhood_.total_mass) - 1)
        if self.k_max is None:
            return min(default, largest)
        k_max = self.k_max
        if isinstance(k_max, bool) or not isinstance(k_max, (int, np.integer)) or k_max < 1:
            raise ParameterError(f"k_max must be None or an integer of at least 1; got {k_max!r}")
        if k_max > largest:
            raise ParameterError(f"k_max must be at most {largest}, one less than the number of rows; got {k_max}")
        return int(k_max)

    def _lists(
        self, table: Rows, n_sums: int, k: float, hood: Neighborhood | None = None
    ) -> Iterator[tuple[int, int, Lists]]:
        """Neighbours of new rows, so many rows at a time as fit into memory."""
        hood = self.neighborhood_ if hood is None else hood
        for begin, end in hood.chunks(table.n_rows, n_sums, k):
            part = table if end - begin == table.n_rows else table.take(np.arange(begin, end))
            yield begin, end, hood.lists(part, k)

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
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= largest:
            raise ParameterError(f"n_neighbors must be an integer from 1 to {largest}; got {k!r}")
        lists = hood.plain_lists(None if X is None else self._new_rows(X), int(k))
        at = lists.start[:-1, None] + np.arange(k)
        rows = self.rows_[lists.voter[at]]
        return (lists.distance[at], rows) if return_distance else rows

    def _parts(self, table: Rows, lists: Lists) -> tuple[NDArray[np.float64], tuple[str, ...]]:
        """The share of each column in the distance of each entry, and the columns; none where these are unknown."""
        search = self.neighborhood_.search
        if isinstance(search, Search) and isinstance(table, Table):
            parts = search.fitted.parts(table.take(lists.query), search.table.take(lists.voter))
            names = search.table.names
        elif isinstance(search, SparseSearch) and isinstance(table, SparseRows):
            parts, names = search.fitted.parts(table.take(lists.query), search.table.take(lists.voter))
        else:
            return np.zeros((len(lists.voter), 0)), ()
        total = np.abs(parts).sum(axis=1, keepdims=True)
        return np.divide(parts, total, out=np.zeros_like(parts), where=total > 0), names


def checked_weights(sample_weight: Any, table: Rows) -> NDArray[np.float64] | None:
    """Row weights: what the user gave, else what the table carries; None if there are none."""
    if sample_weight is None:
        sample_weight = table.weights
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(table.n_rows, float(weights))
    if weights.ndim != 1:
        raise DataError(f"sample_weight: Sample weights must be 1D array or scalar, got {weights.ndim}D array")
    if len(weights) != table.n_rows:
        raise DataError(f"sample_weight: expected one weight for each of {table.n_rows} rows, found {len(weights)}")
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise DataError("sample_weight: expected finite weights of at least 0")
    if not np.any(weights > 0):
        raise DataError("sample_weight: all weights are zero; nobody is left to vote")
    return weights


def _column_weights(given: Any, table: Rows) -> NDArray[np.float64]:
    """One weight per column from an array, a mapping by name (1 where silent) or a LearnedWeights."""
    given = getattr(given, "weights", given)
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in table.names]
        if unknown:
            raise ParameterError(f"feature_weights: there is no column {unknown[0]!r}")
        given = [given.get(name, 1.0) for name in table.names]
    return np.asarray(given, dtype=np.float64)
