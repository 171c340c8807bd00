"""What a report of rows in partitions does besides its index, and how long that takes: part of the plan."""

from __future__ import annotations

import time

import numpy as np

from sepal.scale import Fitted, PlanStep, Rates, adding_step

# Seconds of the work on a sample: some, and for each row, and for each of its cells. The report's were measured at
# 5,000 and 20,000 rows of 4 to 50 columns on two cores, where a fixed piece of work takes PACE seconds: a slower
# machine, or one with much else to do, takes more for both.
PACE = 0.013
OF_REPORT = 1.45, 2e-5, 5e-6
OF_MEASURES = 0.05, 2.5e-5, 3e-7
ASKED_OF_ALL = 2_000  # rows that are judged by all, where the index is exact
MOST_ANGLE_COLUMNS = 100  # of a table whose angle is that of all rows


def slowness() -> float:
    """How many times slower this machine is now than the one where times were measured.

    A faster one gains less on the rest than on this piece, which fits into its caches: the root is taken.
    """
    numbers = ((np.arange(200_000) * 7919) % 200_003).astype(np.float64)

    def once() -> float:
        begin = time.perf_counter()
        np.sort(numbers)
        sum(at * at for at in range(100_000))
        return time.perf_counter() - begin

    found = float(np.median([once() for _ in range(5)])) / PACE
    return found if found > 1 else found**0.5


def sample_seconds(n_rows: int, n_columns: int, in_full: bool) -> float:
    """Of the sections, or of the measures, of a sample.

    >>> sample_seconds(20_000, 20, in_full=True), sample_seconds(20_000, 20, in_full=False)
    (3.85, 0.67)
    """
    once, row, cell = OF_REPORT if in_full else OF_MEASURES
    return round(once + n_rows * (row + cell * n_columns), 3)


def besides(given: Fitted, rates: Rates, exact: bool, n_asking: int, together: int, in_full: bool) -> PlanStep:
    """Rows drawn where nobody else draws them, the sections of the sample, and passes for the angle and the suspects.

    Of rows that ask, a half is taken to have a neighbour that contradicts it and asks in turn.
    """
    schema, work = given.schema, given.work
    n, p, workers = schema.n_rows, schema.like.n_columns, work.workers
    sampled = min(n, together)
    seconds = slowness() * sample_seconds(sampled, p, in_full)
    few, loading = n <= together, n * rates.load_seconds / workers
    if not few and exact:
        seconds += schema.seconds
    if in_full and not few:
        if p <= MOST_ANGLE_COLUMNS and not schema.n_rows_with_missing:
            seconds += adding_step(schema, work, "").seconds or 0.0
        asking = ASKED_OF_ALL if exact else n_asking

        def asked(rows: float) -> float:
            return loading + n * rates.asked.seconds(rows) / workers

        seconds += (asked(asking) if exact else 0.0) + loading + asked(asking / 2)
    what = "the report" if in_full else "the measures"
    whose = f"all {n:,} rows" if sampled == n else f"a sample of {sampled:,} rows"
    return PlanStep(f"{what} of {whose}{', with its passes over all' if in_full and not few else ''}", seconds)
