"""What the work will cost, said before it is done: rows, seconds and memory, exactly and from a sample.

A trial on some rows measures how long a row takes to load, and how long some rows take to find their neighbours, asked
and all with all, each at two sizes: what grows with rows is told from what grows with pairs. The rest is arithmetic.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sepal.data import PartReading, Table
from sepal.distances import FittedDistance
from sepal.neighbors import Method, PartSearch, extent_of
from sepal.parameters import checked
from sepal.scale._blocks import BLOCKS_KEPT
from sepal.scale._meetings import best_cut
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._parts import Partition
from sepal.scale._pass_plan import PlanStep, sized, spoken
from sepal.scale._prepare import Fitted
from sepal.scale._schema import load_like

ALLOWED = 120.0  # seconds that exact answers may take unless somebody says otherwise
HALF_WIDTH = 0.01
FEWEST_ASKING = 1_000
_TRIED_ROWS = 20_000, 40_000  # least and most rows of the trial, else a quarter of all; from several partitions
_TRIED_PARTS = 8
_TRIED_ASKING = 5_000  # queries of the trial, and a tenth as many: many at once take less time each
_AROUND = 0.005  # seconds of overhead, whatever the numbers of rows and pairs
_READING = 1.4  # time to load and hash, or draw, a row, relative to loading it
_AFTER = 0.9e-6  # seconds for each row once its neighbours are known
_ROW_BYTES = 50  # memory of the client for each row of an exact answer, neighbour lists aside


@dataclass(frozen=True)
class Stages:
    """Seconds of the work until neighbours are searched for, of the search, and after it."""

    before: float
    search: float
    after: float

    @property
    def seconds(self) -> float:
        """Of all."""
        return self.before + self.search + self.after


@dataclass(frozen=True)
class Plan:
    """What will be done, and what it costs.

    Attributes
    ----------
    n_rows, n_columns, n_partitions, n_workers : int
    exact : bool
        Whether every row asks.
    n_asking : int
        How many rows ask, of the sample where it is one.
    reason : str
    exact_seconds, sampled_seconds : float
        Estimates of the whole work, the pass over the columns that is already done left out.
    exact_bytes, sampled_bytes : int
        Memory here; each worker holds two blocks besides.
    load_seconds : float
        To load one row.
    pairs_per_second : float
        That one worker compares.
    stages : Stages
        Of what will be done.
    besides : PlanStep or None
        What the verb does besides asking for neighbours, and how long it takes; ``seconds`` leave it out.

    Examples
    --------
    >>> plan = Plan(1000, 5, 2, 1, True, 1000, "it is quick", 0.1, 0.1, 10**6, 10**5, 1e-6, 1e8)
    >>> print(plan)
    1,000 rows x 5 columns in 2 partitions, 1 worker
    exact:  all 1,000 rows ask, about 0.1 s, 1 MB here
    sample: 1,000 rows ask, about 0.1 s, 0 MB here
    doing:  exact, since it is quick
    """

    n_rows: int
    n_columns: int
    n_partitions: int
    n_workers: int
    exact: bool
    n_asking: int
    reason: str
    exact_seconds: float
    sampled_seconds: float
    exact_bytes: int
    sampled_bytes: int
    load_seconds: float
    pairs_per_second: float
    stages: Stages = Stages(0.0, 0.0, 0.0)
    besides: PlanStep | None = None

    @property
    def total_seconds(self) -> float:
        """Of what will be done, and what is done besides."""
        return self.seconds + (0.0 if self.besides is None else self.besides.seconds or 0.0)

    @property
    def seconds(self) -> float:
        """What will be done takes about so long."""
        return self.exact_seconds if self.exact else self.sampled_seconds

    def __str__(self) -> str:
        return (
            f"{sized(self.n_rows, self.n_columns, self.n_partitions, self.n_workers)}\n"
            f"exact:  all {self.n_rows:,} rows ask, about {spoken(self.exact_seconds)}, "
            f"{self.exact_bytes / 1e6:,.0f} MB here\n"
            f"sample: {self.n_asking if not self.exact else min(self.n_asking, self.n_rows):,} rows ask, about "
            f"{spoken(self.sampled_seconds)}, {self.sampled_bytes / 1e6:,.0f} MB here\n"
            f"doing:  {'exact' if self.exact else 'sample'}, since {self.reason}{self._all_together()}"
        )

    def _all_together(self) -> str:
        """What else is done, on a line of its own, and the time of all."""
        if self.besides is None:
            return ""
        return (
            f"\nthen:   {self.besides.what}, about {spoken(self.besides.seconds or 0.0)}; "
            f"all together about {spoken(self.total_seconds)}"
        )


@dataclass(frozen=True)
class Growth:
    """Seconds that some work takes for each row, and for each pair of rows."""

    row: float
    pair: float

    @classmethod
    def of(cls, first: tuple[float, float], second: tuple[float, float]) -> Growth:
        """From two trials: for each row so many were compared with it, and it took so long. Neither part is negative.

        >>> Growth.of((10.0, 3.0), (20.0, 4.0)), Growth.of((10.0, 3.0), (20.0, 2.0)), Growth.of((1.0, 1.0), (2.0, 4.0))
        (Growth(row=2.0, pair=0.1), Growth(row=2.0, pair=0.0), Growth(row=0.0, pair=2.0))
        """
        (few, short), (many, long) = first, second
        pair = max(0.0, (long - short) / (many - few)) if many > few else 0.0
        row = long - pair * many
        return cls(row, pair) if row >= 0 else cls(0.0, long / many)


@dataclass(frozen=True)
class Rates:
    """How long it takes to load a row, and what a worker takes for rows that are asked, and that ask each other."""

    load_seconds: float
    asked: Growth
    own: Growth
    pairs_per_second: float
    own_pairs_per_second: float


def measure_rates(
    parts: Sequence[Partition],
    reading: PartReading,
    like: Table,
    complete: bool,
    fitted: FittedDistance,
    threads: int,
    n_rows: int = _TRIED_ROWS[0],
    method: Method = "auto",
) -> Rates:
    """Load some partitions, and let some of their rows ask others."""
    begin = time.perf_counter()
    points = np.concatenate([fitted.embed(load_like(part, reading, like, complete)) for part in parts])
    loading = (time.perf_counter() - begin) / max(1, len(points))
    among = points[np.linspace(0, len(points) - 1, min(n_rows, len(points))).astype(np.intp)]
    search, n = PartSearch.of(fitted, extent_of(points), method), len(among)

    def seconds(queries: NDArray[np.float64] | None, rows: NDArray[np.float64]) -> float:
        begin = time.perf_counter()
        search.lists(queries, rows, 2, 0, threads)
        return max(time.perf_counter() - begin, 1e-6)

    quarter, once = among[::4], method == "approximate"  # which takes long to begin
    own = [
        (len(rows), min(seconds(None, rows) for _ in range(1 if once else times)) / len(rows))
        for rows, times in ((quarter, 3), (among, 1))
    ]
    asked = []
    for n_asking, times in ((max(1, min(n, _TRIED_ASKING) // 10), 2), (min(n, _TRIED_ASKING), 1)):
        queries = among[:: max(1, n // n_asking)][:n_asking]
        asked.append((len(queries), min(seconds(queries, among) for _ in range(1 if once else times)) / n))
    return Rates(loading, Growth.of(*asked), Growth.of(*own), asked[1][0] / asked[1][1], own[1][0] / own[1][1])


@checked(*PARTITION_PARAMETERS)
def asking_for(half_width: float, n_rows: int, confidence: float = 0.95) -> int:
    """How many rows must ask for an interval no wider than this to either side, whatever the index.

    Parameters
    ----------
    half_width : float
        How far the interval may reach to either side.
    n_rows : int
        Rows there are.
    confidence : float
        Of the interval.

    Returns
    -------
    int

    Examples
    --------
    >>> asking_for(0.01, 10_000_000)
    9595
    """
    z = float(ndtri(0.5 + confidence / 2))
    free = (z / (2 * half_width)) ** 2
    return int(np.ceil(free / (1 + (free - 1) / n_rows)))


def make_plan(
    given: Fitted,
    *,
    exact: bool | None = None,
    n_queries: int | None = None,
    time_limit: float | None = None,
    half_width: float = HALF_WIDTH,
    depth: int = 2,
    besides: Callable[[Rates, bool, int], PlanStep] | None = None,
) -> Plan:
    """What to do: what was asked for; else exactly, where that is done in time; else a sample.

    ``besides`` is told the rates, whether it is exact and how many rows ask, and says what is done besides.
    """
    schema, work = given.schema, given.work
    tried = max(_TRIED_ROWS[0], min(_TRIED_ROWS[1], schema.n_rows // 4))
    job = (
        tuple(schema.source.parts[at] for at in _largest(schema.part_rows, tried)),
        schema.source.reading,
        schema.like,
        schema.missing == "drop",
        given.distance,
        work.threads,
        tried,
        given.method,
    )
    rates: Rates = next(iter(work.run("measure speed", measure_rates, [job], None, schema.sent)))[1]
    n, workers = schema.n_rows, work.workers
    loading = n * rates.load_seconds / workers
    around = _AROUND + _READING * loading
    exactly = Stages(around, _exact_search(given, rates, depth - 1), _AFTER * n)
    limit = ALLOWED if time_limit is None else time_limit
    wanted = asking_for(half_width, n) if n_queries is None else min(int(n_queries), n)
    if n_queries is None:
        room = ((limit - around - loading) * workers / n - rates.asked.row) / max(rates.asked.pair, 1e-15)
        wanted = min(n, max(min(FEWEST_ASKING, wanted), min(wanted, int(max(room, 0.0)))))
    asking = n * (rates.asked.row + rates.asked.pair * wanted) / min(workers, len(schema.source.parts))
    sampled = Stages(around, asking + loading, 0.0)
    exact_seconds, sampled_seconds = exactly.seconds, sampled.seconds
    if exact is None and n_queries is not None:
        choice, reason = wanted >= n, "so many rows were asked for"
    elif exact is not None:
        choice, reason = exact, "it was asked for"
    else:
        choice = exact_seconds <= limit or wanted >= n
        reason = f"exact answers take {'less' if choice else 'more'} than the {spoken(limit)} allowed"
    return Plan(
        n,
        schema.like.n_columns,
        len(schema.source.parts),
        workers,
        choice,
        n if choice and n_queries is None and wanted >= n else wanted,
        reason,
        exact_seconds,
        sampled_seconds,
        n * (_ROW_BYTES + 12 * depth),
        int(wanted * (8 * schema.like.n_columns + 16 * (depth + 1)) + 24 * len(schema.source.parts)),
        rates.load_seconds,
        rates.pairs_per_second,
        exactly if choice else sampled,
        None if besides is None else besides(rates, choice, wanted),
    )


def _largest(part_rows: NDArray[np.int64], n_rows: int) -> list[int]:
    """The largest partitions, as many as have so many rows."""
    order = np.argsort(-part_rows, kind="stable")[:_TRIED_PARTS]
    enough = int(np.searchsorted(np.cumsum(part_rows[order]), n_rows)) + 1
    return sorted(order[:enough].tolist())


def _exact_search(given: Fitted, rates: Rates, k: int) -> float:
    """What it takes until every row has found its k nearest: rows and pairs by the rates, and rows loaded again."""
    n, workers = given.schema.n_rows, given.work.workers
    cut = best_cut(n, given.schema.like.n_columns, given.together(), workers, k)
    if cut is not None:
        times = cut.order + 1
        rows = n * times / cut.pieces
        each = rows * (rates.own.row + rates.own.pair * rows / cut.turns)
        asking = -(-cut.tasks // workers) * each
    else:
        block = min(given.block_rows(), n)
        times = max(1, -(-n // block))
        own = block * (rates.own.row + rates.own.pair * block)
        between = block * (rates.asked.row + rates.asked.pair * block)
        asking = (times * own + times * (times - 1) * between) / min(workers, times**2)
    held = n * given.width <= BLOCKS_KEPT or times == 1
    return asking + (0.0 if held else times * n * rates.load_seconds / workers)


def improved(plan: Plan, seconds: float | None) -> Plan:
    """The plan with its estimate replaced by what the first blocks tell."""
    if seconds is None:
        return plan
    return replace(plan, exact_seconds=seconds) if plan.exact else replace(plan, sampled_seconds=seconds)
