"""Linear algebra on one thread per task: small problems are faster so, and no sum depends on the number of cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

T = TypeVar("T")
S = TypeVar("S")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def _patient(future: Future[T]) -> T:
    """The result, waited for in steps of 0.1 s: an exception sent by another thread is raised between them."""
    while not future.done():
        wait([future], timeout=0.1)
    return future.result()


def one_thread() -> Any:
    """A context in which BLAS does not start threads of its own."""
    return _controller().limit(limits=1, user_api="blas")


def each(
    work: Callable[[S], T], tasks: Iterable[S], threads: int, give_up: Callable[[], object] | None = None
) -> list[T]:
    """The results in order, some tasks at a time.

    If one of them fails, or the waiting is interrupted, tasks that have not begun are dropped and ``give_up`` is called
    to end the others.
    """
    if threads <= 1:
        return [work(task) for task in tasks]
    with ThreadPoolExecutor(max_workers=threads) as pool:
        waiting = [pool.submit(work, task) for task in tasks]
        try:
            return [_patient(future) for future in waiting]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            if give_up is not None:
                give_up()
            raise
