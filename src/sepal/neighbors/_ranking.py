"""The neighbours of each query, nearest first, with tied groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data import data_frame, frame_html
from sepal.exceptions import ParameterError
from sepal.neighbors._copies import Copies, DistinctRows, Lists
from sepal.neighbors._recall import recall_said, recall_told
from sepal.neighbors._spread import rows_of_lists
from sepal.parameters import check_whole

Ties = Literal["index", "expected"]


def check_k(k: int, largest: int, what: str) -> int:
    """The number of neighbours asked for, if there are as many."""
    if check_whole("n_neighbors", k) > largest:
        raise ParameterError(f"n_neighbors must be at most {largest}, {what}; got {k}")
    return int(k)


def segment_positions(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions ``start, start + 1, ...`` of each segment, one segment after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    positions: NDArray[np.int64] = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return positions


def cut(
    start: NDArray[np.int64], neighbor: NDArray[np.intp], distance: NDArray[np.float64], k: int, ties: Ties
) -> dict[str, Any]:
    """The first k of each query's sorted neighbours, and with ``"expected"`` everyone tied with the k-th."""
    lengths = np.diff(start)
    if ties == "index":
        wanted = np.minimum(lengths, k)
    else:
        far = distance > np.repeat(distance[start[:-1] + k - 1], lengths)
        wanted = lengths - np.add.reduceat(far, start[:-1], dtype=np.int64)
    if np.array_equal(wanted, lengths):
        return {"start": start, "flat_rows": neighbor, "flat_distances": distance}
    at = segment_positions(start[:-1], wanted)
    return {
        "start": np.concatenate([[0], np.cumsum(wanted)]),
        "flat_rows": neighbor[at],
        "flat_distances": distance[at],
    }


class RaggedLists:
    """What rankings have in common: lists of neighbours one after the other, from ``start[i]`` to ``start[i + 1]``."""

    start: NDArray[np.int64]
    flat_rows: NDArray[np.intp]
    flat_distances: NDArray[np.float64]

    @property
    def n_queries(self) -> int:
        """How many rows were asked for."""
        return len(self.start) - 1

    def frame(self) -> Any:
        """One line per query and neighbour, as a data frame."""
        lengths = np.diff(self.start)
        query = np.repeat(np.arange(self.n_queries), lengths)
        rank = segment_positions(np.zeros(self.n_queries, dtype=np.int64), lengths) + 1
        return data_frame({"query": query, "rank": rank, "row": self.flat_rows, "distance": self.flat_distances})


@dataclass(frozen=True, eq=False)
class NeighborRanking(RaggedLists):
    """The k nearest training rows of each query.

    Attributes
    ----------
    k : int
    ties : {"index", "expected"}
        ``"index"``: exactly k neighbours each, the lowest rows among those tied at the k-th place.
        ``"expected"``: everyone tied at the k-th place is kept, so that lists may be longer than k.
    start : (n_queries + 1,) array
        The neighbours of query i are entries ``start[i]:start[i+1]`` of ``flat_rows`` and ``flat_distances``.
    flat_rows, flat_distances : arrays
        Nearest first, ordered by row within a tied group. Tied neighbours carry exactly the same distance.
    distance, method : str
        What was measured, and which search found it: ``"brute"``, ``"tree"`` or ``"precomputed"``.
    notes : tuple of str
        What the reader should know, constant columns for instance.

    Examples
    --------
    >>> from sepal.neighbors import neighbor_ranking
    >>> ranking = neighbor_ranking([[0.0], [1.0], [3.0]], 2)
    >>> ranking.rows.tolist()
    [[1, 2], [0, 2], [1, 0]]
    """

    k: int
    ties: Ties
    start: NDArray[np.int64]
    flat_rows: NDArray[np.intp]
    flat_distances: NDArray[np.float64]
    distance: str
    method: str
    notes: tuple[str, ...] = ()

    @property
    def recall(self) -> float | None:
        """Share of the neighbours that an approximate search found; None where all were found."""
        return recall_told(self.notes)

    @property
    def rows(self) -> NDArray[np.intp]:
        """(n_queries, k) training rows, nearest first; the lowest rows where tied at the k-th place."""
        return self._first_k(self.flat_rows)

    @property
    def distances(self) -> NDArray[np.float64]:
        """(n_queries, k) distances to ``rows``."""
        return self._first_k(self.flat_distances)

    def _first_k(self, flat: NDArray[Any]) -> NDArray[Any]:
        if len(flat) == self.n_queries * self.k:
            return flat.reshape(self.n_queries, self.k)
        return np.asarray(flat[self.start[:-1, None] + np.arange(self.k)])

    @property
    def tie_groups(self) -> NDArray[np.intp]:
        """(n_queries, k) number of each neighbour's tied group: 0 for the nearest group, then 1, 2, ..."""
        distances = self.distances
        groups = np.zeros(distances.shape, dtype=np.intp)
        np.cumsum(distances[:, 1:] != distances[:, :-1], axis=1, out=groups[:, 1:])
        return groups

    def _repr_html_(self) -> str:
        start = self.start[:6]
        head = replace(
            self, start=start, flat_rows=self.flat_rows[: start[-1]], flat_distances=self.flat_distances[: start[-1]]
        )
        return f"<p>{self!r}</p>{frame_html(head)}"

    def __repr__(self) -> str:
        return (
            f"<NeighborRanking of {self.n_queries} queries: k={self.k}, {self.distance}, "
            f"ties={self.ties!r}, by {self.method}{recall_said(self.notes)}>"
        )


