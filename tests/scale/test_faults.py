"""Workers that are killed, a scheduler that is gone, an interrupt: right answers, or clear errors, and no more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from operator import getitem, methodcaller

import distributed
import numpy as np
import pytest
from typer.testing import CliRunner

import sepal
from sepal.cli._app import app
from sepal.cli._predict_parts import PartWriter
from sepal.exceptions import ClusterError
from sepal.scale import _work, fit_parts, partitioned, place_of_work, prepare_blocks, prepare_partitions
from tests.scale.conftest import local_cluster
from tests.scale.frames import frame


def test_a_worker_killed_twice_changes_nothing(cut):
    """A result that was lost with its worker was taken for a scheduler that is gone."""
    table = frame("whole")
    whole = sepal.prepare(table.drop(columns="class"), table["class"])
    killed: list[int] = []
    with local_cluster() as cluster, distributed.Client(cluster, set_as_default=False) as client:

        def kill(share: float) -> None:
            if (share >= 0.4 and not killed) or (share >= 0.6 and len(killed) == 1):
                client.wait_for_workers(2, timeout=120)  # the second falls when the first has been replaced
                killed.append(next(pid for pid in client.run(os.getpid).values() if pid not in killed))
                os.kill(killed[-1], signal.SIGKILL)

        with place_of_work(client=client) as work:
            given = fit_parts(partitioned(cut(table, [90] * 10)), work)
            ready = prepare_blocks(given, rows_in_block=90)
            found = ready.search.distinct_ranking(3, progress=kill)
    wanted = whole.search.distinct_ranking(3)
    assert len(killed) == 2
    assert np.array_equal(found.entries.number, wanted.entries.number)
    assert np.array_equal(found.distances, wanted.distances)


def test_what_was_sent_in_pieces_is_sent_again_where_it_was_lost():
    """40,000 bytes in pieces of 4,000, to workers of which one is killed after the first answer."""
    numbers, killed = np.arange(5_000.0), []
    with local_cluster() as cluster, distributed.Client(cluster, set_as_default=False) as client:

        def kill(share: float) -> None:
            if not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        with place_of_work(client=client) as work:
            found = dict(work.run("pick", getitem, [(numbers, at) for at in range(40)], kill, 4_000))
    assert killed
    assert found == {at: float(at) for at in range(40)}


def _serve(*words: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
def test_a_scheduler_that_is_gone_is_told_within_half_a_minute(end, tmp_path, monkeypatch):
    """A wait for a scheduler that stands still had no end: its process may have ended, or only answer no more."""
    monkeypatch.setattr("sepal.scale._work._ANSWER", 2.0)
    monkeypatch.setattr("sepal.scale._work._BETWEEN", 1.0)
    note = tmp_path / "scheduler.json"
    places = ["--scheduler-file", str(note), "--host", "127.0.0.1"]
    scheduler = _serve("distributed.cli.dask_scheduler", *places, "--port", "0", "--no-dashboard")
    worker = _serve("distributed.cli.dask_worker", *places, "--no-nanny", "--no-dashboard", "--nthreads", "1")
    try:
        with distributed.Client(scheduler_file=str(note), set_as_default=False, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
            with place_of_work(client=client) as work:
                naps = work.run("wait", time.sleep, [(0.1,), (600.0,), (600.0,)])  # none of which ends by itself
                next(naps)
                scheduler.send_signal(end)
                begin = time.monotonic()
                with pytest.raises(ClusterError, match="does not answer any more"):
                    next(naps)
            assert time.monotonic() - begin < 30
            scheduler.send_signal(signal.SIGCONT)  # so that the client can say good-bye
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


def test_a_scheduler_lost_while_answers_are_written_leaves_no_half_a_file(cut, tmp_path, monkeypatch):
    """It ends after the first of eight partitions is written: one sentence, and the file is as it was."""
    for name, seconds in {"_ANSWER": 2.0, "_BETWEEN": 1.0, "_PATIENCE": 3.0}.items():
        monkeypatch.setattr(f"sepal.scale._work.{name}", seconds)
    table, model, out = frame("real", 400), tmp_path / "model.sepal", tmp_path / "out.csv"
    sepal.save_model(sepal.KNNClassifier(1).fit(table.drop(columns="class"), table["class"]), model)
    pattern, written = cut(table.drop(columns="class"), [50] * 8), []
    out.write_text("as it was")
    lines = PartWriter.lines
    note = tmp_path / "scheduler.json"
    places = ["--scheduler-file", str(note), "--host", "127.0.0.1"]
    scheduler = _serve("distributed.cli.dask_scheduler", *places, "--port", "0", "--no-dashboard")
    worker = _serve("distributed.cli.dask_worker", *places, "--no-nanny", "--no-dashboard", "--nthreads", "1")

    def ended(self, found):
        for text in lines(self, found):
            yield text
            if not written:
                written.append(text)
                scheduler.kill()
                scheduler.wait()

    monkeypatch.setattr(PartWriter, "tried", lambda self, some: None)
    monkeypatch.setattr(PartWriter, "lines", ended)
    try:
        with distributed.Client(scheduler_file=str(note), set_as_default=False, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
            address = client.scheduler.address
        words = ["predict", str(model), pattern, "-o", str(out), "--cluster", address]
        said = CliRunner().invoke(app, words)
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()
    assert written[0].count("\n") == 51
    assert said.exit_code == 2
    assert "the scheduler of the cluster does not answer any more; nothing was written" in said.stderr
    assert "Traceback" not in said.stderr
    assert out.read_text() == "as it was"
    assert not list(tmp_path.glob(".sepal-*"))


def test_no_wait_for_a_scheduler_is_longer_than_half_a_minute():
    """By the waits as they are: the test above shortens them."""
    assert _work._BETWEEN + 2 * (_work._POLL + _work._ANSWER) < 30
    assert _work._FETCH + _work._POLL + _work._ANSWER < 30
    assert _work._PATIENCE + _work._POLL < 30


def _unfinished(dask_scheduler) -> list[str]:
    return [str(key) for key, task in dask_scheduler.tasks.items() if task.state not in ("memory", "forgotten")]


def test_an_interrupt_cancels_the_tasks_of_this_work_only(cut, client):
    """Somebody else works on the same cluster meanwhile, and is in the midst of it: the answer is the right one."""
    table = frame("whole")
    pattern, whole = cut(table, [90] * 10), sepal.prepare(table.drop(columns="class"), table["class"])
    begun, interrupted = threading.Event(), threading.Event()
    now, later = (distributed.Event(name, client) for name in ("now", "later"))
    now.set()

    def pause(text: str, share: float) -> None:
        if text == "reading rows" and 0 < share < 1:
            begun.set()
            interrupted.wait()

    def theirs() -> sepal.measures.ThorntonTest:
        with distributed.Client(client.scheduler.address, set_as_default=False) as other:
            return sepal.thornton_test(prepare_partitions(pattern, client=other, block_rows=90, progress=pause))

    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as somebody:
        answer = somebody.submit(theirs)
        begun.wait()
        try:
            with place_of_work(client=client) as work, pytest.raises(KeyboardInterrupt):
                for _ in work.run("my naps", methodcaller("wait"), [(now,)] + [(later,)] * 8, interrupt):
                    pass
            while any("my-naps" in key for key in client.run_on_scheduler(_unfinished)):
                time.sleep(0.05)  # they wait for what comes below: nothing but the interrupt can end them
        finally:
            later.set()  # what was running runs on to its end
            interrupted.set()
        found = answer.result()
    wanted = sepal.thornton_test(whole)
    assert (found.score, found.per_class, found.interval) == (wanted.score, wanted.per_class, wanted.interval)


def test_a_task_that_never_ends_is_not_waited_for(client, monkeypatch):
    """A wait for a task had no end."""
    monkeypatch.setattr("sepal.scale._work._NO_TASK", 2.0)
    with place_of_work(client=client) as work, pytest.raises(ClusterError, match="no task has ended"):
        list(work.run("long nap", time.sleep, [(20.0,)]))


def test_workers_that_do_not_come_back_are_told(monkeypatch):
    """A wait for workers that were lost had no end."""
    monkeypatch.setattr("sepal.scale._work._NO_WORKERS", 1.0)
    monkeypatch.setattr("sepal.scale._work._BETWEEN", 0.5)
    with (
        local_cluster() as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        place_of_work(client=client) as work,
    ):
        cluster.scale(0)
        with pytest.raises(ClusterError, match="lost all its workers"):
            list(work.run("nap", time.sleep, [(30.0,)] * 3))


def test_a_cluster_that_is_not_there(monkeypatch):
    monkeypatch.setattr("sepal.scale._work._GREETING", 1.0)
    with pytest.raises(ClusterError, match="no scheduler answers"), place_of_work(cluster="tcp://127.0.0.1:1"):
        pass
