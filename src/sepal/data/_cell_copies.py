"""Cells of an array as float64, row by row: one pass, on threads, that also tells what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal.data._threads import thread_count

_COPIED = frozenset(map(np.dtype, ("f8", "f4", "i8", "u8", "i4", "u4", "i2", "u2", "i1", "u1")))
_WORTH_THREADS = 200_000  # cells
_ENOUGH = 4  # threads that take all the memory can give


def float_cells(array: NDArray[Any]) -> tuple[NDArray[np.float64], bool, bool]:
    """A copy of an array of numbers; whether all of it is finite, and whether surely no whole number was rounded.

    Columns that lie one after the other, as in data frames, become rows as fast as memory allows.

    Examples
    --------
    >>> cells, finite, exact = float_cells(np.array([[2**53 + 1, 1], [0, 1]]))
    >>> cells.tolist(), finite, exact
    ([[9007199254740992.0, 1.0], [0.0, 1.0]], True, False)
    """
    cells = np.empty(array.shape)
    threads = min(thread_count(None), _ENOUGH) if array.size > _WORTH_THREADS else 1
    if array.dtype in _COPIED and _even(array):
        return cells, *_native.copy_cells(cells=array, to=cells, threads=threads)
    with np.errstate(over="ignore"):  # longer floats: what is too large is refused as infinite
        finite, _ = _native.copy_cells(cells=array.astype(np.float64), to=cells, threads=threads)
    return cells, finite, array.dtype.kind == "f"


def _even(array: NDArray[Any]) -> bool:
    """Whether its cells lie whole numbers of cells apart."""
    flags = array.flags
    return bool(flags.aligned) and (flags.c_contiguous or all(step % array.itemsize == 0 for step in array.strides))
