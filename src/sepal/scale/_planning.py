"""What the work will cost, said before it is done: rows, seconds and memory, exactly and from a sample.

A trial on some rows (:mod:`sepal.scale._trial`) measures what each of them takes. The rest is arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from sepal.parameters import checked
from sepal.scale._blocks import BLOCKS_KEPT
from sepal.scale._drawing import drawing_of, shares_of
from sepal.scale._meetings import best_cut
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._pass_plan import ROW_BYTES, PlanStep, megabytes, sized, spoken
from sepal.scale._prepare import Fitted
from sepal.scale._trial import Rates, largest_parts, measure_rates, n_tried

ALLOWED = 120.0  # seconds that exact answers may take unless somebody says otherwise
HALF_WIDTH = 0.01
FEWEST_ASKING = 1_000
_AROUND = 0.003  # seconds of overhead, whatever the numbers of rows and pairs
_NO_TIME = 0.05  # seconds; what is less would be said as 0.0
_AFTER = 0.9e-6  # seconds for each row once its neighbours are known


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
    sample: 1,000 rows ask, about 0.1 s, less than 1 MB here
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
            f"{megabytes(self.exact_bytes)} here\n"
            f"sample: {self.n_asking if not self.exact else min(self.n_asking, self.n_rows):,} rows ask, about "
            f"{spoken(self.sampled_seconds)}, {megabytes(self.sampled_bytes)} here\n"
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
    n, workers = schema.n_rows, work.workers
    wanted = asking_for(half_width, n) if n_queries is None else min(int(n_queries), n)
    rates = _tried(given, wanted)
    loading = n * rates.load_seconds / workers
    read, drawn = (_AROUND + loading + n * each / workers for each in (rates.know_seconds, rates.draw_seconds))
    exactly = Stages(read, _exact_search(given, rates, depth - 1), _AFTER * n)
    limit = ALLOWED if time_limit is None else time_limit
    if n_queries is None:
        room = ((limit - drawn - loading) * workers / n - rates.asked.row) / max(rates.asked.pair, 1e-15)
        wanted = min(n, max(min(FEWEST_ASKING, wanted), min(wanted, int(max(room, 0.0)))))
    asking = n * rates.asked.seconds(wanted) / min(workers, len(schema.source.parts))
    sampled = Stages(drawn, asking + loading, 0.0)
    exact_seconds, sampled_seconds = exactly.seconds, sampled.seconds
    if exact is None and n_queries is not None:
        choice, reason = wanted >= n, "so many rows were asked for"
    elif exact is not None:
        choice, reason = exact, "it was asked for"
    else:
        choice = exact_seconds <= limit or wanted >= n
        reason = f"exact answers take {'less' if choice else 'more'} than the {spoken(limit)} allowed"
        if not choice and limit < _NO_TIME:
            reason = "no time is left for exact answers"
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
        n * (ROW_BYTES + 12 * depth),
        int(wanted * (8 * schema.like.n_columns + 16 * (depth + 1)) + 24 * len(schema.source.parts)),
        rates.load_seconds,
        rates.pairs_per_second,
        exactly if choice else sampled,
        None if besides is None else besides(rates, choice, wanted),
    )


def _tried(given: Fitted, n_asking: int) -> Rates:
    """A trial on some of the rows, where the work will be done."""
    schema, work, rows = given.schema, given.work, n_tried(given.schema.n_rows)
    parts = tuple(schema.source.parts[at] for at in largest_parts(schema.part_rows, rows))
    drawing = drawing_of(schema, shares_of(schema.class_counts, n_asking), 0, given.distance)
    job = (parts, drawing, given.method, work.threads, rows, n_asking)
    found: Rates = next(iter(work.run("measure speed", measure_rates, [job], None, schema.sent)))[1]
    return found


def _exact_search(given: Fitted, rates: Rates, k: int) -> float:
    """What it takes until every row has found its k nearest: rows and pairs by the rates, and rows loaded again."""
    every, workers = given.schema.n_rows, given.work.workers
    n = rates.distinct.among(every)
    cut = best_cut(n, given.schema.like.n_columns, given.together(), workers, k)
    if cut is not None:
        times = cut.order + 1
        rows = n * times / cut.pieces
        each = rows * rates.own.seconds(rows, cut.turns)
        asking = -(-cut.tasks // workers) * each
    else:
        block = min(given.block_rows(), n)
        times = max(1, -(-n // block))
        own = block * rates.own.seconds(block)
        between = block * rates.asked.seconds(block)
        asking = (times * own + times * (times - 1) * between) / min(workers, times**2)
    held = every * given.width <= BLOCKS_KEPT or times == 1
    return asking + (0.0 if held else times * every * rates.load_seconds / workers)


def improved(plan: Plan, seconds: float | None) -> Plan:
    """The plan with its estimate replaced by what the first blocks tell."""
    if seconds is None:
        return plan
    return replace(plan, exact_seconds=seconds) if plan.exact else replace(plan, sampled_seconds=seconds)
