"""Every route: what it gives, and what it says to wrong input."""

from __future__ import annotations

import json
import struct
import threading

import numpy as np
import pytest

import sepal
from sepal.explore import ACTIONS, Shelf

IRIS = {"data": "iris"}


def error(response):
    return response.status_code, response.json()["error"]["code"]


def test_start_names_sets_and_files(page):
    found = page.get("/api/start").json()
    sets = {each["data"]: each for each in found["bundled"]}
    assert sets["iris"] == {
        "data": "iris", "title": "Iris", "rows": 150, "columns": 4, "classes": 3, "target": "class"
    }  # fmt: skip
    assert (found["files"], found["view"], found["read_only"]) == ([], None, False)
    assert found["screens"][0] == "data"
    page.upload("two.csv", b"a,class\n1,x\n2,y\n")
    assert [each["name"] for each in page.get("/api/start").json()["files"]] == ["two.csv"]


def test_forms_have_every_action_and_learner_with_every_parameter(page):
    found = page.get("/api/parameters").json()
    assert set(found["actions"]) == set(ACTIONS)
    for name, entry in found["actions"].items():
        assert entry["help"]
        assert entry["cost"] in ("cheap", "job")
        assert [each["name"] for each in entry["parameters"]] == [f.parameter.name for f in ACTIONS[name].fields]
        assert all(each["help"] and each["wanted"] for each in entry["parameters"]), name
    knn = {each["name"]: each for each in found["learners"]["knn"]["parameters"]}
    assert knn["weights"]["choices"][:2] == ["uniform", "distance"]
    assert (knn["n_neighbors"]["kind"], knn["n_neighbors"]["default"], knn["n_neighbors"]["at_least"]) == (
        "whole",
        "auto",
        1,
    )
    assert "n_jobs" not in knn


def test_uploads_are_read_by_the_same_readers(page):
    found = page.upload("rows.csv", b"a;b;class\n1,5;x;yes\n2;y;no\n3;x;no\n").json()
    assert found == {"data": "file-1", "name": "rows.csv", "rows": 3, "columns": 2, "classes": 2, "target": "class"}
    assert page.do("data.rows", {"data": "file-1"}).json()["result"]["cells"] == [
        [1.5, "x", "yes"],
        [2, "y", "no"],
        [3, "x", "no"],
    ]
    same = page.upload("rows.csv", b"a;b;class\n1,5;x;yes\n2;y;no\n3;x;no\n").json()
    assert same["data"] == "file-1"
    response = page.upload("broken.csv", b"a,b\n1,2\n1,2,3,4\n")
    assert error(response) == (400, "wrong")
    assert "broken.csv" in response.json()["error"]["message"]
    assert error(page.upload("", b"a,class\n1,x\n")) == (400, "wrong")


TRAIN = "a,b,class\n" + "".join(f"{i // 2},{i % 5},{'low' if i < 10 else 'high'}\n" for i in range(20))
ASKED = "@relation x\n@attribute a numeric\n@attribute b numeric\n@attribute class {high,low}\n@data\n1,2,?\n8,3,?\n"


@pytest.mark.parametrize(("name", "text"), [("q.arff", ASKED), ("q.csv", "a,b,class\n1,2,?\n8,3,?\n")])
def test_rows_without_a_class_are_taken_and_predicted(page, name, text):
    """They were refused, with the advice to choose another target, which nothing on the page can do."""
    data = page.upload("train.csv", TRAIN.encode()).json()["data"]
    response = page.upload(name, text.encode())
    assert response.status_code == 200
    told = response.json()
    assert (told["rows"], told["target"], told["names"]) == (None, None, ["a", "b", "class"])
    assert "the target is missing in 2 of 2 rows" in told["message"]
    assert page.get("/api/start").json()["files"][1] == told
    found = page.job("predict.file", {"data": data}, learner="fisher", rows=told["data"])
    assert found["result"]["predicted"] == ["low", "high"]
    assert found["result"]["notes"] == []  # that the class has not a single value is why it is asked for


def test_a_table_with_one_missing_class_is_opened_and_read_in_another_way(page):
    told = page.upload("gaps.csv", (TRAIN + "3,3,\n").encode()).json()
    assert "drop these rows" in told["hint"]
    assert error(page.do("data.summary", {"data": told["data"]})) == (400, "wrong")
    for how, rows in (({"missing_target": "drop"}, 20), ({"target": "a"}, 21)):
        assert page.do("data.summary", {"data": told["data"], **how}).json()["result"]["n_rows"] == rows
    assert page.upload("gaps.csv", (TRAIN + "3,3,\n").encode()).json() == told


