"""Rows behind rows: two tables with the same columns as one, and an array that grows at its end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data._columns import sorted_levels
from sepal.data._sparse_reading import Rows
from sepal.data._sparse_rows import SparseRows
from sepal.data._table import Table


class RoomForMore:
    """Rows at the front of a longer array: more are written behind them, and all are moved only when it is full.

    What was handed out before stays as it was.

    Examples
    --------
    >>> room = RoomForMore(np.array([[1.0], [2.0]]))
    >>> both = room.add(np.array([[3.0]]))
    >>> room.add(np.array([[4.0], [5.0]])).ravel().tolist(), both.ravel().tolist()
    ([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0])
    """

    def __init__(self, rows: NDArray[np.float64]) -> None:
        self._held, self._n = rows, len(rows)

    def add(self, more: NDArray[np.float64]) -> NDArray[np.float64]:
        """All rows, these behind the others."""
        n, after = self._n, self._n + len(more)
        if after > len(self._held):
            held = np.empty((max(after, n + n // 2), *self._held.shape[1:]), dtype=self._held.dtype)
            held[:n] = self._held[:n]
            self._held = held
        if len(more):  # the rows given first may be read-only
            self._held[n:after] = more
        self._n = after
        return self._held[:after]


def joined_rows(first: Rows, more: Rows) -> Rows:
    """The rows of both, those of ``more`` last, in the form and with the columns of ``first``.

    Parameters
    ----------
    first : Table or SparseRows
        The rows that stand first.
    more : Table or SparseRows
        The same columns; levels may have come behind those of ``first``. Of sets any elements.

    Examples
    --------
    >>> from sepal.data import as_table, match_table
    >>> first = as_table([[1.0, "red"], [2.0, "blue"]], ["a", "b"])
    >>> more = match_table(as_table([[3.0, "green"]], ["c"]), first, learn=True)
    >>> both = joined_rows(first, more)
    >>> both.levels[1], both.values[:, 1].tolist(), both.y.tolist()
    (('blue', 'green', 'red'), [2.0, 0.0, 1.0], ['a', 'b', 'c'])
    """
    if isinstance(first, SparseRows):
        assert isinstance(more, SparseRows)  # noqa: S101 - read as the first rows were
        return _joined_sparse(first, more)
    assert isinstance(more, Table)  # noqa: S101 - read as the first rows were
    values = np.concatenate([first.values, more.values])
    joined = joined_table(first, more, values)
    if more.levels == first.levels:
        return joined
    return replace(joined, levels=tuple(_joined_levels(first, more, j, values[:, j]) for j in range(first.n_columns)))


def joined_table(first: Table, more: Table, values: NDArray[np.float64]) -> Table:
    """The same where the cells of both stand together already, and no level is new."""
    return replace(first, values=values, apart=(), **_beside(first, more))


def _beside(first: Any, more: Any) -> dict[str, Any]:
    """Targets and weights of both; a row without a weight weighs 1."""
    y = None if first.y is None or more.y is None else np.concatenate([first.y, more.y])
    if first.weights is None and more.weights is None:
        return {"y": y, "weights": None}
    weights = [np.ones(each.n_rows) if each.weights is None else each.weights for each in (first, more)]
    return {"y": y, "weights": np.concatenate(weights)}


def _joined_levels(first: Table, more: Table, j: int, codes: NDArray[np.float64]) -> tuple[Any, ...] | None:
    """The levels of both, sorted if those of the first are; changes the codes of both to these."""
    old, new = first.levels[j], more.levels[j]
    if old is None or new is None or new == old:
        return old
    joined = tuple(dict.fromkeys((*old, *new)))
    sign = next((sign for sign in ".," if old == sorted_levels(old, sign)), None)
    if sign is not None:
        joined = sorted_levels(joined, sign)
    place = {level: float(i) for i, level in enumerate(joined)}
    n = first.n_rows
    for part, levels in ((codes[:n], old), (codes[n:], new)):
        present = ~np.isnan(part)
        moved = np.array([place[level] for level in levels])
        part[present] = moved[part[present].astype(np.intp)]
    return joined


def _joined_sparse(first: SparseRows, more: SparseRows) -> SparseRows:
    from scipy.sparse import csr_array, vstack

    parts, elements = [first.matrix, more.matrix], first.elements
    if elements is not None and more.elements is not None and elements != more.elements:
        elements = tuple(sorted({*elements, *more.elements}, key=repr))
        place = {element: j for j, element in enumerate(elements)}
        for i, each in enumerate((first, more)):
            column = np.array([place[element] for element in each.elements or ()], dtype=np.intp)
            cells = each.matrix
            moved = csr_array((cells.data, column[cells.indices], cells.indptr), shape=(each.n_rows, len(elements)))
            moved.sort_indices()
            parts[i] = moved
    beyond = None
    if first.beyond is not None or more.beyond is not None:
        beyond = np.concatenate(
            [np.zeros(each.n_rows) if each.beyond is None else each.beyond for each in (first, more)]
        )
    matrix = csr_array(vstack(parts, format="csr"))
    return replace(first, matrix=matrix, beyond=beyond, elements=elements, **_beside(first, more))
