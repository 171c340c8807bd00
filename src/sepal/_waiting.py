"""Work on several threads that can be ended: it is waited for in small steps, and who gives up ends the threads.

Ctrl-C and Cancel of the Explorer raise an exception in the thread that waits. None can arrive there while it is blocked
in a lock, as it is in ``Future.result`` and in ``Executor.map``.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Generic, TypeVar

from sepal.exceptions import out_of_memory

T = TypeVar("T")
S = TypeVar("S")
_STEP = 0.1  # seconds between two moments in which an exception can arrive


class DroppedWorkError(BaseException):
    """Ends work whose result nobody waits for any more; no ``except Exception`` on its way keeps it."""


def each(
    work: Callable[[S], T],
    tasks: Iterable[S],
    threads: int,
    give_up: Callable[[], object] | None = None,
    meanwhile: Callable[[], object] | None = None,
    *,
    end_threads: bool = False,
) -> list[T]:
    """The results in order, some tasks at a time; ``meanwhile`` is called in this thread while others work.

    If one of them fails, or the waiting is interrupted, tasks that have not begun are dropped and ``give_up`` is called
    to end the others. With ``end_threads`` an exception is sent to their threads, which ends them where they run
    Python; native loops do so now and then. Not for work that starts threads of its own: CPython may send it to one
    that has just been born, and whoever started that one waits for it for ever.

    Examples
    --------
    >>> each(abs, [-3, 4], 2)
    [3, 4]
    """
    if threads <= 1:
        return [work(task) for task in tasks]
    endable = _Endable(work)
    with ThreadPoolExecutor(max_workers=threads) as pool:
        try:
            try:
                waiting = [pool.submit(endable.run, task) for task in tasks]
            except RuntimeError as error:  # a thread cannot be started: there is no room for it
                raise out_of_memory() from error
            for future in waiting:
                while wait([future], timeout=_STEP).not_done:
                    if meanwhile is not None:
                        meanwhile()
                future.result()
            return [future.result() for future in waiting]
        except BaseException:
            if end_threads:
                endable.end()
            if give_up is not None:
                give_up()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Endable(Generic[S, T]):
    """Work that can be ended in whatever threads it is."""

    def __init__(self, work: Callable[[S], T]) -> None:
        self._work = work
        self._busy: set[int] = set()
        self._over = False
        self._lock = threading.Lock()

    def run(self, task: S) -> T:
        """Do it; the exception is sent to this thread while it works, and never later."""
        me = threading.get_ident()
        with self._lock:
            if self._over:
                raise DroppedWorkError
            self._busy.add(me)
        try:
            return self._work(task)
        finally:
            with self._lock:
                self._busy.discard(me)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(me), None)  # one that has not arrived

    def end(self) -> None:
        """Send each thread that works one exception; what has not begun does not begin."""
        sent = ctypes.py_object(DroppedWorkError)
        with self._lock:
            self._over = True
            for thread in self._busy:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), sent)
            self._busy.clear()
