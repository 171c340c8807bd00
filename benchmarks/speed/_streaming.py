"""Compiles streaming.c for this processor and runs it on all cores."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@cache
def _library() -> ctypes.CDLL:
    path = Path(tempfile.mkdtemp()) / "streaming.so"
    flags = ["-O3", "-march=native", "-fopenmp-simd", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno"]
    source = Path(__file__).with_name("streaming.c")
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, *flags, "-shared", "-fPIC", str(source), "-o", str(path)], check=True)
    return ctypes.CDLL(str(path))


def stream(
    columns: NDArray[np.floating],
    rows: NDArray[np.bool_],
    depth: NDArray[np.int32],
    column: NDArray[np.int32],
    threads: int,
) -> NDArray[np.float64]:
    """Per step the squared distances of all rows to their nearest, added up. What is no row is infinitely far."""
    run = _library().stream_float if columns.dtype == np.float32 else _library().stream_double
    n = columns.shape[1]
    queries = np.flatnonzero(rows)
    start = np.where(rows, 0, np.inf).astype(columns.dtype)
    cuts = np.linspace(0, len(queries), threads + 1).astype(int)
    nearest = np.zeros((threads, len(depth)))
    sums = np.zeros((threads, int(depth.max()) + 1, n), dtype=columns.dtype)

    def part(i: int) -> None:
        run(
            columns.ctypes, start.ctypes, ctypes.c_long(n), depth.ctypes, column.ctypes, ctypes.c_long(len(depth)),
            queries.ctypes, ctypes.c_long(cuts[i]), ctypes.c_long(cuts[i + 1]), sums[i].ctypes, nearest[i].ctypes,
        )  # fmt: skip

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(part, range(threads)))
    return nearest.sum(axis=0)
