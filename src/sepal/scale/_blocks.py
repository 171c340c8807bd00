"""Blocks of partitions, as workers see them: loaded where they are needed, embedded, kept while there is room."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import PartReading, Table, plain_cells, row_hash
from sepal.distances import FittedDistance
from sepal.neighbors import Extent, PartLists, PartSearch, Turn, extent_of
from sepal.progress import Share
from sepal.scale._parts import Partition
from sepal.scale._schema import Schema, load_like

BLOCKS_KEPT = 192 * 2**20  # of loaded blocks, in each process
_SALT = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Some partitions, one after the other, and how their rows become points. Small: it holds no row.

    ``first_row`` is the number of its first row among all rows.
    """

    key: str
    parts: tuple[Partition, ...]
    reading: PartReading
    like: Table
    complete: bool
    first_row: int
    n_rows: int


def cut_blocks(schema: Schema, most_rows: int, key: str) -> list[RowBlock]:
    """Partitions joined into blocks of so many rows at most, as far as these allow, and about as large as each other.

    So the first blocks tell what the others will take.
    """
    offsets = schema.offsets.tolist()
    even = schema.n_rows / max(1, -(-schema.n_rows // most_rows))
    runs: list[list[int]] = []
    held = 0
    for part, rows in enumerate(schema.part_rows.tolist()):
        if not runs or (held and (held + rows > most_rows or held + rows / 2 > even)):
            runs.append([])
            held = 0
        runs[-1].append(part)
        held += rows
    source, complete = schema.source, schema.missing == "drop"
    return [
        RowBlock(
            f"{key}-{run[0]}-{run[-1]}",
            tuple(source.parts[at] for at in run),
            source.reading,
            schema.like,
            complete,
            offsets[run[0]],
            offsets[run[-1] + 1] - offsets[run[0]],
        )
        for run in runs
        if offsets[run[-1] + 1] > offsets[run[0]]
    ]


def block_table(block: RowBlock) -> Table:
    """The rows of a block, its target as given."""
    return stacked([load_like(part, block.reading, block.like, block.complete) for part in block.parts])


def stacked(tables: Sequence[Table]) -> Table:
    """Tables with the same columns, one below the other."""
    if len(tables) == 1:
        return tables[0]
    first = tables[0]
    y = None if first.y is None else np.concatenate([each.y for each in tables if each.y is not None])
    values = np.concatenate([each.values for each in tables])
    return Table(values, first.names, first.kinds, first.levels, y=y, target=first.target)


class _Kept:
    """The points of the blocks used last, as many as fit."""

    def __init__(self) -> None:
        self._lock, self._held = Lock(), OrderedDict[str, NDArray[np.float64]]()

    def points(self, block: RowBlock, fitted: FittedDistance) -> NDArray[np.float64]:
        """The points of a block, loaded unless they are still there."""
        with self._lock:
            found = self._held.get(block.key)
            if found is not None:
                self._held.move_to_end(block.key)
                return found
        return self.keep(block, fitted.embed(block_table(block)))

    def keep(self, block: RowBlock, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Hold the points of a block, and let go of those that were not used for longest."""
        with self._lock:
            self._held[block.key] = points
            while len(self._held) > 1 and sum(each.nbytes for each in self._held.values()) > BLOCKS_KEPT:
                self._held.popitem(last=False)
        return points

    def forget(self, key: str) -> None:
        """Let go of the blocks of one piece of work."""
        with self._lock:
            for each in [name for name in self._held if name.startswith(key)]:
                del self._held[each]


KEPT = _Kept()


def called(numbers: NDArray[np.int64]) -> NDArray[np.int64] | int:
    """Numbers; the first of them where the others follow it."""
    return int(numbers[0]) if np.all(np.diff(numbers) == 1) else numbers


@dataclass(frozen=True, eq=False)
class Some:
    """Some rows of a block, and what lists call them: their numbers, or that of the first where the others follow.

    ``marked`` has a bit for each row of the block; None: all of them.
    """

    block: RowBlock
    marked: NDArray[np.uint8] | None
    n_rows: int
    called: NDArray[np.int64] | int

    @classmethod
    def of(cls, block: RowBlock, rows: NDArray[np.int64], numbers: NDArray[np.int64]) -> Some:
        """Rows by their places in the block, ascending."""
        if len(rows) == block.n_rows:
            return cls(block, None, block.n_rows, called(numbers))
        marks = np.zeros(block.n_rows, dtype=bool)
        marks[rows] = True
        return cls(block, np.packbits(marks), len(rows), called(numbers))

    def __len__(self) -> int:
        return self.n_rows

    @property
    def numbers(self) -> NDArray[np.int64]:
        """What lists call them."""
        return np.arange(self.called, self.called + self.n_rows) if isinstance(self.called, int) else self.called

    def points(self, fitted: FittedDistance) -> NDArray[np.float64]:
        """Their coordinates."""
        found = KEPT.points(self.block, fitted)
        if self.marked is None:
            return found
        return found[np.flatnonzero(np.unpackbits(self.marked, count=self.block.n_rows))]


def meet(
    search: PartSearch, pieces: Sequence[Some], k: int, threads: int, turn: Turn, progress: Share | None
) -> tuple[PartLists, int]:
    """Whom the rows of some pieces find among each other in one turn, without themselves; how they were arranged."""
    if len(pieces) == 1:
        return search.turn(pieces[0].points(search.fitted), k, pieces[0].called, turn, threads, progress)
    points = np.concatenate([each.points(search.fitted) for each in pieces])
    numbers = np.concatenate([each.numbers for each in pieces])
    return search.turn(points, k, numbers, turn, threads, progress)


def search_blocks(
    search: PartSearch, asking: Some | NDArray[np.float64], among: Sequence[Some], own: bool, k: int, threads: int
) -> PartLists:
    """Whom some rows find in some blocks; with ``own`` they have the same numbers there, and leave themselves out."""
    queries = asking if isinstance(asking, np.ndarray) else asking.points(search.fitted)
    found: PartLists | None = None
    for part in among:
        if own and isinstance(asking, Some) and np.array_equal(part.numbers, asking.numbers):
            lists = search.lists(None, queries, k, part.called, threads)
        else:
            lists = search.lists(queries, part.points(search.fitted), k + own, part.called, threads)
            if own and isinstance(asking, Some):
                lists = lists.without(asking.numbers)
        found = lists if found is None else search.joined([found, lists], k)
    assert found is not None  # noqa: S101 - a job names a block at least
    return found


@dataclass(frozen=True, eq=False)
class BlockRows:
    """What is known of every row of a block: its class, what its points and cells hash to, whether it is alone."""

    codes: NDArray[np.int32]
    keys: NDArray[np.uint64]
    alone: NDArray[np.bool_] | None
    extent: Extent


def codes_of(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int32]:
    """The class of each row as a number."""
    labels, inverse = np.unique(y, return_inverse=True)
    place = {label: at for at, label in enumerate(classes.tolist())}
    return np.array([place[label] for label in labels.tolist()], dtype=np.int32)[inverse.reshape(-1)]


@dataclass(frozen=True, eq=False)
class Loading:
    """How the partitions of a table are loaded, with their classes as numbers."""

    reading: PartReading
    like: Table
    complete: bool
    classes: NDArray[Any]

    @classmethod
    def of(cls, schema: Schema, classes: NDArray[Any]) -> Loading:
        """As the columns of all partitions say, its classes numbered in this order."""
        return cls(schema.source.reading, schema.like, schema.missing == "drop", classes)

    def rows(self, part: Partition) -> tuple[Table, NDArray[np.int32]]:
        """A partition and the classes of its rows."""
        table = load_like(part, self.reading, self.like, self.complete)
        return table, codes_of(np.asarray(table.y), self.classes)


def row_keys(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """128 bits for each row, the same for equal rows: (n, 2)."""
    cells = plain_cells(values)
    again = (cells.view(np.uint64) ^ _SALT).view(np.float64)
    return np.stack([row_hash(cells), row_hash(again)], axis=1)


def block_rows(block: RowBlock, fitted: FittedDistance, classes: NDArray[Any]) -> BlockRows:
    """Look at the rows of a block; its points are kept for the search that follows."""
    table = block_table(block)
    points = KEPT.keep(block, fitted.embed(table))
    return known_rows(points, np.zeros(0, np.int32) if table.y is None else codes_of(table.y, classes), fitted)


def known_rows(points: NDArray[np.float64], codes: NDArray[np.int32], fitted: FittedDistance) -> BlockRows:
    """What is known of rows by their points."""
    alone = fitted.compares_nothing(points)
    return BlockRows(codes, row_keys(points), alone if alone.any() else None, extent_of(points))


def cell_keys(block: RowBlock) -> NDArray[np.uint64]:
    """What the cells of each row hash to."""
    return row_keys(block_table(block).values)


def points_of(some: Some, fitted: FittedDistance) -> NDArray[np.float64]:
    """The coordinates of some rows."""
    return some.points(fitted)
