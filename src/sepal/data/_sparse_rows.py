"""Rows of which most cells are zero: texts as counts of words, and sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def equal_sparse_rows(rows: csr_array) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The group of each row and the first row of each group; rows of one group have the same cells."""
    number: dict[tuple[bytes, bytes], int] = {}
    group_of = np.empty(rows.shape[0], dtype=np.int32)
    first: list[int] = []
    for i in range(rows.shape[0]):
        at = slice(rows.indptr[i], rows.indptr[i + 1])
        key = (rows.indices[at].tobytes(), rows.data[at].tobytes())
        if key not in number:
            number[key] = len(first)
            first.append(i)
        group_of[i] = number[key]
    return group_of, np.array(first, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class SparseRows:
    """What a :class:`Table` is for dense rows, for sparse ones; all columns are numeric and no cell is missing.

    Attributes
    ----------
    matrix : csr_array of float64
        Sorted, without stored zeros.
    y : ndarray or None
        Labels or a numeric target.
    weights : ndarray or None
        Row weights.
    beyond : (n_rows,) array
        How many elements of a set are none of the columns.
    elements : tuple or None
        The elements that the columns stand for, where rows were given as sets.
    target, class_order
        As in a Table.
    """

    matrix: csr_array
    y: NDArray[Any] | None = None
    weights: NDArray[np.float64] | None = None
    beyond: NDArray[np.float64] | None = None
    elements: tuple[Any, ...] | None = None
    target: str | None = None
    class_order: tuple[Any, ...] | None = None

    def fits_together(self) -> bool:
        """Whether there is one label, weight and count for each row, and an element for each column."""
        per_row = (self.y, self.weights, self.beyond)
        return all(each is None or each.shape == (self.n_rows,) for each in per_row) and (
            self.elements is None or len(self.elements) == self.n_columns
        )

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.matrix.shape[0])

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return int(self.matrix.shape[1])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The elements, or x1, x2, ..."""
        if self.elements is not None:
            return tuple(str(element) for element in self.elements)
        return tuple(f"x{j + 1}" for j in range(self.n_columns))

    def content_order(self) -> NDArray[np.intp]:
        """Positions of the rows sorted by the columns and values they hold, whatever order they came in."""
        at, cells = self.matrix.indptr, self.matrix

        def content(row: int) -> tuple[list[int], list[float]]:
            part = slice(at[row], at[row + 1])
            return cells.indices[part].tolist(), cells.data[part].tolist()

        return np.array(sorted(range(self.n_rows), key=content), dtype=np.intp)

    def take(self, rows: NDArray[np.intp]) -> SparseRows:
        """These rows: positions or a mask."""
        picked = np.asarray(rows)
        return replace(
            self,
            matrix=self.matrix[picked],
            y=None if self.y is None else self.y[picked],
            weights=None if self.weights is None else self.weights[picked],
            beyond=None if self.beyond is None else self.beyond[picked],
        )
