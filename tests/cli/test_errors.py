"""What goes wrong: status 2, what and where on stderr, a hint, no traceback, nothing on stdout."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from sepal.cli import _output
from tests.cli.command import refused, sepal


@pytest.fixture(autouse=True)
def _inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text("a,b,class\n1,2,x\n2,1,x\n8,9,y\n9,8,y\n")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", ("table.csv", "empty")),
        ("a,class\n1,x\n2,x\n3,x\n", ("class", "one class", "hint:")),
        ("a,class\n1,x\n2\n3,y\n", ("table.csv, line 3", "hint:")),
        ("a,class\n1,x\n2,?\n3,y\n", ("table.csv, line 3", "class", "missing")),
        ("a,class\ninf,x\n2,x\n3,y\n", ("table.csv, line 2", '"a"', "finite")),
    ],
)
def test_bad_files(tmp_path, content, words):
    (tmp_path / "table.csv").write_text(content)
    for verb in ("report", "measure"):
        message = refused(verb, "table.csv")
        assert message.startswith("error: ")
        for word in words:
            assert word in message


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("report", "god.csv"), ("god.csv", "no such file", '"good.csv"')),
        (("report", "brest-cancer"), ("brest-cancer", "did you mean breast-cancer?", "sepal datasets")),
        (("report", "zzzz"), ("zzzz", "no such bundled set", "'sepal datasets' lists")),
        (("report", "none-*.csv"), ("none-*.csv", "no file has such a name", "quotes")),
        (("report", "good.csv", "--sample", "5"), ("--sample is for rows in partitions", "pattern")),
        (("report", "good.csv", "--target", "clas"), ("target", "clas", "class")),
        (("report", "good.csv", "--target", "7"), ("target", "7")),
        (("report", "sonar", "--target", "x"), ("--target x", "sonar", "class")),
        (("report", "good.csv", "--distance", "euclidian"), ("distance", "did you mean 'euclidean'?")),
        (("report", "breast-cancer", "--distance", "euclidean"), ("bare_nuclei", "missing", "hint:")),
        (("report", "good.csv", "--scale", "log"), ("--scale", "minmax")),
        (("report", "good.csv", "--missing", "mean"), ("--missing", "drop")),
        (("report", "good.csv", "--bogus"), ("--bogus",)),
        (("measure",), ("DATA",)),
        (("measure", "good.csv", "--train-size", "half"), ("--train-size half", "0.5")),
        (("measure", "good.csv", "--train-size", "4"), ("from 1 to 3",)),
        (("measure", "good.csv", "--k", "2"), ("odd",)),
        (("measure", "good.csv", "--permutations", "-1"), ("n_permutations", "from 0")),
        (("datasets", "livre"), ("livre", "liver")),
        (("reprot",), ("reprot", "report")),
    ],
)
def test_wrong_words_on_the_command_line(args, words):
    message = refused(*args)
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (".", ("directory", "report.txt")),
        ("no/where.txt", ("there is no directory no", "mkdir -p no")),
        ("report.pdf", ("PDF", "report.html")),
        ("good.csv", ("overwrite the data",)),
    ],
)
def test_out_is_checked_before_any_work(tmp_path, out, words):
    before = (tmp_path / "good.csv").read_text()
    message = refused("report", "good.csv", "--out", out)
    for word in words:
        assert word in message
    assert (tmp_path / "good.csv").read_text() == before
    assert [file.name for file in tmp_path.iterdir()] == ["good.csv"]


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    out = tmp_path / "report.txt"
    out.write_text("old")

    class Full:
        """A file on a full disk."""

        def __init__(self, handle, *args, **kwargs):
            os.close(handle)

        def __enter__(self):
            return self

        def __exit__(self, *args):
            return None

        def write(self, text):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(_output.os, "fdopen", Full)
    assert "No space left on device" in refused("report", "good.csv", "--out", "report.txt")
    assert out.read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["good.csv", "report.txt"]


def test_out_keeps_links_and_modes(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    _output.write_out(link, "new", "The report is")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_out_of_a_new_file_follows_the_umask(tmp_path):
    mask = os.umask(0o027)
    try:
        _output.write_out(tmp_path / "new.txt", "new", "The report is")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640


def test_a_device_is_written_and_not_replaced():
    result = sepal("report", "good.csv", "--out", os.devnull)
    assert result.exit_code == 0
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_the_app_packages_one_sentence_says_what_to_install(monkeypatch, capsys, package):
    from sepal.cli import main

    for name in list(sys.modules):
        if name == "sepal.cli._app" or name.split(".")[0] == package:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(sys, "argv", ["sepal", "report", "good.csv"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert "pip install 'sepal-learn[app]'" in capsys.readouterr().err
