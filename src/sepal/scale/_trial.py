"""A trial before the plan: what some rows take to be loaded, known, drawn, to ask, and to find each other.

What workers do with a partition is done with some rows and timed, so that nothing of it is left out. Searches are tried
at two sizes, which tells what grows with rows from what grows with pairs. A search by a tree leaves out more pairs the
more rows there are: what it takes for each row grows by a power of their number, which the two sizes tell.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sepal.data import key_groups
from sepal.neighbors import KEPT_INDEXES, Copies, Method, PartSearch, Turn, extent_of
from sepal.scale._blocks import known_rows, row_keys, stacked
from sepal.scale._marked import Drawing, near_among
from sepal.scale._parts import Partition
from sepal.scale._sampled import ask_rows

TRIED_ASKING = 5_000  # queries of the trial at most, and a tenth as many: many at once take less time each
_TRIED_PARTS = 8
_SHARES = 4, 64  # of a search by a tree, one of so many
_REPEATED = 0.02, 0.1  # seconds in which something is done again, three times at most; if much follows from it


@dataclass(frozen=True)
class Growth:
    """Seconds that some work takes for each row: some, and some for each pair, or for a power of the rows it meets."""

    row: float
    pair: float
    power: float = 1.0

    @classmethod
    def of(cls, first: tuple[float, float], second: tuple[float, float]) -> Growth:
        """From two trials: for each row so many were compared with it, and it took so long. Neither part is negative.

        >>> for first, second in (((10.0, 3.0), (20.0, 4.0)), ((10.0, 3.0), (20.0, 2.0)), ((1.0, 1.0), (2.0, 4.0))):
        ...     print(Growth.of(first, second))
        Growth(row=2.0, pair=0.1, power=1.0)
        Growth(row=2.0, pair=0.0, power=1.0)
        Growth(row=0.0, pair=2.0, power=1.0)
        """
        (few, short), (many, long) = first, second
        pair = max(0.0, (long - short) / (many - few)) if many > few else 0.0
        row = long - pair * many
        return cls(row, pair) if row >= 0 else cls(0.0, long / many)

    def seconds(self, n_rows: float, turns: int = 1) -> float:
        """Of each row that meets so many, in one of so many turns."""
        return float(self.row + self.pair * n_rows**self.power / turns)


def grown_by(sizes: Sequence[float], values: Sequence[float], steepest: float = 1.0) -> float:
    """The power by which the last two values grow with their sizes, from 0 to the steepest; 1 if one is all there is.

    >>> grown_by([100, 400], [1.0, 2.0]), grown_by([100, 400], [2.0, 1.0]), grown_by([100], [2.0])
    (0.5, 0.0, 1.0)
    >>> grown_by([100], [2.0], steepest=0.7)
    0.7
    """
    if len(sizes) < 2 or sizes[-1] == sizes[-2]:
        return min(1.0, steepest)
    return float(np.clip(np.log(values[-1] / values[-2]) / np.log(sizes[-1] / sizes[-2]), 0.0, steepest))


@dataclass(frozen=True)
class Distinct:
    """How many rows are distinct: so many of those that were tried, and a power by which they grow."""

    n_rows: int = 1
    n_distinct: int = 1
    power: float = 1.0

    def among(self, n_rows: int) -> int:
        """About how many of so many rows.

        >>> Distinct(100, 20, 0.5).among(400), Distinct().among(400)
        (40, 400)
        """
        grown = float((n_rows / self.n_rows) ** self.power)
        return max(1, min(n_rows, round(self.n_distinct * grown)))


@dataclass(frozen=True)
class Rates:
    """What a worker takes for a row: to load it, to be asked, to ask the others, and to know or to draw it.

    Loading comes to all of these. Only rows that are ``distinct`` ask each other.
    """

    load_seconds: float
    asked: Growth
    own: Growth
    pairs_per_second: float
    own_pairs_per_second: float
    know_seconds: float = 0.0
    draw_seconds: float = 0.0
    distinct: Distinct = Distinct()


def n_tried(n_rows: int) -> int:
    """Rows of the trial: a third of few, and of many a twentieth, so that it takes little beside the work.

    >>> [n_tried(n) for n in (1_000, 8_000, 20_000, 200_000, 1_000_000, 10**8)]
    [1000, 5000, 6666, 40000, 50000, 80000]
    """
    return max(min(n_rows, 5_000), min(n_rows // 3, 40_000), min(n_rows // 20, 80_000))


def largest_parts(part_rows: NDArray[np.int64], n_rows: int) -> list[int]:
    """The largest partitions, as many as have so many rows."""
    order = np.argsort(-part_rows, kind="stable")[:_TRIED_PARTS]
    enough = int(np.searchsorted(np.cumsum(part_rows[order]), n_rows)) + 1
    return sorted(order[:enough].tolist())


def measure_rates(
    parts: Sequence[Partition], drawing: Drawing, method: Method, threads: int, n_rows: int, n_asking: int
) -> Rates:
    """Load some partitions, and do with some of their rows what will be done with all."""
    begin = time.perf_counter()
    loaded = [drawing.loading.rows(part) for part in parts]
    loading = (time.perf_counter() - begin) / max(1, sum(len(codes) for _, codes in loaded))
    table, codes = stacked([each for each, _ in loaded]), np.concatenate([each for _, each in loaded])
    del loaded
    some = np.linspace(0, table.n_rows - 1, min(n_rows, table.n_rows)).astype(np.intp)
    table, codes = table.take(some), codes[some]
    fitted, once = drawing.fitted, method == "approximate"  # which takes long to begin
    assert fitted is not None  # noqa: S101 - rows that ask have a distance
    n, points = len(codes), fitted.embed(table)
    keys, search = row_keys(points), PartSearch.of(fitted, extent_of(points), method)
    knowing = _seconds(lambda: key_groups(known_rows(fitted.embed(table), codes, fitted).keys))
    drawn = _seconds(lambda: near_among(table, codes, drawing))
    own, distinct = _OwnTrial(search, points, keys, threads).growth()
    asked, most = [], max(1, min(n, n_asking, TRIED_ASKING))
    for asking in (max(1, most // 10), most):
        places = np.linspace(0, n - 1, asking).astype(np.int64)
        job = (search, table, codes, 0, len(drawing.limit), points[places], places, 2, threads)
        asked.append((asking, _seconds(partial(ask_rows, *job), 1, 0.0 if once else _REPEATED[0]) / n))
    of_asked = Growth.of(*asked)
    return Rates(
        loading,
        of_asked,
        own,
        1 / of_asked.pair if of_asked.pair else asked[1][0] / asked[1][1],
        distinct.n_distinct / own.seconds(distinct.n_distinct),
        knowing / n,
        drawn / n,
        distinct,
    )


class _OwnTrial:
    """Distinct rows that find each other, some of all at a time; which paths they went, and how long they took."""

    def __init__(self, search: PartSearch, points: NDArray[np.float64], keys: NDArray[np.uint64], threads: int) -> None:
        self._search, self._points, self._keys, self._threads = search, points, keys, threads
        self.paths: set[str] = set()

    def distinct(self, apart: int) -> NDArray[np.float64]:
        """The distinct ones of every so-many-th row."""
        first = Copies.by_key(key_groups(self._keys[::apart])).first
        return np.ascontiguousarray(self._points[::apart][first])

    def seconds(self, among: NDArray[np.float64], share: int = 1) -> float:
        """What one share of so many takes."""

        def find() -> None:
            self.paths.add(self._search.path(among, 1, Turn(0, share), self._threads))

        once = self._search.method == "approximate"  # which takes long to begin
        return _seconds(find, 1 if once else 2, 0.0 if once else _REPEATED[1])

    def growth(self) -> tuple[Growth, Distinct]:
        """What each of many rows would take, and how many of them are distinct."""
        quarter, whole = self.distinct(4), self.distinct(1)
        n, sizes = len(self._points), (len(quarter), len(whole))
        distinct = Distinct(n, sizes[1], grown_by([len(self._keys[::4]), n], sizes))
        short = self.seconds(quarter)
        if self.paths != {"tree"}:
            half = self.distinct(2)
            return Growth.of((sizes[0], short / sizes[0]), (len(half), self.seconds(half) / len(half))), distinct
        # One share of several builds the tree, and takes its part of what follows: a larger and a smaller share tell
        # both. All rows are in it, which may be too many for the caches of the processor: that takes longer for each.
        few, many = (self._by_shares(among) for among in (quarter, whole))
        power = grown_by(sizes, [few.pair, many.pair])
        return Growth(many.row, many.pair / sizes[1] ** power, power), distinct

    def _by_shares(self, among: NDArray[np.float64]) -> Growth:
        """Seconds of each row to make it ready, and to ask."""
        larger, smaller = (self.seconds(among, share) / len(among) for share in _SHARES)
        asking = max((larger - smaller) / (1 / _SHARES[0] - 1 / _SHARES[1]), 1e-9)
        return Growth(max(smaller - asking / _SHARES[1], 0.0), asking)


def _seconds(work: Callable[[], object], times: int = 1, within: float = _REPEATED[0]) -> float:
    """What it takes: the median of up to three times within some seconds, the shorter of two.

    One pause of the machine would be taken for all of the work.
    """
    taken: list[float] = []
    while len(taken) < times or (0 < len(taken) < 3 and sum(taken) < within):
        KEPT_INDEXES.forget()  # who asks for the first time has none
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return max(sorted(taken)[(len(taken) - 1) // 2], 1e-6)
