"""Neighbours under a distance that the user wrote: right, but as slow as Python calls for every pair of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sepal.data import Rows, ScaleName, Scaling, SparseRows, Table, fit_scaling, refuse_texts, thread_count
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors._copies import Copies, DistinctRows
from sepal.neighbors._ranking import DistinctRanking
from sepal.neighbors._search import rank_distances
from sepal.progress import Share


@dataclass(frozen=True, eq=False)
class FunctionDistance:
    """A function of two rows, with what it is called with.

    ``counts``, ``metric`` and ``value_is`` say to readers of a FittedDistance that nothing was learnt from labels, that
    there are no coordinates and that values are distances.
    """

    function: Callable[..., float]
    params: Mapping[str, Any] = field(default_factory=dict)
    scaling: Scaling | None = None
    notes: tuple[str, ...] = ()
    counts: None = None
    metric: str = "function"
    value_is: str = "distance"

    @property
    def name(self) -> str:
        """What the function is called."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    def embed(self, rows: Rows) -> Any:
        """The rows as the function sees them: scaled numbers, or a sparse matrix."""
        if isinstance(rows, SparseRows):
            return rows.matrix
        return rows.values if self.scaling is None else self.scaling.apply(rows.values)

    def between(self, queries: Any, points: Any) -> NDArray[np.float64]:
        """All distances from queries to points, one call each."""
        found = np.empty((queries.shape[0], points.shape[0]))
        asked, known = _each_row(queries), _each_row(points)
        for i, x in enumerate(asked):
            for j, z in enumerate(known):
                found[i, j] = self.function(x, z, **self.params)
        wrong = ~(found >= 0)
        if wrong.any():
            i, j = (int(at) for at in np.argwhere(wrong)[0])
            raise DataError(
                f"the distance function {self.name!r} gave {found[i, j]} for row {i} and training row {j}; a distance "
                "is a number of at least 0"
            )
        return found


def _each_row(rows: Any) -> list[Any]:
    """Vectors, or one-row matrices where the rows are sparse."""
    return [rows[[i]] if hasattr(rows, "indptr") else rows[i] for i in range(rows.shape[0])]


def _each_alone(n_rows: int) -> Copies:
    return Copies.by_key(np.arange(n_rows))


@dataclass(frozen=True, eq=False)
class FunctionSearch:
    """What :class:`Search` is for distances by name; every row stands for itself, as the function may do anything.

    A function need not be symmetric, nor 0 between equal rows: it is called with the query first.
    """

    table: Rows
    fitted: FunctionDistance
    points: Any
    copies: Copies  # none
    threads: int
    found_by: ClassVar[str] = "brute"

    @classmethod
    def prepare(
        cls,
        table: Rows,
        *,
        distance: Callable[..., float],
        distance_params: Mapping[str, Any] | None = None,
        scale: ScaleName | None = None,
        n_jobs: int | None = None,
    ) -> FunctionSearch:
        """Fit the scaling, and remember the rows."""
        scaling = None
        if isinstance(table, Table):
            refuse_texts(table, "a distance function gets numbers only")
            for name, kind, levels in zip(table.names, table.kinds, table.levels, strict=True):
                if kind == "nominal" and levels != (False, True):
                    raise DataError(
                        f"column {name!r} is nominal, and a distance function gets numbers only",
                        hint='use distance="auto" or "heom", which compare nominal columns as equal or not',
                    )
            scaling = fit_scaling(table.values, table.kinds, scale, levels=table.levels, weights=table.weights)
        elif scale == "standard":
            raise ParameterError("scale='standard' would fill a sparse matrix", hint="scale=None")
        fitted = FunctionDistance(distance, dict(distance_params or {}), scaling)
        return cls(table, fitted, fitted.embed(table), _each_alone(table.n_rows), thread_count(n_jobs))

    def fits_together(self) -> bool:
        """Whether the parts belong to one search."""
        n = self.table.n_rows
        return self.points.shape[0] == self.copies.n_rows == self.copies.n_distinct == n and self.threads >= 1

    @property
    def n_rows(self) -> int:
        """Training rows."""
        return self.table.n_rows

    def distinct_ranking(
        self, k: int, *, rows: NDArray[np.int64] | None = None, progress: Share | None = None
    ) -> DistinctRanking:
        """The k nearest rows of every training row, or of some."""
        asking = self.copies.every() if rows is None else self.copies.asked_by(rows)
        return self._found(asking, self._values(asking), min(k, self.n_rows - 1), None)

    def query_ranking(self, queries: Rows, k: int, progress: Share | None = None) -> DistinctRanking:
        """The k nearest training rows of rows that are not among them."""
        values = self.fitted.between(self.fitted.embed(queries), self.points)
        return self._found(None, values, min(k, self.n_rows), None)

    def within(self, radius: NDArray[np.float64], queries: Rows | None = None) -> DistinctRanking:
        """Every training row up to a distance."""
        if queries is None:
            reach = np.full(self.n_rows, float(radius[0]))
            asking = self.copies.every()
            return self._found(asking, self._values(asking), self.n_rows, reach)
        values = self.fitted.between(self.fitted.embed(queries), self.points)
        return self._found(None, values, self.n_rows, radius)

    def nearest_distance(self, among: NDArray[np.intp], asking: NDArray[np.intp]) -> NDArray[np.float64]:
        """As in :class:`Search`: distance from each asking training row to the nearest of some others."""
        values = self.fitted.between(self.points[asking], self.points[among])
        if among is asking:
            np.fill_diagonal(values, np.inf)
        return np.asarray(values.min(axis=1))

    def among(self, rows: NDArray[np.intp]) -> FunctionSearch:
        """The same search over some of the training rows only."""
        alone = _each_alone(len(rows))
        return replace(self, table=self.table.take(rows), points=self.points[rows], copies=alone)

    def _values(self, distinct: DistinctRows) -> NDArray[np.float64]:
        """From some training rows to all; a row is infinitely far from itself."""
        asking = self.copies.first_rows(distinct)
        values = self.fitted.between(self.points[asking], self.points)
        values[np.arange(len(asking)), asking] = np.inf
        return values

    def _found(
        self, asking: DistinctRows | None, values: NDArray[np.float64], k: int, limits: NDArray[np.float64] | None
    ) -> DistinctRanking:
        if k < 1:
            start, rows, distances = np.zeros(len(values) + 1, dtype=np.int64), np.zeros(0, dtype=np.intp), np.zeros(0)
        else:
            start, rows, distances = rank_distances(values, k, n_jobs=self.threads, limits=limits)
        return DistinctRanking(asking, start, DistinctRows(rows.astype(np.int32)), distances, self.copies)