def test_no_number_is_used_twice(page, monkeypatch):
    """Of three uploads the second was refused late, and the next one took the number of the third: its rows were lost,
    and questions about the new file were answered from the kept table of the other.
    """
    reading, go_on, read = threading.Event(), threading.Event(), page.server.shelf.table_of

    def slowly(view):
        if page.server.shelf.called(view.data) == "slow.csv":
            reading.set()
            assert go_on.wait(20)
        return read(view)

    monkeypatch.setattr(page.server.shelf, "table_of", slowly)
    assert page.upload("a.csv", b"a,class\n1,x\n2,y\n").json()["data"] == "file-1"
    refused = []
    slow = threading.Thread(target=lambda: refused.append(page.upload("slow.csv", b"a,b\n1,2\n1,2,3,4\n")))
    slow.start()
    assert reading.wait(20)
    third = page.upload("c.csv", b"p,class\n3,u\n4,v\n").json()["data"]
    go_on.set()
    slow.join()
    assert error(refused[0]) == (400, "wrong")
    fourth = page.upload("d.csv", b"m,class\n5,s\n6,t\n").json()["data"]
    assert [page.do("data.rows", {"data": each}, count=1).json()["result"]["cells"] for each in (third, fourth)] == [
        [[3, "u"]],
        [[5, "s"]],
    ]
    assert [each["name"] for each in page.get("/api/start").json()["files"]] == ["a.csv", "c.csv", "d.csv"]


def test_a_file_that_was_there_stays_when_it_is_given_again(open_page, tmp_path):
    """A file of the command line was removed by dropping it on the page, where it is read as usual."""
    (tmp_path / "gaps.csv").write_text("a,class\n1,x\n2,y\n3,\n")
    shelf = Shelf()
    view = {"data": shelf.read(str(tmp_path / "gaps.csv")).data, "missing_target": "drop"}
    page = open_page(shelf=shelf)
    assert page.do("data.rows", view).json()["result"]["n_rows"] == 2
    page.upload("gaps.csv", (tmp_path / "gaps.csv").read_bytes())
    again = page.do("data.rows", {**view, "scale": "standard"}, start=1)
    assert again.json()["result"]["cells"] == [[2, "y"]]


@pytest.mark.parametrize(
    ("view", "said"),
    [
        (None, "view"),
        ({}, "data"),
        ({"data": 3}, "data"),
        ({"data": "irish"}, "irish"),
        ({"data": "iris", "colums": []}, "colums"),
        ({"data": "iris", "scale": "big"}, "scale"),
        ({"data": "iris", "distance": "precomputed"}, "distance"),
        ({"data": "iris", "task": "guess"}, "task"),
        ({"data": "iris", "target": 3}, "target"),
        ({"data": "iris", "target": "nothing"}, "nothing"),
        ({"data": "iris", "kinds": [1]}, "kinds"),
        ({"data": "iris", "kinds": {"petal_width": "big"}}, "petal_width"),
        ({"data": "iris", "left_out": "petal_width"}, "left_out"),
        ({"data": "iris", "left_out": ["none"]}, "none"),
        ({"data": "iris", "columns": []}, "column"),
        ({"data": "iris", "columns": [3]}, "columns"),
    ],
)
def test_a_wrong_view_is_named(page, view, said):
    response = page.post("/api/do/data.summary", {"view": view, "parameters": {}})
    assert error(response) == (400, "wrong")
    assert said in response.json()["error"]["message"]


