"""The Python of the guide runs, page by page, and prints what the page says where it says so."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from importlib import import_module
from mailbox import Maildir, mbox
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

from benchmarks.guide import PAGES as COSTS

GUIDE = Path(__file__).parent.parent / "docs" / "guide"
PAGES = [page for page in sorted(GUIDE.glob("*.md")) if "```python" in page.read_text(encoding="utf-8")]

WRITTEN = {"../benchmarks.md", "../command.md", "../reference.md"}  # by docs/conf.py, as the site is built


@pytest.mark.parametrize("folder", [GUIDE, GUIDE.parent / "design"], ids=lambda folder: folder.name)
def test_the_index_names_every_page(folder):
    index = (folder / "index.md").read_text(encoding="utf-8").splitlines()
    assert {page.stem for page in folder.glob("*.md")} - {"index"} == {
        line for line in index if (folder / f"{line}.md").is_file()
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page):
    names: dict[str, object] = {"__name__": page.stem}
    for code in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, str(page), "exec"), names)  # noqa: S102 - our own pages
        if "print(" in code:
            assert printed.getvalue().strip()


def commands(page):
    """The lines of a page that begin with `sepal`, as a reader would type them."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^(?:    |\$ |)(sepal [a-z].*)$", text, re.MULTILINE)


# The commands of the overview are run by the tests of the README; `sepal explore` goes on until it is stopped.
WITH_COMMANDS = [
    page for page in sorted(GUIDE.glob("*.md")) if commands(page) and page.stem not in ("overview", "explorer")
]


@pytest.fixture
def reader(tmp_path):
    """A home with the files that the guide speaks of."""
    flowers = load_iris(as_frame=True).frame.rename(columns={"target": "species"})
    for name in ("mydata.csv", "flowers.csv", "new.csv"):
        flowers.to_csv(tmp_path / name, index=False)
    for part, folder in enumerate(("sales", "sales", "new")):
        (tmp_path / folder).mkdir(exist_ok=True)
        flowers[part::3].rename(columns={"species": "returned"}).to_parquet(tmp_path / folder / f"{part}.parquet")
    mailbox, letter = mbox(tmp_path / "junk.mbox"), "Subject: {}\nMessage-ID: <{}@here>\n\nwords of {} {}\n"
    maildir = Maildir(tmp_path / "Maildir")
    for i in range(12):
        mailbox.add(letter.format("prize", f"spam{i}", "a prize", i))
        maildir.add(letter.format("meeting", f"ham{i}", "a meeting", i))
    mailbox.close()
    (tmp_path / "message.eml").write_text(letter.format("prize", "new", "a prize", 99))
    return tmp_path


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(page, reader):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(reader), "XDG_DATA_HOME": str(reader / "share")}
    for line in commands(page):
        done = subprocess.run(
            ["bash", "-c", line], cwd=reader, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, f"{line}: {done.stderr}"  # of `sepal mail classify`: spam


@pytest.mark.parametrize("page", sorted(GUIDE.glob("*.md")), ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if link.startswith("../gallery/"):
            folder, name = re.fullmatch(r"../gallery/(\w+)/images/sphx_glr_(plot_\w+)_001.png", link).groups()
            assert (GUIDE.parent / "examples" / folder / f"{name}.py").is_file(), link
        elif not link.startswith("http") and link not in WRITTEN:
            assert (page.parent / link).exists(), link


def test_every_page_that_answers_a_question_is_measured():
    others = {"index", "overview", "errors-in-the-peers", "errors-in-the-sources"}
    assert set(COSTS) == {page.stem for page in GUIDE.glob("*.md")} - others


@pytest.mark.parametrize("page", sorted(COSTS))
def test_a_page_has_all_its_parts(page):
    text = (GUIDE / f"{page}.md").read_text(encoding="utf-8")
    assert "```python" in text
    assert "![" in text
    headings = " ".join(re.findall(r"^## (.+)$", text, re.MULTILINE)).lower()
    for part in ("how to read it", "misleads", "the mathematics", "what it costs"):
        assert part in headings, part
    (line,) = re.findall(r"^\*Measured\*.*$", text, re.MULTILINE)
    assert re.match(r"\*Measured\* on \d{4}-\d\d-\d\d by `python -m benchmarks.guide`, .+: [\d.]+ (s|ms|µs) for ", line)


def test_the_page_of_benchmarks_says_of_every_table_when_and_on_what(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(GUIDE.parent)
    import_module("benchmark_page").write_benchmarks(tmp_path / "page.md")
    _, *tables = re.split(r"^### ", (tmp_path / "page.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(tables) > 10
    for table in tables:
        assert re.search(r"^Measured on \d{4}-\d\d-\d\d, .+; Python 3", table, re.MULTILINE), table[:60]


@pytest.mark.parametrize(
    "script", ["quality/__main__", "quality/mail", "quality/mail_trials", "quality/text", "speed/__main__",
               "statistics/__main__"]
)  # fmt: skip
def test_what_writes_a_table_writes_machine_versions_and_date(script):
    source = (GUIDE.parent.parent / "benchmarks" / f"{script}.py").read_text(encoding="utf-8")
    written = [line for line in source.splitlines() if "write_text(" in line]
    assert written
    assert "made_on(" in source


def _cells(line):
    return {cell.strip() for cell in line.split("|")}


@pytest.mark.parametrize("page", ["how-sure", "no-choice"])
def test_tables_of_the_guide_are_those_of_the_scripts(page):
    tables = (GUIDE.parent.parent / "benchmarks").glob("*/results/*.md")
    written = [_cells(line) for table in tables for line in table.read_text(encoding="utf-8").splitlines()]
    told = re.findall(r"^\|.*\d.*\|$", (GUIDE / f"{page}.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(told) > 10
    assert not [line for line in told if not any(_cells(line) <= cells for cells in written)]


def test_what_many_rows_cost_follows_from_the_measured_rates():
    rates = (GUIDE.parent.parent / "benchmarks" / "speed" / "results" / "scale-rates.md").read_text(encoding="utf-8")
    pairs = float(re.search(r"\(R\) +(\S+)", rates)[1])
    page = (GUIDE / "large-data.md").read_text(encoding="utf-8")
    told = f"R = {pairs / 1e8:.2f}·10⁸ for rows that ask others and L = {re.search(r'[(]L[)] +(.+)', rates)[1]}·10⁻⁶"
    assert told in page
    units = {"s": 1, "min": 60, "hours": 3600, "days": 86400}
    lines = re.findall(r"^\| 10([⁶⁷⁸⁹]) \|(.+)\|$", page, re.MULTILINE)
    assert len(lines) == 4
    for power, rest in lines:
        n = 10.0 ** (6 + "⁶⁷⁸⁹".index(power))
        _, *exact, _, many, one = [cell.split() for cell in rest.split("|")]
        wanted = [n**2 / pairs / 100, n**2 / pairs / 1000, 9604 * n / pairs / 100, 9604 * n / pairs]
        for (value, unit), seconds in zip([*exact, many, one], wanted, strict=True):
            digits = 1 if "." in value else 0
            assert abs(float(value) - seconds / units[unit]) <= 0.5 * 10**-digits + 1e-9, (power, value, unit)
