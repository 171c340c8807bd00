"""How much memory the client holds, measured in a process that does nothing else: no thread or collector has a say."""

from __future__ import annotations

import gc
import multiprocessing
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import sepal
from sepal.scale import Partitioned, ask_partitions, fit_parts, prepare_blocks

SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Away:
    """Another process does one task after the other: what is held in this one is the client's."""

    pool: ProcessPoolExecutor
    workers: int = 2
    threads: int = 1

    def run(self, name, task, jobs, progress=None, most=None):
        for at, job in enumerate(jobs):
            yield at, self.pool.submit(task, *job).result()


def columns(source, away, missing):
    return fit_parts(source, away, missing=missing)


def asked(source, away, missing):
    return ask_partitions(fit_parts(source, away, missing=missing), 100, 0.95, 0, None)


def exact(source, away, missing):
    return sepal.thornton_test(prepare_blocks(fit_parts(source, away, missing=missing)))


QUESTIONS = {"columns": columns, "asked": asked, "exact": exact}


def peaks(sources: dict[int, Partitioned], question: str, missing: str) -> dict[int, int]:
    """The most bytes held at once for each of some sources; run it in a process of its own."""
    found = {}
    with ProcessPoolExecutor(1, SPAWN) as pool:
        away = Away(pool)
        QUESTIONS[question](next(iter(sources.values())), away, missing)  # what is made once is made now
        for n, source in sources.items():
            gc.collect()
            gc.disable()
            tracemalloc.start()
            QUESTIONS[question](source, away, missing)
            found[n] = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            gc.enable()
    return found
