"""The world around the command: full disks, closed streams, odd names, limits, and Ctrl-C at any moment."""

from __future__ import annotations

import os
import pty
import resource
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sepal.cli import _interrupts, _output
from sepal.cli._app import app
from sepal.data import write_whole
from sepal.exceptions import ParameterError

SEPAL = Path(sys.executable).with_name("sepal")
runner = CliRunner()
GOOD = "a,b,class\n" + "".join(f"{i % 7},{i % 5},{'=1+1' if i % 2 else 'y'}\n" for i in range(30))


@pytest.fixture(autouse=True)
def _inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(GOOD)


def sepal(*args, shell_end="", **env):
    """The command as a process, with the end of a shell's line after it."""
    line = " ".join([str(SEPAL), *args, shell_end])
    done = subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, env={**os.environ, **env}, timeout=120, check=False
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done


@pytest.mark.parametrize(
    ("end", "words"),
    [("> /dev/full", b"No space left on device"), (">&-", b"Bad file descriptor"), (">&- 2>&- <&-", b"")],
)
def test_a_stdout_that_takes_nothing(end, words):
    """A full or a closed stdout ended in a traceback."""
    done = sepal("datasets", shell_end=end)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count(b"\n") <= 1


def test_a_closed_stdin_and_a_full_stderr_harm_nobody():
    """What is said on stderr ended the command in a traceback where that took no more."""
    assert sepal("measure", "good.csv", shell_end="<&- 2>/dev/full").returncode == 0


@pytest.mark.parametrize("verb", ["measure good.csv", "report good.csv", "select good.csv", "datasets"])
def test_a_poor_environment(verb):
    """LANG=C, a dumb terminal of 20 columns and no HOME: lines of 40, which no sentence can do without."""
    line = ["/usr/bin/env", "-i", f"PATH={os.environ['PATH']}", "LANG=C", "TERM=dumb", "COLUMNS=20", str(SEPAL)]
    done = subprocess.run([*line, *verb.split()], capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert max(map(len, done.stdout.decode().splitlines())) <= 40
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize("columns", ["²", "٣", "-5", "0", "1e3", "9" * 5000, "", "99999999999"])
def test_columns_that_are_no_width(monkeypatch, columns):
    """``COLUMNS=²`` ended in a traceback: it is a digit to Python, and no number."""
    monkeypatch.setenv("COLUMNS", columns)
    assert _output.stdout_look().width == _output.PAGE_WIDTH
    assert _output.table_width() is None


@pytest.mark.parametrize("columns", ["²", "9" * 5000])
def test_such_columns_on_a_terminal(columns):
    """The progress bar asked for the width itself, and took ² for a number."""
    ours, theirs = pty.openpty()
    line = [str(SEPAL), "measure", "good.csv"]
    given = {**os.environ, "COLUMNS": columns, "LINES": columns}
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=theirs, env=given, timeout=120, check=False)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0
    assert b"Thornton" in done.stdout


