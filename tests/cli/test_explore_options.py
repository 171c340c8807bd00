"""``sepal explore`` and ``sepal do``: DATA and how it is read, as for the other verbs."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sepal.cli._app import app
from sepal.explore import answer
from sepal.neighbors import thread_count

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


def test_explore_tells_its_link_as_json(monkeypatch):
    """A program that opens the page itself had to look for the link in a sentence."""
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets: None)
    found = runner.invoke(app, ["explore", "iris", "--no-browser", "--port", "0", "--json"])
    assert found.exit_code == 0, found.output
    said = json.loads(found.stdout)
    assert said["kind"] == "explorer"
    assert said["link"].startswith("http://127.0.0.1:")
    plain = runner.invoke(app, ["explore", "iris", "--no-browser", "--port", "0"])
    assert "The Explorer is at\n\n    http://127.0.0.1:" in plain.stdout


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


def answered(*words: str) -> dict:
    found = runner.invoke(app, ["do", *words, "--json"])
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def test_options_of_every_verb_reach_an_action():
    """Seed and folds were to be said by ``--set`` alone, and rows with missing cells could not be left out."""
    words = ["classify.run", "rows.csv", "--na", "gone", "--set", "learner=knn"]
    done = answered(*words, "--cv", "3", "--seed", "5", "--missing", "drop", "--scale", "standard")
    assert (done["parameters"]["cv"], done["parameters"]["seed"], done["result"]["n_rows"]) == (3, 5, 39)
    assert (done["view"]["missing"], done["view"]["scale"]) == ("drop", "standard")
    by_set = answered(*words, "--set", "cv=3", "--set", "seed=5", "--missing", "drop", "--scale", "standard")
    assert done["result"] == by_set["result"]


@pytest.mark.parametrize("verb", ["do", "run"])
def test_jobs_holds_for_all_that_is_asked_and_not_beyond(verb, monkeypatch, tmp_path):
    asked = []

    def counted(*given, **named):
        asked.append(thread_count(None))
        return answer(*given, **named)

    monkeypatch.setattr("sepal.explore.answer", counted)
    session = {"sepal_session": 1, "source": {"bundled": "iris"}, "actions": [{"action": "separability.measure"}]}
    (tmp_path / "session.json").write_text(json.dumps(session))
    words = ["do", "separability.measure", "iris"] if verb == "do" else ["run", "session.json"]
    before = thread_count(None)
    for jobs in ("1", "3"):
        assert runner.invoke(app, [*words, "--jobs", jobs]).exit_code == 0
    assert asked == [1, 3]
    assert thread_count(None) == before
    refused = runner.invoke(app, [*words, "--jobs", "0"])
    assert refused.exit_code == 2
    assert "n_jobs" in refused.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["data.plane", "iris", "--seed", "3"], "--seed 3: data.plane has no parameter seed"),
        (["data.plane", "iris", "--cv", "3"], "--cv 3: data.plane has no parameter cv"),
        (["classify.run", "iris", "--seed", "3", "--set", "seed=4"], "--seed 3 and --set seed=4: leave one out"),
        (["classify.run", "iris", "--cv", "1"], "--cv 1: expected a number of folds"),
    ],
)
def test_an_option_that_an_action_does_not_have_is_named(words, said):
    found = runner.invoke(app, ["do", *words])
    assert found.exit_code == 2
    assert said in found.stderr


def test_explore_begins_with_the_distance_that_was_said(monkeypatch):
    served = []
    monkeypatch.setattr("sepal.explore.serve", lambda server, **more: served.append(server), raising=False)
    words = ["--distance", "manhattan", "--scale", "none", "--missing", "drop", "--no-browser"]
    assert runner.invoke(app, ["explore", "hepatitis", *words]).exit_code == 0
    view = served[0].view
    assert (view.distance, view.scale, view.missing) == ("manhattan", "none", "drop")
