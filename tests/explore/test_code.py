"""For every action: the Explorer's numbers, those of its Python and those of its shell line are the same."""

from __future__ import annotations

import json
import shlex
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

from sepal.cli._app import app
from sepal.exceptions import SepalError
from sepal.explore import ACTIONS, Session, Shelf, TableView, answer, plain_answer
from sepal.explore._facts import as_lists, facts

SMALL = {"data": "athletes"}
OTHERS = {"data": "iris", "left_out": ["sepal_width"], "scale": "standard", "distance": "manhattan"}
SOME = {"data": "breast-cancer", "sample": 60, "columns": ["clump_thickness", "mitoses"]}
NUMBERS = {"data": "iris", "target": "petal_width", "task": "regress"}
RUN = {"learner": "knn", "settings": {"n_neighbors": 3}, "cv": 4}
# Every action with every parameter at another value than its default at least once.
ASKED = [
    ("data.summary", SMALL, {}),
    ("data.summary", {"data": "weather", "target": "outlook", "kinds": {"windy": "nominal"}}, {"bins": 4}),
    ("data.rows", SMALL, {"sort": "speed", "descending": True, "count": 4}),
    ("data.rows", OTHERS, {"rows": [3, 140], "sort": "class"}),
    ("data.rows", SOME, {"start": 50}),
    ("data.plane", SMALL, {"x": "agility", "y": "speed"}),
    ("data.plane", {"data": "weather"}, {}),
    ("separability.report", SMALL, {}),
    ("separability.measure", SMALL, {"n_permutations": 20}),
    ("separability.measure", SOME, {}),
    ("separability.curve", SOME, {"n_neighbors": 3}),
    ("separability.pairs", SMALL, {"n_permutations": 19}),
    ("separability.complexity", SMALL, {"time_limit": 500.0}),
    ("separability.alignment", SMALL, {"centered": False}),
    ("separability.alignment", {"data": "weather"}, {}),
    ("features.rank", SMALL, {}),
    ("features.sweep", SMALL, {}),
    ("features.search", SMALL, {"cv": 3}),
    ("features.search", OTHERS, {"honest": False, "n_features": 2, "strategy": "forward"}),
    ("features.search", SMALL, {"criterion": "alignment", "cv": 4, "seed": 5, "time_limit": 500.0}),
    ("features.planes", SMALL, {}),
    ("neighbors.map", SMALL, {"x": "speed", "y": "agility", "k": 3, "weights": "distance", "n_grid": 12}),
    ("neighbors.map", OTHERS, {"n_grid": 12, "k": 60, "prototypes": "enn"}),
    ("neighbors.curve", SMALL, {"k_max": 6, "test": "athletes"}),
    ("neighbors.curve", OTHERS, {"k_max": 6, "plane": True, "weights": "rank"}),
    ("neighbors.curve", SMALL, {"training": False, "plane": True, "x": "agility", "y": "speed", "test": "athletes"}),
    ("neighbors.of", SMALL, {"row": 7, "k": 3}),
    ("neighbors.of", OTHERS, {"row": 70, "plane": True, "weights": "distance"}),
    ("neighbors.of", SMALL, {"point": [5, 5.5], "x": "speed", "y": "agility"}),
    ("neighbors.voronoi", SMALL, {"x": "speed", "y": "agility"}),
    ("rows.suspects", SMALL, {"n_neighbors": 3}),
    ("rows.prototypes", SMALL, {"method": "fcnn"}),
    ("rows.methods", SMALL, {"methods": ["hart", "enn"], "cv": 4}),
    ("kernels.alignment", SMALL, {"plane": True, "x": "speed", "y": "agility", "centered": False}),
    ("kernels.map", SMALL, {"n_grid": 12, "C": 2.0, "width": 0.5}),
    ("kernels.map", SMALL, {"n_grid": 12, "machine": "parzen"}),
    ("kernels.map", SMALL, {"n_grid": 12, "machine": "fisher"}),
    ("kernels.map", SMALL, {"n_grid": 12, "machine": "feature-vectors", "x": "agility", "y": "speed"}),
    ("kernels.map", SMALL, {"n_grid": 12, "machine": "adatron"}),
    ("kernels.surface", SMALL, {"C": [1.0], "width": [0.5], "plane": False}),
    ("kernels.surface", SMALL, {"C": [1.0, 10.0], "width": [0.25, 0.5], "x": "speed", "y": "agility"}),
    ("classify.run", SMALL, RUN),
    ("classify.run", {"data": "weather"}, {"learner": "svm", "settings": {"C": 1.0}, "mode": "loo"}),
    ("classify.run", SMALL, {"learner": "parzen", "mode": "split", "percent": 60.0, "seed": 3}),
    ("classify.run", SMALL, {"learner": "fisher", "mode": "test", "test": "athletes"}),
    ("classify.run", NUMBERS, {"learner": "knn-regressor", "cv": 3}),
    ("classify.threshold", SMALL, {**RUN, "positive": "yes", "costs": [[0, 5], [1, 0]]}),
    ("classify.threshold", SMALL, {"learner": "fisher", "mode": "split", "percent": 50.0, "seed": 2}),
    ("classify.threshold", SMALL, {"learner": "fisher", "mode": "test", "test": "athletes"}),
    ("classify.costs", OTHERS, {**RUN, "costs": [[0, 1, 2], [3, 0, 4], [5, 6, 1]]}),
    ("classify.costs", OTHERS, {**RUN, "costs": ["setosa=4", "virginica:versicolor=2.5"]}),
    (
        "classify.costs",
        SMALL,
        {"learner": "fisher", "mode": "split", "percent": 50.0, "seed": 2, "costs": [[0, 5], [1, 0]]},
    ),
    ("classify.costs", SMALL, {"learner": "fisher", "mode": "test", "test": "athletes"}),
    ("classify.compare", SMALL, {"runs": [RUN, {**RUN, "learner": "fisher", "settings": {}}]}),
    ("predict.row", SMALL, {"learner": "knn", "settings": {"n_neighbors": 3}, "cells": {"speed": 3, "agility": 8}}),
    ("predict.row", {"data": "weather"}, {"learner": "fisher", "cells": {"outlook": "rain"}}),
    ("predict.row", SMALL, {"learner": "chain", "seed": 4, "cells": {"speed": 3, "agility": 8}}),
    ("predict.row", NUMBERS, {"learner": "knn-regressor", "cells": {"sepal_length": 5.0}}),
    ("predict.file", SMALL, {"learner": "fisher", "rows": "athletes"}),
    ("predict.file", SMALL, {"learner": "knn", "settings": {"n_neighbors": 1}, "seed": 2, "rows": "athletes"}),
]
TIMES = {"seconds"}


