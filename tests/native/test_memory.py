"""Memory that cannot be had is a MemoryError, in every native family and on every thread; the process goes on."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from sepal.evaluation import leave_one_out_curve
from sepal.exceptions import OutOfMemoryError, SepalError, out_of_memory

# Each job runs in a child of its own under an address-space limit just above what the process has, several limits each.
# Threads are running by then. A child ends with 0 (it fitted), 3 (a MemoryError from numpy or Python), 5 (ours, with a
# hint), 4 (any other error); a signal is a crash.
SCRIPT = """
import json, os, re, resource, sys
sys.path.insert(0, sys.argv[1])
import jobs
from sepal.exceptions import OutOfMemoryError

for job in jobs.jobs(60, 4).values():
    job(2)                             # everything is imported
large = jobs.jobs(3000, 20)
found = {}
for name in json.loads(sys.argv[2]):
    for megabytes in (1, 4, 8, 16):
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            with open("/proc/self/status") as status:
                used = int(re.search(r"VmSize:\\s*(\\d+) kB", status.read())[1]) * 1024
            resource.setrlimit(resource.RLIMIT_AS, (used + megabytes * 2**20, resource.RLIM_INFINITY))
            code = 4
            try:
                large[name](3)
                code = 0
            except OutOfMemoryError as error:
                code = 5 if error.hint else 4
            except MemoryError:
                code = 3
            finally:
                os._exit(code)
        found[f"{name} +{megabytes} MB"] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps(found))
"""
FAMILIES = [
    "svm",
    "knn",
    "expected accuracy",
    "curve",
    "suspects",
    "overlap",
    "complexity",
    "surface",
    "drop3",
    "sweep",
]


def test_the_error_is_a_memory_error_with_a_hint():
    error = out_of_memory()
    assert isinstance(error, OutOfMemoryError)
    assert isinstance(error, MemoryError)
    assert isinstance(error, SepalError)
    assert "hint: " in str(error)
    assert error.hint is not None


def test_a_thread_that_cannot_be_started_is_a_lack_of_memory(monkeypatch):
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(OutOfMemoryError, match="not enough memory"):
        leave_one_out_curve(np.arange(20.0)[:, None], list("ab" * 10), k_max=3, n_jobs=2)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the size of the process from /proc")
def test_no_allocation_failure_ends_the_process():
    """Before, std::bad_alloc left an OpenMP region and the process died of SIGABRT."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), json.dumps(FAMILIES)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"},
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert {name: code for name, code in found.items() if code not in (0, 3, 5)} == {}
    assert sum(code == 5 for code in found.values()) >= 5, found  # enough of them failed in native code
