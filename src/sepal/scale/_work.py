"""Where the work is done: on a Dask cluster that is there, or here, one task after the other.

There is no cluster of our own: an active ``distributed.Client`` is used, or one that is asked for by address or by a
number of workers. Tasks carry how their data are loaded and never the data, so that any of them may be done again.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from logging import CRITICAL
from multiprocessing import resource_tracker
from queue import Empty, SimpleQueue
from typing import Any, Protocol
from uuid import uuid4

from sepal.exceptions import ClusterError, MissingDependencyError
from sepal.neighbors import thread_count
from sepal.progress import Share
from sepal.scale._pieces import Piece, answer_in_pieces, put_together
from sepal.scale._sending import RETRIES, Sending

_PATIENCE = 20.0  # seconds without a scheduler after which it counts as gone
_POLL = 0.5
_GREETING = 10.0  # seconds in which a scheduler must answer at first
_BETWEEN, _ANSWER = 5.0, 8.0  # seconds between questions to the scheduler while one waits, and to answer them
_FETCH = 15.0  # seconds in which a result that is ready should be here; it is fetched again after them
_NO_WORKERS = 120.0  # seconds without any worker after which none is waited for
_NO_TASK = 1800.0  # seconds without a task that ends: tasks are made to take some seconds


class Workplace(Protocol):
    """What runs tasks."""

    @property
    def workers(self) -> int:
        """Tasks that may run at a time."""

    @property
    def threads(self) -> int:
        """Of a task."""

    def run(
        self,
        name: str,
        task: Callable[..., Any],
        jobs: Sequence[tuple[Any, ...]],
        progress: Share | None = None,
        most: int | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Do all jobs; yields the place of each and its result, in the order they are done.

        What jobs are given and what they give travels in pieces where it has more than ``most`` bytes.
        """


