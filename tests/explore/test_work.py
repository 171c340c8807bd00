"""Work in threads: progress, the queue, and an end that comes soon wherever the work is."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import sepal
from sepal.data import as_table
from sepal.explore._work import BusyError, Workers
from sepal.machines import hyperparameter_surface


@pytest.fixture
def workers():
    made = Workers()
    yield made
    made.close()


def waited(work, seconds=20.0):
    assert work.finished.wait(seconds)
    return work


def test_progress_elapsed_and_left(workers):
    go, told = threading.Event(), threading.Event()

    def ask(progress):
        progress("half", 0.5)
        told.set()
        assert go.wait(20)
        return "answer"

    work = workers.start("a", "", ask)
    assert told.wait(20)
    assert (work.state, work.text, work.share, work.left) == ("running", "half", 0.5, None)
    work.started -= 10.0
    least, left, most = work.elapsed, work.left, work.elapsed  # one half is done: the other takes as long
    assert 10.0 < least <= left <= most
    go.set()
    waited(work)
    assert (work.state, work.answer, work.left) == ("done", "answer", None)
    assert work.elapsed == work.elapsed > 10.0


def test_one_runs_two_wait_and_the_next_is_refused(workers):
    go = threading.Event()
    jobs = [workers.start(f"kind {at}", "", lambda progress: go.wait(20)) for at in range(3)]
    with pytest.raises(BusyError):
        workers.start("another kind", "", lambda progress: None)
    newer = workers.start("kind 2", "", lambda progress: "newer")  # takes the place of the one that waits
    go.set()
    assert waited(newer).answer == "newer"
    assert [waited(each).state for each in jobs] == ["done", "done", "cancelled"]


def test_a_newer_question_of_the_same_kind_cancels_the_older(workers):
    began = threading.Event()

    def slow(progress):
        began.set()
        while True:
            time.sleep(0.001)

    older, _ = workers.ask("map", "tab", slow)
    assert began.wait(20)
    newer, future = workers.ask("map", "tab", lambda progress: 3)
    future.result(20)
    assert (newer.answer, waited(older).state) == (3, "cancelled")
    other, _ = workers.ask("map", "tab 1", slow)
    workers.ask("map", "tab 2", lambda progress: 3)
    assert not other.finished.wait(0.3)
    other.cancel()
    assert waited(other).state == "cancelled"


def endless():
    while True:
        pass


def again_and_again(ask, rows):
    while True:
        ask(rows)


def table(n=30_000, columns=12):
    rng = np.random.default_rng(3)
    return as_table(rng.normal(size=(n, columns)), rng.integers(0, 3, n).astype(str))


LONG = {
    "python": lambda rows, progress: endless(),
    "progress": lambda rows, progress: sepal.measures.complexity(rows, progress=progress),
    "native without progress": lambda rows, progress: again_and_again(sepal.thornton_score, rows),
    "evaluate": lambda rows, progress: sepal.evaluate(
        sepal.SVMClassifier(), rows.take(np.arange(6000)), progress=progress
    ),
    "auto": lambda rows, progress: sepal.SepalClassifier().fit(rows),
    "subsets": lambda rows, progress: sepal.subset_sweep(rows, criterion=("thornton", "alignment")),
    "curve over k": lambda rows, progress: sepal.leave_one_out_curve(rows, training=True),
    "error over width and C": lambda rows, progress: hyperparameter_surface(
        sepal.SVMClassifier(n_jobs=2), sepal.datasets.load("diabetes")
    ),
}


@pytest.mark.parametrize("what", LONG)
def test_work_ends_soon_after_cancel(what, workers):
    """A part of ``subset_sweep`` took seconds before it heard of Cancel, and work in a thread could not be ended."""
    rows = table()
    began = threading.Event()

    def ask(progress):
        began.set()
        return LONG[what](rows, progress)

    work = workers.start(what, "", ask)
    assert began.wait(20)
    begin = time.process_time()  # what the work takes, whatever else the machine does
    while time.process_time() < begin + 0.6:
        assert not work.finished.wait(0.01), work.error
    begin = time.process_time()
    work.cancel()
    waited(work, 300.0)
    assert work.state == "cancelled", work.error
    assert time.process_time() - begin < 5.0
    after = workers.start("next", "", lambda progress: "fine")
    assert waited(after).answer == "fine"


def test_an_error_is_kept_and_the_next_work_runs(workers):
    work = waited(workers.start("a", "", lambda progress: 1 / 0))
    assert (work.state, type(work.error)) == ("failed", ZeroDivisionError)
    assert waited(workers.start("a", "", lambda progress: 3)).answer == 3


def test_a_job_is_cancelled_over_http(page):
    page.server.workers.start("block", "x", lambda progress: endless())
    started = page.post("/api/jobs", {"action": "neighbors.curve", "view": {"data": "iris"}}).json()
    assert started["state"] == "waiting"
    assert page.get("/api/jobs/j2/answer").status_code == 409
    for job in ("j2", "j1"):  # the waiting one first: it could be done as soon as the other is gone
        assert page.delete(f"/api/jobs/{job}").status_code == 200
    states = {
        each["job"]: page.get(f"/api/jobs/{each['job']}?wait=5").json()["state"]
        for each in page.get("/api/jobs").json()["jobs"]
    }
    assert states == {"j1": "cancelled", "j2": "cancelled"}
    assert page.get("/api/jobs/j2/answer").status_code == 499


def test_a_second_exception_on_its_way_does_not_end_the_worker(workers):
    """Cancel could end the only worker by a second exception, after which every later job waited for ever."""
    for _ in range(5):
        began = threading.Event()

        def ask(progress, began=began):
            began.set()
            while True:
                try:
                    progress("working", 0.5)
                except BaseException:
                    end = time.monotonic() + 0.2  # the sender sends another one meanwhile, which waits for Python
                    while time.monotonic() < end:
                        np.sort(np.ones(1_000_000))
                    raise

        work = workers.start("busy", "", ask)
        assert began.wait(20)
        work.cancel()
        assert waited(work).state == "cancelled"
    assert waited(workers.start("next", "", lambda progress: "fine")).answer == "fine"
