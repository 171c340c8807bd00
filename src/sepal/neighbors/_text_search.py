"""Nearest neighbours of rows with texts: alone by the search of sparse rows, beside other columns by brute force."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName, Table, equal_groups, equal_sparse_rows, thread_count
from sepal.distances import SparsePoints, TextDistance, TextPoints, fit_text_distance
from sepal.neighbors._copies import Copies, DistinctRows, Lists
from sepal.neighbors._point_search import PointSearch
from sepal.neighbors._ranking import DistinctRanking
from sepal.neighbors._search import pair_values, rank_distances
from sepal.neighbors._sparse_search import SparseSearch
from sepal.progress import Share

_CELLS = 200_000  # distances held at a time by one thread: they stay in its cache


def prepare_text_search(
    table: Table,
    *,
    distance: str,
    distance_params: Mapping[str, Any] | None,
    scale: ScaleName | None,
    n_jobs: int | None,
) -> TextSearch | MixedSearch:
    """Learn the words, fit the distance, and group equal rows."""
    fitted = fit_text_distance(table, distance, scale=scale, params=distance_params)
    if fitted.alone:
        inner = SparseSearch.prepare(fitted.sparse_rows(table), distance="cosine", n_jobs=n_jobs)
        return TextSearch(table, fitted, inner)
    points = fitted.embed(table)
    words, _ = equal_sparse_rows(points.rows)
    others = equal_groups(points.rest)
    group_of, first = _numbered(words.astype(np.int64) * (len(others) + 1) + others)
    copies = Copies.at_no_distance(group_of, first, fitted.compares_nothing(points, table))
    return MixedSearch(table, fitted, points.take(copies.first), copies, thread_count(n_jobs))


def _numbered(key: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Groups numbered by their first row."""
    found = Copies.by_key(key)
    return found.of_row.number, found.first


@dataclass(frozen=True, eq=False)
class TextSearch:
    """What :class:`Search` is for numbers, for one column of texts."""

    table: Table
    fitted: TextDistance
    inner: SparseSearch
    found_by: ClassVar[str] = "brute"

    def fits_together(self) -> bool:
        """Whether the parts belong to one search: a model file may hold anything."""
        return (
            self.fitted.alone
            and self.fitted.kinds == self.table.kinds
            and self.inner.table.n_rows == self.table.n_rows
            and self.inner.table.n_columns == self.fitted.words[0].n_columns
            and self.inner.fitted.name == "cosine"
        )

    @property
    def n_rows(self) -> int:
        """Training rows, copies included."""
        return self.table.n_rows

    @property
    def copies(self) -> Copies:
        """Which rows have the same words, as often."""
        return self.inner.copies

    @property
    def points(self) -> SparsePoints:
        """The distinct rows of words."""
        return self.inner.points

    @property
    def threads(self) -> int:
        """Of the search."""
        return self.inner.threads

    def distinct_ranking(
        self, k: int, *, rows: NDArray[np.int64] | None = None, progress: Share | None = None
    ) -> DistinctRanking:
        """The k nearest distinct rows of every distinct training row, or of those that ``rows`` belong to."""
        return self.inner.distinct_ranking(k, rows=rows, progress=progress)

    def query_ranking(self, queries: Table, k: int, progress: Share | None = None) -> DistinctRanking:
        """The k nearest distinct training rows of rows that are not among them."""
        return self.inner.query_ranking(self.fitted.sparse_rows(queries), k, progress)

    def within(self, radius: NDArray[np.float64], queries: Table | None = None) -> DistinctRanking:
        """As in :class:`Search`: every distinct training row up to a distance."""
        return self.inner.within(radius, None if queries is None else self.fitted.sparse_rows(queries))

    def nearest_distance(self, among: NDArray[np.intp], asking: NDArray[np.intp]) -> NDArray[np.float64]:
        """As in :class:`Search`: distance from each asking training row to the nearest of some others."""
        return self.inner.nearest_distance(among, asking)

    def among(self, rows: NDArray[np.intp]) -> TextSearch:
        """The same search over some of the training rows only."""
        return replace(self, table=self.table.take(rows), inner=self.inner.among(rows))


@dataclass(frozen=True, eq=False)
class MixedSearch(PointSearch[Table, TextDistance, TextPoints]):
    """What :class:`Search` is for numbers, for texts beside other columns; always by brute force."""

    found_by: ClassVar[str] = "brute"

    def fits_together(self) -> bool:
        """Whether the parts belong to one search: a model file may hold anything."""
        n, n_words = self.points.rows.shape
        rest = 0 if self.fitted.rest is None else len(self.fitted.rest.mismatch)
        return (
            self.fitted.kinds == self.table.kinds
            and n_words == sum(learned.n_columns for learned in self.fitted.words)
            and self.points.rest.shape == (n, rest)
            and bool(np.all(np.isfinite(self.points.rows.data)))
            and (self.copies.n_rows, self.copies.n_distinct) == (self.table.n_rows, n)
            and self.threads >= 1
        )

    def _take(self, distinct: DistinctRows) -> TextPoints:
        return self.points.take(distinct.number)

    def _embedded(self, rows: Table) -> TextPoints:
        return self.fitted.embed(rows)

    def _nearest(
        self, queries: TextPoints | None, k: int, progress: Share | None, radius: NDArray[np.float64] | None
    ) -> Lists:
        """Ragged lists: start, distinct rows, distances; ties at the k-th place included."""
        columns = self.points.rows.T.tocsr()
        asked, step = self.points if queries is None else queries, max(1, _CELLS // len(self.points))
        limits = None if radius is None else self.fitted.native_values(radius) * (1 + 2.0**-50)

        def block(begin: int) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float64]]:
            asking = asked.take(slice(begin, begin + step))
            values = self.fitted.text_squares(asking, columns)
            if self.fitted.rest is not None:
                values += pair_values(self.fitted.rest, asking.rest, self.points.rest)
            if queries is None:
                values[np.arange(len(asking)), begin + np.arange(len(asking))] = np.inf
            part = None if limits is None else np.ascontiguousarray(limits[begin : begin + step])
            return rank_distances(values, k, n_jobs=1, may_be_exact=False, limits=part)

        with ThreadPoolExecutor(self.threads) as pool:
            found = []
            for each in pool.map(block, range(0, len(asked), step)):
                found.append(each)
                if progress is not None:
                    progress(min(1.0, len(found) * step / len(asked)))
        lengths = np.concatenate([np.diff(start) for start, _, _ in found])
        entries = DistinctRows(np.concatenate([rows for _, rows, _ in found]).astype(np.int32))
        distances = self.fitted.distances(np.concatenate([values for _, _, values in found]))
        return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), entries, distances
