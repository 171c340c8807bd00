"""The run: files, what is made again and what is not, Ctrl-C, the page, and the command."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sepal.cli._app import app
from sepal.exceptions import ParameterError
from sepal.reproduce import EXPERIMENTS, Fact, Result, reproduce, wanted
from sepal.reproduce._store import fingerprint


@pytest.fixture
def runs(monkeypatch):
    """Which experiments are really run, in place of their work."""
    seen = []
    for experiment in EXPERIMENTS.values():
        code = experiment.code
        monkeypatch.setattr(code, "run", lambda key=experiment.id, **given: seen.append(key) or _found(key))
        monkeypatch.setattr(code, "draw", lambda result: _drawn())
    return seen


def _found(name):
    if name == "E3":
        raise KeyboardInterrupt
    return Result(f"sentence of {name} <b>", (Fact("n", 1.5, 2.0, "because"), Fact("word", "no")), {"x": [1.0]})


def _drawn():
    from sepal.plots import new_panels

    return new_panels(size=(1.0, 1.0))[0]


def test_a_second_run_makes_only_what_is_missing_or_outdated(runs, tmp_path, monkeypatch):
    first = reproduce("E1,E2", tmp_path)
    assert (first.made, first.kept) == (("E1", "E2"), ())
    (tmp_path / "E2.svg").unlink()
    second = reproduce("E1,E2", tmp_path)
    assert (second.made, second.kept) == (("E2",), ("E1",))
    (tmp_path / "E1.json").write_text("{")
    assert reproduce("E1,E2", tmp_path).made == ("E1",)
    monkeypatch.setattr(EXPERIMENTS["E1"].code, "FULL", {"other": 1})
    monkeypatch.setattr(EXPERIMENTS["E1"].code, "QUICK", {"other": 2})
    assert reproduce("E1,E2", tmp_path).made == ("E1",)
    assert reproduce("E1", tmp_path, quick=True).made == ()  # what was made in full will do
    monkeypatch.setattr(EXPERIMENTS["E2"].code, "QUICK", {"small": 1})
    small = reproduce("E1,E2", tmp_path / "new", quick=True)
    assert [(each.id, each.quick) for each in small.found] == [("E1", True), ("E2", True)]
    assert reproduce("E2", tmp_path / "new").made == ("E2",)  # but not the other way round
    assert runs.count("E1") == 4


def test_what_an_experiment_imports_from_this_room_outdates_it(monkeypatch):
    """A changed helper module left the results of experiments that use it as they were."""
    before = {key: fingerprint(EXPERIMENTS[key], False) for key in ("A3", "E1")}
    read = Path.read_text
    monkeypatch.setattr(
        Path, "read_text", lambda self, **how: read(self, **how) + ("#" if self.name == "_subset_scores.py" else "")
    )
    assert fingerprint(EXPERIMENTS["A3"], False) != before["A3"]  # the sweep that A3 and A4 share
    assert fingerprint(EXPERIMENTS["E1"], False) == before["E1"]


def test_where_sizes_are_the_same_a_quick_result_is_a_full_one(runs, tmp_path):
    """A full run made again what a quick one had made with the same sizes."""
    assert EXPERIMENTS["E1"].parameters(True) == EXPERIMENTS["E1"].parameters(False)
    assert not reproduce("E1", tmp_path, quick=True).found[0].quick
    assert reproduce("E1", tmp_path).kept == ("E1",)


def test_after_ctrl_c_what_is_done_is_there(runs, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        reproduce("E1,E2,E3,E4", tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["E1.json", "E2.json"]
    page = (tmp_path / "index.html").read_text()
    assert 'id="E2"' in page
    assert 'id="E3"' not in page


def test_the_page_grows_with_every_experiment(runs, tmp_path):
    """The page was written at the end, so that a process ended at once, as by Ctrl-C within an import, left none."""
    pages = []

    def look(text, share):
        page = tmp_path / "index.html"
        pages.append([key for key in ("E1", "E2") if page.exists() and f'id="{key}"' in page.read_text()])

    reproduce("E1,E2", tmp_path, progress=look)
    assert pages == [[], ["E1"], ["E1", "E2"]]


def test_the_json_holds_ours_theirs_and_the_difference(runs, tmp_path):
    reproduce("E1", tmp_path)
    found = json.loads((tmp_path / "E1.json").read_text())
    assert found["facts"][0] == {
        "name": "n", "ours": 1.5, "published": 2.0, "why": "because", "unit": "", "digits": 2, "difference": -0.5
    }  # fmt: skip
    assert found["facts"][1]["difference"] is None
    assert found["data"] == {"x": [1.0]}
    assert (tmp_path / "E1.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "E1.svg").read_bytes()


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.sources = [], [], []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            self.ids.append(found["id"])
        if "href" in found:
            self.links.append(found["href"])
        if "src" in found:
            self.sources.append(found["src"])


def test_the_page_holds_everything_and_needs_no_network(runs, tmp_path):
    reproduce("E1,E2", tmp_path)
    text = (tmp_path / "index.html").read_text()
    page = _Links()
    page.feed(text)
    assert all(source.startswith("data:image/png;base64,") for source in page.sources)
    assert len(page.sources) == 2
    assert all(link[1:] in page.ids if link[0] == "#" else (tmp_path / link).is_file() for link in page.links)
    assert "sentence of E1 &lt;b&gt;" in text
    assert "-0.50" in text
    assert "http" not in text.replace("https://www.w3.org", "")
    assert "Where the sources are wrong" in text


def test_which_experiments():
    assert [each.id for each in wanted("e3,E1")] == ["E1", "E3"]
    assert {each.id[0] for each in wanted("e")} == {"E"}
    assert len(wanted(None)) == len(EXPERIMENTS)
    with pytest.raises(ParameterError, match="no experiment Z9"):
        wanted("E1,Z9")
    with pytest.raises(ParameterError, match="empty"):
        wanted(" , ")


def test_a_file_in_the_place_of_the_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ParameterError, match="expected a folder"):
        reproduce("E1", tmp_path / "file")
    with pytest.raises(ParameterError, match="mkdir -p"):
        reproduce("E1", tmp_path / "no" / "such")


def test_progress_is_told(runs, tmp_path):
    heard = []
    reproduce("E1,E2", tmp_path, progress=lambda text, share: heard.append((text[:3], share)))
    assert heard == [("E1:", 0.0), ("E2:", 0.5), ("the", 1.0)]


def _command(*words):
    return CliRunner().invoke(app, ["reproduce", *map(str, words)])


def test_the_command_lists_and_makes(runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    listed = _command("--list")
    assert "E1  Athletes: who will be selected?" in listed.stdout
    assert not list(tmp_path.iterdir())
    assert json.loads(_command("--list", "--json", "--only", "E2").stdout)["experiments"][0]["id"] == "E2"
    made = _command("--only", "E1")
    assert made.exit_code == 0, made.output
    assert "sentence of E1" in made.stdout
    assert (tmp_path / "reproduce" / "index.html").is_file()
    again = json.loads(_command("--only", "E1", "--json", "--out", "reproduce").stdout)
    assert (again["made"], again["kept"]) == ([], ["E1"])
    assert _command("--only", "Q7").exit_code == 2
    stopped = _command("--only", "E3,E4")
    assert stopped.exit_code == 130
    assert "after writing" in stopped.output


def test_every_experiment_says_what_it_is():
    for experiment in EXPERIMENTS.values():
        assert experiment.module.startswith(f"_{experiment.id.lower()}_")
        assert experiment.code.__doc__.startswith(f"{experiment.id}: ")
        assert set(experiment.parameters(True)) == set(experiment.parameters(False))
        assert experiment.title
        assert experiment.said
