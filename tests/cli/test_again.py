"""The lines of a report that make it again: run, they make the same numbers."""

from __future__ import annotations

import contextlib
import html
import io
import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.command import refused, sepal


@pytest.fixture(autouse=True)
def patients(tmp_path, monkeypatch):
    """Sixty rows of twenty patients; marks of missing cells, a row without a class, and names in Latin-1."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    lines = ["uuid,a,b,c,size,pat,zip,class"]
    for i in range(60):
        a, b, c = rng.normal(size=3).round(3) + i % 2
        c, label = -999 if i == 7 else c, "" if i == 5 else "éß"[i % 2]
        lines.append(f"u{i:05d},{a},{b},{c},{'SML'[i % 3]},p{i // 3},{1000 + i % 5},{label}")
    (tmp_path / "ids.csv").write_text("\n".join(lines) + "\n", encoding="latin-1")
    (tmp_path / "parts").mkdir()
    for part in range(2):
        some = [lines[0], *(line for line in lines[1 + 30 * part : 31 + 30 * part] if not line.endswith(","))]
        (tmp_path / "parts" / f"{part}.csv").write_text("\n".join(some) + "\n", encoding="latin-1")


def made(*words: str) -> tuple[list[str], str]:
    """The words of the shell line of a page, and its Python line."""
    result = sepal("report", *words, "--out", "page.html")
    assert result.exit_code == 0, result.stderr
    page = Path("page.html").read_text(encoding="utf-8")
    python, shell = (html.unescape(text) for text in re.findall("<pre>(.*?)</pre>", page, re.S)[-2:])
    return shlex.split(shell), python


def numbers(text: str) -> dict:
    return {name: value for name, value in json.loads(text).items() if name != "seconds"}


def asked(*words: str) -> dict:
    result = sepal("report", *words, "--json")
    assert result.exit_code == 0, result.stderr
    return numbers(result.stdout)


def asked_of(rows: bytes, *words: str) -> dict:
    result = sepal("report", "-", *words, "--json", given=rows)
    assert result.exit_code == 0, result.stderr
    return numbers(result.stdout)


def by_python(line: str) -> dict:
    known: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(line, known)  # noqa: S102 - it is the line that is tested
    return numbers(known["report"].to_json())


SAID = {
    "columns": ("--drop", "b", "--id", "uuid", "--kind", "size=S<M<L", "--kind", "zip=nominal", "--na=-999,?"),
    "choices": (
        "--scale",
        "standard",
        "--seed",
        "3",
        "--missing",
        "drop",
        "--distance",
        "manhattan",
        "--columns",
        "a,c",
    ),
    "groups": ("--groups", "pat", "--columns", "a,b", "--method", "brute", "--scale", "none"),
    "limits": ("--time-limit", "90s", "--jobs", "1", "--task", "classify"),
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_both_lines_make_the_same_numbers(said):
    said = ("ids.csv", "--missing-target", "drop", "--encoding", "latin-1", *said)
    shell, python = made(*said)
    wanted = asked(*said)
    assert shell[-2:] == ["--out", "report.html"]
    assert asked(*shell[2:-2]) == wanted
    assert by_python(python) == wanted


def test_every_option_that_changes_a_number_is_in_the_line():
    """All but four were dropped, and the column of the groups was printed as the word COLUMN."""
    said = [word for words in SAID.values() for word in words if word not in ("--jobs", "1")]
    shell, _ = made("ids.csv", "--missing-target", "drop", "--encoding", "latin-1", "--target", "7", *said)
    assert {word for word in said if word.startswith("--") and "=" not in word} <= {*shell}
    assert shell[:5] == ["sepal", "report", "ids.csv", "--target", "class"]
    assert {"pat", "size=S<M<L", "zip=nominal", "-999,?", "90s", "3", "drop"} <= {*shell}
    assert "--jobs" not in shell


def test_a_bundled_set_and_standard_input(monkeypatch):
    shell, python = made("iris", "--task", "classify")
    assert shell == ["sepal", "report", "iris", "--task", "classify", "--out", "report.html"]
    assert "sepal.datasets.load('iris').with_task('classify')" in python
    rows = b"a,class\n1,x\n2,y\n3,x\n4,y\n"
    text = " ".join(sepal("report", "-", "--seed", "2", given=rows).stdout.split())
    assert "sepal report - --target class --seed 2 --out report.html" in text
    line = text[text.index("import io") : text.index("print(report)") + len("print(report)")]
    given = io.BytesIO(rows)
    given.name = "<stdin>"  # as the file of a pipe is called
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(given))
    again = by_python(line)
    assert again["settings"]["random_state"] == 2
    assert again["table"]["name"] == asked_of(rows, "--seed", "2")["table"]["name"] == "standard input"


def test_python_says_what_only_the_command_knows():
    said = ("parts", "--no-exact", "--sample", "40", "--target", "class", "--encoding", "latin-1", "--drop", "uuid,pat")
    shell, python = made(*said)
    assert {"--no-exact", "--sample", "40", "--encoding", "latin-1", "--drop", "uuid,pat"} <= {*shell}
    assert python.endswith("print(report)  # without --no-exact --sample 40, which only the command knows")
    assert by_python(python)["table"]["n_rows"] == 59


def test_a_page_is_no_json():
    """--json was not heeded beside it."""
    said = refused("report", "iris", "--json", "-o", "y.html")
    assert "a page is no JSON" in said
    assert "--out y.json" in said
