"""A session is saved, opened and run, and never on other data."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from sepal.cli._app import app
from sepal.exceptions import DataError, ParameterError
from sepal.explore import Session, Shelf

ROWS = "a,b,class\n" + "".join(f"{(i * i) % 47},{(7 * i) % 11},{'x' if i < 15 else 'y'}\n" for i in range(30))
ACTIONS = [
    {"action": "data.rows", "parameters": {"count": 2, "sort": "b"}},
    {"action": "neighbors.map", "parameters": {"x": "a", "y": "b", "n_grid": 6, "k": 3}},
    {"action": "classify.run", "parameters": {"learner": "knn", "settings": {"n_neighbors": 1}, "cv": 3}},
]


def run(*words):
    return CliRunner().invoke(app, ["run", *map(str, words)])


@pytest.fixture
def saved(page, tmp_path, monkeypatch):
    """A session about an uploaded file, as the Explorer saves it, beside that file; and what the Explorer showed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(ROWS)
    data = page.upload("rows.csv", ROWS.encode()).json()["data"]
    view = {"data": data, "scale": "standard"}
    shown = [page.job(each["action"], view, **each["parameters"])["result"] for each in ACTIONS]
    session = page.post("/api/session", {"view": view, "actions": ACTIONS}).json()
    (tmp_path / "session.json").write_text(json.dumps(session))
    return session, shown


def test_a_session_has_few_documented_keys(saved):
    session, _ = saved
    assert set(session) == {
        *(
            "sepal_session",
            "sepal",
            "source",
            "target",
            "kinds",
            "left_out",
            "columns",
            "task",
            "scale",
            "distance",
            "sample",
        ),
        *("groups", "ids", "na", "encoding", "missing_target", "missing"),
        "actions",
    }
    assert session["source"]["file"] == "rows.csv"
    assert session["source"]["size"] == len(ROWS)
    assert len(session["source"]["sha256"]) == 64


def test_run_gives_what_the_explorer_showed(saved, tmp_path):
    _, shown = saved
    result = run("session.json", "--out", "results")
    assert result.exit_code == 0, result.output
    written = sorted(file.name for file in (tmp_path / "results").iterdir())
    assert written == ["01-data.rows.json", "02-neighbors.map.json", "03-classify.run.json", "index.html"]
    for name, each in zip(written, shown, strict=False):
        assert json.loads((tmp_path / "results" / name).read_text())["result"] == each
    text = (tmp_path / "results" / "index.html").read_text()
    assert "=== Summary ===" in text


def test_the_explorer_opens_it_again_with_the_same_numbers(saved, open_page):
    session, shown = saved
    page = open_page()
    refused = page.post("/api/session/open", session)
    assert refused.status_code == 400
    assert "rows.csv" in refused.json()["error"]["message"]
    page.upload("rows.csv", ROWS.encode())
    opened = page.post("/api/session/open", session).json()
    assert [each["action"] for each in opened["actions"]] == [each["action"] for each in ACTIONS]
    again = [page.job(each["action"], opened["view"], **each["parameters"])["result"] for each in opened["actions"]]
    assert again == shown
    assert page.post("/api/session", opened).json() == session


def test_changed_data_are_refused(saved, tmp_path, open_page):
    session, _ = saved
    (tmp_path / "rows.csv").write_text(ROWS.replace("4,", "5,"))
    result = run("session.json", "--out", "results")
    assert result.exit_code == 2
    assert "has changed since the session was saved" in result.stderr
    assert not (tmp_path / "results").exists()
    page = open_page()
    page.upload("rows.csv", (tmp_path / "rows.csv").read_bytes())
    response = page.post("/api/session/open", session)
    assert response.status_code == 400
    assert "has changed" in response.json()["error"]["message"]
    (tmp_path / "rows.csv").unlink()
    assert "which is not here" in run("session.json").stderr


