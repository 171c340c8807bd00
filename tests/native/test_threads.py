"""The same bits on 1, 2, 3 and 8 threads, in threads of Python, in a forked child, under joblib and multiprocessing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.native import jobs

SMALL = jobs.jobs(300, 6)


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    """Every answer on one thread."""
    return {name: jobs.bits(job(1)) for name, job in SMALL.items()}


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_any_number_of_threads_gives_the_same_bits(threads, alone):
    assert {name: jobs.bits(job(threads)) for name, job in SMALL.items()} == alone


def test_loops_that_many_threads_share_give_the_same_bits():
    """More tiles, parts and chunks than threads, so that who does what changes from run to run."""
    large = jobs.jobs(1500, 6)
    for name in ("knn", "svm", "complexity", "curve", "alignment"):
        assert len({jobs.bits(large[name](threads)) for threads in (1, 2, 8, 8)}) == 1, name


def test_calls_from_several_python_threads_at_once_give_the_same_bits(alone):
    names = list(SMALL) * 2
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda name: jobs.bits(SMALL[name](2)), names))
    assert found == [alone[name] for name in names]


# The parent has used its threads; a child of fork() has none of them, and libgomp waited for them for ever.
FORKED = """
import json, multiprocessing, os, signal, sys
sys.path.insert(0, sys.argv[1])
import jobs
from joblib import Parallel, delayed

work = {**jobs.jobs(300, 6), "auto": jobs.auto_job(120, 4)}
parent = {name: jobs.bits(job(2)) for name, job in work.items()}

def child_answers():
    reading, writing = os.pipe()
    if os.fork() == 0:
        signal.alarm(240)
        os.write(writing, json.dumps({name: jobs.bits(job(2)) for name, job in work.items()}).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answers:
        return json.loads(answers.read() or "null")

def one(name):
    signal.alarm(120)
    return jobs.bits(work[name](2))

names = ["svm", "drop3", "alignment", "sweep", "window", "knn"]
with multiprocessing.get_context("fork").Pool(2) as pool:
    pooled = pool.map(one, names)
joined = Parallel(2, backend="multiprocessing")(delayed(one)(name) for name in names)
print(json.dumps({"parent": parent, "child": child_answers(), "names": names, "pooled": pooled, "joined": joined}))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_answers_and_gives_the_same_bits(alone):
    """OpenMP hung in a child of fork()."""
    run = subprocess.run(
        [sys.executable, "-c", FORKED, str(Path(jobs.__file__).parent)],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["child"] == found["parent"]
    assert {name: found["parent"][name] for name in alone} == alone
    assert found["pooled"] == found["joined"] == [found["parent"][name] for name in found["names"]]