def test_a_view_may_say_no_kinds(page):
    response = page.post("/api/do/data.summary", {"view": {"data": "iris", "kinds": []}, "parameters": {}})
    assert response.status_code == 200


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"count": 0}, "count"),
        ({"count": "many"}, "count"),
        ({"count": True}, "count"),
        ({"start": -1}, "start"),
        ({"sort": "none"}, "none"),
        ({"sort": 3}, "sort"),
        ({"rows": [1, 200]}, "200"),
        ({"rows": ["a"]}, "rows"),
        ({"rows": 3}, "rows"),
        ({"colour": 3}, "colour"),
        ([], "parameters"),
    ],
)
def test_a_wrong_parameter_is_named(page, parameters, said):
    response = page.post("/api/do/data.rows", {"view": IRIS, "parameters": parameters})
    assert error(response) == (400, "wrong")
    assert said in response.json()["error"]["message"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"3", b'{"view": NaN}', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(page, body):
    headers = page.headers | {"Content-Type": "application/json"}
    for path in (
        "/api/do/data.rows",
        "/api/jobs",
        "/api/code",
        "/api/session",
        "/api/session/open",
        "/api/page",
        "/api/login",
    ):
        assert error(page.client.post(path, content=body, headers=headers)) == (400, "wrong"), path


def test_what_is_not_there_is_not_found(page):
    assert error(page.do("data.nothing", IRIS)) == (404, "unknown")
    assert error(page.post("/api/jobs", {"action": "data.nothing", "view": IRIS})) == (404, "unknown")
    assert error(page.get("/api/jobs/j99")) == (404, "unknown")
    assert error(page.get("/api/jobs/j99/answer")) == (404, "unknown")
    assert error(page.delete("/api/jobs/j99")) == (404, "unknown")
    assert error(page.get("/api/nothing")) == (404, "unknown")
    assert error(page.get("/api/do/data.rows")) == (405, "wrong_method")


def test_an_answer_says_all_parameters_and_the_code(page):
    found = page.do("data.rows", IRIS, count=2).json()
    assert found["parameters"] == {"start": 0, "count": 2, "sort": None, "descending": False, "rows": None}
    assert found["view"]["scale"] == "minmax"
    assert found["code"]["shell"] == "sepal do data.rows iris --set count=2 --json\n"
    assert "sepal.data.row_page(table" in found["code"]["python"]
    assert (found["cached"], page.do("data.rows", IRIS, count=2).json()["cached"]) == (False, True)


def unpacked(body):
    (length,) = struct.unpack("<I", body[:4])
    head = json.loads(body[4 : 4 + length])
    start = 4 + length
    assert start % 8 == 0
    arrays = []
    for each in head["arrays"]:
        assert each["offset"] % 8 == 0
        raw = body[start + each["offset"] : start + each["offset"] + each["bytes"]]
        arrays.append(np.frombuffer(raw, "<" + each["dtype"]).reshape(each["shape"]))
    return head, arrays


def put_back(value, arrays):
    if isinstance(value, dict):
        if set(value) == {"$array"}:
            return [None if each != each else each for each in arrays[value["$array"]].ravel().tolist()]
        return {key: put_back(each, arrays) for key, each in value.items()}
    return [put_back(each, arrays) for each in value] if isinstance(value, list) else value


def flat(value):
    if isinstance(value, dict):
        return {key: flat(each) for key, each in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], list) and isinstance(value[0][0], (int, float)):
        return [each for row in value for each in row]
    return [flat(each) for each in value] if isinstance(value, list) else value


def test_binary_and_json_are_the_same_numbers(page):
    for action, parameters in (("neighbors.map", {"n_grid": 20, "k": 3}), ("data.plane", {}), ("data.summary", {})):
        plain = page.do(action, {"data": "hepatitis"} if action == "data.summary" else IRIS, **parameters).json()
        body = {"view": plain["view"], "parameters": parameters}
        response = page.post(f"/api/do/{action}", body, Accept="application/x-sepal")
        assert response.headers["content-type"] == "application/x-sepal"
        head, arrays = unpacked(response.content)
        assert {each.dtype.str[1:] for each in arrays} <= {"f8", "i4", "u1"}
        assert flat(put_back(head["result"], arrays)) == flat(plain["result"])


def test_a_job_runs_and_gives_its_answer(page):
    found = page.job("neighbors.curve", IRIS, k_max=7)
    curve = sepal.leave_one_out_curve(sepal.datasets.load("iris"), k_max=7)
    assert found["result"]["score"] == curve.score.tolist()
    assert found["result"]["best_k"] == curve.best_k
    jobs = page.get("/api/jobs").json()["jobs"]
    assert [(each["job"], each["state"]) for each in jobs] == [("j1", "done")]
    assert page.do("neighbors.curve", IRIS, k_max=7).json()["cached"] is True


def test_a_job_is_found_by_the_name_that_it_was_given(page):
    asked = {"action": "neighbors.curve", "view": IRIS, "name": "00c0ffee"}
    assert page.post("/api/jobs", asked).json()["job"] == "00c0ffee"
    while page.get("/api/jobs/00c0ffee?wait=5").json()["state"] in ("waiting", "running"):
        pass
    assert page.get("/api/jobs/00c0ffee/answer").status_code == 200
    assert page.post("/api/jobs", asked).json()["state"] == "done"  # told twice it is one job
    for name in ("j1", "", "../start", 7, "a" * 33):
        assert error(page.post("/api/jobs", {**asked, "name": name})) == (400, "wrong"), name


def test_a_costly_question_does_not_start_by_itself(page):
    response = page.do("neighbors.curve", IRIS)
    assert error(response) == (400, "wrong")
    assert response.json()["error"]["hint"] == "start it as a job"
    asked = {"view": IRIS, "parameters": {}, "only_kept": True}
    assert page.post("/api/do/neighbors.curve", asked).json() == {"kept": False}
    found = page.job("neighbors.curve", IRIS)
    assert page.post("/api/do/neighbors.curve", asked).json()["result"] == found["result"]


