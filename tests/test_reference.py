"""The page of the reference names everything that is public; lines to try run."""

from __future__ import annotations

import runpy
from importlib import import_module
from pathlib import Path

import pytest

PAGE = runpy.run_path(str(Path(__file__).parent.parent / "docs" / "reference.py"))
ROOMS = [room for several in PAGE["QUESTIONS"].values() for room in several]


def test_every_public_name_is_on_the_page(tmp_path):
    PAGE["write_reference"](tmp_path / "reference.md")
    text = (tmp_path / "reference.md").read_text()
    told = {line.strip() for line in text.splitlines()}
    for room in ROOMS:
        for name in import_module(f"sepal.{room}").__all__:
            addresses = {f"sepal.{other}.{name}" for other in ROOMS}
            assert addresses & told or f"- `sepal.{room}.{name}`: " in text, f"{room}.{name}"
    assert "sepal.plots.plot_regions" in told  # at home among the pictures, though the machines have it, too
    assert "sepal.machines.plot_regions" not in told


@pytest.mark.parametrize("name", PAGE["TABLES"])
def test_a_table_of_names_has_a_line_that_runs(name, capsys):
    room, short = name.split(".")
    what, example, beside = PAGE["TABLES"][name]
    exec(f"from sepal.{room} import {short}; print({example})")  # noqa: S102 - our own line
    assert capsys.readouterr().out.strip()
    assert what.endswith(".")
    assert any(hasattr(import_module(f"sepal.{other}"), beside) for other in ROOMS)
