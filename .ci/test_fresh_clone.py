"""The README's two commands on a machine that has Python, make and a C++ compiler, and nothing else.

It takes minutes, so it is not among the tests of ``make test``: ``make test-fresh`` runs it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
# What the README names, what every Debian machine has (packages marked essential), and what the compiler itself calls.
NAMED = ("make", "c++", "g++", "gcc", "cc")
ESSENTIAL = ("sh", "bash", "env", "find", "sort", "cmp", "touch", "id", "uname", "rm", "mkdir", "cat", "test", "true")
BINUTILS = ("as", "ld", "ar", "ranlib", "nm", "objcopy", "strip")


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A copy of what git tracks, and an environment without a home, a browser or any other tool."""
    base = tmp_path_factory.mktemp("machine")
    (base / "bin").mkdir()
    (base / "home").mkdir()
    for name in (*NAMED, *ESSENTIAL, *BINUTILS):
        if path := shutil.which(name):
            (base / "bin" / name).symlink_to(path)
    python = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    (base / "bin" / "python3").symlink_to(python)
    subprocess.run(["git", "clone", "-q", str(PROJECT), str(base / "clone")], check=True)
    keep = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_", "http"))}
    return base / "clone", {**keep, "PATH": str(base / "bin"), "HOME": str(base / "home")}


def run(machine, *words):
    clone, environment = machine
    make = str(Path(environment["PATH"]) / "make")
    done = subprocess.run([make, *words], cwd=clone, env=environment, capture_output=True, text=True, timeout=1500)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_the_two_commands_on_a_bare_machine(machine):
    first = run(machine, "report")
    assert first.startswith("Compiling sepal and installing what it needs")
    assert "Thornton's index" in first
    # What the README shows next: the Explorer needs a server.
    explorer = [".venv/bin/python", "-c", "import starlette, uvicorn"]
    subprocess.run(explorer, cwd=machine[0], env=machine[1], check=True)
    second = run(machine, "report")
    assert "Compiling" not in second
    assert "Installing" not in second
    # The whole suite is running around this test; here it is enough that the command sets itself up and runs.
    told = run(machine, "test", "PYTEST=tests/report/test_html_in_browser.py tests/test_architecture.py")
    assert " passed" in told
    assert told.rstrip().splitlines()[-1].startswith("NOT RUN, no Chromium on the PATH: tests/report/test_html_in")


def test_a_machine_without_a_compiler_is_told_so_in_one_sentence(machine):
    clone, environment = machine
    tools = clone.parent / "bare"
    tools.mkdir()
    for name in (*ESSENTIAL, "make", "python3"):
        path = Path(environment["PATH"]) / name
        if path.exists():
            (tools / name).symlink_to(path.resolve())
    done = subprocess.run(
        [str(tools / "make"), "report"],
        cwd=clone,
        env={**environment, "PATH": str(tools)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode != 0
    assert done.stdout.startswith("sepal needs a C++ compiler (C++20).")
    assert len(done.stdout.strip().splitlines()) == 1
