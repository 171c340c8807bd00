"""Equal rows are searched as one: groups of copies, and how they come back into the lists.

Two kinds of numbers meet here. A row number says which row of the table; it is a plain array. The number of a distinct
row says which group of equal rows; it is a DistinctRows, which is no array and indexes nothing, so that neither a
type checker nor numpy takes one for the other. Copies translates between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Numbers of distinct rows. ``number`` is for arrays that hold one entry per distinct row, and for nothing else."""

    number: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.number)

    def take(self, at: NDArray[Any]) -> DistinctRows:
        """Some of them, by position or by mask."""
        return DistinctRows(self.number[at])


@dataclass(frozen=True, eq=False)
class Members:
    """The rows of distinct row g are ``row[start[g]:start[g+1]]``, ascending."""

    start: NDArray[np.int64]
    row: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Copies:
    """Which rows are equal.

    Distinct rows are numbered by their lowest rows, always: where no row has a copy the numbers agree with row numbers,
    and of two distinct rows the one with the lower number has the lower row.

    Attributes
    ----------
    of_row : DistinctRows
        The distinct row of each row.
    first : (n_distinct,) array
        The lowest row of each distinct row.
    count : (n_distinct,) array
        How many rows it stands for.
    """

    of_row: DistinctRows
    first: NDArray[np.int32]
    count: NDArray[np.int64]

    @classmethod
    def by_key(cls, key: NDArray[np.integer[Any]]) -> Copies:
        """Rows with the same key are copies of each other."""
        _, at, inverse, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(at)
        number = np.empty(len(at), dtype=np.int32)
        number[order] = np.arange(len(at), dtype=np.int32)
        return cls(DistinctRows(number[inverse]), at[order].astype(np.int32), count[order].astype(np.int64))

    @classmethod
    def at_no_distance(cls, group_of: NDArray[np.int32], first: NDArray[np.int32], alone: NDArray[np.bool_]) -> Copies:
        """Groups of equal rows, in which rows that are not at distance 0 from their own copies stand for themselves."""
        if alone.any():
            return cls.by_key(np.where(alone, len(first) + np.arange(len(alone)), group_of))
        return cls(DistinctRows(group_of), first, np.bincount(group_of, minlength=len(first)).astype(np.int64))

    @cached_property
    def members(self) -> Members:
        """The rows of each distinct row."""
        if not self.any:
            return Members(np.arange(self.n_rows + 1), np.arange(self.n_rows, dtype=np.int32))
        row = np.argsort(self.of_row.number, kind="stable").astype(np.int32)
        return Members(np.concatenate([[0], np.cumsum(self.count)]), row)

    @property
    def n_rows(self) -> int:
        """Rows, copies included."""
        return len(self.of_row)

    @property
    def n_distinct(self) -> int:
        """Distinct rows."""
        return len(self.first)

    @property
    def any(self) -> bool:
        """Whether some row occurs twice."""
        return self.n_distinct < self.n_rows

    def every(self) -> DistinctRows:
        """All distinct rows, in order."""
        return DistinctRows(np.arange(self.n_distinct, dtype=np.int32))

    def distinct(self, rows: NDArray[np.integer[Any]]) -> DistinctRows:
        """The distinct rows of some rows."""
        return self.of_row.take(rows)

    def asked_by(self, rows: NDArray[np.integer[Any]]) -> DistinctRows:
        """The distinct rows of some rows, each of them once, in order."""
        return DistinctRows(np.unique(self.of_row.number[rows]))

    def first_rows(self, distinct: DistinctRows) -> NDArray[np.intp]:
        """The lowest row of each of these."""
        return self.first[distinct.number].astype(np.intp)

    def counts(self, distinct: DistinctRows) -> NDArray[np.int64]:
        """How many rows each of these stands for."""
        return np.asarray(self.count[distinct.number])

    def among(self, rows: NDArray[np.intp]) -> tuple[DistinctRows, Copies]:
        """Of some rows only: the distinct rows that are left, by their old numbers, and the copies among them."""
        left = self.of_row.number[rows]
        part = Copies.by_key(left)
        return DistinctRows(left[part.first]), part

    def fits_together(self) -> bool:
        """Whether every row has a distinct row, every distinct row its lowest row and the number of its copies."""
        n, number = self.n_distinct, self.of_row.number
        return (
            n > 0
            and number.ndim == 1
            and self.first.shape == self.count.shape == (n,)
            and bool(np.all((number >= 0) & (number < n)))
            and np.array_equal(self.count, np.bincount(number, minlength=n))
            and np.array_equal(self.first, np.unique(number, return_index=True)[1])
            and bool(np.all(np.diff(self.first) > 0))
        )


Lists = tuple[NDArray[np.int64], DistinctRows, NDArray[np.float64]]  # start, entries, distances


def drop_own(
    start: NDArray[np.int64], entries: DistinctRows, values: NDArray[np.float64], asking: DistinctRows
) -> Lists:
    """Lists without the distinct row that asks."""
    query = np.repeat(np.arange(len(asking)), np.diff(start))
    other = entries.number != asking.number[query]
    lengths = np.bincount(query[other], minlength=len(asking))
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), entries.take(other), values[other]


def list_copies(
    start: NDArray[np.int64], entries: DistinctRows, values: NDArray[np.float64], asking: DistinctRows, copies: Copies
) -> Lists:
    """Put a query's own distinct row first, at distance 0, where other rows equal it."""
    if not copies.any:
        return start, entries, values
    copied = np.flatnonzero(copies.counts(asking) > 1)
    extra = np.zeros(len(start), dtype=np.int64)
    extra[copied + 1] = 1
    at = start[:-1][copied]
    with_own = DistinctRows(np.insert(entries.number, at, asking.number[copied]))
    return start + np.cumsum(extra), with_own, np.insert(values, at, 0.0)
