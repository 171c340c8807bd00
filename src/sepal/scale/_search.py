"""Neighbour search among rows in partitions, with the interface of :class:`sepal.neighbors.Search`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table
from sepal.exceptions import DataError
from sepal.neighbors import (
    WHOLE,
    DistinctRows,
    PartLists,
    PartSearch,
    Search,
    Turn,
    extent_of,
    joined_extent,
    lists_in_order,
)
from sepal.progress import Share
from sepal.scale._blocks import RowBlock, Some, called, meet, points_of, search_blocks
from sepal.scale._meetings import Cut, best_cut, plane_lines
from sepal.scale._work import Here, Workplace, told_within

_FETCHED = 2**28  # bytes of coordinates that may be brought together here
_PIECES = 16  # in which lists of rows that ask each other may travel


@dataclass(frozen=True, eq=False)
class RowsAsking:
    """Distinct rows that ask, by their numbers in a search; it stands where others have coordinates."""

    rows: NDArray[np.int64]  # of all rows, in the order in which they ask

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class BlockSearch(Search):
    """Rows in blocks. ``points`` are an :class:`RowsAsking`: the row that stands for each distinct row.

    ``together`` rows at most ask each other in one task; what tasks carry and give takes about ``sent`` bytes at most.
    """

    part: PartSearch
    blocks: tuple[RowBlock, ...]
    work: Workplace
    together: int
    sent: int

    @property
    def found_by(self) -> str:
        """How questions are answered."""
        return "approximate" if self.part.method == "approximate" else "blocks"

    @property
    def at(self) -> NDArray[np.int64]:
        """The row, among all, that stands for each distinct row."""
        points: Any = self.points
        return np.asarray(points.rows)

    @property
    def ranges(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of the coordinates of all rows in the blocks."""
        return self.part.extent.low, self.part.extent.high

    def _take(self, distinct: DistinctRows) -> Any:
        return RowsAsking(self.at[distinct.number])

    def coordinates(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """The coordinates of some training rows, brought here."""
        return self._fetched(self.at[self.copies.distinct(rows).number])

    def _fetched(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        width = len(self.part.extent.low)
        if len(rows) * width * 8 > _FETCHED:
            raise DataError(f"{len(rows):,} rows are too many to be brought together for this question")
        found = np.empty((len(rows), width))
        spread = self._spread(rows, self.sent // (8 * width))
        jobs = [(some, self.fitted) for some, _ in spread]
        for at, points in self.work.run("fetch rows", points_of, jobs, None, self.sent):
            found[spread[at][1]] = points
        return found

    def _spread(self, rows: NDArray[np.int64], most: int | None = None) -> list[tuple[Some, NDArray[np.int64]]]:
        """Different rows block by block, ``most`` at a time; their numbers are the places they had, which come, too."""
        found = []
        order = np.argsort(rows, kind="stable")
        ordered = rows[order]
        for block in self.blocks:
            begin, end = np.searchsorted(ordered, [block.first_row, block.first_row + block.n_rows]).tolist()
            step = max(1, most or end - begin)
            for at in range(begin, end, step):
                places = order[at : min(at + step, end)]
                found.append((Some.of(block, rows[places] - block.first_row, places), places))
        return found

    def among(self, rows: NDArray[np.intp]) -> BlockSearch:
        """The same search over some of the training rows only (same scaling, same distance)."""
        left, copies = self.copies.among(rows)
        return replace(self, points=self._take(left), copies=copies)

    def _embedded(self, rows: Table) -> NDArray[np.float64]:
        return self.fitted.embed(rows)

    def _nearest(
        self, queries: Any, k: int, progress: Share | None, radius: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.int64], DistinctRows, NDArray[np.float64]]:
        if radius is not None:
            raise DataError("a search by radius is not there for rows in partitions")
        part = self.part
        if isinstance(queries, np.ndarray):  # rows from elsewhere: rounding has to know them, too
            part = PartSearch.of(self.fitted, joined_extent([part.extent, extent_of(queries)]), self.method)
        lists = part.settled(self._joined(part, queries, k, progress), k)
        return lists.start, DistinctRows(lists.number.astype(np.int32)), part.distances(lists)

    def _joined(self, part: PartSearch, queries: Any, k: int, progress: Share | None) -> PartLists:
        """Lists of all queries from all blocks, in the order in which they ask."""
        here = isinstance(self.work, Here)
        most = None if here else max(1, self.sent // (16 * (k + 2)))  # rows whose lists are sent at a time
        if queries is None and part.method != "approximate":  # which asks the very blocks whose recall was measured
            # Their lists may be longer, and travel in pieces: rows that ask each other should not be few for it.
            together = self.together if most is None else min(self.together, _PIECES * most)
            cut = best_cut(len(self.at), len(part.extent.low), together, self.work.workers, k)
            if cut is not None:
                return self._met(part, k, cut, progress)
        if isinstance(queries, np.ndarray):
            step = len(queries) if here else max(1, min(most or 1, self.sent // (8 * queries.shape[1])))
            cuts = [np.arange(at, min(at + step, len(queries))) for at in range(0, len(queries), max(step, 1))]
            asking: list[tuple[Any, NDArray[np.int64]]] = [(queries[places], places) for places in cuts]
            n_asking = len(queries)
        else:
            rows = self.at if queries is None else queries.rows
            asking, n_asking = list(self._spread(rows, most)), len(rows)
        among, jobs, owner = [some for some, _ in self._spread(self.at)], [], []
        for place, (some, _) in enumerate(asking):
            for run in _runs(len(among), self.work.workers, len(asking)):
                jobs.append((part, some, [among[at] for at in run], queries is None, k, self.work.threads))
                owner.append(place)
        held: dict[int, PartLists] = {}
        for at, lists in self.work.run("search for neighbours", search_blocks, jobs, progress, self.sent):
            before = held.get(owner[at])
            held[owner[at]] = lists if before is None else part.joined([before, lists], k)
        return lists_in_order([(held[place], places) for place, (_, places) in enumerate(asking)], n_asking)

    def _met(self, part: PartSearch, k: int, cut: Cut, progress: Share | None) -> PartLists:
        """Lists of all rows, from tasks in which some of them ask each other."""
        n, ordered = len(self.at), np.argsort(self.at, kind="stable")
        cuts = [ordered[at * n // cut.pieces : (at + 1) * n // cut.pieces] for at in range(cut.pieces)]
        pieces = [
            [replace(some, called=called(places[own])) for some, own in self._spread(self.at[places])]
            for places in cuts
        ]
        met = plane_lines(cut.order)
        held: dict[int, PartLists] = {}

        def work(tasks: list[tuple[int, Turn]], progress: Share | None) -> dict[int, set[int]]:
            """Do these turns of lines; in which ways the rows of each line were arranged."""
            arranged: dict[int, set[int]] = {}
            jobs = [
                (part, [some for at in met[line] for some in pieces[at]], k, self.work.threads, turn, told)
                for (line, turn), told in zip(tasks, told_within(self.work, progress, len(tasks)), strict=True)
            ]
            for at, (lists, arrangement) in self.work.run("search for neighbours", meet, jobs, progress, self.sent):
                line, begin = tasks[at][0], 0
                arranged.setdefault(line, set()).add(arrangement)
                for piece in met[line]:
                    end = begin + len(cuts[piece])
                    found, before = lists.of(begin, end), held.get(piece)
                    held[piece] = found if before is None else part.joined([before, found], k)
                    begin = end
            return arranged

        turns = [(line, Turn(at, cut.turns)) for line in range(len(met)) for at in range(cut.turns)]
        ways = work(turns, progress)
        # Workers that differ arrange rows differently, so that their turns need not be all pairs.
        work([(line, WHOLE) for line, each in ways.items() if len(each) > 1], None)
        return lists_in_order([(held[at], places) for at, places in enumerate(cuts)], n)


def _runs(n_blocks: int, workers: int, n_asking: int) -> list[range]:
    """Blocks that one job looks at: all of them here; on workers few enough for all to be busy, and to lose little."""
    if workers == 1:
        return [range(n_blocks)]
    jobs = max(1, -(-4 * workers // n_asking), -(-n_blocks // 8))
    size = max(1, -(-n_blocks // min(jobs, n_blocks)))
    return [range(at, min(at + size, n_blocks)) for at in range(0, n_blocks, size)]
