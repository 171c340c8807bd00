"""Nearest neighbours of sparse rows, by an inverted index that is built when it is first asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data import ScaleName, SparseRows, equal_sparse_rows, thread_count
from sepal.distances import SparseDistance, SparsePoints, fit_sparse_distance
from sepal.neighbors._copies import Copies, DistinctRows, Lists
from sepal.neighbors._point_search import PointSearch
from sepal.neighbors._sparse_index import SparseIndex
from sepal.progress import Share


@dataclass(frozen=True, eq=False)
class SparseSearch(PointSearch[SparseRows, SparseDistance, SparsePoints]):
    """What :class:`Search` is for dense rows; every row is compared, as far as bounds do not rule it out."""

    found_by: ClassVar[str] = "brute"

    @classmethod
    def prepare(
        cls,
        table: SparseRows,
        *,
        distance: str = "auto",
        distance_params: Mapping[str, Any] | None = None,
        scale: ScaleName | None = None,
        n_jobs: int | None = None,
    ) -> SparseSearch:
        """Fit the distance and group equal rows."""
        fitted = fit_sparse_distance(table, distance, scale=scale, params=distance_params)
        points = fitted.embed(table)
        copies = Copies.at_no_distance(*equal_sparse_rows(points.rows), fitted.compares_nothing(points))
        distinct = points.take(copies.first) if copies.any else points
        return cls(table, fitted, distinct, copies, thread_count(n_jobs))

    def fits_together(self) -> bool:
        """Whether the parts belong to one search: a model file may hold anything."""
        points, factors = self.points, self.fitted.factors
        n, n_columns = points.rows.shape
        return (
            points.lengths.shape == points.beyond.shape == (n,)
            and n_columns == self.table.n_columns
            and (factors is None or factors.shape == (n_columns,))
            and bool(np.all(np.isfinite(points.rows.data)) and np.all(np.isfinite(points.lengths)))
            and (self.copies.n_rows, self.copies.n_distinct) == (self.table.n_rows, n)
            and self.threads >= 1
        )

    @cached_property
    def _index(self) -> SparseIndex:
        index = SparseIndex(self.fitted.name)
        index.add_points(self.points)
        return index

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_index"}

    def _take(self, distinct: DistinctRows) -> SparsePoints:
        return self.points.take(distinct.number)

    def _embedded(self, rows: SparseRows) -> SparsePoints:
        return self.fitted.embed(rows)

    def _nearest(
        self,
        queries: SparsePoints | None,
        k: int,
        progress: Share | None,
        radius: NDArray[np.float64] | None,
    ) -> Lists:
        found = self._index.nearest_points(queries, k, radius=radius, threads=self.threads, progress=progress)
        return found[0], DistinctRows(found[1]), found[2]
