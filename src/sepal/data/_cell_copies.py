"""Cells of an array as float64, row by row: one pass, on threads, that also tells what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal.data._threads import thread_count

_COPIED = frozenset(map(np.dtype, ("f8", "f4", "i8", "u8", "i4", "u4", "i2", "u2", "i1", "u1")))
_WORTH_THREADS = 200_000  # cells
_ENOUGH = 4  # threads that take all the memory can give


FloatCells = tuple[NDArray[np.float64], bool, bool]
"""Cells row by row; whether all of them are finite; whether surely no whole number among them was rounded."""


def float_cells(array: NDArray[Any]) -> FloatCells:
    """A copy of an array of numbers.

    Columns that lie one after the other, as in data frames, become rows as fast as memory allows.

    Examples
    --------
    >>> cells, finite, exact = float_cells(np.array([[2**53 + 1, 1], [0, 1]]))
    >>> cells.tolist(), finite, exact
    ([[9007199254740992.0, 1.0], [0.0, 1.0]], True, False)
    """
    cells = np.empty(array.shape)
    plain = _plain(array)
    finite, exact = _native.copy_cells(cells=plain, to=cells, threads=_threads(cells.size))
    return cells, finite, exact and (plain is array or array.dtype.kind == "f")


def float_columns(columns: Sequence[NDArray[Any]]) -> FloatCells:
    """A copy of columns of as many numbers each, of one type or of several, wherever they lie.

    Examples
    --------
    >>> float_columns([np.array([1, 2]), np.array([0.5, np.nan])])
    (array([[1. , 0.5],
           [2. , nan]]), False, True)
    """
    cells = np.empty((len(columns[0]), len(columns)))
    plain = [_plain(column) for column in columns]
    finite, exact = _native.copy_columns(columns=plain, to=cells, threads=_threads(cells.size))
    known = all(one is other or other.dtype.kind == "f" for one, other in zip(plain, columns, strict=True))
    return cells, finite, exact and known


def _threads(size: int) -> int:
    return min(thread_count(None), _ENOUGH) if size > _WORTH_THREADS else 1


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """The array, or float64 where its type is another or its cells do not lie whole numbers of cells apart."""
    flags = array.flags
    even = flags.c_contiguous or all(step % array.itemsize == 0 for step in array.strides)
    if even and flags.aligned and array.dtype in _COPIED:
        return array
    with np.errstate(over="ignore"):  # longer floats: what is too large is refused as infinite
        return array.astype(np.float64)
