"""What the guide shows is run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sepal.cli._app import app

PAGES = sorted((Path(__file__).parent.parent / "docs" / "guide").glob("*.md"))


def blocks(page: Path, language: str) -> list[str]:
    """The fenced code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def _inside(tmp_path, monkeypatch):
    """A folder with the files that the pages name."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 5},{'rgb'[i % 3]},{'xy'[i % 2]}" for i in range(40)]
    (tmp_path / "mydata.csv").write_text("size,hue,species\n" + "\n".join(rows) + "\n")
    (tmp_path / "new.csv").write_text("size,hue\n2,g\n")


@pytest.mark.usefixtures("_inside")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page(page, tmp_path):
    code = "\n".join(blocks(page, "python"))
    exec(compile(code, str(page), "exec"), {})  # noqa: S102 - our own page
    for line in "".join(blocks(page, "sh")).splitlines():
        words = shlex.split(line)
        assert words[0] == "sepal"
        result = CliRunner().invoke(app, words[1:])
        assert result.exit_code == 0, f"{line}: {result.output}"
