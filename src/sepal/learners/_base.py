"""What all neighbour learners share: reading the input, preparing the neighbourhood, listing neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from sepal.data import Rows, SparseRows, Table, Together, as_weights, group_codes, left_out_together
from sepal.distances import DISTANCES
from sepal.estimators import Diet
from sepal.exceptions import DataError, ParameterError
from sepal.learners._neighbor_lists import NeighborLists
from sepal.learners._neighbor_queries import NeighborQueries
from sepal.learners._neighborhood import Neighborhood
from sepal.neighbors import MixedSearch, Search, SparseSearch, TextSearch, graph_distances, recall_among


class NeighborLearner(NeighborQueries):
    """Base of the learners; see KNNClassifier for the parameters."""

    n_neighbors: Any
    distance: Any
    distance_params: Any
    feature_weights: Any
    scale: Any
    ties: Any
    n_jobs: Any
    k_max: Any
    method: Any = "auto"
    recall_: float | None = None
    table_: Rows
    left_out_: Together = "rows"
    left_out_groups_: NDArray[np.intp] | None = None
    copies_note_: str | None = None
    outputs_: list[Any]

    def _diet(self) -> Diet:
        entry = DISTANCES.get(self.distance) if isinstance(self.distance, str) else None
        auto = self.distance == "auto"
        return Diet(
            levels=auto or (entry is not None and "nominal" in entry.kinds),
            missing=auto or (entry is not None and entry.allows_missing),
            sparse=self.distance == "precomputed"
            or (self.scale != "standard" and (auto or (entry is not None and entry.sparse))),
            pairwise=self.distance == "precomputed",
            not_negative=self.distance == "tanimoto",
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

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
            and isinstance(self.n_rows_in_, int)
            and 0 <= rows.min() <= rows.max() < self.n_rows_in_
            and isinstance(k, (int, float))
            and 1 <= k <= max(1.0, hood.total_mass)
            and groups_fit(self.left_out_groups_, hood.n_rows)
        )

    def _fit_each(self, X: Any, targets: NDArray[Any], sample_weight: Any, groups: Any) -> Any:
        """One model for each of several targets; rows and distance are shared where no target has a say in them."""
        self.outputs_ = [clone(self).fit(X, column, sample_weight, groups=groups) for column in targets.T]
        return self._share_rows()

    def _share_rows(self) -> Any:
        """Of several models with the same rows: what a model with one target has."""
        first = self.outputs_[0]
        for name in (
            "n_features_in_",
            "feature_names_in_",
            "columns_",
            "table_",
            "neighborhood_",
            "rows_",
            "n_rows_in_",
            "left_out_",
            "left_out_groups_",
        ):
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))
        self.n_neighbors_ = max(model.n_neighbors_ for model in self.outputs_)
        return self

    def _only_target(self, what: str) -> None:
        if hasattr(self, "outputs_"):
            raise ParameterError(
                f"{what} is for one target, and this model has {len(self.outputs_)}",
                hint=f"ask the model of one target: outputs_[0].{what}",
            )

    def _training_table(self, X: Any, y: Any) -> Rows:
        """The training rows and labels; remembers the columns."""
        if self.distance != "precomputed" or not hasattr(X, "tocsr"):
            return self._training_rows(X, y, sparse=True)
        distances = graph_distances(X)
        return _with_cells(self._training_rows(_stored(distances), y, sparse=True), distances)

    def _new_rows(self, X: Any) -> Rows:
        """New rows, coded as the training rows are; with ``precomputed`` a sparse graph of distances, too."""
        if self.distance != "precomputed" or not hasattr(X, "tocsr"):
            return super()._new_rows(X)
        distances = graph_distances(X)
        return _with_cells(super()._new_rows(_stored(distances)), distances)

    def _fit_neighborhood(self, table: Rows, y: NDArray[Any], sample_weight: Any, groups: Any) -> NDArray[np.intp]:
        """Prepare the search over the rows that count; returns their positions."""
        weights = checked_weights(sample_weight, table)
        self.n_rows_in_ = table.n_rows
        rows = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights > 0)
        if len(rows) < table.n_rows:
            table = table.take(rows)
        hood = self._prepared(table, None if weights is None else weights[rows])
        weighted = table if weights is None else replace(table, weights=weights[rows])
        kept = self._prototype_rows(weighted, y[rows], self._groups_of(rows, groups))
        if kept is not None:
            hood, rows = hood.among(kept), rows[kept]
        self.table_, self.neighborhood_, self.rows_ = table, hood, rows
        self._keep_together(table if kept is None else table.take(kept), groups)
        return rows

    def _prepared(self, table: Rows, weights: NDArray[np.float64] | None) -> Neighborhood:
        """The neighbourhood of these rows, all of positive weight."""
        found = Neighborhood.prepare(
            table,
            weights,
            distance=self.distance,
            distance_params=self._distance_params(table),
            scale=None if self.distance == "precomputed" else self.scale,
            ties=self.ties,
            method=self.method,
            n_jobs=self.n_jobs,
        )
        self.__dict__.pop("recall_", None)
        if getattr(found.search, "recall", None) is not None:
            self.recall_ = found.search.recall  # type: ignore[union-attr]
        return found

    def _notes_told(self) -> tuple[str, ...]:
        """What stands beside a curve of leave-one-out: that copies stay."""
        return () if self.copies_note_ is None else (self.copies_note_,)

    def _recall_notes(self) -> tuple[str, ...]:
        """The recall of approximate neighbours, for what they enter."""
        return recall_among(getattr(getattr(self.neighborhood_.search, "fitted", None), "notes", ()))

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        said: str = super().__repr__(N_CHAR_MAX)
        return said if self.recall_ is None else f"{said} (recall {self.recall_:.1%})"

    def _keep_together(self, table: Rows, groups: Any) -> None:
        """Which rows are left out together (groups, copies, or each alone), where k is chosen or groups given."""
        self.left_out_, self.left_out_groups_, self.copies_note_ = "rows", None, None
        if groups is None and self.n_neighbors != "auto":
            return
        found = left_out_together(table, self._groups_of(self.rows_, groups), self.neighborhood_.weights)
        self.left_out_, self.left_out_groups_ = found.together, found.groups
        self.copies_note_ = found.note(table.n_rows)

    def _groups_of(self, rows: NDArray[np.intp], groups: Any) -> Any:
        """What was said of groups, for some of the rows given."""
        if groups is None or isinstance(groups, str):
            return groups
        return group_codes(groups, self.n_rows_in_)[rows]

    def _prototype_rows(self, table: Rows, y: NDArray[Any], groups: Any) -> NDArray[np.intp] | None:
        """Which rows to keep; None: all."""
        return None

    def _distance_params(self, table: Rows) -> Mapping[str, Any] | None:
        params = dict(self.distance_params or {})
        if self.feature_weights is None:
            return params or None
        if callable(self.distance):
            raise ParameterError(
                "feature_weights have no meaning with a distance function: the function alone says how columns count"
            )
        if "weights" in params:
            raise ParameterError("feature_weights and distance_params['weights'] both give weights; leave one out")
        params["weights"] = _column_weights(self.feature_weights, table)
        return params

    def _check_n_neighbors(self) -> float | None:
        """The mass that votes, or None where it is to be chosen."""
        hood, k = self.neighborhood_, self.n_neighbors
        if isinstance(k, str):
            return None if k == "auto" else hood.total_mass
        if k > hood.total_mass:
            weigh = "" if np.all(hood.weights == 1.0) else " (their weights added)"
            raise ParameterError(
                f"n_neighbors is {k}, but there are only {hood.total_mass:g} training rows{weigh}: "
                f"n_samples = {hood.n_rows}",
                hint="use n_neighbors='auto', or 'all' with a kernel weight",
            )
        return int(k)

    def _largest_k(self, default: int, groups: NDArray[np.intp] | None) -> int:
        """How far the choice of k goes: at most all rows but the one (or the largest group) left out."""
        largest = max(1, self.neighborhood_.fewest(groups))
        if self.k_max is None:
            return min(default, largest)
        k_max = self.k_max
        if k_max > largest and groups is None:
            raise ParameterError(f"k_max must be at most {largest}, one less than the number of rows; got {k_max}")
        if k_max > largest:
            raise DataError(
                f"k_max is {k_max}, but when the largest group is left out only {largest} rows remain",
                hint=f"use k_max={largest} or less",
            )
        return int(k_max)

    def _asked(self, X: Any) -> Neighborhood:
        """The neighbourhood that answers: rows are voters where training rows ask and groups are left out."""
        hood = self.neighborhood_
        return hood.for_rows() if X is None and self.left_out_groups_ is not None else hood

    def _lists(self, X: Any, n_sums: int, k: float, hood: Neighborhood) -> Iterator[tuple[int, int, NeighborLists]]:
        """Neighbours of new rows, so many rows at a time as fit into memory; of None, of training rows left out."""
        if X is None:
            if hood.n_rows < 2:
                raise DataError("X is None, which leaves each training row out, and there is but one")
            lists = hood.lists_without(k, self.left_out_groups_)
            for begin, end in hood.chunks(len(lists), n_sums, k):
                yield begin, end, lists.part(begin, end)
            return
        table = self._new_rows(X)
        for begin, end in hood.chunks(table.n_rows, n_sums, k):
            part = table if end - begin == table.n_rows else table.take(np.arange(begin, end))
            yield begin, end, hood.lists(part, k)

    def _parts(self, table: Rows, lists: NeighborLists) -> tuple[NDArray[np.float64], tuple[str, ...]]:
        """The share of each column in the distance of each entry, and the columns; none where these are unknown."""
        search = self.neighborhood_.search
        if isinstance(search, (Search, TextSearch, MixedSearch)) and isinstance(table, Table):
            parts = search.fitted.parts(table.take(lists.query), search.table.take(lists.voter))
            names = search.table.names
        elif isinstance(search, SparseSearch) and isinstance(table, SparseRows):
            parts, names = search.fitted.parts(table.take(lists.query), search.table.take(lists.voter))
        else:
            return np.zeros((len(lists.voter), 0)), ()
        total = np.abs(parts).sum(axis=1, keepdims=True)
        return np.divide(parts, total, out=np.zeros_like(parts), where=total > 0), names


def shared_words(search: Any, table: Rows, lists: NeighborLists) -> tuple[tuple[str, ...], ...]:
    """The words each entry shares with its query, those that make them similar first; none without texts."""
    if not isinstance(search, (TextSearch, MixedSearch)) or not isinstance(table, Table):
        return ()
    pairs = search.fitted.shared_words(table.take(lists.query), search.table.take(lists.voter))
    return tuple(tuple(dict.fromkeys(word for _, word, _ in each)) for each in pairs)


def checked_weights(sample_weight: Any, table: Rows) -> NDArray[np.float64] | None:
    """Row weights: what the user gave, else what the table carries; None if there are none."""
    if sample_weight is None:
        sample_weight = table.weights
    if sample_weight is None:
        return None
    return as_weights(sample_weight, table.n_rows)


def target_columns(y: Any, least: int) -> NDArray[Any] | None:
    """Targets as a matrix, if there are at least so many of them; None where y is a column."""
    if y is None or isinstance(y, str):
        return None
    given = y if hasattr(y, "ndim") and isinstance(y, np.ndarray) else np.asarray(y)
    if given.ndim != 2 or given.shape[1] < least:
        return None
    return np.asarray(given)


def groups_fit(groups: Any, n_rows: int) -> bool:
    """Whether these are numbers of groups, from 0, of so many rows."""
    return groups is None or (
        isinstance(groups, np.ndarray)
        and groups.shape == (n_rows,)
        and groups.dtype.kind == "i"
        and 0 <= groups.min() < groups.max() < n_rows
    )


def _stored(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distances of a graph, 0 where none is stored: readers of tables know no infinity."""
    return np.where(np.isinf(distances), 0.0, distances)


def _with_cells(rows: Rows, values: NDArray[np.float64]) -> Rows:
    return replace(rows, values=values) if isinstance(rows, Table) else rows


def _column_weights(given: Any, table: Rows) -> NDArray[np.float64]:
    """One weight per column from an array, a mapping by name (1 where silent) or a LearnedWeights."""
    given = getattr(given, "weights", given)
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in table.names]
        if unknown:
            raise ParameterError(f"feature_weights: there is no column {unknown[0]!r}")
        given = [given.get(name, 1.0) for name in table.names]
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"feature_weights must hold one number for each column; got {given!r}") from error
    if weights.shape != (table.n_columns,):
        raise ParameterError(
            f"feature_weights must hold one number for each of {table.n_columns} columns; got {given!r}"
        )
    return weights
