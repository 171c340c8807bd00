"""How many threads work may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from sepal.parameters import EVERYWHERE

_by_default: list[int] = []  # the last one counts


@contextmanager
def threads_by_default(n_jobs: int | None) -> Iterator[None]:
    """Within this, ``n_jobs=None`` stands for so many threads in all of this process; None changes nothing.

    Examples
    --------
    >>> with threads_by_default(1):
    ...     thread_count(None), thread_count(2)
    (1, 2)
    """
    if n_jobs is None:
        yield
        return
    _by_default.append(thread_count(n_jobs))
    try:
        yield
    finally:
        _by_default.pop()


def thread_count(n_jobs: int | None) -> int:
    """Threads to use: all cores for None, and as in scikit-learn -1 for all, -2 for all but one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return _by_default[-1] if _by_default else cores
    EVERYWHERE["n_jobs"].check(n_jobs)
    # More than 1,024 threads never help; native code counts them in 32 bits.
    return min(int(n_jobs), 1024) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))
