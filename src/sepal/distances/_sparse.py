"""Distances of sparse rows: all from the inner product, so that no row is ever written out in full."""

from __future__ import annotations

from collections.abc import Mapping
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
        largest = np.maximum.reduceat(np.append(np.abs(rows.data), 0.0), rows.indptr[:-1]) if rows.nnz else np.ones(1)
        largest = np.where(np.diff(rows.indptr) > 0, largest, 1.0)  # first, so that no square overflows or vanishes
        rows, beyond = _scaled_rows(rows, 1.0 / largest), beyond / largest**2
        whole = squared_lengths(rows) + beyond
        whole = np.where(whole > 0, whole, 1.0)
        return SparsePoints(_scaled_rows(rows, 1.0 / np.sqrt(whole)), np.ones(table.n_rows), beyond / whole)

    def values(
        self, squares: NDArray[np.float64], x: NDArray[np.float64], z: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What is ranked, from squared differences and squared lengths; x and z broadcast.

        Tanimoto: with n1, n2, n12 elements the squared difference is n1 + n2 - 2 n12, and the distance
        (n1 + n2 - 2 n12) / (n1 + n2 - n12) = 2 squares / (n1 + n2 + squares); two empty sets are equal.
        """
        if self.name != "tanimoto":
            return squares
        total = x + z + squares
        return np.divide(2.0 * squares, total, out=np.zeros_like(squares), where=total > 0)

    def distances(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Ranked values as distances."""
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
    return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()


def _scaled_rows(rows: csr_array, factors: NDArray[np.float64]) -> csr_array:
    scaled = rows.copy()
    scaled.data *= np.repeat(factors, np.diff(rows.indptr))
    return scaled


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
