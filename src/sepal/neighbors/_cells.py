"""Rows in cells, of which a query looks at the nearest few: FAISS's inverted file, and who is found in it.

What is found depends on the rows that are indexed together, and on nothing else: not on their order, not on threads.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from hashlib import blake2b
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import row_hash
from sepal.exceptions import DataError, MissingDependencyError, ParameterError

WANTED = 0.95  # of the neighbours, before no more cells are looked at
MEASURED_DEPTH = 10  # neighbours of which recall is measured
MEASURED_ROWS = 200  # rows that ask exactly, to measure it
_CELLS = 4.0  # times the root of the number of rows
_IN_CELL = 40  # rows of a cell at least, on the average
_LEARNT_IN_CELL = 50  # rows of a cell from which it is learnt where cells lie: more take longer, and find no more
_LARGEST = 1e15  # float32 squares it
_MORE = 2  # candidates more than asked for: their order in float32 is not quite theirs
_TRIED = 100  # rows by which a part of the rows chooses how many cells are looked at
_FOUND_BYTES = 32 * 2**20  # of coordinates that are measured at a time
INDEXES_KEPT = 192 * 2**20  # bytes of indexes, in each process

Array = NDArray[np.float64]


def check_approximate(name: str, metric: str, largest: float) -> None:
    """Refuse what cells of numbers cannot search."""
    if metric != "l2":
        raise ParameterError(
            f"method='approximate' cannot search under the distance {name!r} on these rows",
            hint="it takes complete numbers under the Euclidean distance and unit vectors; use method='auto'",
        )
    if largest > _LARGEST:
        raise DataError("coordinates are too large for an approximate search", hint='scale="minmax"')


@dataclass(frozen=True, eq=False)
class CellIndex:
    """Where points lie: in cells, of which a query looks at ``n_probes``. Whoever asks brings the points along."""

    index: Any
    order: NDArray[np.intp]  # the point that stands at each place of the index
    center: Array
    n_cells: int
    threads: int
    n_probes: int = 1

    @classmethod
    def of(cls, points: Array, threads: int) -> CellIndex:
        """Points divided into cells by what is in them, so that their order does not matter."""
        faiss = load_faiss()
        order = np.argsort(row_hash(np.ascontiguousarray(points)), kind="stable")
        center = points.mean(axis=0)
        rows = np.ascontiguousarray(points[order] - center, dtype=np.float32)
        cells = int(max(1, min(_CELLS * np.sqrt(len(rows)), len(rows) // _IN_CELL)))
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(rows.shape[1]), rows.shape[1], cells)
        index.cp.max_points_per_centroid, index.cp.min_points_per_centroid = _LEARNT_IN_CELL, 1  # few are no fault
        with _threads(faiss, threads):
            index.train(rows)
            index.add(rows)
        return cls(index, order, center, cells, threads)

    @property
    def nbytes(self) -> int:
        """What it holds: float32 coordinates, and two numbers for each point."""
        return (len(self.order) + self.n_cells) * (4 * len(self.center) + 16)

    def chosen(self, points: Array) -> CellIndex:
        """The same, with so many cells looked at that some of the points find enough of their nearest."""
        n = len(points)
        k = min(MEASURED_DEPTH, n - 1)
        if k < 1 or self.n_cells == 1:
            return self
        asked = self.order[np.unique(np.linspace(0, n - 1, min(n, _TRIED)).astype(np.intp))]
        everywhere = replace(self, n_probes=self.n_cells)  # in float32, and measured exactly
        reach = everywhere.found(points, points[asked], k + 1)[2].reshape(len(asked), -1)[:, k] * (1 + 1e-9)
        found = self
        while found.n_probes < self.n_cells:
            query, number, value = found.found(points, points[asked], k + 1)
            right = (number != asked[query]) & (value <= reach[query])
            if np.mean(np.minimum(np.bincount(query[right], minlength=len(asked)), k) / k) >= WANTED:
                break
            found = replace(found, n_probes=min(found.n_probes + 1 + found.n_probes // 4, self.n_cells))
        return found

    def found(self, points: Array, asking: Array, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
        """Pairs of a query and a point it finds, and the square of their distance, exactly; nearest first."""
        pieces = list(self._found(points, asking, min(k + _MORE, len(points))))
        query, number, value = (np.concatenate(each) for each in zip(*pieces, strict=True))
        return query, number, value

    def _found(
        self, points: Array, asking: Array, k: int
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Array]]:
        """The same, so many queries at a time that the coordinates of all whom they find take little memory."""
        step = max(1, _FOUND_BYTES // (8 * max(1, points.shape[1]) * k))
        for begin in range(0, max(1, len(asking)), step):
            some = asking[begin : begin + step]
            places = self.candidates(some, k)
            query, place = np.nonzero(places >= 0)
            number = self.order[places[query, place]]
            value = np.sum((some[query] - points[number]) ** 2, axis=1)
            order = np.lexsort((number, value, query))
            yield query[order] + begin, number[order], value[order]

    def candidates(self, asking: Array, k: int) -> NDArray[np.int64]:
        """Places in the index, -1 where there are too few."""
        faiss = load_faiss()
        rows = np.ascontiguousarray(asking - self.center, dtype=np.float32)
        how = faiss.SearchParametersIVF(nprobe=self.n_probes)
        with _threads(faiss, self.threads):
            return np.asarray(self.index.search(rows, k, params=how)[1])


class _KeptIndexes:
    """The indexes that were used last, known by what is in their points; as many as fit."""

    def __init__(self) -> None:
        self._lock, self._held = Lock(), OrderedDict[bytes, Future[CellIndex]]()

    def of(self, points: Array, threads: int) -> CellIndex:
        """The index of these points, made unless it is still there; whoever asks meanwhile waits for it."""
        key = blake2b(np.ascontiguousarray(points).data, digest_size=16, key=str(points.shape).encode()).digest()
        with self._lock:
            held, new = self._held.get(key), Future[CellIndex]()
            found = self._held.setdefault(key, new)
            self._held.move_to_end(key)
        if held is None:
            try:
                new.set_result(CellIndex.of(points, threads).chosen(points))
            except BaseException as error:
                with self._lock:
                    self._held.pop(key, None)
                new.set_exception(error)
                raise
            self._let_go()
        return replace(found.result(), threads=threads)

    def _let_go(self) -> None:
        with self._lock:
            while sum(each.result().nbytes for each in self._held.values() if each.done()) > INDEXES_KEPT:
                self._held.popitem(last=False)

    def forget(self) -> None:
        """Let go of all."""
        with self._lock:
            self._held.clear()


KEPT_INDEXES = _KeptIndexes()


def lists_in_cells(
    queries: Array | None, points: Array, k: int, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.intp], Array]:
    """Whom queries find among points, k of them at least: starts, numbers and squares; None: points ask each other.

    The index of the points is kept for the next who asks them.
    """
    asking = points if queries is None else queries
    if np.isnan(asking).any():
        raise DataError("a row that asks has missing cells, which an approximate search does not take")
    index = KEPT_INDEXES.of(points, threads)
    query, number, value = index.found(points, asking, k + (queries is None))
    if queries is None:
        other = query != number
        query, number, value = query[other], number[other], value[other]
    count = np.bincount(query, minlength=len(asking))
    short = np.flatnonzero(count < k)
    if len(short):  # too few points in the cells that were looked at: these queries look at all
        kept = count[query] >= k
        everywhere = replace(index, n_probes=index.n_cells)
        again, found, square = everywhere.found(points, asking[short], k + (queries is None))
        other = np.ones(len(again), dtype=bool) if queries is not None else short[again] != found
        query = np.concatenate([query[kept], short[again[other]]])
        number, value = np.concatenate([number[kept], found[other]]), np.concatenate([value[kept], square[other]])
        order = np.lexsort((number, value, query))
        query, number, value = query[order], number[order], value[order]
        count = np.bincount(query, minlength=len(asking))
    return np.concatenate([[0], np.cumsum(count)]), number, value


class _threads:  # noqa: N801 - a context, used as a word
    """FAISS with so many threads, and afterwards with as many as before."""

    def __init__(self, faiss: Any, threads: int) -> None:
        self._faiss, self._threads, self._before = faiss, threads, faiss.omp_get_max_threads()

    def __enter__(self) -> None:
        self._faiss.omp_set_num_threads(self._threads)

    def __exit__(self, *_: Any) -> None:
        self._faiss.omp_set_num_threads(self._before)


def load_faiss() -> Any:
    """FAISS, or an error that says which line installs it."""
    try:
        with warnings.catch_warnings():  # older ones ask numpy for an old name, which is nobody's business here
            warnings.simplefilter("ignore", DeprecationWarning)
            import faiss
    except ImportError as error:
        raise MissingDependencyError(
            "method='approximate' needs FAISS, which is not installed", hint="pip install sepal-learn[approximate]"
        ) from error
    return faiss