@dataclass(frozen=True)
class Here:
    """Our own process: one job after the other, each with all threads."""

    threads: int
    workers: int = 1

    def run(
        self,
        name: str,
        task: Callable[..., Any],
        jobs: Sequence[tuple[Any, ...]],
        progress: Share | None = None,
        most: int | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Do the jobs in order; nothing is loaded before it is needed."""
        for at, job in enumerate(jobs):
            yield at, task(*job)
            if progress is not None:
                progress((at + 1) / len(jobs))


def told_within(work: Workplace, progress: Share | None, n_jobs: int) -> list[Share | None]:
    """What each of some jobs may tell while it is done: here how far all are, elsewhere nothing."""
    if progress is None or not isinstance(work, Here):
        return [None] * n_jobs
    listener = progress

    def job(at: int) -> Share:
        return lambda share: listener((at + share) / n_jobs)

    return [job(at) for at in range(n_jobs)]


@dataclass(frozen=True)
class OnCluster:
    """A Dask cluster. Few tasks more than there are threads are under way, so that results do not pile up."""

    client: Any
    workers: int
    threads: int = 1

    def run(
        self,
        name: str,
        task: Callable[..., Any],
        jobs: Sequence[tuple[Any, ...]],
        progress: Share | None = None,
        most: int | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Do the jobs on the workers; what is left over when it ends early is cancelled, and nothing else."""
        from distributed.comm.core import CommClosedError

        token, waiting, done = uuid4().hex[:8], {}, 0
        sending = Sending(self.client, token, most)
        finished: SimpleQueue[Any] = SimpleQueue()
        queue = iter(enumerate(jobs))
        try:
            while True:
                for at, job in queue:
                    key = f"{name.replace(' ', '-')}-{token}-{at}"
                    future = self._submitted(key, sending.call(task, job), most)
                    waiting[future.key] = (at, future)
                    future.add_done_callback(finished.put)
                    if len(waiting) >= 2 * max(1, self.workers):
                        break
                if not waiting:
                    return
                at, future = waiting[self._next_done(finished, name).key]
                result = self._result(future, name)
                del waiting[future.key]
                if isinstance(result, Piece):
                    result = self._whole(result, future, sending.call(task, jobs[at]), most or 0, name)
                future.release()
                done += 1
                yield at, result
                if progress is not None:
                    progress(done / len(jobs))
        except (CommClosedError, ConnectionError) as error:
            raise _gone(name) from error
        except SchedulerGoneError:
            waiting.clear()  # no scheduler is left that could cancel them
            sending.forget()
            raise
        finally:
            left = [*(future for _, future in waiting.values()), *sending.futures]
            if left and self.client.status == "running":
                self.client.cancel(left, force=True)

    def _submitted(self, key: str, call: tuple[Any, ...], most: int | None) -> Any:
        how = {"key": key, "pure": False, "retries": RETRIES}
        if most is None:
            return self.client.submit(*call, **how)
        return self.client.submit(answer_in_pieces, key, 0, most, *call, **how)

    def _whole(self, first: Piece, done: Any, call: tuple[Any, ...], most: int, name: str) -> Any:
        """A large answer; its other pieces are asked for where the first one is, one after the other."""
        where = [each for some in self.client.who_has([done]).values() for each in some]

        def fetch(at: int) -> Any:
            how: dict[str, Any] = {"workers": where, "allow_other_workers": True} if where else {}
            what = (answer_in_pieces, done.key, at, most, *call)
            how |= {"key": f"{done.key}-{at}", "pure": False, "retries": RETRIES, "priority": 1}  # before other tasks
            future = self.client.submit(*what, **how)
            try:
                return self._result(future, name)
            finally:
                future.release()

        return put_together(first, fetch, name)

    def _next_done(self, finished: SimpleQueue[Any], name: str) -> Any:
        """Wait for a task, as long as there is a scheduler that answers; Ctrl-C is heard meanwhile."""
        watch = _Watch(self.client, name)
        while True:
            try:
                return finished.get(timeout=_POLL)
            except Empty:
                watch.look()

    def _result(self, future: Any, name: str) -> Any:
        """What a task gave; if its worker was lost with it, it is done again, which may take until one has come."""
        import distributed

        watch = _Watch(self.client, name)
        while True:
            watch.look()
            try:
                return future.result(timeout=_FETCH)
            except distributed.scheduler.KilledWorker as error:
                raise ClusterError(
                    f"{name}: the worker of one task was lost again and again: {error}",
                    hint="workers may need more memory, or smaller partitions",
                ) from error
            except distributed.CancelledError as error:
                if self.client.status != "running":
                    raise _gone(name) from error
                if future.status != "lost":  # what was lost with its worker is done again
                    raise ClusterError(f"{name}: its tasks were cancelled on the cluster") from error
                time.sleep(_POLL)
            except (distributed.TimeoutError, TimeoutError):
                watch.doubt()


class _Watch:
    """Checks during a wait that scheduler and workers still respond, so that every wait has an end."""

    def __init__(self, client: Any, name: str) -> None:
        self._client, self._name = client, name
        now = time.monotonic()
        self._begin = self._running = self._manned = self._asked = now
        self._silent = 0  # questions in a row that the scheduler left open

    def look(self) -> None:
        """Raise where the scheduler is gone, no worker is left, or no task ends."""
        now = time.monotonic()
        if self._client.status == "running":
            self._running = now
        elif self._client.status in ("closed", "closing") or now - self._running > _PATIENCE:
            raise _gone(self._name)
        if self._client.status == "running" and now - self._asked > _BETWEEN:
            self._ask()
        if now - self._begin > _NO_TASK:
            raise ClusterError(
                f"{self._name}: no task has ended for {_NO_TASK / 60:.0f} minutes",
                hint="a worker may hang: look at the dashboard of the cluster; or make partitions smaller",
            )

    def doubt(self) -> None:
        """Something took longer than it should: the next look asks at once, and one open question is enough."""
        self._silent, self._asked = max(self._silent, 1), float("-inf")

    def _ask(self) -> None:
        """Whether the scheduler answers, and has workers. Twice in a row without an answer counts."""
        try:
            workers = self._client.sync(self._client.scheduler.identity, callback_timeout=_ANSWER)["workers"]
        except (TimeoutError, OSError) as error:
            self._silent += 1
            if self._silent > 1:
                raise _gone(self._name) from error
            return
        self._silent, self._asked = 0, time.monotonic()
        if workers:
            self._manned = self._asked
        elif self._asked - self._manned > _NO_WORKERS:
            raise ClusterError(f"{self._name}: the cluster has lost all its workers, and none has come since")


class SchedulerGoneError(ClusterError):
    """The scheduler does not answer."""


def _gone(name: str) -> SchedulerGoneError:
    return SchedulerGoneError(
        f"{name}: the scheduler of the cluster does not answer any more; nothing was written",
        hint="start the cluster again and repeat the call",
    )


def active_client() -> Any | None:
    """The Dask client of this process, if there is one; nothing is imported to find out."""
    if "distributed" not in sys.modules:
        return None
    distributed: Any = import_module("distributed")
    try:
        return distributed.default_client()
    except ValueError:
        return None


def on_client(client: Any) -> OnCluster:
    """The workers of a client."""
    try:
        threads = sum(client.nthreads().values())
    except OSError as error:
        raise _gone("looking for workers") from error
    if not threads:
        raise ClusterError("the cluster has no workers", hint="start workers, or wait until they have come")
    return OnCluster(client, threads)


@contextmanager
def place_of_work(
    client: Any = None, cluster: str | None = None, workers: int | None = None, n_jobs: int | None = None
) -> Iterator[Workplace]:
    """Where to work: a client, an address, a local cluster of so many workers, the active client, or here."""
    if client is None and cluster is None and workers is None:
        found = active_client()
        yield Here(thread_count(n_jobs)) if found is None else on_client(found)
        return
    if client is not None:
        yield on_client(client)
        return
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise MissingDependencyError(
            "work on a cluster needs dask and distributed, which are not installed",
            hint="pip install sepal-learn[scale]",
        ) from error
    if cluster is not None:
        try:
            own = distributed.Client(cluster, timeout=_GREETING, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(f"no scheduler answers at {cluster}", hint="is it tcp://host:8786?") from error
        with own:
            yield on_client(own)
        return
    with _local_cluster(workers) as local, distributed.Client(local, set_as_default=False) as own:
        yield on_client(own)


def _local_cluster(workers: int | None) -> Any:
    """Processes on this machine. Who is interrupted while they start waits until they have, and ends them.

    A cluster that is left half started cannot be closed, and complains about it when the program ends. Ctrl-C in a
    terminal goes to all processes: the workers are deaf to it, and end when they are told to or this one is gone.
    """
    import distributed

    how: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    how["silence_logs"] = CRITICAL  # what goes wrong is an error of ours, and a worker that ends has nothing to say
    with ThreadPoolExecutor(1, initializer=_hear_no_interrupt) as starter:
        starting = starter.submit(distributed.LocalCluster, **how, dashboard_address="127.0.0.1:0")
        try:
            return starting.result()
        except KeyboardInterrupt:
            starting.result().close()
            raise
        except (RuntimeError, OSError) as error:
            raise ClusterError(f"the workers did not start: {error}") from error


def _hear_no_interrupt() -> None:
    """Threads and processes that this thread starts inherit it; the main thread hears on."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # where it is started by the first process, it lets signals through again
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
