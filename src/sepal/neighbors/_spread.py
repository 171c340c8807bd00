"""Lists of distinct rows as lists of the rows they stand for, made in native code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import sepal._native as _native
from sepal.neighbors._copies import Copies, Lists

SpreadLists = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]  # start, rows, distances
_EVERYBODY = 2**62


def rows_of_lists(
    lists: Lists,
    copies: Copies,
    list_of: NDArray[np.int64],
    asking: NDArray[np.int64],
    k: int | None,
    *,
    whole_ties: bool,
) -> SpreadLists:
    """Each list with its entries replaced by the rows they stand for, ordered by row within a tied group.

    ``asking`` are the rows that ask, which are left out of their lists, -1 where one is no training row. Only the first
    ``k`` rows of each list are kept, and with ``whole_ties`` everyone tied with the k-th; None keeps all.
    """
    start, entries, distances = lists
    own = np.full(len(asking), -1, dtype=np.int32)
    asked = asking >= 0
    own[asked] = copies.distinct(asking[asked]).number
    members = copies.members
    return _native.spread(
        start=np.ascontiguousarray(start, dtype=np.int64),
        entries=np.ascontiguousarray(entries.number, dtype=np.int32),
        values=np.ascontiguousarray(distances),
        group_start=members.start,
        members=members.row,
        list_of=np.ascontiguousarray(list_of, dtype=np.int64),
        row=np.ascontiguousarray(asking, dtype=np.int64),
        distinct=own,
        k=_EVERYBODY if k is None else k,
        whole_ties=whole_ties,
    )
