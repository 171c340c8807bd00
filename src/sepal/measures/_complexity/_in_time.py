"""The neighbourhood measures within a time limit: of all rows, or means over samples of them with intervals."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, rows_by_content, sample_by_class
from sepal.measures._complexity._row_measures import RowMeasures
from sepal.progress import Share, silent, stage

_PROBE_ROWS = 1_000
SAMPLES_IN_TIME = 3


def rows_in_time(
    of_rows: Callable[[NDArray[np.intp] | None, Share], RowMeasures],
    table: Table,
    codes: NDArray[np.int32],
    time_limit: float | None,
    rng: np.random.Generator,
    tell: Share,
) -> tuple[list[RowMeasures], dict[str, tuple[float, float]], int | None]:
    """The measures of all rows if there is time, else of samples; intervals from how much the samples differ."""
    n = len(codes)
    if time_limit is None or n <= 2 * _PROBE_ROWS:
        return [of_rows(None, tell)], {}, None
    order = rows_by_content(table, codes)  # where a row stood must not decide whether it is drawn
    started = time.perf_counter()
    probe = of_rows(sample_by_class(order, codes, _PROBE_ROWS, rng), stage(silent, ""))
    took = time.perf_counter() - started
    if took * (n / _PROBE_ROWS) ** 2 <= time_limit:
        return [of_rows(None, tell)], {}, None
    m = int(min(n / SAMPLES_IN_TIME, _PROBE_ROWS * np.sqrt(max(1.0, time_limit / took / SAMPLES_IN_TIME))))
    found = [probe] if m <= _PROBE_ROWS else []
    while len(found) < SAMPLES_IN_TIME:
        found.append(of_rows(sample_by_class(order, codes, m, rng), stage(silent, "")))
        tell(len(found) / SAMPLES_IN_TIME)
    intervals = {}
    for key in found[0].summary():
        each = np.array([one.summary()[key] for one in found])
        half = 4.303 * each.std(ddof=1) / np.sqrt(SAMPLES_IN_TIME)  # Student's t with 2 degrees of freedom
        intervals[key] = (max(0.0, float(each.mean() - half)), min(1.0, float(each.mean() + half)))
    return found, intervals, len(found[-1].codes)


def mean_summary(found: list[RowMeasures], code: int | None) -> dict[str, float]:
    each = [one.summary(code) for one in found]
    return {key: float(np.mean([one[key] for one in each])) for key in each[0]}
