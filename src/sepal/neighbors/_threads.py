"""How many threads a search may use."""

from __future__ import annotations

import os

from sepal.parameters import EVERYWHERE


def thread_count(n_jobs: int | None) -> int:
    """Threads to use: all cores for None, and as in scikit-learn -1 for all, -2 for all but one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return cores
    EVERYWHERE["n_jobs"].check(n_jobs)
    # More than 1,024 threads never help; native code counts them in 32 bits.
    return min(int(n_jobs), 1024) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))
