"""Work in threads that can be cancelled: one long piece at a time with two waiting, and short ones beside it."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

from sepal.progress import Progress, importing

MOST_WAITING = 2
MOST_KEPT = 50  # jobs that are remembered
AGAIN = 0.05  # seconds after which work that did not hear of its end is told again
FIRST_GUESS = 0.5  # seconds before which nobody can say how long it takes

WorkState = Literal["waiting", "running", "done", "failed", "cancelled"]


class CancelledWorkError(BaseException):
    """Ends work in the middle, as Ctrl-C would; no ``except Exception`` on its way keeps it."""


class BusyError(Exception):
    """One piece of work runs and two wait."""


@dataclass(eq=False)
class Work:
    """One question on its way."""

    name: str
    action: str
    ask: Callable[[Progress], Any]
    state: WorkState = "waiting"
    text: str = ""
    share: float = 0.0
    answer: Any = None
    error: Exception | None = None
    started: float | None = None
    ended: float | None = None
    _cancel: bool = False
    _thread: int | None = None  # where it may be interrupted
    _done: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    finished: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Do it in a thread of its own, and wait for that.

        Cancel sends an exception to the thread of the work. It can arrive at any place, the last lines of that thread
        included; the thread that waits here never gets one, and goes on to the next piece of work.
        """
        with self._lock:
            if self._cancel:
                self._end("cancelled")
                return
            self.state, self.started = "running", time.monotonic()
        thread = threading.Thread(target=self._do, daemon=True, name=f"sepal-work {self.action}")
        thread.start()
        thread.join()
        with self._lock:
            self._thread = None
            self._end("done" if self._done else "cancelled" if self._cancel else "failed")

    def _do(self) -> None:
        try:
            try:
                with self._lock:
                    self._thread = threading.get_ident()
                self.answer = self.ask(self._tell)
                self._done = True
            except CancelledWorkError:
                pass  # told by its progress; one more may be on its way to this thread
            except Exception as error:  # what is not foreseen is told, and the server goes on
                self.error = error
            with self._lock:
                self._thread = None
        except CancelledWorkError:
            pass

    def _end(self, state: WorkState) -> None:
        self.state, self.ended = state, time.monotonic()
        self.finished.set()

    def _tell(self, text: str, share: float) -> None:
        if self._cancel:
            raise CancelledWorkError
        self.text, self.share = text, float(share)

    def cancel(self) -> None:
        """Ask it to end; it does where it tells its progress, or wherever its thread runs Python."""
        with self._lock:
            if self.finished.is_set():
                return
            self._cancel = True
            runs = self.started is not None
        if runs:
            threading.Thread(target=self._press, daemon=True).start()

    def _press(self) -> None:
        while not self.finished.wait(AGAIN):
            with self._lock:
                thread = self._thread
                frame = None if thread is None else sys._current_frames().get(thread)
                if thread is None or importing(frame):  # an import may swallow the exception
                    continue
                sent = ctypes.py_object(CancelledWorkError)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), sent)

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        if self.started is None:
            return 0.0
        return (self.ended or time.monotonic()) - self.started

    @property
    def left(self) -> float | None:
        """Seconds it may still take, by the share that is done; None where nobody can say."""
        if self.state != "running" or self.elapsed < FIRST_GUESS or not 0.02 < self.share < 1.0:
            return None
        return self.elapsed * (1.0 - self.share) / self.share


class Workers:
    """The threads, and the work they do."""

    def __init__(self) -> None:
        self.jobs: OrderedDict[str, Work] = OrderedDict()
        self._long = ThreadPoolExecutor(1, thread_name_prefix="sepal-job")
        self._short = ThreadPoolExecutor(2, thread_name_prefix="sepal-ask")
        self._latest: dict[tuple[str, str], Work] = {}
        self._count = 0
        self._lock = threading.Lock()

    def start(self, action: str, channel: str, ask: Callable[[Progress], Any], name: str | None = None) -> Work:
        """Long work; an older one of the same kind is cancelled.

        Whoever names it finds it without having been answered, and may ask for it twice.

        Raises
        ------
        BusyError
            If two others wait already.
        """
        with self._lock:
            if name is not None and name in self.jobs:
                return self.jobs[name]
            self._cancel_older(channel, action)
            alive = [work for work in self.jobs.values() if not work.finished.is_set() and not work._cancel]
            if len(alive) > MOST_WAITING:
                raise BusyError
            self._count += 1
            work = Work(name or f"j{self._count}", action, ask)
            self.jobs[work.name] = self._latest[channel, action] = work
            while len(self.jobs) > MOST_KEPT:
                self.jobs.popitem(last=False)
        self._long.submit(work.run)
        return work

    def ask(self, action: str, channel: str, ask: Callable[[Progress], Any]) -> tuple[Work, Future[None]]:
        """Short work; an older one of the same kind is cancelled."""
        with self._lock:
            self._cancel_older(channel, action)
            work = Work("", action, ask)
            self._latest[channel, action] = work
        return work, self._short.submit(work.run)

    def _cancel_older(self, channel: str, action: str) -> None:
        older = self._latest.get((channel, action))
        if older is not None:
            older.cancel()

    def close(self) -> None:
        """Cancel everything."""
        for work in [*self.jobs.values(), *self._latest.values()]:
            work.cancel()
        self._long.shutdown(wait=False, cancel_futures=True)
        self._short.shutdown(wait=False, cancel_futures=True)
