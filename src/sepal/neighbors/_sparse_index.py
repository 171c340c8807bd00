"""An inverted index of sparse rows: rows come and go, and the nearest are found exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import sepal._native as _native
from sepal.data import SparseRows, as_rows, thread_count
from sepal.distances import SparseDistance, SparsePoints, squared_lengths
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors._ranking import check_k
from sepal.neighbors._rounding import TIE_TOLERANCE, Extent, exponent_for
from sepal.parameters import check_whole
from sepal.progress import Share

RowLists = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]  # start, rows, distances
_DISTANCES = ("cosine", "euclidean", "tanimoto")
_LARGEST, _EPSILON = float(np.finfo(float).max), float(np.finfo(float).eps)
_MOST_ROWS = 2**31 - 1  # that ever were: native code counts them in 32 bits


class SparseIndex:
    """Sparse rows under one distance; rows are numbered in the order in which they came, and keep their numbers.

    Parameters
    ----------
    distance : {"cosine", "euclidean", "tanimoto"}
        Under the cosine, a row of zeros is at distance 1 from all; Tanimoto's distance compares sets, rows of 0 and 1.
    n_classes : int
        How many classes rows may belong to.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> index = SparseIndex("cosine")
    >>> index.add(csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 0.0, 4.0]])).tolist()
    [0, 1, 2]
    >>> index.remove([2])
    >>> start, rows, distances = index.nearest(csr_array([[1.0, 1.0, 2.0]]), 2)
    >>> rows.tolist(), distances.round(3).tolist()
    ([0, 1], [0.087, 0.592])
    """

    def __init__(self, distance: str = "cosine", *, n_classes: int = 1) -> None:
        if distance not in _DISTANCES:
            raise ParameterError(f"distance must be {' or '.join(_DISTANCES)}; got {distance!r}")
        self.fitted = SparseDistance(distance, None)
        self.n_classes = check_whole("n_classes", n_classes)
        self._native = _native.SparseIndex(distance=distance)
        self._next = 0
        self._whole = distance == "euclidean"  # sums of squares of whole numbers have no rounding error
        self._longest = 0.0
        self._exponent = 0  # values are held times two to this power: no square overflows or vanishes
        self._most_cells = 1

    def __len__(self) -> int:
        return int(self._native.n_rows)

    @property
    def nbytes(self) -> int:
        """Memory of the index."""
        return int(self._native.bytes)

    def add(self, X: Any, classes: ArrayLike | None = None) -> NDArray[np.int64]:
        """Learn rows, with their classes as numbers from 0; returns the numbers by which the rows are known.

        Columns that no row had before are new ones.
        """
        points = self._embedded(X)
        codes = np.zeros(len(points), dtype=np.int32)
        if classes is not None:
            codes = np.asarray(classes).astype(np.int32)
            if codes.shape != (len(points),) or np.any((codes < 0) | (codes >= self.n_classes)):
                raise DataError(f"classes must hold a number from 0 to {self.n_classes - 1} for each of the rows")
        return self.add_points(points, codes)

    def remove(self, rows: ArrayLike) -> None:
        """Forget rows, by their numbers: nothing of them is left in memory, and their numbers are not used again."""
        ids = np.ascontiguousarray(rows, dtype=np.int64)
        known = np.all((ids >= 0) & (ids < self._next))
        if not known or not self._native.remove(ids=ids.astype(np.int32)):
            raise DataError("remove: a row is not in the index, or is named twice", hint="nothing was removed")

    def nearest(self, X: Any, n_neighbors: int, *, by_class: bool = False, n_jobs: int | None = None) -> RowLists:
        """The nearest rows of each query, everyone tied with the last included.

        Returns ``start, rows, distances``: query i has ``rows[start[i]:start[i+1]]``, nearest first. With ``by_class``
        the nearest of each class, and class c of query i has list ``i * n_classes + c``; a class may have fewer rows.
        """
        check_k(n_neighbors, len(self), "the number of rows in the index")
        queries = self._embedded(X)
        return self.nearest_points(queries, n_neighbors, by_class=by_class, threads=thread_count(n_jobs))

    def add_points(self, points: SparsePoints, codes: NDArray[np.int32] | None = None) -> NDArray[np.int64]:
        """:meth:`add` for rows that are embedded already."""
        n = len(points)
        if self._next + n > _MOST_ROWS:
            raise ParameterError(f"an index takes {_MOST_ROWS:,} rows in all", hint="make a new one of those it holds")
        ids = np.arange(self._next, self._next + n, dtype=np.int64)
        if self._next == 0 and self.fitted.name == "euclidean" and points.rows.nnz > 0:
            self._exponent = exponent_for(2.0, Extent.of(points.rows.data[:, None]))
        self._native.add(
            **self._arrays(points),
            ids=ids.astype(np.int32),
            codes=np.zeros(n, dtype=np.int32) if codes is None else codes,
        )
        self._next += n
        self._whole = self._whole and _is_whole(points)
        self._longest = max(self._longest, float(points.lengths.max(initial=0.0)))
        self._most_cells = max(self._most_cells, int(np.diff(points.rows.indptr).max(initial=1)))
        return ids

    def nearest_points(
        self,
        queries: SparsePoints | None,
        k: int,
        *,
        radius: NDArray[np.float64] | None = None,
        by_class: bool = False,
        threads: int = 1,
        progress: Share | None = None,
    ) -> RowLists:
        """:meth:`nearest` for rows that are embedded already, or for every row among the others (None)."""
        limits = None if radius is None else self._limits(radius)
        asked: dict[str, Any] = {
            "k": k,
            "limits": limits,
            "tie": self._tie(queries),
            # Unit vectors of one direction differ by rounding: that is no distance.
            "zero": 4 * self._most_cells * _EPSILON**2 if self.fitted.name == "cosine" else 0.0,
            "threads": threads,
            "progress": progress,
        }
        if queries is None:
            start, rows, values = self._native.pairs(**asked)
        else:
            n_classes = self.n_classes if by_class else 1
            start, rows, values = self._native.search(**self._arrays(queries), n_classes=n_classes, **asked)
        distances = self.fitted.distances(values)
        return start, rows, distances if self._exponent == 0 else np.ldexp(distances, -self._exponent)

    def _embedded(self, X: Any) -> SparsePoints:
        rows = as_rows(X) if hasattr(X, "tocsr") else X
        if not isinstance(rows, SparseRows):
            raise DataError(f"X must be a sparse matrix, whose columns mean the same in every call; got {type(X)}")
        return self.fitted.embed(rows)

    def _arrays(self, points: SparsePoints) -> dict[str, Any]:
        """Rows as native code takes them, in the range that the first rows asked for."""
        values, lengths = points.rows.data, points.lengths
        if self._exponent != 0:
            with np.errstate(over="ignore"):
                values = np.ldexp(values, self._exponent)
                scaled = points.rows.copy()
                scaled.data = values
                lengths = squared_lengths(scaled)
            values = np.clip(values, -_LARGEST, _LARGEST)
        return {
            "start": points.rows.indptr.astype(np.int64),
            "terms": points.rows.indices.astype(np.int32),
            "values": values,
            "lengths": np.minimum(lengths, _LARGEST),
            "beyond": points.beyond,
        }

    def _limits(self, radius: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distances as native values."""
        with np.errstate(over="ignore"):
            # The square of a root may be smaller than the number: a row at the radius must not be lost over that.
            return self.fitted.native_values(np.ldexp(radius, self._exponent)) * (1 + 2.0**-50)

    def _tie(self, queries: SparsePoints | None) -> float:
        longest = self._longest if queries is None else max(self._longest, float(queries.lengths.max(initial=0.0)))
        whole = self._whole and (queries is None or _is_whole(queries))
        return 0.0 if whole and 4 * longest <= 2.0**53 else TIE_TOLERANCE


def _is_whole(points: SparsePoints) -> bool:
    return bool(np.all(points.rows.data == np.floor(points.rows.data)))
