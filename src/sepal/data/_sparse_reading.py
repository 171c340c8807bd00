"""Sparse rows in: scipy matrices and sets."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal.data._convert import as_table, rows_inside
from sepal.data._error_words import shown
from sepal.data._foreign_frames import is_frame, is_series
from sepal.data._labels import label_array
from sepal.data._sparse_rows import SparseRows
from sepal.data._table import Table
from sepal.exceptions import DataError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Rows = Table | SparseRows
_SETS = (set, frozenset)


def as_rows(X: Any, y: Any = None, *, like: Rows | None = None) -> Rows:
    """A :class:`Table`, or for sparse matrices and collections of sets :class:`SparseRows`.

    Parameters
    ----------
    X : Table, ndarray, data frame, scipy sparse matrix, or list or column of sets
        The rows.
    y : array-like, optional
        The labels, or a numeric target.
    like : Table or SparseRows, optional
        Training rows: sets get the columns these have, and dense rows become sparse as these are.
    """
    sparse = like if isinstance(like, SparseRows) else None
    X = rows_inside(X)
    if isinstance(X, SparseRows):
        rows = X
    elif hasattr(X, "tocsr"):
        rows = SparseRows(_checked(X))
    elif (sets := as_sets(X)) is not None:
        rows = _from_sets(sets, sparse)
    elif sparse is not None:
        rows = SparseRows(_checked(_numeric_cells(as_table(X))))
    else:
        return as_table(X, y)
    if sparse is not None and rows.n_columns != sparse.n_columns:
        raise DataError(f"X has {rows.n_columns} features, but {sparse.n_columns} features were expected")
    return rows if y is None else _with_target(rows, y)


def _with_target(rows: SparseRows, y: Any) -> SparseRows:
    labels = label_array(y)
    if labels.y.size != rows.n_rows:
        raise DataError(f"X has {rows.n_rows} rows and y has {labels.y.size} labels", hint="give one label for each")
    return replace(rows, y=labels.y.copy(), target=labels.name, class_order=labels.order)


def _numeric_cells(table: Table) -> NDArray[np.float64]:
    for name, kind in zip(table.names, table.kinds, strict=True):
        if kind in ("nominal", "text"):
            raise DataError(f"column {shown(name)} is {kind}; the rows in training were a sparse matrix of numbers")
    return table.values


def _checked(X: Any) -> csr_array:
    from scipy.sparse import csr_array  # late: dense tables need none of it

    if X.shape[0] == 0:
        raise DataError(f"X: Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is required.")
    if X.shape[1] == 0:
        raise DataError(f"X: Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
    if X.dtype.kind not in "biuf":
        extra = ". Complex data not supported" if X.dtype.kind == "c" else ""
        raise DataError(f"X: expected a sparse matrix of numbers, found {X.dtype}{extra}")
    matrix = _own(X) if type(X) is csr_array and X.dtype == float else csr_array(X, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    if not np.all(np.isfinite(matrix.data)):
        at = int(np.flatnonzero(~np.isfinite(matrix.data))[0])
        row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        found = "NaN" if np.isnan(matrix.data[at]) else "infinity"
        raise DataError(
            f"X, row {row}, column {int(matrix.indices[at])}: expected a finite number, found {found}",
            hint="a sparse matrix has no missing cells: a cell that is not stored is 0",
        )
    if not matrix.data.all():
        matrix.eliminate_zeros()
    return matrix


def _own(X: csr_array) -> csr_array:
    """A copy; scipy's own takes five times as long, which counts where one row asks."""
    own = copy(X)
    own.data, own.indices, own.indptr = X.data.copy(), X.indices.copy(), X.indptr.copy()
    return own


def as_sets(X: Any) -> list[Any] | None:
    """The sets, if X is a collection or a column of them."""
    if is_frame(X) and X.shape[1] == 1:
        import narwhals as nw

        cells: list[Any] = nw.from_native(X, eager_only=True)[:, 0].to_list()
    elif isinstance(X, (list, tuple)) or is_series(X):
        cells = [row[0] if isinstance(row, (list, tuple)) and len(row) == 1 else row for row in X]
    elif isinstance(X, np.ndarray) and X.dtype == object and X.size == len(X):
        cells = X.ravel().tolist()
    else:
        return None
    if not cells or not isinstance(cells[0], _SETS):
        return None
    for row, cell in enumerate(cells):
        if not isinstance(cell, _SETS):
            raise DataError(f"X, row {row}: expected a set as in row 0, found {shown(cell)}")
    return cells


def _from_sets(sets: list[Any], like: SparseRows | None) -> SparseRows:
    """One column per element; elements unknown to ``like`` are only counted."""
    from scipy.sparse import csr_array

    if like is not None and like.elements is None:
        raise DataError("X: found sets; the rows in training were a sparse matrix of numbers")
    elements = tuple(sorted(set().union(*sets), key=repr)) if like is None else like.elements or ()
    column_of = {element: j for j, element in enumerate(elements)}
    known = [[column_of[element] for element in row if element in column_of] for row in sets]
    start = np.concatenate([[0], np.cumsum([len(row) for row in known])])
    columns = np.array([column for row in known for column in row], dtype=np.intp)
    width = max(len(column_of), 1)  # empty sets only: a column that nobody has
    matrix = csr_array((np.ones(len(columns)), columns, start), shape=(len(sets), width))
    matrix.sort_indices()
    beyond = np.array([len(row) for row in sets], dtype=np.float64) - np.diff(start)
    return SparseRows(matrix, beyond=beyond, elements=elements)
