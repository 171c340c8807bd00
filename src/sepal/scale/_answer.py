"""Thornton's index of rows in partitions: a plan, then the exact or the sampled answer, and the time it took."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from sepal.data import Missing, ScaleName
from sepal.exceptions import ParameterError
from sepal.measures import ThorntonTest, thornton_test
from sepal.neighbors import KEPT_INDEXES, Method, PartSearch, recall_said
from sepal.parameters import RandomState, checked, generator
from sepal.progress import Progress, silent, stage
from sepal.scale._blocks import cut_blocks
from sepal.scale._clock import ASKING, SearchClock
from sepal.scale._drawing import Drawn, draw_rows, shares_of
from sepal.scale._parameters import PARTITION_PARAMETERS
from sepal.scale._planning import HALF_WIDTH, Plan, improved, make_plan
from sepal.scale._prepare import WORKER_BLOCK_BYTES, Fitted, fit_parts, forget_blocks, prepare_blocks
from sepal.scale._recall import recall_notes
from sepal.scale._sampled import SampleAsked, ask_sample, sampled_test
from sepal.scale._sources import partitioned
from sepal.scale._work import place_of_work


@dataclass(frozen=True, eq=False)
class PartitionsMeasure:
    """Thornton's index of rows in partitions, and how it was found.

    Attributes
    ----------
    thornton : ThorntonTest
        The same result as of one table. Exact: with z, p and the interval for further rows. From a sample: with the
        interval for the index of all rows.
    exact : bool
        Whether all rows asked, and all neighbours were found.
    recall : float or None
        Share of the neighbours that an approximate search found.
    rows_seen : int
        Rows that asked; each of them asked all rows.
    plan : Plan
        As it was made before the work, and ``improved`` from its first blocks.
    improved : Plan
    seconds : float
        What it took, the pass over the columns included.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "0.csv").write_text("a,class\\n1,x\\n2,x\\n7,y\\n8,y\\n")
    ...     measure_partitions(folder).rows_seen
    4
    """

    thornton: ThorntonTest
    exact: bool
    rows_seen: int
    plan: Plan
    improved: Plan
    seconds: float

    @property
    def interval(self) -> tuple[float, float]:
        """Of the index."""
        return self.thornton.interval

    @property
    def recall(self) -> float | None:
        """Share of the neighbours that were found where they were searched approximately; else None."""
        return self.thornton.recall

    @property
    def how(self) -> str:
        """Who asked whom."""
        seen, n = self.rows_seen, self.thornton.n_rows
        said = f"all {seen:,} rows asked all others" if seen == n else f"{seen:,} of {n:,} rows asked all rows"
        return f"{'exact' if self.exact else 'from a sample' if seen < n else 'not exact'}: {said}"

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"Thornton's index {self.thornton.score:.4f} ({self.thornton.confidence:.0%} interval {low:.4f} to "
            f"{high:.4f}), chance {self.thornton.chance:.4f}; {self.how}{recall_said(self.thornton.notes)}"
        )

    __repr__ = __str__


@checked(*PARTITION_PARAMETERS)
def measure_partitions(
    source: Any,
    y: Any = None,
    *,
    target: str | int | None = None,
    distance: str = "auto",
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    method: Method = "auto",
    exact: bool | None = None,
    n_queries: int | None = None,
    time_limit: float | None = None,
    half_width: float = HALF_WIDTH,
    confidence: float = 0.95,
    random_state: RandomState = 0,
    client: Any = None,
    cluster: str | None = None,
    workers: int | None = None,
    n_jobs: int | None = None,
    say: Callable[[Plan], object] | None = None,
    progress: Progress | None = None,
) -> PartitionsMeasure:
    """Thornton's index of rows in partitions: exact where that is done in time, else from a sample with an interval.

    Parameters
    ----------
    source, y, target
        As in :func:`partitioned`.
    distance, scale, missing, method
        As in :func:`prepare_partitions`.
    exact : bool, optional
        True: whatever it takes. False: from a sample. By default exact if that takes no longer than ``time_limit``.
    n_queries : int, optional
        Rows in the sample that asks.
    time_limit : float, optional
        Seconds; 120 by default. Decides between both, and how large the sample is; it ends nothing.
    half_width : float
        The sample is as large as an interval needs that reaches so far to either side, or as time allows.
    confidence : float
        Of the interval.
    random_state : int, Generator or None
        For the sample.
    client, cluster, workers
        A ``distributed.Client``, the address of a scheduler, or a number of worker processes to start here. By default
        the active client, else this process.
    n_jobs : int, optional
        Threads, where the work is done here.
    say : callable, optional
        Called with the plan before the work.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.

    Returns
    -------
    PartitionsMeasure

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for i in range(2):
    ...         _ = Path(folder, f"{i}.csv").write_text("a,class\\n1,x\\n2,x\\n7,y\\n8,y\\n")
    ...     found = measure_partitions(folder)
    >>> found.exact, found.thornton.score
    (True, 1.0)
    """
    if exact and n_queries is not None:
        raise ParameterError("exact answers let every row ask; leave out n_queries")
    given, say_progress = partitioned(source, y, target=target), progress or silent
    with place_of_work(client, cluster, workers, n_jobs) as work:
        begin = time.perf_counter()
        fitted = fit_parts(
            given, work, distance=distance, scale=scale, missing=missing, method=method, progress=say_progress
        )
        plan = make_plan(fitted, exact=exact, n_queries=n_queries, time_limit=time_limit, half_width=half_width)
        if say is not None:
            say(plan)
        found = carried_out(fitted, plan, confidence, random_state, begin, say_progress)[0]
    KEPT_INDEXES.forget()
    return found


def carried_out(
    fitted: Fitted,
    plan: Plan,
    confidence: float,
    random_state: RandomState,
    begin: float,
    progress: Progress,
    drawn: Drawn | None = None,
    depth: int = 1,
) -> tuple[PartitionsMeasure, SampleAsked | None]:
    """Do what the plan says; the work began at ``begin``. ``drawn`` are rows that are drawn already.

    What a sample found comes, too, ``depth`` neighbours at least.
    """
    clock, asked = SearchClock(progress, plan.stages), None
    if plan.exact:
        ready = prepare_blocks(fitted, progress=clock.tell)
        found = thornton_test(ready, confidence=confidence, progress=clock.tell)
        forget_blocks(ready)
    else:
        found, asked = ask_partitions(fitted, plan.n_asking, confidence, random_state, clock.tell, drawn, depth)
    better = improved(plan, clock.total)
    exact = plan.exact and found.recall is None
    return PartitionsMeasure(found, exact, found.n_queries, plan, better, time.perf_counter() - begin), asked


def ask_partitions(
    fitted: Fitted,
    n_asking: int,
    confidence: float,
    random_state: RandomState,
    progress: Progress | None,
    drawn: Drawn | None = None,
    depth: int = 1,
) -> tuple[ThorntonTest, SampleAsked]:
    """Thornton's index from a stratified sample of rows that ask all rows, and the neighbours they found."""
    schema, work = fitted.schema, fitted.work
    if drawn is None:
        seed = int(generator(random_state).integers(2**63))
        drawn = draw_rows(schema, work, n_asking, seed, fitted.distance, stage(progress, "drawing rows"))
    else:
        drawn = drawn.first(shares_of(schema.class_counts, min(n_asking, schema.n_rows)))
    assert drawn.extent is not None  # noqa: S101 - a distance was given
    search = PartSearch.of(fitted.distance, drawn.extent, fitted.method)
    rows = max(1_000, WORKER_BLOCK_BYTES // (8 * schema.like.n_columns))
    blocks = cut_blocks(schema, rows, uuid4().hex[:12])
    listed = ask_sample(schema, search, blocks, drawn, depth, work, stage(progress, ASKING))
    notes = (*schema.notes, *fitted.distance.notes, *recall_notes(schema, work, search, blocks, drawn))
    test = sampled_test(schema, search, listed, drawn, confidence, notes)
    return test, SampleAsked(search, blocks, drawn, listed, notes)
