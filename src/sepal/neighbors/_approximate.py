"""Approximate neighbours, for those who ask for them: rows in cells, of which a query looks at the nearest few.

FAISS divides the rows into cells (an inverted file of k-means centres). How many cells a query looks at is raised until
enough of the neighbours of a few rows are found; which share is found is then measured on other rows, by exact
searches, and goes with every result. Distances of those who are found are exact.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import row_hash
from sepal.exceptions import DataError, MissingDependencyError, ParameterError, SepalWarning
from sepal.neighbors._copies import DistinctRows, Lists
from sepal.neighbors._parts import PartLists, PartSearch, extent_of
from sepal.neighbors._planner import effective_metric
from sepal.neighbors._recall import APPROXIMATE
from sepal.neighbors._search import Search
from sepal.progress import Share

_WANTED = 0.95  # of the neighbours, before no more cells are looked at
_DEPTH = 10  # neighbours of which recall is measured
_MEASURED = 200  # rows that ask exactly, twice: to choose, and to measure
_CELLS = 4.0  # times the root of the number of rows
_IN_CELL = 40  # rows of a cell at least, on the average
_LARGEST = 1e15  # float32 squares it
_MORE = 2  # candidates more than asked for: their order in float32 is not quite theirs


@dataclass(frozen=True, eq=False)
class ApproximateSearch(Search):
    """A search that may miss neighbours. ``recall`` is the share of them that it finds, measured on some rows."""

    index: Any
    order: NDArray[np.intp]  # the distinct row that stands at each place of the index
    center: NDArray[np.float64]
    n_probes: int
    recall: float

    @classmethod
    def of(cls, exact: Search) -> ApproximateSearch:
        """Index the rows of an exact search, and measure what is found."""
        faiss = _faiss()
        points, fitted = exact.points, exact.fitted
        if effective_metric(fitted, exact._extent) != "l2":
            raise ParameterError(
                f"method='approximate' cannot search under the distance {fitted.name!r} on these rows",
                hint="it takes complete numbers under the Euclidean distance and unit vectors; use method='auto'",
            )
        if exact._extent.largest > _LARGEST:
            raise DataError("coordinates are too large for an approximate search", hint='scale="minmax"')
        # By what is in them, so that the order of rows does not matter.
        order = np.argsort(row_hash(np.ascontiguousarray(points)), kind="stable")
        center = points.mean(axis=0)
        rows = np.ascontiguousarray(points[order] - center, dtype=np.float32)
        cells = int(max(1, min(_CELLS * np.sqrt(len(rows)), len(rows) // _IN_CELL)))
        quantizer = faiss.IndexFlatL2(rows.shape[1])
        index = faiss.IndexIVFFlat(quantizer, rows.shape[1], cells)
        with _threads(faiss, exact.threads):
            index.train(rows)
            index.add(rows)
        given = {each.name: getattr(exact, each.name) for each in fields(Search)}
        found = cls(**given, index=index, order=order, center=center, n_probes=1, recall=0.0)
        return found._measured(exact, cells)

    def _measured(self, exact: Search, cells: int) -> ApproximateSearch:
        n = len(self.points)
        k = min(_DEPTH, n - 1)
        if k < 1:
            return replace(self, recall=1.0)
        asked = np.unique(np.linspace(0, n - 1, min(n, 2 * _MEASURED)).astype(np.intp))
        chosen, measured = (self.order[part] for part in (asked[::2], asked[1::2]))
        found, probes = self, 1
        while True:
            found = replace(self, n_probes=probes)
            if probes >= cells or found._recall(exact, chosen, k) >= _WANTED:
                break
            probes *= 2
        recall = found._recall(exact, measured if len(measured) else chosen, k)
        note = (
            f"{APPROXIMATE}: {recall:.1%} of the {k} nearest are found (recall, measured on "
            f"{max(len(measured), 1)} rows by exact searches; {min(probes, cells)} of {cells} cells are looked at)"
        )
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
        found = self._candidates(asking, k + (queries is None) + _MORE)
        query, place = np.nonzero(found >= 0)
        number = self.order[found[query, place]]
        if queries is None:
            other = number != query
            query, number = query[other], number[other]
        value = np.sum((asking[query] - self.points[number]) ** 2, axis=1)
        order = np.lexsort((number, value, query))
        start = np.concatenate([[0], np.cumsum(np.bincount(query, minlength=len(asking)))])
        lists = part.settled(PartLists(start, number[order].astype(np.int64), value[order]), k)
        short = np.flatnonzero(np.diff(lists.start) < k)
        if len(short):  # too few rows in the cells that were looked at
            return self._exact()._nearest(queries, k, progress, None)
        if progress is not None:
            progress(1.0)
        return lists.start, DistinctRows(lists.number.astype(np.int32)), part.distances(lists)

    def _candidates(self, asking: NDArray[np.float64], k: int) -> NDArray[np.int64]:
        """Places in the index, -1 where there are too few."""
        faiss = _faiss()
        rows = np.ascontiguousarray(asking - self.center, dtype=np.float32)
        how = faiss.SearchParametersIVF(nprobe=self.n_probes)
        with _threads(faiss, self.threads):
            return np.asarray(self.index.search(rows, min(k, len(self.points)), params=how)[1])


class _threads:  # noqa: N801 - a context, used as a word
    """FAISS with so many threads, and afterwards with as many as before."""

    def __init__(self, faiss: Any, threads: int) -> None:
        self._faiss, self._threads, self._before = faiss, threads, faiss.omp_get_max_threads()

    def __enter__(self) -> None:
        self._faiss.omp_set_num_threads(self._threads)

    def __exit__(self, *_: Any) -> None:
        self._faiss.omp_set_num_threads(self._before)


def _faiss() -> Any:
    try:
        with warnings.catch_warnings():  # older releases use a deprecated name of numpy
            warnings.simplefilter("ignore", DeprecationWarning)
            import faiss
    except ImportError as error:
        raise MissingDependencyError(
            "method='approximate' needs FAISS, which is not installed", hint="pip install sepal-learn[approximate]"
        ) from error
    return faiss
