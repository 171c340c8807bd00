"""Equal rows are searched as one: groups of copies, and how they come back into the lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def groups_fit(
    n_rows: int,
    n_points: int,
    group_of: NDArray[np.int32],
    first: NDArray[np.int32],
    n_copies: NDArray[np.int64],
) -> bool:
    """Whether every row has a distinct row, every distinct row its first row and the number of its copies."""
    return (
        n_points > 0
        and group_of.shape == (n_rows,)
        and first.shape == n_copies.shape == (n_points,)
        and bool(np.all((group_of >= 0) & (group_of < n_points)))
        and bool(np.all((first >= 0) & (first < n_rows)))
        and np.array_equal(n_copies, np.bincount(group_of, minlength=n_points))
    )


def apart(
    group_of: NDArray[np.int32], first: NDArray[np.int32], alone: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Groups in which rows that are not at distance 0 from their own copies stand for themselves."""
    if not alone.any():
        return group_of, first
    key = np.where(alone, len(first) + np.arange(len(alone)), group_of)
    _, at, inverse = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(at)  # groups are numbered by their first row
    number = np.empty(len(at), dtype=np.int32)
    number[order] = np.arange(len(at), dtype=np.int32)
    return number[inverse], at[order].astype(np.int32)


def drop_own(
    start: NDArray[np.int64],
    entries: NDArray[np.int32],
    values: NDArray[np.float64],
    queries: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    query = np.repeat(np.arange(len(queries)), np.diff(start))
    other = entries != queries[query]
    lengths = np.bincount(query[other], minlength=len(queries))
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), entries[other], values[other]


def list_copies(
    start: NDArray[np.int64],
    entries: NDArray[np.int32],
    values: NDArray[np.float64],
    queries: NDArray[np.int64],
    n_copies: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Put a query's own distinct row first, at distance 0, where other rows equal it."""
    copied = np.flatnonzero(n_copies[queries] > 1)
    if len(copied) == 0:
        return start, entries, values
    extra = np.zeros(len(start), dtype=np.int64)
    extra[copied + 1] = 1
    at = start[:-1][copied]
    return start + np.cumsum(extra), np.insert(entries, at, queries[copied]), np.insert(values, at, 0.0)