def test_names_that_are_not_utf8(tmp_path):
    """File names that are not UTF-8 ended in a traceback."""
    name = os.fsencode(tmp_path) + b"/r\xff.html"
    line = [os.fsencode(SEPAL), b"report", b"good.csv", b"--out", name]
    done = subprocess.run(line, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert os.stat(name).st_size > 1000  # noqa: PTH116 - bytes
    odd = os.fsencode(tmp_path) + b"/t\xff.csv"
    Path(os.fsdecode(odd)).write_text(GOOD)
    done = subprocess.run([*line[:2], odd, *line[3:]], capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_predictions_do_not_replace_the_model(tmp_path):
    """``sepal predict MODEL NEW -o MODEL`` wrote the answers over the model."""
    assert runner.invoke(app, ["train", "good.csv", "-l", "knn", "-o", "model.sepal"]).exit_code == 0
    (tmp_path / "model.sepal").rename(tmp_path / "model.json")
    before = (tmp_path / "model.json").read_bytes()
    found = runner.invoke(app, ["predict", "model.json", "good.csv", "-o", "model.json"])
    assert found.exit_code == 2
    assert "this would overwrite the model" in found.stderr
    assert (tmp_path / "model.json").read_bytes() == before


def test_formulas_are_escaped_where_that_is_asked_for(tmp_path):
    runner.invoke(app, ["train", "good.csv", "-l", "knn", "-o", "m.sepal"])
    for options, cell in (((), "=1+1"), (("--escape-formulas",), "'=1+1")):
        assert runner.invoke(app, ["predict", "m.sepal", "good.csv", "-o", "p.csv", *options]).exit_code == 0
        rows = [line.split(",") for line in (tmp_path / "p.csv").read_text().splitlines()]
        assert {row[1] for row in rows[1:]} == {cell, "y"}
        assert all(float(row[2]) >= 0 for row in rows[1:])
        arguments = ["evaluate", "good.csv", "-l", "knn", "--cv", "3", "--predictions", "e.csv", *options]
        assert runner.invoke(app, arguments).exit_code == 0
        assert {line.split(",")[2] for line in (tmp_path / "e.csv").read_text().splitlines()[1:]} == {cell, "y"}


def test_the_name_of_a_class_does_not_steer_the_terminal(tmp_path):
    """The name of a class could clear the terminal."""
    (tmp_path / "t.csv").write_text(GOOD.replace("=1+1", "\x1b[2Jred"))
    found = runner.invoke(app, ["evaluate", "t.csv", "-l", "knn", "--cv", "3"])
    assert found.exit_code == 0
    assert "\x1b" not in found.stdout
    assert "\\x1b[2Jred" in found.stdout


def test_a_full_folder_for_temporary_files_is_not_needed():
    """``sepal train`` made the model in the folder for temporary files first, and failed where that was full."""
    assert sepal("train", "good.csv", "-l", "knn", "-o", "m.sepal", TMPDIR="/dev/full").returncode == 0
    assert Path("m.sepal").stat().st_size > 500


def limited(size):
    """Files of the process end at this size: the nearest thing to a full disk that needs no disk."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def test_a_disk_that_fills_up_leaves_the_old_file(tmp_path):
    line = [SEPAL, "train", "good.csv", "-l", "knn", "-o", "m.sepal"]
    assert subprocess.run(line, capture_output=True, timeout=120, check=False).returncode == 0
    before = (tmp_path / "m.sepal").read_bytes()
    done = subprocess.run(line, capture_output=True, timeout=120, check=False, preexec_fn=limited(300))
    assert done.returncode == 2
    assert b"m.sepal: the file cannot be written: File too large" in done.stderr
    assert (tmp_path / "m.sepal").read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["good.csv", "m.sepal"]


KILLED = """
import os, signal
from sepal.data import write_whole
def die(*place): os.kill(os.getpid(), signal.SIGKILL)
os.{step} = die
write_whole("m.sepal", b"new" * 100_000)
"""


@pytest.mark.parametrize("step", ["fdopen", "fsync"])
def test_killed_while_writing_the_old_file_stays(tmp_path, step):
    (tmp_path / "m.sepal").write_text("old")
    done = subprocess.run([sys.executable, "-c", KILLED.format(step=step)], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "m.sepal").read_text() == "old"


def test_what_a_whole_file_keeps(tmp_path):
    write_whole(tmp_path / "new.txt", "é")
    assert (tmp_path / "new.txt").read_bytes() == "é".encode()
    with pytest.raises(ParameterError, match=r"cannot be written: No such file or directory\nhint: .*mkdir -p"):
        write_whole(tmp_path / "no" / "where", b"")
    with pytest.raises(ParameterError, match="Is a directory"):
        write_whole(tmp_path, b"")
    name = "x" * 250  # no room for an ending beside it
    write_whole(tmp_path / name, b"long")
    assert (tmp_path / name).read_bytes() == b"long"
    (tmp_path / name).chmod(0o600)
    write_whole(tmp_path / name, b"again")
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


NOBODY = 65534


def test_a_folder_that_may_only_be_read():
    """Root may write everywhere, so that the work is done by somebody else, in a child that has all modules."""
    with tempfile.TemporaryDirectory() as name:
        top, folder = Path(name), Path(name) / "closed"
        folder.mkdir()
        (folder / "old.txt").write_text("old")
        (folder / "old.txt").chmod(0o666)
        top.chmod(0o755)
        folder.chmod(0o555)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                if os.getuid() == 0:
                    os.setuid(NOBODY)
                write_whole(folder / "old.txt", b"new")
            except ParameterError as error:
                code = 0 if "cannot be written: Permission denied" in str(error) else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert [(file.name, file.read_text()) for file in folder.iterdir()] == [("old.txt", "old")]
        folder.chmod(0o755)


def test_interrupted_says_what_was_written(tmp_path):
    """Ctrl-C said that nothing was written, whatever had been."""
    _interrupts._before.clear()
    _interrupts.will_write("a.txt")
    assert _interrupts.interrupted_text() == "\nInterrupted; nothing was written."
    write_whole("a.txt", "new")
    _interrupts.will_write("good.csv")
    assert _interrupts.interrupted_text() == "\nInterrupted after writing a.txt."
    write_whole("good.csv", GOOD)
    assert _interrupts.interrupted_text() == "\nInterrupted after writing a.txt and good.csv."
    _interrupts._before.clear()


# The key is pressed within an import: the first line of a module that the verb needs sends the signal. Numpy's own
# imports turn a KeyboardInterrupt into an ImportError, and polars swallows it.
IMPORTING = """
import os, signal, sys

class Presses:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Presses())
sys.argv = ["sepal", "report", "athletes"]
import sepal.cli
sepal.cli.main()
"""


@pytest.mark.parametrize(
    "module",
    ["sepal.cli._app", "typer", "numpy", "numpy._core._multiarray_umath", "scipy.linalg", "sepal.report._text"],
)
def test_ctrl_c_while_modules_are_loaded(module):
    """An import could swallow Ctrl-C, or turn it into another error."""
    line = [sys.executable, "-c", IMPORTING.format(module=module)]
    done = subprocess.run(line, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"\nInterrupted; nothing was written.\n")


WRITTEN = """
import os, signal, sys
import sepal.cli

replace = os.replace
def replaced(*places):
    replace(*places)
    os.kill(os.getpid(), signal.SIGINT)

os.replace = replaced
sys.argv = ["sepal", "train", "good.csv", "-l", "knn", "-o", "m.sepal"]
sepal.cli.main()
"""


def test_ctrl_c_just_after_the_file_was_written(tmp_path):
    """Ctrl-C after the model was written said that nothing was."""
    done = subprocess.run([sys.executable, "-c", WRITTEN], capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (130, b"\nInterrupted after writing m.sepal.\n")
    assert (tmp_path / "m.sepal").stat().st_size > 500