GOOD = {"sepal_session": 1, "source": {"bundled": "iris"}, "actions": []}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sepal_session": 2}, "version 2"),
        ({"sepal_session": "1"}, "no session"),
        ({"source": {"bundled": "irish"}}, "irish"),
        ({"source": {"file": "x.csv"}}, "size and sha256"),
        ({"source": 3}, "source"),
        ({"colour": "red"}, "colour"),
        ({"scale": "big"}, "scale"),
        ({"actions": {}}, "actions"),
        ({"actions": [{"action": "data.nothing"}]}, "action 1: there is no action 'data.nothing'"),
        ({"actions": [{"action": "data.rows", "parameters": {"count": 0}}]}, "action 1: count"),
    ],
)
def test_what_is_wrong_in_a_session_is_named(change, said, tmp_path):
    with pytest.raises(ParameterError, match=re.escape(said)):
        Session.of({**GOOD, **change})
    (tmp_path / "s.json").write_text(json.dumps({**GOOD, **change}))
    result = run(tmp_path / "s.json", "--out", tmp_path / "results")
    assert result.exit_code == 2
    assert said in result.stderr
    assert not (tmp_path / "results").exists()


def test_files_that_are_no_sessions(tmp_path):
    for content in (b"", b"{", b"[]", b"\xff\xfe", b"3"):
        (tmp_path / "s.json").write_bytes(content)
        result = run(tmp_path / "s.json")
        assert result.exit_code == 2
        assert "session" in result.stderr
    assert run(tmp_path / "nothing.json").exit_code == 2
    (tmp_path / "s.json").write_text(json.dumps(GOOD))
    (tmp_path / "taken").write_text("")
    assert "expected a folder" in run(tmp_path / "s.json", "--out", tmp_path / "taken").stderr


def test_two_uploads_of_one_name_are_told_apart(page, tmp_path, monkeypatch):
    """Two results had the same code, and a session of them could never be run."""
    monkeypatch.chdir(tmp_path)
    contents = [ROWS, ROWS.replace("3,x", "4,x"), ROWS.replace("3,x", "5,x")]
    names = ["rows.csv", "test.csv", "test (2).csv"]
    told = [page.upload("test.csv" if at else "rows.csv", each.encode()).json() for at, each in enumerate(contents)]
    assert [each["name"] for each in told] == names
    assert "given_as" not in told[1]
    assert told[2]["given_as"] == "test.csv"
    assert page.upload("test.csv", contents[2].encode()).json() == told[2]
    view = {"data": told[0]["data"]}
    asked = [
        {"action": "classify.run", "parameters": {"learner": "fisher", "mode": "test", "test": each["data"]}}
        for each in told[1:]
    ]
    shown = [page.job(each["action"], view, **each["parameters"]) for each in asked]
    assert "--test test.csv" in shown[0]["code"]["shell"]
    assert "--test 'test (2).csv'" in shown[1]["code"]["shell"]
    (tmp_path / "s.json").write_text(json.dumps(page.post("/api/session", {"view": view, "actions": asked}).json()))
    for name, content in zip(names, contents, strict=True):
        (tmp_path / name).write_text(content)
    assert run("s.json", "--out", "results").exit_code == 0
    for at, each in enumerate(shown, start=1):
        assert json.loads((tmp_path / "results" / f"0{at}-classify.run.json").read_text())["result"] == each["result"]


def test_an_upload_is_told_from_a_file_of_the_command_line(open_page, tmp_path):
    (tmp_path / "rows.csv").write_text(ROWS)
    shelf = Shelf()
    shelf.read(str(tmp_path / "rows.csv"))
    page = open_page(shelf=shelf)
    assert page.upload("rows.csv", ROWS.replace("3,x", "4,x").encode()).json()["name"] == "rows (2).csv"
    assert page.upload("rows.csv", ROWS.encode()).json()["data"] == "file-1"


def test_test_files_of_a_session_are_checked_too(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("rows.csv", "test.csv"):
        (tmp_path / name).write_text(ROWS if name == "rows.csv" else ROWS.replace("3,x", "4,x"))
        page.upload(name, (tmp_path / name).read_bytes())
    asked = {"action": "classify.run", "parameters": {"learner": "fisher", "mode": "test", "test": "file-2"}}
    session = page.post("/api/session", {"view": {"data": "file-1"}, "actions": [asked]}).json()
    assert session["actions"][0]["parameters"]["test"]["file"] == "test.csv"
    (tmp_path / "s.json").write_text(json.dumps(session))
    assert run("s.json", "--out", "results").exit_code == 0
    shown = page.job(asked["action"], {"data": "file-1"}, **asked["parameters"])["result"]
    assert json.loads((tmp_path / "results" / "01-classify.run.json").read_text())["result"] == shown
    (tmp_path / "test.csv").write_text(ROWS)
    assert "test.csv has changed" in run("s.json", "--out", "results").stderr
    with pytest.raises(DataError, match="not here"):
        Session.of(session).placed(Shelf())