def without_times(value):
    """What does not depend on the clock."""
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in TIMES}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def test_every_action_is_asked_with_every_parameter():
    for name, action in ACTIONS.items():
        asked = [settings for each, _, settings in ASKED if each == name]
        assert asked, name
        for field in action.fields:
            said, default = field.parameter.name, field.parameter.default
            assert any(settings.get(said, default) != default for settings in asked), f"{name}: {said}"


@pytest.fixture(scope="module")
def shelf():
    return Shelf()


@pytest.mark.parametrize(
    ("action", "view", "settings"), ASKED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_explorer_python_and_shell_give_the_same_numbers(action, view, settings, shelf):
    same_numbers(shelf, action, view, settings)


def same_numbers(shelf, action, view, settings):
    """Ask, run the Python, run the shell line, compare; the answer."""
    found = plain_answer(answer(shelf, action, view, settings))
    shown = without_times(found["result"])
    json.dumps(shown, allow_nan=False)
    space: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(found["code"]["python"], space)  # noqa: S102 - what users copy must run
    assert without_times(as_lists(facts(space["result"]))) == shown
    words = shlex.split(found["code"]["shell"])
    assert words[0] == "sepal"
    result = CliRunner().invoke(app, words[1:])
    assert result.exit_code == 0, result.output
    told = without_times(json.loads(result.stdout))
    if words[1] == "do":
        assert told["result"] == shown
        assert told["parameters"] == found["parameters"]
    else:
        both = set(told) & set(shown)
        assert both
        assert set(told) - both <= {"sepal", "kind", "cautions", "data"}
        assert {name: told[name] for name in both} == {name: shown[name] for name in both}
    return found


PLANE = {"x": "weight", "y": "width"}
OF_GROUPS = {
    "data.summary": {},
    "data.rows": {"count": 5},
    "data.plane": PLANE,
    "separability.report": {},
    "separability.measure": {},
    "separability.curve": {},
    "separability.pairs": {"n_permutations": 9},
    "separability.complexity": {},
    "separability.alignment": {},
    "features.rank": {},
    "features.sweep": {},
    "features.search": {"cv": 3},
    "features.planes": {},
    "neighbors.map": {**PLANE, "n_grid": 6},
    "neighbors.curve": {**PLANE, "plane": True, "k_max": 4},
    "neighbors.of": {"row": 3, "k": 2},
    "neighbors.voronoi": PLANE,
    "rows.suspects": {},
    "rows.prototypes": {"method": "enn"},
    "rows.methods": {"methods": ["enn"], "cv": 3},
    "kernels.alignment": {**PLANE, "plane": True},
    "kernels.map": {**PLANE, "n_grid": 6},
    "kernels.surface": {**PLANE, "C": [1.0], "width": [0.5]},
    "classify.run": RUN,
    "classify.threshold": RUN,
    "classify.costs": RUN,
    "classify.compare": {"runs": [RUN, {**RUN, "settings": {"n_neighbors": 1}}]},
    "predict.row": {"learner": "knn", "cells": {"weight": 1.0, "width": 0.5}},
    "predict.file": {"learner": "knn", "settings": {"n_neighbors": 1}, "rows": None},
}


@pytest.fixture
def boxes(tmp_path, monkeypatch):
    """Ten boxes of six rows that are nearly alike: a file that needs every option of the reader."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    place = rng.normal(size=(10, 2)).repeat(6, axis=0) + 0.01 * rng.normal(size=(60, 2))
    lines = [
        f"r{i},Kiste {i // 6},{'kaputt' if i == 7 else round(x, 4)},{round(z, 4)},{'größer' if i // 6 % 2 else 'klein'}"
        for i, (x, z) in enumerate(place.tolist())
    ]
    lines.append("r60,Kiste 9,0.5,0.5,")
    (tmp_path / "boxes.csv").write_text("\n".join(["code,box,weight,width,class", *lines]) + "\n", "iso8859-1")
    shelf = Shelf()
    view = {"data": shelf.read("boxes.csv").data, "groups": "box", "ids": ["code"], "na": ["kaputt"]}
    return shelf, {**view, "encoding": "iso8859-1", "missing_target": "drop"}


@pytest.mark.parametrize("action", ACTIONS)
def test_what_is_said_about_a_file_holds_for_every_action(action, boxes):
    shelf, view = boxes
    settings = dict(OF_GROUPS[action])
    if action == "predict.file":
        settings["rows"] = view["data"]
    found = same_numbers(shelf, action, view, settings)
    assert Session.of(Session.made(shelf, TableView.of(view), []).to_dict()).view.groups == "box"
    assert "iso8859-1" in found["code"]["python"]
    assert "box" in found["code"]["shell"]


@pytest.mark.parametrize("action", ["data.summary", "separability.measure", "features.rank", "classify.run"])
def test_rows_with_missing_cells_can_be_left_out_of_every_question(action, boxes):
    shelf, view = boxes
    found = same_numbers(shelf, action, {**view, "missing": "drop"}, dict(OF_GROUPS[action]))
    assert ".drop_missing()" in found["code"]["python"]
    assert found["code"]["shell"].startswith(f"sepal do {action} ")
    assert "--missing drop" in found["code"]["shell"]
    tables = [shelf.space(TableView.of({**view, "missing": how})).table for how in ("distance", "drop")]
    assert [table.n_rows for table in tables] == [60, 59]
    bundled = same_numbers(Shelf(), "data.summary", {"data": "hepatitis", "missing": "drop"}, {})
    assert bundled["result"]["n_rows"] == 80  # complete cases, as the documentation of the set has it


def test_rows_of_one_group_are_no_neighbours(boxes):
    shelf, view = boxes
    fooled = {**view, "groups": None, "left_out": ["box"]}

    def asked(name, **settings):
        return [answer(shelf, name, each, settings)["result"] for each in (fooled, view)]

    for fast, honest in (
        [each["thornton"]["score"] for each in asked("separability.measure")],
        [each["score"][0] for each in asked("neighbors.curve", k_max=1)],
        [each["accuracy"] for each in asked("classify.run", **RUN)],
    ):
        assert fast > 0.95 > 0.9 > honest
    near = asked("neighbors.of", row=3, k=2)
    assert set(near[0]["explanation"]["rows"]) <= set(range(6))
    assert not set(near[1]["explanation"]["rows"]) & set(range(6))
    some = {**view, "sample": 30, "columns": ["width", "box"], "left_out": ["box"]}
    table = shelf.space(TableView.of(some)).table
    assert table.names == ("width",)
    assert len(shelf.space(TableView.of(some)).groups) == table.n_rows == 30


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"groups": "bix"}, 'did you mean "box"'),
        ({"groups": "class"}, "this column is the target"),
        ({"groups": 3}, "groups must be a text or null"),
        ({"na": "x"}, "na must be a list of texts"),
        ({"missing_target": "guess"}, "missing_target must be one of error, drop"),
        ({"missing": "guess"}, "missing must be one of distance, drop"),
        ({"encoding": "klingon"}, "klingon"),
        ({"data": "iris", "groups": None}, "iris is a bundled set"),
    ],
)
def test_what_a_view_cannot_say(change, said, boxes):
    shelf, view = boxes
    with pytest.raises(SepalError, match=said):
        answer(shelf, "data.rows", {**view, **change})


def test_new_rows_that_are_read_otherwise_than_the_training_rows_are_told(tmp_path, monkeypatch):
    """Points between thousands were decimal points in the second file, and nobody heard of it."""
    monkeypatch.chdir(tmp_path)
    cells = [f"{1 + i % 9}.{100 + i};{i % 7},5;{'hi' if i % 9 > 4 else 'lo'}\n" for i in range(60)]
    (tmp_path / "train.csv").write_text("a;b;label\n" + "".join(cells))
    (tmp_path / "new.csv").write_text("a;b\n7.804;4\n6.095;4\n")
    shelf = Shelf()
    view = {"data": shelf.read("train.csv").data}
    settings = {"learner": "knn", "settings": {"n_neighbors": 3}, "rows": shelf.read("new.csv").data}
    (note,) = same_numbers(shelf, "predict.file", view, settings)["result"]["notes"]
    assert note.startswith('the point of "7.804" in column "a" was taken as a decimal point (7.804)')


@pytest.mark.parametrize("target", ["age", "day"])
@pytest.mark.parametrize(
    ("action", "settings"),
    [
        ("classify.run", RUN),
        ("classify.run", {"learner": "knn-regressor", "cv": 3}),
        ("separability.measure", {}),
        ("separability.report", {}),
        ("features.search", {"cv": 3}),
    ],
)
def test_a_target_of_many_numbers_is_the_same_in_the_shell(target, action, settings, tmp_path, monkeypatch):
    """The page took ages as classes, and its shell line predicted numbers or ended in an error."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{i * 7 % 11},{i % 5},{20 + i // 2},2020-{1 + i // 30:02d}-{1 + i % 30 // 2:02d}" for i in range(90)]
    (tmp_path / "people.csv").write_text("\n".join(["a,b,age,day", *lines]) + "\n")
    shelf = Shelf()
    view = {"data": shelf.read("people.csv").data, "target": target}
    same_numbers(shelf, action, view, settings)


