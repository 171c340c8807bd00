"""How many threads linear algebra may start while a report is made."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sepal.data import Table
from sepal.progress import Progress

THREADED_CELLS = 2_000_000  # of a table; below, decompositions are done before a second thread has started


def few_threads(table: Table) -> AbstractContextManager[Any]:
    """One thread for small tables: more only wait for each other, a hundred times longer where cores are busy."""
    if table.values.size > THREADED_CELLS:
        return nullcontext()
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    limited: AbstractContextManager[Any] = threadpool_limits(limits=1, user_api="blas")
    return limited


def on_few_threads(section: Callable[[Progress], Any], table: Table, tick: Progress) -> Any:
    """What a section of a report gives, on one thread where the table is small."""
    with few_threads(table):
        return section(tick)
