"""Work on threads that is given up ends soon, whatever it does."""

from __future__ import annotations

import threading
import time

import pytest

from sepal._waiting import each


def endless(task: object = None) -> None:
    while True:
        pass


def test_results_are_in_the_order_of_the_tasks():
    for threads in (1, 3):
        assert each(lambda task: (time.sleep(0.01 * (3 - task)), task)[1], range(3), threads) == [0, 1, 2]
    assert each(abs, [], 3) == []


def test_this_thread_tells_how_far_the_others_are():
    go_on, heard = threading.Event(), []

    def tell():
        heard.append(threading.get_ident())
        if len(heard) == 3:
            go_on.set()

    assert each(lambda task: go_on.wait(30), range(2), 2, meanwhile=tell) == [True, True]
    assert set(heard) == {threading.get_ident()}


def test_work_that_does_not_heed_it_is_ended():
    """Whoever gave up waited until all that had begun was done."""
    begun = threading.Barrier(3, timeout=30)
    before = threading.active_count()

    def work(task):
        begun.wait()
        if task == 2:
            raise ZeroDivisionError
        endless()

    def gone_wrong():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        each(endless, range(2), 2, meanwhile=gone_wrong, end_threads=True)
    with pytest.raises(KeyboardInterrupt):
        each(work, [0, 1, 2], 3, meanwhile=gone_wrong, end_threads=True)
    assert threading.active_count() == before


def test_work_that_starts_threads_is_waited_for():
    """An exception sent to its thread may reach the one that was just started, which then never says that it runs."""

    def work(task):
        if task == 0:
            time.sleep(0.05)
            raise KeyError(task)
        for _ in range(300):
            thread = threading.Thread(target=int)
            thread.start()
            thread.join()

    for _ in range(5):
        with pytest.raises(KeyError):
            each(work, range(2), 2)
