"""Nearest neighbours of sparse rows: inner products in blocks of queries, then the same ranking as for all others."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName, SparseRows, equal_sparse_rows
from sepal.distances import SparseDistance, SparsePoints, fit_sparse_distance
from sepal.neighbors._copies import Copies, DistinctRows, Lists, drop_own, list_copies
from sepal.neighbors._ranking import DistinctRanking
from sepal.neighbors._search import rank_distances
from sepal.neighbors._threads import thread_count
from sepal.progress import Share

_CELLS = 200_000  # distances held at a time by one thread: they stay in its cache
_PAIRS = 100_000
# Below this share of the lengths |x|^2 + |z|^2 - 2 x.z cancels, and |x - z|^2 is summed instead.
_CANCELS = 0.1


@dataclass(frozen=True, eq=False)
class SparseSearch:
    """What :class:`Search` is for dense rows; always by brute force."""

    table: SparseRows
    fitted: SparseDistance
    points: SparsePoints  # distinct rows
    copies: Copies
    threads: int
    method: ClassVar[str] = "brute"

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
        return cls(table, fitted, points.take(copies.first), copies, thread_count(n_jobs))

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

    @property
    def n_rows(self) -> int:
        """Training rows, copies included."""
        return self.table.n_rows

    def distinct_ranking(
        self, k: int, *, rows: NDArray[np.int64] | None = None, progress: Share | None = None
    ) -> DistinctRanking:
        """The k nearest distinct rows of every distinct training row, or of those that ``rows`` belong to."""
        n = self.copies.n_distinct
        if rows is None:
            asking = self.copies.every()
            found = self._ranked(self.points, min(k, n - 1), progress, without_self=True)
        else:
            asking = self.copies.asked_by(rows)
            found = drop_own(*self._ranked(self.points.take(asking.number), min(k + 1, n), progress), asking)
        return DistinctRanking(asking, *list_copies(*found, asking, self.copies), self.copies)

    def query_ranking(self, queries: SparseRows, k: int, progress: Share | None = None) -> DistinctRanking:
        """The k nearest distinct training rows of rows that are not among them."""
        found = self._ranked(self.fitted.embed(queries), min(k, self.copies.n_distinct), progress)
        return DistinctRanking(None, *found, self.copies)

    def within(self, radius: NDArray[np.float64], queries: SparseRows | None = None) -> DistinctRanking:
        """As in :class:`Search`: every distinct training row up to a distance."""
        n = self.copies.n_distinct
        if queries is not None:
            found = self._ranked(self.fitted.embed(queries), n, None, radius=radius)
            return DistinctRanking(None, *found, self.copies)
        asking, reach = self.copies.every(), np.full(n, float(radius[0]))
        found = self._ranked(self.points, n, None, without_self=True, radius=reach)
        return DistinctRanking(asking, *list_copies(*found, asking, self.copies), self.copies)

    def nearest_distance(self, among: NDArray[np.intp], asking: NDArray[np.intp]) -> NDArray[np.float64]:
        """As in :class:`Search`: distance from each asking training row to the nearest of some others."""
        part = self.among(among)
        if among is asking:
            found = part.distinct_ranking(1)
            return np.asarray(found.distances[found.start[:-1]][part.copies.of_row.number])
        start, _, distances = part._ranked(self.points.take(self.copies.distinct(asking).number), 1, None)
        return np.asarray(distances[start[:-1]])

    def among(self, rows: NDArray[np.intp]) -> SparseSearch:
        """The same search over some of the training rows only."""
        left, copies = self.copies.among(rows)
        return replace(self, table=self.table.take(rows), points=self.points.take(left.number), copies=copies)

    def _ranked(
        self,
        queries: SparsePoints,
        k: int,
        progress: Share | None,
        *,
        without_self: bool = False,
        radius: NDArray[np.float64] | None = None,
    ) -> Lists:
        """Ragged lists: start, distinct rows, distances; ties at the k-th place included."""
        n = len(queries)
        if k < 1:
            return np.zeros(n + 1, dtype=np.int64), DistinctRows(np.zeros(0, np.int32)), np.zeros(0)
        columns = self.points.rows.T.tocsr()
        step = max(1, _CELLS // len(self.points))
        with np.errstate(over="ignore"):
            limits = None if radius is None else self.fitted.native_values(radius) * (1 + 2.0**-50)

        def block(begin: int) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float64]]:
            asking = queries.take(slice(begin, begin + step))
            values = self._block(asking, columns, k, begin if without_self else None)
            part = None if limits is None else np.ascontiguousarray(limits[begin : begin + step])
            return rank_distances(values, k, n_jobs=1, may_be_exact=self.fitted.name != "cosine", limits=part)

        with ThreadPoolExecutor(self.threads) as pool:
            found = []
            for each in pool.map(block, range(0, n, step)):
                found.append(each)
                if progress is not None:
                    progress(min(1.0, len(found) * step / n))
        lengths = np.concatenate([np.diff(start) for start, _, _ in found])
        entries = DistinctRows(np.concatenate([rows for _, rows, _ in found]).astype(np.int32))
        distances = self.fitted.distances(np.concatenate([values for _, _, values in found]))
        return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), entries, distances

    def _block(self, asking: SparsePoints, columns: Any, k: int, own: int | None) -> NDArray[np.float64]:
        """Values from some queries (rows) to all distinct rows (columns), exact where they may matter."""
        fitted, points = self.fitted, self.points
        x, z = asking.lengths[:, None], points.lengths[None, :]
        is_cosine = fitted.name == "cosine"
        total: Any = 2.0 if is_cosine else x + z
        squares = (asking.rows @ columns).toarray()  # then total - 2 products, in place
        squares *= -2.0
        squares += total
        np.maximum(squares, 0.0, out=squares)
        values = fitted.values(squares, x, z)
        if own is not None:
            values[np.arange(len(asking)), own + np.arange(len(asking))] = np.inf
        near = squares < _CANCELS * total
        if not near.any():
            return values
        near &= np.isfinite(values)
        if k < len(points):
            limit = np.partition(values, k - 1, axis=1)[:, k - 1 : k]
            near &= values <= limit * (1.0 + 1e-9) + 1e-9 * (total.max() if fitted.value_is == "square" else 1.0)
        query, row = np.nonzero(near)
        floor = 4 * np.diff(points.rows.indptr).max(initial=1) * np.finfo(float).eps ** 2
        for begin in range(0, len(query), _PAIRS):
            i, j = query[begin : begin + _PAIRS], row[begin : begin + _PAIRS]
            gap = asking.rows[i] - points.rows[j]
            exact = np.asarray(gap.multiply(gap).sum(axis=1)).ravel() + asking.beyond[i]
            if is_cosine:  # unit vectors of one direction differ by rounding: that is no distance
                exact[exact <= floor] = 0.0
            values[i, j] = fitted.values(exact, asking.lengths[i], points.lengths[j])
        return values
