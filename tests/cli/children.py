"""The command in many small worlds: one process loads everything once, and each case runs in a child of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

SCRIPT = """
import io, json, os, re, resource, signal, sys
from sepal.cli import main
NOBODY = 65534

def no_stdout():
    os.close(1)
    sys.stdout = None

def no_stdin():
    os.close(0)
    sys.stdin = None

def full_stdout():
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

def closed_pipe():
    reading, writing = os.pipe()
    os.close(reading)
    os.dup2(writing, 1)

def poor():
    keep = {"PATH": os.environ["PATH"], "LANG": "C", "TERM": "dumb", "COLUMNS": "20"}
    os.environ.clear()
    os.environ.update(keep)

def full_disk():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

def closed_folder():
    if os.getuid() == 0:
        os.setuid(NOBODY)

def memory(megabytes):
    with open("/proc/self/status") as status:
        used = int(re.search(r"VmSize:\\s*(\\d+) kB", status.read())[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (used + int(megabytes) * 2**20, resource.RLIM_INFINITY))

def run(words, world):
    child = os.fork()
    if child == 0:
        signal.alarm(100)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.dup2(os.open("stdin", os.O_RDONLY | os.O_CREAT), 0)
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding="utf-8")
        sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), encoding="utf-8", write_through=True)
        name, *more = world.split()
        globals()[name](*more)
        code = 99
        try:
            sys.argv = ["sepal", *words]
            main()
            code = 0
        except SystemExit as leaving:
            code = leaving.code or 0
        except BaseException:
            import traceback
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

given = json.loads(sys.stdin.read())
from sepal.explore import Server, serve
for words in given["first"]:
    sys.argv, sys.stdout = ["sepal", *words], io.TextIOWrapper(io.BytesIO())
    try:
        main()
    except SystemExit as leaving:
        assert leaving.code in (None, 0), words
found = {}
for world, verbs in given["worlds"].items():
    for name, words in verbs.items():
        code = run(words, world)
        found[f"{name}, {world}"] = [code, open("out").read(), open("err").read()]
sys.__stdout__.write(json.dumps(found))
"""


def in_children(
    first: list[list[str]], worlds: dict[str, dict[str, list[str]]], **environment: str
) -> dict[str, tuple[int, str, str]]:
    """(status, stdout, stderr) of each command line in each world, as ``"name, world"``, after the ``first`` ones.

    A world is a function of the script above with its arguments; standard input is the file ``stdin``. No case may end
    by a signal or with a traceback.
    """
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps({"first": first, "worlds": worlds}),
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    found = {name: tuple(each) for name, each in json.loads(done.stdout).items()}
    assert [name for name, (code, _, err) in found.items() if "Traceback" in err or code == 99 or code < 0] == [], found
    return found
