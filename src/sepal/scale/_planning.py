"""What the work will cost, said before it is done: rows, seconds and memory, exactly and from a sample.

Two figures are measured on the spot, on rows of the first partition: how long a row takes to load, and how many pairs
of rows a core compares in a second. The rest is arithmetic.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from sepal.data import PartReading, Table, plural
from sepal.distances import FittedDistance
from sepal.exceptions import ParameterError
from sepal.neighbors import PartSearch, extent_of
from sepal.scale._blocks import BLOCKS_KEPT
from sepal.scale._meetings import best_cut
from sepal.scale._prepare import Fitted
from sepal.scale._schema import load_like
from sepal.scale._sources import Partition

ALLOWED = 120.0  # seconds that exact answers may take unless somebody says otherwise
HALF_WIDTH = 0.01
FEWEST_ASKING = 1_000
_PROBE = (5_000, 20_000)  # queries at most, and rows, of the trial: more that ask at once are quicker each
_AROUND = 0.01  # seconds of any work beside rows and pairs
_PASSES = 2  # over all rows before the search: exact ones read rows, sampled ones draw some
_ROW_BYTES = 50  # held here for each row of an exact answer, before any list


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

    @property
    def seconds(self) -> float:
        """What will be done takes about so long."""
        return self.exact_seconds if self.exact else self.sampled_seconds

    def __str__(self) -> str:
        workers = f"{self.n_workers} {plural(self.n_workers, 'worker')}"
        return (
            f"{self.n_rows:,} rows x {self.n_columns} columns in {self.n_partitions} partitions, {workers}\n"
            f"exact:  all {self.n_rows:,} rows ask, about {_spoken(self.exact_seconds)}, "
            f"{self.exact_bytes / 1e6:,.0f} MB here\n"
            f"sample: {self.n_asking if not self.exact else min(self.n_asking, self.n_rows):,} rows ask, about "
            f"{_spoken(self.sampled_seconds)}, {self.sampled_bytes / 1e6:,.0f} MB here\n"
            f"doing:  {'exact' if self.exact else 'sample'}, since {self.reason}"
        )


def _spoken(seconds: float) -> str:
    for size, unit in ((86400.0, "days"), (3600.0, "hours"), (120.0, "min")):
        if seconds >= size:
            return f"{seconds / (60.0 if unit == 'min' else size):,.1f} {unit}"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


@dataclass(frozen=True)
class Rates:
    """How long it takes to load a row, and how many pairs a worker compares in a second: asked, and all with all."""

    load_seconds: float
    pairs_per_second: float
    own_pairs_per_second: float


def measure_rates(
    part: Partition, reading: PartReading, like: Table, complete: bool, fitted: FittedDistance, threads: int
) -> Rates:
    """Load a partition, and let some of its rows ask others."""
    begin = time.perf_counter()
    points = fitted.embed(load_like(part, reading, like, complete))
    loading = (time.perf_counter() - begin) / max(1, len(points))
    n_asking, n_rows = _PROBE
    among = points[np.arange(n_rows) % len(points)] if len(points) < n_rows else points[:n_rows]
    search = PartSearch.of(fitted, extent_of(points))
    asking = among[:: max(1, len(among) // n_asking)][:n_asking]
    rates = []
    for queries, amount in ((asking, len(asking) * len(among)), (None, len(among) ** 2)):
        begin = time.perf_counter()
        search.lists(queries, among, 2, 0, threads)
        rates.append(amount / max(time.perf_counter() - begin, 1e-6))
    return Rates(loading, rates[0], rates[1])


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
    if not 0 < half_width < 0.5:
        raise ParameterError(f"half_width must lie between 0 and 0.5; got {half_width!r}")
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
) -> Plan:
    """What to do: what was asked for; else exactly, where that is done in time; else a sample."""
    schema, work = given.schema, given.work
    largest = int(np.argmax(schema.part_rows))
    job = (
        schema.source.parts[largest],
        schema.source.reading,
        schema.like,
        schema.missing == "drop",
        given.distance,
        work.threads,
    )
    rates: Rates = next(iter(work.run("try rates", measure_rates, [job])))[1]
    n, workers = schema.n_rows, work.workers
    loading = n * rates.load_seconds / workers
    exact_seconds = _exact_seconds(given, rates, depth - 1)
    limit = ALLOWED if time_limit is None else time_limit
    wanted = asking_for(half_width, n) if n_queries is None else min(int(n_queries), n)
    if n_queries is None:
        room = (limit - loading * (_PASSES + 1)) * rates.pairs_per_second * workers / n
        wanted = min(n, max(min(FEWEST_ASKING, wanted), min(wanted, int(max(room, 0.0)))))
    sampled_seconds = _AROUND + wanted * float(n) / rates.pairs_per_second / workers + loading * (_PASSES + 1)
    if exact is None and n_queries is not None:
        choice, reason = wanted >= n, "so many rows were asked for"
    elif exact is not None:
        choice, reason = exact, "it was asked for"
    else:
        choice = exact_seconds <= limit or wanted >= n
        reason = f"exact answers take {'less' if choice else 'more'} than the {_spoken(limit)} allowed"
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
    )


def _exact_seconds(given: Fitted, rates: Rates, k: int) -> float:
    """What it takes until every row has found its k nearest: pairs by the rates, and rows that are loaded again."""
    n, workers, pairs = given.schema.n_rows, given.work.workers, float(given.schema.n_rows) ** 2
    loading = n * rates.load_seconds / workers
    cut = best_cut(n, given.schema.like.n_columns, given.together(), workers, k)
    if cut is not None:
        met = cut.order + 1
        asking = -(-cut.tasks // workers) * pairs * (met / cut.pieces) ** 2 / cut.turns / rates.own_pairs_per_second
        times = met
    else:
        block = min(given.block_rows(), n)
        times = max(1, -(-n // block))
        own = pairs / times / rates.own_pairs_per_second
        between = pairs * (1 - 1 / times) / rates.pairs_per_second
        asking = (own + between) / min(workers, times**2)
    held = n * given.width <= BLOCKS_KEPT or times == 1
    return _AROUND + asking + loading * (_PASSES - 1 + (0 if held else times))


def improved(plan: Plan, seconds: float | None) -> Plan:
    """The plan with its estimate replaced by what the first blocks tell."""
    if seconds is None:
        return plan
    return replace(plan, exact_seconds=seconds) if plan.exact else replace(plan, sampled_seconds=seconds)