@dataclass(frozen=True, eq=False)
class DistinctRanking:
    """Neighbours among distinct rows: equal rows are one entry with a count.

    Attributes
    ----------
    asking : DistinctRows or None
        The distinct row each list belongs to, in order; None where the queries are no training rows.
    start, entries, distances
        Ragged as in NeighborRanking, but entries are distinct rows. A query's own distinct row is listed first, at
        distance 0, if it has copies. Holds at least the k nearest, and every tied group in it is complete.
    copies : Copies
        Which training rows are equal.
    """

    asking: DistinctRows | None
    start: NDArray[np.int64]
    entries: DistinctRows
    distances: NDArray[np.float64]
    copies: Copies

    def per_row(self, k: int, ties: Ties, rows: NDArray[np.int64] | None) -> dict[str, Any]:
        """The ranking of original rows: lists of rows instead of lists of distinct rows.

        ``rows`` are the training rows that ask, one for each list to be made; None means the queries are no
        training rows.
        """
        if self._one_to_one(k, rows):
            return {  # copies, which the caller may change
                "start": self.start.copy(),
                "flat_rows": self.entries.number.astype(np.int64),
                "flat_distances": self.distances.copy(),
            }
        list_of, asking = self._asked(rows)
        start, neighbors, distances = rows_of_lists(
            (self.start, self.entries, self.distances), self.copies, list_of, asking, k, whole_ties=ties == "expected"
        )
        return {"start": start, "flat_rows": neighbors, "flat_distances": distances}

    def _one_to_one(self, k: int, rows: NDArray[np.int64] | None) -> bool:
        """Whether the lists are already those of the rows: no row has a copy, all ask in order, and all found k."""
        n = len(self.start) - 1
        return (
            not self.copies.any
            and len(self.distances) == n * k
            and bool(np.all(np.diff(self.start) == k))
            and (rows is None or (len(rows) == n == self.copies.n_rows and bool(np.all(rows == np.arange(n)))))
        )

    def everyone(
        self, rows: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float64]]:
        """Whole lists of original rows, for the training rows that ask (None: for all queries); some may be empty."""
        list_of, asking = self._asked(rows)
        lists = (self.start, self.entries, self.distances)
        return rows_of_lists(lists, self.copies, list_of, asking, None, whole_ties=True)

    @property
    def nbytes(self) -> int:
        """Memory of the lists."""
        return int(self.start.nbytes + self.entries.number.nbytes + self.distances.nbytes)

    def first(self, k: int) -> DistinctRanking:
        """The same ranking to a smaller depth: just what a search for k finds."""
        if self.asking is None or len(self.distances) == 0:
            return self
        begin, end = self.start[:-1], self.start[1:]
        own = self.entries.number[begin] == self.asking.number  # listed first where a row has copies
        limit = self.distances[np.minimum(begin + own + k, end) - 1]
        keep = self.distances <= np.repeat(limit, end - begin)
        start = np.concatenate([[0], np.cumsum(np.add.reduceat(keep, begin, dtype=np.int64))])
        return DistinctRanking(self.asking, start, self.entries.take(keep), self.distances[keep], self.copies)

    def _asked(self, rows: NDArray[np.int64] | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The list of each asking row and its number, -1 where it is no training row."""
        if rows is not None:
            return self.list_of(rows), rows
        n = len(self.start) - 1
        return np.arange(n, dtype=np.int64), np.full(n, -1, dtype=np.int64)

    def list_of(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Which list belongs to each of these training rows."""
        return self.list_of_distinct(self.copies.distinct(rows))

    def list_of_distinct(self, distinct: DistinctRows) -> NDArray[np.int64]:
        """Which list belongs to each of these distinct rows."""
        if self.asking is None:
            raise ValueError("the queries of this ranking are no training rows")
        if len(self.asking) == self.copies.n_distinct:  # every distinct row has one
            return distinct.number.astype(np.int64)
        return np.searchsorted(self.asking.number, distinct.number)

    def lists(self, list_of: NDArray[np.int64]) -> Lists:
        """The lists of these queries, one after the other."""
        if np.array_equal(list_of, np.arange(len(self.start) - 1)):
            return self.start, self.entries, self.distances
        lengths = np.diff(self.start)[list_of]
        at = segment_positions(self.start[list_of], lengths)
        return np.concatenate([[0], np.cumsum(lengths)]), self.entries.take(at), self.distances[at]
