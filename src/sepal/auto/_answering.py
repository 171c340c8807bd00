"""Answers for many new rows: block by block, so that memory is bounded and Ctrl-C is heard."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.auto._average import Average
from sepal.data import Table
from sepal.neighbors import thread_count

_BLOCK_ROWS = 16_384
_FEW_ROWS = 64  # answered before threads would have started


def answers_in_blocks(average: Average, table: Table, n_jobs: int | None) -> NDArray[np.float64]:
    """Probabilities, or numbers, one line per row."""
    threads = 1 if table.n_rows <= _FEW_ROWS else thread_count(n_jobs)
    if table.n_rows <= _BLOCK_ROWS:
        return average.answers(table, threads)
    starts = range(0, table.n_rows, _BLOCK_ROWS)
    blocks = [np.arange(start, min(start + _BLOCK_ROWS, table.n_rows)) for start in starts]
    return np.concatenate([average.answers(table.take(rows), threads) for rows in blocks])
