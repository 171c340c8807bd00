"""The neighbours of each query, nearest first, with tied groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Ties = Literal["index", "expected"]


def segment_positions(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions ``start, start + 1, ...`` of each segment, one segment after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    positions: NDArray[np.int64] = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return positions


def cut(
    query: NDArray[np.int64],
    neighbor: NDArray[np.intp],
    distance: NDArray[np.float64],
    n_queries: int,
    k: int,
    ties: Ties,
) -> dict[str, Any]:
    """The first k of each query's sorted neighbours, and with ``"expected"`` everyone tied with the k-th."""
    start = np.searchsorted(query, np.arange(n_queries + 1))
    rank = np.arange(len(query)) - start[query]
    keep = rank < k
    if ties == "expected":
        keep = distance <= distance[start[:-1] + k - 1][query]
    if not np.all(keep):
        neighbor, distance = neighbor[keep], distance[keep]
        start = np.concatenate([[0], np.cumsum(np.bincount(query[keep], minlength=n_queries))])
    return {"start": start.astype(np.int64), "flat_rows": neighbor, "flat_distances": distance}


@dataclass(frozen=True, eq=False)
class NeighborRanking:
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
    def n_queries(self) -> int:
        """How many rows were asked for."""
        return len(self.start) - 1

    @property
    def rows(self) -> NDArray[np.intp]:
        """(n_queries, k) training rows, nearest first; the lowest rows where tied at the k-th place."""
        return np.asarray(self.flat_rows[self.start[:-1, None] + np.arange(self.k)])

    @property
    def distances(self) -> NDArray[np.float64]:
        """(n_queries, k) distances to ``rows``."""
        return np.asarray(self.flat_distances[self.start[:-1, None] + np.arange(self.k)])

    @property
    def tie_groups(self) -> NDArray[np.intp]:
        """(n_queries, k) number of each neighbour's tied group: 0 for the nearest group, then 1, 2, ..."""
        distances = self.distances
        groups = np.zeros(distances.shape, dtype=np.intp)
        np.cumsum(distances[:, 1:] != distances[:, :-1], axis=1, out=groups[:, 1:])
        return groups

    def frame(self) -> pd.DataFrame:
        """One line per query and neighbour, as a pandas data frame."""
        import pandas as pd

        lengths = np.diff(self.start)
        query = np.repeat(np.arange(self.n_queries), lengths)
        rank = segment_positions(np.zeros(self.n_queries, dtype=np.int64), lengths) + 1
        return pd.DataFrame({"query": query, "rank": rank, "row": self.flat_rows, "distance": self.flat_distances})

    def _repr_html_(self) -> str:
        head = NeighborRanking(
            self.k, self.ties, self.start[:6], self.flat_rows, self.flat_distances, self.distance, self.method
        )
        return f"<p>{self!r}</p>{head.frame().to_html(index=False)}"

    def __repr__(self) -> str:
        return (
            f"<NeighborRanking of {self.n_queries} queries: k={self.k}, {self.distance}, "
            f"ties={self.ties!r}, by {self.method}>"
        )


@dataclass(frozen=True, eq=False)
class DistinctRanking:
    """Neighbours among distinct rows: equal rows are one entry with a count.

    Attributes
    ----------
    queries : (n_queries,) array
        The distinct row each list belongs to, or -1 where the query is no training row.
    start, entries, distances : arrays
        Ragged as in NeighborRanking, but entries are distinct rows. A query's own distinct row is listed first, at
        distance 0, if it has copies. Holds at least the k nearest, and every tied group in it is complete.
    group_of : (n_rows,) array
        The distinct row of each training row; ``n_copies`` counts them, ``first`` is the lowest row of each.
    """

    queries: NDArray[np.int64]
    start: NDArray[np.int64]
    entries: NDArray[np.int32]
    distances: NDArray[np.float64]
    group_of: NDArray[np.int32]
    n_copies: NDArray[np.int64]
    first: NDArray[np.int32]

    def sizes(self) -> NDArray[np.int64]:
        """How many training rows each entry stands for, the query itself left out."""
        own = np.repeat(self.queries, np.diff(self.start)) == self.entries
        return np.asarray(self.n_copies[self.entries] - own)

    def per_row(self, k: int, ties: Ties, rows: NDArray[np.int64] | None) -> dict[str, Any]:
        """The ranking of original rows: lists of rows instead of lists of distinct rows.

        ``rows`` are the training rows that ask, one for each list to be made; None means the queries are no
        training rows.
        """
        if rows is None:
            list_of = np.arange(len(self.queries), dtype=np.int64)
            asking = np.full(len(self.queries), -1, dtype=np.int64)
        else:
            position = np.full(len(self.n_copies), -1, dtype=np.int64)
            position[self.queries] = np.arange(len(self.queries))
            list_of, asking = position[self.group_of[rows]], rows
        lengths = np.diff(self.start)[list_of]
        at = segment_positions(self.start[list_of], lengths)
        query = np.repeat(np.arange(len(list_of)), lengths)
        if len(self.n_copies) == len(self.group_of):  # no row occurs twice
            neighbor, distance = self.first[self.entries[at]].astype(np.intp), self.distances[at]
        else:
            query, neighbor, distance = self._members(at, query, asking, k if ties == "index" else None)
        return cut(query, neighbor, distance, len(list_of), k, ties)

    def _members(
        self, at: NDArray[np.int64], query: NDArray[np.int64], asking: NDArray[np.int64], most: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float64]]:
        """Every entry replaced by the rows it stands for (at most ``most`` + 1 of them), without the asking row."""
        by_group = np.argsort(self.group_of, kind="stable")
        group_start = np.concatenate([[0], np.cumsum(self.n_copies)[:-1]])
        copies = self.n_copies if most is None else np.minimum(self.n_copies, most + 1)
        entry = self.entries[at]
        neighbor = by_group[segment_positions(group_start[entry], copies[entry])]
        query = np.repeat(query, copies[entry])
        distance = np.repeat(self.distances[at], copies[entry])
        other = neighbor != asking[query]
        query, neighbor, distance = query[other], neighbor[other], distance[other]
        order = np.lexsort((neighbor, distance, query))
        return query[order], neighbor[order], distance[order]