def test_the_start_page_reads_no_bundled_set(page, monkeypatch):
    """Every bundled set was read before the first page was shown."""

    def refuse(name):
        raise AssertionError(f"{name} was read")

    monkeypatch.setattr("sepal.explore._shelf.load", refuse)
    sets = {each["data"]: each for each in page.get("/api/start").json()["bundled"]}
    assert sets["iris"] == {
        "data": "iris", "title": "Iris", "target": "class", "rows": 150, "columns": 4, "classes": 3,
    }  # fmt: skip


def test_mistakes_in_a_job_are_told_at_once_or_by_the_job(page):
    assert error(page.post("/api/jobs", {"action": "neighbors.curve", "view": IRIS, "parameters": {"k_max": 0}})) == (
        400,
        "wrong",
    )
    assert error(page.post("/api/jobs", {"action": "neighbors.curve", "view": {}})) == (400, "wrong")
    started = page.post("/api/jobs", {"action": "neighbors.curve", "view": {"data": "nothing"}}).json()
    while (state := page.get(f"/api/jobs/{started['job']}?wait=5").json())["state"] in ("waiting", "running"):
        pass
    assert state["state"] == "failed"
    assert "nothing" in state["error"]["message"]
    assert error(page.get(f"/api/jobs/{started['job']}/answer")) == (400, "wrong")
    assert error(page.get(f"/api/jobs/{started['job']}?wait=x")) == (400, "wrong")


def test_code_of_several_actions_is_one_program(page):
    asked = [
        {"action": "data.rows", "parameters": {"count": 3}},
        {"action": "neighbors.map", "parameters": {"n_grid": 5}},
    ]
    found = page.post("/api/code", {"view": IRIS, "actions": asked}).json()
    assert found["shell"].splitlines() == [
        "sepal do data.rows iris --set count=3 --json",
        "sepal do neighbors.map iris --set n_grid=5 --json",
    ]
    assert found["python"].count("sepal.datasets.load") == 1
    for wrong in (None, {}, [3], [{"action": "none"}], [{"action": "data.rows", "parameters": {"x": 1}}]):
        assert error(page.post("/api/code", {"view": IRIS, "actions": wrong})) == (400, "wrong")


def test_a_page_of_answers(page):
    page.do("data.rows", IRIS, count=3)
    asked = [{"action": "data.rows", "parameters": {"count": 3}}, {"action": "data.rows", "parameters": {"count": 4}}]
    response = page.post("/api/page", {"view": IRIS, "actions": asked})
    assert response.headers["content-type"].startswith("text/html")
    assert response.text.count("This was not run") == 1
    assert "setosa" in response.text


def test_one_unforeseen_error_is_told_without_its_details(page, monkeypatch):
    def fails(*given):
        raise RuntimeError("/secret/path")

    monkeypatch.setitem(
        ACTIONS, "data.rows", ACTIONS["data.summary"].__class__(**{**vars(ACTIONS["data.rows"]), "run": fails})
    )
    response = page.do("data.rows", IRIS)
    assert error(response) == (500, "broken")
    assert "secret" not in response.text
    assert page.do("data.summary", IRIS).status_code == 200


DATED = b"when;x;class\n01.02.2020;1,5;a\n03.02.2020;2,5;b\n01.03.2020;3,5;a\n13.03.2021;3,0;b\n"


def test_a_row_with_a_date_is_predicted_as_it_is_shown(page):
    """The cells of a shown row were refused, and the column was called x1: dates are numbers in a table."""
    view = {"data": page.upload("dated.csv", DATED).json()["data"]}
    shown = page.job("data.rows", view, count=2)["result"]
    cells = dict(zip(shown["columns"], shown["cells"][1], strict=True))
    assert cells.pop("class") == "b"
    assert cells == {"when": "03.02.2020", "x": 2.5}
    settings = {"learner": "knn", "settings": {"n_neighbors": 1}}
    found = page.job("predict.row", view, cells=cells, **settings)
    assert found["result"]["predicted"] == ["b"]
    other = page.job("predict.row", view, cells={"when": "02.02.2020", "x": "2,5"}, **settings)
    assert other["result"]["predicted"] == ["b"]


def test_a_cell_that_is_no_date_is_refused_by_the_name_of_its_column(page):
    """The error called the column x1."""
    view = {"data": page.upload("dated.csv", DATED).json()["data"]}
    asked = {"learner": "knn", "cells": {"when": "soon", "x": 1.0}}
    started = page.post("/api/jobs", {"action": "predict.row", "view": view, "parameters": asked}).json()
    while (state := page.get(f"/api/jobs/{started['job']}?wait=5").json())["state"] in ("waiting", "running"):
        pass
    assert state["state"] == "failed"
    assert "column 'when' holds dates such as 01.02.2020; found 'soon'" in json.dumps(state)
