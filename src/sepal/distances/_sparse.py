"""Distances of sparse rows: all from the inner product, so that no row is ever written out in full."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName, SparseRows
from sepal.distances._named import DISTANCES, check_params
from sepal.distances._weights import column_weights
from sepal.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_MOST_PARTS = 50_000_000


@dataclass(frozen=True, eq=False)
class SparsePoints:
    """Rows ready to be compared: ``rows``, their squared ``lengths``, and the squared length of what no column holds.

    The squared difference of two is lengths - 2 inner product, or where that cancels |x - z|^2 + beyond.
    """

    rows: csr_array
    lengths: NDArray[np.float64]
    beyond: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.lengths)

    def take(self, at: NDArray[np.signedinteger[Any]] | slice) -> SparsePoints:
        """Some of them."""
        return SparsePoints(self.rows[at], self.lengths[at], self.beyond[at])


@dataclass(frozen=True, eq=False)
class SparseDistance:
    """Cosine, Euclidean or Tanimoto distance of sparse rows, with a factor per column.

    ``counts`` and ``metric`` say to readers of a FittedDistance that nothing was learnt from labels and that there
    are no dense coordinates.
    """

    name: str
    factors: NDArray[np.float64] | None
    notes: tuple[str, ...] = ()
    counts: None = None
    metric: str = "sparse"

    @property
    def value_is(self) -> str:
        """How far the value that is ranked is from a distance, as in a FittedDistance."""
        return {"cosine": "double", "euclidean": "square"}.get(self.name, "distance")

    def embed(self, table: SparseRows) -> SparsePoints:
        """Rows times factors; of unit length for the cosine, under which a zero row is at distance 1 from all."""
        rows = table.matrix
        if self.name == "tanimoto" and not np.all(rows.data == 1.0):
            row = int(np.searchsorted(rows.indptr, np.flatnonzero(rows.data != 1.0)[0], side="right"))
            raise DataError(
                f"row {row}: the distance 'tanimoto' compares sets; a sparse matrix of sets holds 0 and 1 only",
                hint="binarize it, or use distance='cosine'",
            )
        if self.factors is not None:
            rows = rows.copy()
            rows.data *= self.factors[rows.indices]
            rows.eliminate_zeros()
        beyond = np.zeros(table.n_rows) if table.beyond is None else table.beyond
        if self.name != "cosine":
            return SparsePoints(rows, squared_lengths(rows) + beyond, beyond)
        held = rows.indptr[1:] - rows.indptr[:-1]
        largest = _row_largest(rows, held)  # first, so that no square overflows or vanishes
        data, beyond = rows.data / np.repeat(largest, held), beyond / (largest * largest)
        whole = _row_sums(data * data, held) + beyond
        whole[whole == 0.0] = 1.0
        data /= np.repeat(np.sqrt(whole), held)
        return SparsePoints(_with_data(rows, data), np.ones(table.n_rows), beyond / whole)

    def distances(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Ranked values as distances: 2 (1 - cos), |x - z|^2, or Tanimoto's distance itself."""
        if self.name == "euclidean":
            return np.sqrt(values)
        return values / 2.0 if self.name == "cosine" else values

    def native_values(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distances as what is ranked: the inverse of :meth:`distances`."""
        if self.name == "euclidean":
            return np.asarray(distances**2)
        return distances * 2.0 if self.name == "cosine" else distances

    def compares_nothing(self, points: SparsePoints) -> NDArray[np.bool_]:
        """Rows that are not at distance 0 from their own copies: under the cosine those of zeros."""
        empty = np.diff(points.rows.indptr) == 0
        return empty if self.name == "cosine" else np.zeros(len(points), dtype=bool)

    def parts(self, queries: SparseRows, rows: SparseRows) -> tuple[NDArray[np.float64], tuple[str, ...]]:
        """What each column adds to the distance between row i of one and row i of the other, and these columns.

        Only columns in which some pair differs are there.
        """
        gap = (self.embed(queries).rows - self.embed(rows).rows).tocsr()
        gap.data **= 2
        gap.eliminate_zeros()
        columns = np.unique(gap.indices)
        if gap.shape[0] * len(columns) > _MOST_PARTS:
            raise ParameterError(
                f"{gap.shape[0]} neighbours differ in {len(columns)} columns, more than can be shown",
                hint="explain fewer rows at a time",
            )
        return gap[:, columns].toarray(), tuple(rows.names[int(j)] for j in columns)


def squared_lengths(rows: csr_array) -> NDArray[np.float64]:
    """|x|^2 of each sparse row."""
    with np.errstate(over="ignore", under="ignore"):
        return _row_sums(rows.data * rows.data, rows.indptr[1:] - rows.indptr[:-1])


def _row_sums(data: NDArray[np.float64], held: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """The sum over the cells of each row, one after the other; row i holds so many."""
    if len(held) == 1 and len(data) > 0:  # the same sum, for a tenth of the time
        return np.asarray(data.cumsum()[-1:])
    return np.asarray(np.bincount(np.repeat(np.arange(len(held)), held), data, len(held)), dtype=np.float64)


def _row_largest(rows: csr_array, held: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """The largest size of a cell in each row, 1 in those without any."""
    largest, filled = np.ones(len(held)), held > 0
    if rows.nnz > 0:
        largest[filled] = np.maximum.reduceat(np.abs(rows.data), rows.indptr[:-1][filled])
    return largest


def _with_data(rows: csr_array, data: NDArray[np.float64]) -> csr_array:
    """The same cells with other numbers in them."""
    filled = copy(rows)  # shares the places; making a matrix of its parts would check them all again
    filled.data = data
    return filled


def fit_sparse_distance(
    rows: SparseRows, distance: str, *, scale: ScaleName | None = None, params: Mapping[str, Any] | None = None
) -> SparseDistance:
    """The distance of sparse rows: ``"auto"`` is Tanimoto for sets and the cosine for all others.

    Columns keep their zeros: ``scale="minmax"`` leaves them as they are.
    """
    names = [name for name, entry in DISTANCES.items() if entry.sparse]
    name = ("cosine" if rows.elements is None else "tanimoto") if distance == "auto" else distance
    if name not in names:
        raise ParameterError(
            f"distance must be auto, {' or '.join(names)} for sparse rows; got {distance!r}",
            hint="use X.toarray() if it fits into memory" if rows.elements is None else "sets have distance='tanimoto'",
        )
    if scale == "standard":
        raise ParameterError(
            "scale='standard' would fill a sparse matrix", hint="scale=None, or weights of columns as feature_weights"
        )
    check_params(DISTANCES[name], params or {})
    if (params or {}).get("weights") is None:
        return SparseDistance(name, None)
    return SparseDistance(name, np.sqrt(column_weights(rows, params or {})))
