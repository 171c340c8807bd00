"""Approximate neighbours, for those who ask for them: rows in cells, of which a query looks at the nearest few.

How many cells a query looks at is raised until enough of the neighbours of a few rows are found; which share is found
is then measured on other rows, by exact searches, and goes with every result. Distances of those who are found are
exact.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import DataError, SepalWarning
from sepal.neighbors._cells import MEASURED_DEPTH, MEASURED_ROWS, WANTED, CellIndex, check_approximate
from sepal.neighbors._copies import DistinctRows, Lists
from sepal.neighbors._parts import PartLists, PartSearch, extent_of
from sepal.neighbors._planner import effective_metric
from sepal.neighbors._recall import recall_note
from sepal.neighbors._search import Search
from sepal.progress import Share


@dataclass(frozen=True, eq=False)
class ApproximateSearch(Search):
    """A search that may miss neighbours. ``recall`` is the share of them that it finds, measured on some rows."""

    cells: CellIndex
    recall: float

    @classmethod
    def of(cls, exact: Search) -> ApproximateSearch:
        """Index the rows of an exact search, and measure what is found."""
        check_approximate(exact.fitted.name, effective_metric(exact.fitted, exact._extent), exact._extent.largest)
        given = {each.name: getattr(exact, each.name) for each in fields(Search)}
        return cls(**given, cells=CellIndex.of(exact.points, exact.threads), recall=0.0)._measured(exact)

    def _measured(self, exact: Search) -> ApproximateSearch:
        n, cells = len(self.points), self.cells.n_cells
        k = min(MEASURED_DEPTH, n - 1)
        if k < 1:
            return replace(self, recall=1.0)
        asked = np.unique(np.linspace(0, n - 1, min(n, 2 * MEASURED_ROWS)).astype(np.intp))
        chosen, measured = (self.cells.order[part] for part in (asked[::2], asked[1::2]))
        found, probes = self, 1
        while True:
            found = replace(self, cells=replace(self.cells, n_probes=probes))
            if probes >= cells or found._recall(exact, chosen, k) >= WANTED:
                break
            probes *= 2
        recall = found._recall(exact, measured if len(measured) else chosen, k)
        how = f"{min(probes, cells)} of {cells} cells are looked at"
        note = recall_note(recall, k, max(len(measured), 1), how)
        warnings.warn(note, SepalWarning, stacklevel=2)
        return replace(found, recall=recall, fitted=replace(self.fitted, notes=(*self.fitted.notes, note)))

    def _recall(self, exact: Search, asked: NDArray[np.intp], k: int) -> float:
        """The share of the k nearest others of some distinct rows that is found, who ties with them counted."""
        queries = self._take(DistinctRows(asked.astype(np.int32)))
        start, _, wanted = exact._nearest(queries, k + 1, None, None)
        reach = wanted[start[:-1] + k] * (1 + 1e-9)
        begin, entries, distances = self._nearest(queries, k + 1, None, None)
        query = np.repeat(np.arange(len(asked)), np.diff(begin))
        right = (entries.number != asked[query]) & (distances <= reach[query])
        return float(np.mean(np.minimum(np.bincount(query[right], minlength=len(asked)), k) / k))

    @property
    def found_by(self) -> str:
        """How questions are answered."""
        return "approximate"

    def among(self, rows: NDArray[np.intp]) -> Search:  # type: ignore[override]
        """An exact search over some of the rows."""
        return self._exact().among(rows)

    def _exact(self) -> Search:
        return Search(**{each.name: getattr(self, each.name) for each in fields(Search)})

    def _nearest(
        self,
        queries: NDArray[np.float64] | None,
        k: int,
        progress: Share | None,
        radius: NDArray[np.float64] | None,
    ) -> Lists:
        if radius is not None:
            return self._exact()._nearest(queries, k, progress, radius)
        asking = self.points if queries is None else queries
        if np.isnan(asking).any():
            raise DataError("a row that asks has missing cells, which an approximate search does not take")
        part = PartSearch.of(self.fitted, extent_of(np.concatenate([asking[:0], self.points])))
        query, number, value = self.cells.found(self.points, asking, k + (queries is None))
        if queries is None:
            other = number != query
            query, number, value = query[other], number[other], value[other]
        start = np.concatenate([[0], np.cumsum(np.bincount(query, minlength=len(asking)))])
        lists = part.settled(PartLists(start, number.astype(np.int64), value), k)
        short = np.flatnonzero(np.diff(lists.start) < k)
        if len(short):  # too few rows in the cells that were looked at
            return self._exact()._nearest(queries, k, progress, None)
        if progress is not None:
            progress(1.0)
        return lists.start, DistinctRows(lists.number.astype(np.int32)), part.distances(lists)
