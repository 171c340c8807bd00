"""The face of a search among training rows, whatever their form: questions about rows become questions about points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sepal.neighbors._copies import Copies, DistinctRows, Lists, drop_own, list_copies
from sepal.neighbors._ranking import DistinctRanking
from sepal.progress import Share

RowsT = TypeVar("RowsT")
FittedT = TypeVar("FittedT")
PointsT = TypeVar("PointsT")


@dataclass(frozen=True, eq=False)
class PointSearch(ABC, Generic[RowsT, FittedT, PointsT]):
    """Training rows prepared for neighbour queries under one distance.

    Embedding and grouping of equal rows happen once, in ``prepare``; after that any number of rankings can be asked
    for. A form of rows has to say how some of its points are taken, and how points are searched.
    """

    table: RowsT
    fitted: FittedT
    points: PointsT  # of the distinct rows
    copies: Copies
    threads: int

    @abstractmethod
    def _take(self, distinct: DistinctRows) -> PointsT:
        """The points of some distinct rows."""

    @abstractmethod
    def _embedded(self, rows: RowsT) -> PointsT:
        """Further rows as points."""

    @abstractmethod
    def _nearest(
        self, queries: PointsT | None, k: int, progress: Share | None, radius: NDArray[np.float64] | None
    ) -> Lists:
        """The k nearest points of queries, or those within a radius; None: of each point, itself left out."""

    @property
    def n_rows(self) -> int:
        """Training rows, copies included."""
        return self.copies.n_rows

    def distinct_ranking(
        self, k: int, *, rows: NDArray[np.int64] | None = None, progress: Share | None = None
    ) -> DistinctRanking:
        """The k nearest distinct rows of every distinct training row, or of those that ``rows`` belong to."""
        n = self.copies.n_distinct
        if rows is None:
            asking, found = self.copies.every(), self._lists(None, min(k, n - 1), progress)
        else:
            asking = self.copies.asked_by(rows)
            found = drop_own(*self._lists(self._take(asking), min(k + 1, n), progress), asking)
        return DistinctRanking(asking, *list_copies(*found, asking, self.copies), self.copies)

    def query_ranking(self, queries: RowsT, k: int, progress: Share | None = None) -> DistinctRanking:
        """The k nearest distinct training rows of rows that are not among them."""
        k = min(k, self.copies.n_distinct)
        return DistinctRanking(None, *self._lists(self._embedded(queries), k, progress), self.copies)

    def within(self, radius: NDArray[np.float64], queries: RowsT | None = None) -> DistinctRanking:
        """Every distinct training row up to a distance: of each query, or of each distinct training row.

        ``radius`` holds a number for each query, or one for all training rows.
        """
        n = self.copies.n_distinct
        if queries is not None:
            return DistinctRanking(None, *self._lists(self._embedded(queries), n, None, radius), self.copies)
        asking = self.copies.every()
        found = self._lists(None, n - 1, None, np.full(n, float(radius[0])))
        return DistinctRanking(asking, *list_copies(*found, asking, self.copies), self.copies)

    def nearest_distance(self, among: NDArray[np.intp], asking: NDArray[np.intp]) -> NDArray[np.float64]:
        """Distance from each asking training row to the nearest of some others.

        ``asking`` must be the same rows as ``among``, then a row is not its own neighbour, or share none with them.
        """
        part = self.among(among)
        if among is asking:
            found = part.distinct_ranking(1)
            return np.asarray(found.distances[found.start[:-1]][part.copies.of_row.number])
        left, copies = self.copies.among(asking)
        start, _, distances = part._lists(self._take(left), 1, None)
        return np.asarray(distances[start[:-1]][copies.of_row.number])

    def among(self, rows: NDArray[np.intp]) -> Self:
        """The same search over some of the training rows only (same scaling, same distance)."""
        left, copies = self.copies.among(rows)
        table: Any = self.table
        return replace(self, table=table.take(rows), points=self._take(left), copies=copies)

    def _lists(
        self, queries: PointsT | None, k: int, progress: Share | None, radius: NDArray[np.float64] | None = None
    ) -> Lists:
        """As :meth:`_nearest`; empty lists where there is no other distinct row."""
        if k < 1:  # all rows are equal
            points: Any = self.points if queries is None else queries
            return np.zeros(len(points) + 1, dtype=np.int64), DistinctRows(np.zeros(0, np.int32)), np.zeros(0)
        return self._nearest(queries, k, progress, radius)
