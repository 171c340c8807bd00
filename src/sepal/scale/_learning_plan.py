"""How long learning from a sample takes, told by a trial at two sizes before it is done."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from sepal.auto import SepalClassifier
from sepal.data import PartReading, Table
from sepal.scale._parts import Partition
from sepal.scale._schema import Schema, load_like
from sepal.scale._trial import grown_by
from sepal.scale._work import Workplace

_TRIED = 2_000, 8_000  # rows of the trials
_STEEPEST = 2.0  # all learners compare pairs of rows at the worst
_TRIED_AUTO = (1_000,)  # of SepalClassifier, which is dear: two trials of it tell little of its growth
_AUTO = 0.67  # it takes parts of many rows: what it takes grows so from 1,000 rows to 100,000

Fit = Callable[[Table], object]


def load_some(part: Partition, reading: PartReading, like: Table, complete: bool, n_rows: int) -> Table:
    """Some rows of a partition, evenly spread."""
    table = load_like(part, reading, like, complete)
    return table.take(np.linspace(0, table.n_rows - 1, min(n_rows, table.n_rows)).astype(np.intp))


def rows_to_try(schema: Schema, work: Workplace) -> Table:
    """Rows of the largest partition, as many as the larger trial takes."""
    at = int(np.argmax(schema.part_rows))
    job = (schema.source.parts[at], schema.source.reading, schema.like, schema.missing == "drop", _TRIED[-1])
    found: Table = next(iter(work.run("try rows", load_some, [job], None, schema.sent)))[1]
    return found


def learning_seconds(model: Any, trial: Table, n_rows: int, answered: float = 0.0) -> float | None:
    """What fitting to so many rows takes, and answering this share of them; None where the trial cannot be done.

    The model is cloned. Trials take a tenth of the rows at most, so that they cost little beside the work.
    """
    within = getattr(model, "machine", model)

    def fit(rows: Table) -> None:
        fitted = clone(model).fit(rows)
        if answered:
            fitted.predict(rows.take(np.arange(max(1, round(answered * rows.n_rows)))))

    auto = isinstance(within, SepalClassifier)
    sizes = sorted({min(size, n_rows // 10, trial.n_rows) for size in (_TRIED_AUTO if auto else _TRIED)})
    done: list[int] = []
    seconds: list[float] = []
    for size in sizes:
        rows = trial.take(np.linspace(0, trial.n_rows - 1, max(size, 1)).astype(np.intp))
        if size < 20 or len(np.unique(np.asarray(rows.y))) < 2:
            continue
        try:
            if not done and not auto:
                fit(rows)  # a first call imports and asks for memory, which is no growth
            begin = time.perf_counter()
            fit(rows)
        except ValueError:  # too few rows of a class, for instance: the sample may have enough
            continue
        done.append(size)
        seconds.append(max(time.perf_counter() - begin, 1e-4))
    return extrapolated(done, seconds, n_rows, _AUTO if auto else _STEEPEST)


def extrapolated(sizes: list[int], seconds: list[float], n_rows: int, steepest: float = _STEEPEST) -> float | None:
    """What so many rows take, by the power that two trials grow by; in proportion, or less, where there was one.

    >>> extrapolated([1000, 4000], [0.5, 2.0], 100_000), extrapolated([1000, 4000], [0.5, 1.0], 16_000)
    (50.0, 2.0)
    >>> extrapolated([1000], [0.5], 10_000), extrapolated([1000], [0.5], 16_000, steepest=0.5), extrapolated([], [], 10)
    (5.0, 2.0, None)
    """
    if not sizes:
        return None
    return float(seconds[-1] * (n_rows / sizes[-1]) ** grown_by(sizes, seconds, steepest))
