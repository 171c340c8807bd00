"""``sepal explore`` and ``sepal do``: DATA and how it is read, as for the other verbs."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sepal.cli._app import app

runner = CliRunner()


@pytest.fixture(autouse=True)
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{i % 7},{'gone' if i == 3 else i % 5},p{i // 4},{'ab'[i % 2]}" for i in range(40)]
    (tmp_path / "rows.csv").write_text("\n".join(["x,z,who,class", *lines]) + "\n")


def test_explore_opens_the_view_that_was_said(monkeypatch):
    served = []
    monkeypatch.setattr("sepal.explore.serve", lambda server, **more: served.append(server), raising=False)
    words = ["--groups", "who", "--na", "gone", "--kind", "x=nominal", "--task", "classify", "--encoding", "utf-8"]
    found = runner.invoke(app, ["explore", "rows.csv", "--target", "class", "--no-browser", *words])
    assert found.exit_code == 0, found.output
    view = served[0].view
    assert (view.target, view.groups, view.na, view.encoding, view.task) == (
        *("class", "who", ("gone",), "utf-8"),
        "classify",
    )
    table = served[0].shelf.space(view).table
    assert (table.names, table.kinds, table.n_missing) == (("x", "z"), ("nominal", "numeric"), 1)


def test_do_reads_as_the_other_verbs_do():
    words = ["rows.csv", "--groups", "who", "--na", "gone", "--json"]
    done = json.loads(runner.invoke(app, ["do", "separability.measure", *words]).stdout)
    measured = json.loads(runner.invoke(app, ["measure", *words]).stdout)
    assert done["result"]["classes"] == measured["classes"]
    assert done["result"]["thornton"] == measured["thornton"]
    assert done["view"]["groups"] == "who"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-"], "needs a file"),
        (["."], "reads one file"),
        (["*.csv"], "reads one file"),
        (["irs"], "did you mean iris"),
        (["nothing.csv"], "cannot be read"),
        (["iris", "--na", "x"], "iris is a bundled set"),
        (["rows.csv", "--groups", "whom"], 'did you mean "who"'),
        (["rows.csv", "--groups", "class"], "this column is the target"),
    ],
)
@pytest.mark.parametrize("verb", [["explore", "--no-browser"], ["do", "data.rows"]], ids=["explore", "do"])
def test_what_cannot_be_read_is_told_at_once(verb, words, said, monkeypatch):
    monkeypatch.setattr("sepal.explore.serve", lambda server, **more: None, raising=False)
    found = runner.invoke(app, [*verb, *words])
    assert found.exit_code == 2
    assert said in found.output