@pytest.mark.parametrize("how", [{}, {"groups": "patient"}, {"left_out": ["patient"]}])
@pytest.mark.parametrize(
    ("action", "settings"),
    [("classify.run", {"learner": "knn", "mode": "test"}), ("neighbors.curve", {"k_max": 4})],
)
def test_a_test_file_is_read_as_the_training_rows_were(action, settings, how, tmp_path, monkeypatch):
    """In a short file cities name the rows, sizes are numbers and a code repeats; it was refused, where the command
    answered.
    """
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    lines = [
        f"c{i % 30},{['1', '2', '3+'][i % 3]},{x:.3f},P{i // 3:03d},{'ab'[i % 2]}"
        for i, x in enumerate(rng.normal(size=300).tolist())
    ]
    head = "city,size,x,patient,class"
    (tmp_path / "train.csv").write_text("\n".join([head, *lines]) + "\n")
    (tmp_path / "short.csv").write_text("\n".join([head, *(line.replace("3+", "2") for line in lines[:25])]) + "\n")
    shelf = Shelf()
    view = {"data": shelf.read("train.csv").data, **how}
    found = same_numbers(shelf, action, view, {**settings, "test": shelf.read("short.csv").data})
    assert "kinds={'city': 'nominal'" in found["code"]["python"]


@pytest.mark.parametrize(
    "action", ["data.summary", "separability.alignment", "kernels.map", "kernels.alignment", "neighbors.map"]
)
def test_gaps_in_the_column_of_the_groups_are_no_matter_where_groups_are_not_asked(action, tmp_path, monkeypatch):
    """The Python always read the groups, and failed where the page had answered."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{i * 7 % 11},{i % 5},{'' if i == 3 else f'g{i // 4}'},{'ab'[i % 2]}" for i in range(40)]
    (tmp_path / "gaps.csv").write_text("\n".join(["weight,width,box,class", *lines]) + "\n")
    shelf = Shelf()
    view = {"data": shelf.read("gaps.csv").data, "groups": "box"}
    same_numbers(shelf, action, view, dict(OF_GROUPS[action]))
    with pytest.raises(SepalError, match="row 3 has no entry"):
        answer(shelf, "classify.run", view, RUN)
