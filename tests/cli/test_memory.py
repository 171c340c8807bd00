"""Every verb under address-space limits: an error with a hint and status 2, or the answer; never a crash."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

# Each verb first answers a small table, so that everything is imported; then it meets a large one in children of its
# own whose address space ends a little above what the process has.
SCRIPT = """
import json, os, re, resource, sys
from sepal.cli import main

def run(words, megabytes=None):
    child = os.fork()
    if child == 0:
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        if megabytes is not None:
            with open("/proc/self/status") as status:
                used = int(re.search(r"VmSize:\\s*(\\d+) kB", status.read())[1]) * 1024
            resource.setrlimit(resource.RLIMIT_AS, (used + megabytes * 2**20, resource.RLIM_INFINITY))
        code = 99
        try:
            sys.argv = ["sepal", *words]
            main()
            code = 0
        except SystemExit as leaving:
            code = leaving.code or 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

from sepal.explore import Server, serve
sys.stdin = open(os.devnull)
found = {}
for name, words, megabytes in json.loads(sys.argv[1]):
    if megabytes is None:  # in this process, for what it imports
        sys.argv = ["sepal", *words]
        sys.stdout = open("out", "w")
        try:
            main()
        except SystemExit as leaving:
            assert not leaving.code, (words, leaving.code)
    else:
        code = run(words, megabytes)
        found[name] = [code, open("err").read()]
sys.__stdout__.write(json.dumps(found))
"""
VERBS = {
    "report": ["report", "{}.csv", "--out", "r.html"],
    "measure": ["measure", "{}.csv"],
    "select": ["select", "{}.csv"],
    "evaluate": ["evaluate", "{}.csv", "-l", "knn", "--cv", "3"],
    "train knn": ["train", "{}.csv", "-l", "knn", "-o", "m.sepal"],
    "train svm": ["train", "{}.csv", "-l", "svm", "-o", "m.sepal"],
    "train auto": ["train", "{}.csv", "-l", "auto", "-o", "m.sepal"],
    "predict": ["predict", "small.sepal", "{}.csv", "-o", "p.csv"],
    "do": ["do", "neighbors.curve", "{}.csv"],
    "run": ["run", "{}.json", "-o", "run"],
    "reproduce": ["reproduce", "--only", "B2", "--quick", "-o", "figures"],
    "mail learn": ["mail", "learn", "--spam", "{}.eml", "--store", "mail.db"],
    "mail eval": ["mail", "eval", "{}-mail.csv", "--skip", "0"],
    "mail filter": ["mail", "filter", "--store", "mail.db"],
}
# Reads the table before it serves; the small one would be served for ever.
EXPLORE = ["explore", "large.csv", "--no-browser"]
SMALL_WORK = {"reproduce", "mail filter"}  # bundled rows, an empty message: that may be done with next to nothing
LITTLE, MORE = 1, 8  # megabytes; the table alone takes 1.5


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    for name, n in (("small", 40), ("large", 6_000)):
        rows = np.round(rng.normal(size=(n, 30)), 4).tolist()
        head = ",".join([f"x{j}" for j in range(30)] + ["class"])
        lines = (",".join(map(str, row)) + f",{'ab'[i % 2]}" for i, row in enumerate(rows))
        (tmp_path / f"{name}.csv").write_text(head + "\n" + "\n".join(lines) + "\n")
        raw = (tmp_path / f"{name}.csv").read_bytes()
        source = {"file": f"{name}.csv", "size": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
        session = {"sepal_session": 1, "source": source, "actions": [{"action": "neighbors.curve"}]}
        (tmp_path / f"{name}.json").write_text(json.dumps(session))
        words = " ".join(f"word{i}" for i in range(n * 50))
        (tmp_path / f"{name}.eml").write_text(f"Subject: {name}\n\n{words}\n")
        (tmp_path / f"{name}-mail.csv").write_text(f"text,class\n{words},spam\nhello,ham\n")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the size of the process from /proc")
@pytest.mark.usefixtures("tables")
def test_no_verb_dies_of_too_little_memory():
    def filled(words, table):
        return [word.format(table) for word in words]

    work = [["", ["train", "small.csv", "-l", "knn", "-o", "small.sepal"], None]]
    work += [[name, filled(words, "small"), None] for name, words in VERBS.items()]
    limits = (LITTLE, MORE)
    work += [[f"{name} {limit}", filled(words, "large"), limit] for name, words in VERBS.items() for limit in limits]
    work += [[f"explore {LITTLE}", EXPLORE, LITTLE]]
    poor = {"MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1", "PATH": os.environ["PATH"]}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(work)], capture_output=True, text=True, timeout=300, env=poor
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    told = {name: (code, err) for name, (code, err) in found.items() if code}
    assert {name for name, (code, _) in told.items() if code != (3 if name.startswith("mail") else 2)} == set(), found
    assert {f"{name} {LITTLE}" for name in {*VERBS, "explore"} - SMALL_WORK} <= set(told)
    assert [err for _, err in told.values() if not err.startswith("error: there is not enough memory")] == []
    assert [err for _, err in told.values() if "\nhint: " not in err or "Traceback" in err] == []
    assert not Path("p.csv").exists() or len(Path("p.csv").read_text().splitlines()) in (41, 6_001)
