"""A local cluster of two worker processes, started once; and tables cut into files."""

from __future__ import annotations

import faulthandler
import pickle
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import distributed
import pandas as pd
import pytest

from sepal.scale import place_of_work
from sepal.scale._work import OnCluster

_FOREVER = 900.0  # seconds: many times what a test takes on a machine with much else to do


def local_cluster() -> distributed.LocalCluster:
    return distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )


@pytest.fixture(autouse=True)
def told_where_it_hangs() -> Iterator[None]:
    """A test that waits for ever says where, in all threads, and ends; a run that is stopped from outside does, too."""
    faulthandler.dump_traceback_later(_FOREVER, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session", autouse=True)
def told_where_it_was_ended() -> Iterator[None]:
    """Who is asked to end says where it was, and ends as it would have."""
    faulthandler.register(signal.SIGTERM, file=sys.__stderr__, all_threads=True, chain=True)
    yield
    faulthandler.unregister(signal.SIGTERM)


@pytest.fixture(scope="session")
def client() -> Iterator[distributed.Client]:
    with local_cluster() as cluster, distributed.Client(cluster, set_as_default=False) as found:
        yield found


@pytest.fixture
def here():
    with place_of_work(n_jobs=1) as work:
        yield work


@pytest.fixture
def there(client):
    with place_of_work(client=client) as work:
        yield work


@pytest.fixture
def cut(tmp_path: Path) -> Callable[..., str]:
    """Write a frame into files of these sizes, and give the pattern of their names."""

    def write(table: pd.DataFrame, sizes: list[int], ending: str = "csv") -> str:
        assert sum(sizes) == len(table)
        folder = tmp_path / f"{ending}-{len(sizes)}-{sizes[0]}"
        folder.mkdir()
        at = 0
        for i, size in enumerate(sizes):
            part = table.iloc[at : at + size]
            path = folder / f"part-{i:03}.{ending}"
            if ending == "parquet":
                part.to_parquet(path, index=False, row_group_size=max(1, size // 2))
            else:
                part.to_csv(path, index=False)
            at += size
        return f"{folder}/*.{ending}"

    return write


def task_prefix(key: str) -> str:
    """What the dashboard calls a task: its name without the mark of the run, its number, and that of a piece."""
    name = re.fullmatch(r"(.+)-[0-9a-f]{8}-[0-9]+(-[0-9]+)?", key)
    assert name is not None, key
    return name[1]


@pytest.fixture
def sizes(client, monkeypatch):
    """Bytes of every task that is sent to workers and of every answer, by the name of the task."""
    found: dict[str, list[int]] = {}
    submit, result = client.submit, OnCluster._result

    def sent(task, *job, key, **how):
        found.setdefault(task_prefix(key), []).append(len(pickle.dumps((task, job))))
        return submit(task, *job, key=key, **how)

    def got(self, future, name):
        answer = result(self, future, name)
        found.setdefault(task_prefix(future.key), []).append(len(pickle.dumps(answer)))
        return answer

    def otherwise(*_, **__):
        raise AssertionError("something was sent that cannot be loaded again, or in a way that is not measured")

    monkeypatch.setattr(client, "submit", sent)
    for way in ("scatter", "map", "compute", "persist", "get"):
        monkeypatch.setattr(client, way, otherwise)
    monkeypatch.setattr(OnCluster, "_result", got)
    monkeypatch.setattr("sepal.scale._schema._LEAST_SENT", 0)
    return found
