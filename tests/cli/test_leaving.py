"""The command as a process of its own: Ctrl-C, closed pipes, terminals, odd encodings."""

from __future__ import annotations

import os
import pty
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

SEPAL = Path(sys.executable).with_name("sepal")
ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def run(*args: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """Run the installed command with stdout and stderr in pipes."""
    return subprocess.run([SEPAL, *args], capture_output=True, env={**os.environ, **env}, timeout=60, check=False)


def on_terminal(*args: str, **env: str) -> str:
    """What a person sees: stdout and stderr on one pseudo-terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([SEPAL, *args], stdout=theirs, stderr=theirs, env={**os.environ, **env}) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # Linux says so when the other side has closed
                break
            if not chunk:
                break
            seen += chunk
        os.close(ours)
        assert process.wait(timeout=60) == 0
    return seen.decode()


def children_processor_seconds() -> float:
    """Processor time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.fixture(scope="module")
def large_file(tmp_path_factory):
    """More work than the test is willing to wait for."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(20_000, 40)), 3)
    X[0, 0] = np.nan  # the mixed distance has no fast path
    path = tmp_path_factory.mktemp("large") / "large.csv"
    header = ",".join([f"x{j}" for j in range(40)] + ["class"])
    rows = (",".join(map(str, row.tolist())) + f",{i % 3}" for i, row in enumerate(X))
    path.write_text(header + "\n" + "\n".join(rows).replace("nan", "?") + "\n")
    return path


@pytest.fixture(scope="module")
def million_rows(tmp_path_factory):
    """Single calls over all rows are long here: every pair of a thousand left and a thousand right halves."""
    rng = np.random.default_rng(0)
    left, right = ([f"{a:.3f},{b:.3f}" for a, b in rng.normal(size=(1000, 2))] for _ in range(2))
    path = tmp_path_factory.mktemp("million") / "million.csv"
    rows = (f"{a},{b},{(i + j) % 3}" for i, a in enumerate(left) for j, b in enumerate(right))
    path.write_text("a,b,c,d,class\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(("rows", "wait"), [("large_file", 2.0), ("million_rows", 1.0)])
def test_ctrl_c_leaves_with_130_and_one_line(request, rows, wait):
    data = request.getfixturevalue(rows).read_bytes()
    before, begin = children_processor_seconds(), time.monotonic()
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([SEPAL, "report", "-"], **pipes) as process:
        process.stdin.write(data)  # over when all but the last of it has been read: the command is at work
        process.stdin.close()
        process.stdin = None
        time.sleep(wait)
        assert process.poll() is None, "the work was too small for this test"
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic() - begin
        out, err = process.communicate(timeout=300)
    # By processor time, which other work on the machine does not lengthen: all of it was used before the key, but 2 s.
    assert children_processor_seconds() - before < pressed * (os.cpu_count() or 1) + 2.0
    assert process.returncode == 130
    assert out == b""
    assert err.decode().split("\n") == ["", "Interrupted; nothing was written.", ""]


def test_a_closed_pipe_is_left_quietly():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nowhere:
        done = subprocess.run([SEPAL, "datasets"], stdout=nowhere, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.stderr == b""
    assert done.returncode == 141


def test_a_terminal_gets_color_unless_told_otherwise():
    assert ANSI.search(on_terminal("datasets", TERM="xterm", NO_COLOR=""))
    assert not ANSI.search(on_terminal("datasets", TERM="xterm", NO_COLOR="1"))


def test_predictions_do_not_steer_the_terminal_and_reach_a_pipe_as_they_are(tmp_path):
    """Control characters in the names of classes and columns reached the terminal."""
    table, model = tmp_path / "t.csv", str(tmp_path / "m.sepal")
    table.write_text("a,class\n" + "".join(f"{i},{'y' if i < 5 else chr(27) + '[2Jred'}\n" for i in range(10)))
    assert run("train", str(table), "-l", "knn", "-o", model).returncode == 0
    seen = on_terminal("predict", model, str(table), TERM="xterm")
    assert "\x1b[2J" not in seen
    assert "\\x1b[2Jred" in seen
    assert b"\x1b[2Jred" in run("predict", model, str(table)).stdout


def test_an_encoding_without_blocks_gets_ascii_and_escapes(tmp_path):
    path = tmp_path / "greek.csv"
    path.write_text("a,class\n1,α\n2,α\n8,β\n9,β\n", encoding="utf-8")
    done = run("report", str(path), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert rb"\u03b1" in done.stdout
    assert b"####" in done.stdout
    assert done.stdout.isascii()


def test_errors_go_to_stderr_with_status_2():
    done = run("report", "nothing-like-it.csv")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: nothing-like-it.csv")
    assert b"hint: " in done.stderr
