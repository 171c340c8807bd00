"""Levels in their order on the command line, those too that hold the sign between levels."""

from __future__ import annotations

import json
import shlex

import pytest

from sepal.data import kind_said, kind_words
from sepal.explore import TableView
from sepal.explore._code import reading_words
from tests.cli.command import refused, sepal

AGES = ("<18", "18-65", ">=65")


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{AGES[i % 3]},{i % 7},{'yes' if i % 3 else 'no'}\n" for i in range(30))
    (tmp_path / "ages.csv").write_text("age,b,class\n" + rows)
    return tmp_path


def test_levels_that_hold_the_sign_are_put_in_order():
    """They could not be: expected one of "", "18", ..."""
    words = kind_words("age", AGES)
    assert words == 'age="<18"<18-65<">=65"'
    asked = ("evaluate", "ages.csv", "-l", "knn", "-k", "1", "--show-wrong", "0", "--kind", words, "--json")
    assert json.loads(sepal(*asked).stdout)["accuracy"] == 1.0


def test_without_quotes_the_hint_shows_them():
    said = refused("report", "ages.csv", "--kind", "age=<18<18-65<>65")
    assert "a level is empty" in said
    assert """--kind 'age="<18"<18-65<">65"'""" in said


@pytest.mark.parametrize("name", ["age", "a=b", "a<b"])
@pytest.mark.parametrize(
    "kind", ["nominal", ["S", "M", "L"], [*AGES], ["=", "<"], ['6"', '8"'], ['a "b" c', "d"], ["a<b"], ["a, b", "c;d"]]
)
def test_what_is_written_is_read(name, kind):
    assert kind_said(kind_words(name, kind)) == (name, kind)


def test_a_name_may_hold_a_quote():
    """Then levels may not, since it would be open where the name ends."""
    assert kind_said('height 6"=nominal') == ('height 6"', "nominal")
    assert kind_said(kind_words('height 6"', ["S", "M"])) == ('height 6"', ["S", "M"])


def test_the_explorer_prints_what_the_command_reads():
    view = TableView("ages.csv", kinds={"age": AGES})
    words = reading_words(view)
    assert shlex.split(shlex.join(words)) == ["--kind", 'age="<18"<18-65<">=65"']
