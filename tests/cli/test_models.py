"""``sepal train`` and ``sepal predict``: a model file between two commands, and files that are none."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest

import sepal as package
from sepal.explore import LEARNERS
from tests.cli.command import refused, sepal


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    """A folder with a model of the athletes, unscaled, k = 3."""
    monkeypatch.chdir(tmp_path)
    result = sepal("train", "athletes", "--learner", "knn", "--k", "3", "--scale", "none", "-o", "model.sepal")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "KNNClassifier with k = 3, 20 rows of athletes" in result.stderr
    return tmp_path


def test_the_query_of_the_slides(inside):
    # The exercise of D. Greene's slides (2015): the three nearest of (3, 8) are rows 4, 5 and 2, all of them "no".
    (inside / "new.csv").write_text("speed,agility\n3,8\n")
    assert sepal("predict", "model.sepal", "new.csv").stdout == "row,prediction,p(no),p(yes)\n0,no,1.0,0.0\n"
    assert sepal("predict", "model.sepal", "new.csv", "-o", "out.csv").stdout == ""
    assert (inside / "out.csv").read_text() == "row,prediction,p(no),p(yes)\n0,no,1.0,0.0\n"
    assert sepal("predict", "model.sepal", "new.csv", "-o", "out.json").exit_code == 0
    rows = json.loads((inside / "out.json").read_text())["rows"]
    assert rows == [{"row": 0, "prediction": "no", "p(no)": 1.0, "p(yes)": 0.0}]


def test_columns_go_by_name_and_the_target_is_only_compared_with(inside):
    (inside / "new.csv").write_text("class,id,agility,speed\n?,7,8,3\nyes,8,8,3\n")
    result = sepal("predict", "model.sepal", "new.csv")
    assert result.stdout.splitlines()[1:] == ["0,7,no,1.0,0.0", "1,8,no,1.0,0.0"]
    said = 'score: 0 of 1 rows as the column "class" says (0.0%)\n'
    assert result.stderr == said + "note: not looked at: id\n"


def test_a_bundled_set_and_json():
    said = json.loads(sepal("predict", "model.sepal", "athletes", "--json").stdout)
    assert len(said["rows"]) == 20
    assert said["kind"] == "predictions"


def test_texts_that_look_like_numbers_stay_texts(inside):
    (inside / "rooms.csv").write_text("room,size,class\n1,5,a\n1,6,a\n2b,50,b\n2b,51,b\n")
    assert sepal("train", "rooms.csv", "-k", "1", "-o", "rooms.sepal").exit_code == 0
    (inside / "new.csv").write_text("room,size\n1,5\n")
    assert sepal("predict", "rooms.sepal", "new.csv").stdout.splitlines()[1] == "0,a,1.0,0.0"


def test_k_is_chosen_and_said(inside):
    result = sepal("train", "liver", "--learner", "knn", "-o", "liver.sepal")
    assert "with k = " in result.stderr
    rows = list(csv.DictReader(io.StringIO(sepal("predict", "liver.sepal", "liver").stdout)))
    assert {row["prediction"] for row in rows} == {"1", "2"}


def test_without_a_learner_it_is_the_one_without_choices(inside):
    result = sepal("train", "heart", "-o", "heart.sepal")
    assert "The model is in heart.sepal: SepalClassifier, 303 rows of heart." in result.stderr
    score = package.load_model("heart.sepal").leave_one_out_score_
    assert re.match(rf"leave-one-out score +{100 * score:.2f} % ", result.stdout)
    assert "arbitrary" in result.stdout
    result = sepal("predict", "heart.sepal", "heart", "--json")
    heart = package.datasets.load("heart")
    answers = package.load_model("heart.sepal").predict(heart).tolist()
    right = int(np.sum(np.array(answers) == heart.y))
    assert result.stderr == (
        f'score: {right} of 303 rows as the column "class" says ({right / 303:.1%})\n'
        "note: all 303 rows are equal to rows the model was trained on: the score says little about new rows; "
        "see sepal evaluate\n"
    )
    assert [row["prediction"] for row in json.loads(result.stdout)["rows"]] == answers
    assert np.mean(np.array(answers) == heart.y) > 0.8


@pytest.mark.parametrize(
    "learner", [name for name in LEARNERS if "regressor" not in name and LEARNERS[name].home != "sklearn.dummy"]
)
def test_every_learner_is_kept_and_asked(inside, learner):
    # Levels, gaps and numbers; new rows with a level that was never seen, without the target.
    lines = [f"{'rgb'[i % 3]},{i % 7 + 5 * (i % 2)},{'' if i % 9 == 4 else i % 5},{'ny'[i % 2]}" for i in range(60)]
    (inside / "mixed.csv").write_text("hue,size,depth,sold\n" + "\n".join(lines) + "\n")
    assert sepal("train", "mixed.csv", "--learner", learner, "-o", "mixed.sepal").exit_code == 0
    (inside / "new.csv").write_text("size,depth,hue\n9,3,violet\n1,,r\n")
    rows = json.loads(sepal("predict", "mixed.sepal", "new.csv", "--json").stdout)["rows"]
    assert len(rows) == 2
    for row in rows:
        assert row["prediction"] in ("n", "y")
        assert row["p(n)"] + row["p(y)"] == pytest.approx(1.0)
    again = json.loads(sepal("predict", "mixed.sepal", "mixed.csv", "--json").stdout)["rows"]
    right = np.mean([row["prediction"] == "ny"[i % 2] for i, row in enumerate(again)])
    assert right > 0.7


@pytest.mark.parametrize("learner", [None, *(name for name in LEARNERS if "regressor" in name)])
def test_numbers_from_any_table(inside, learner):
    lines = [f"{'rgb'[i % 3]},{'' if i % 9 == 4 else i % 5},{i % 3 + 0.1 * (i % 7)}" for i in range(63)]
    (inside / "mixed.csv").write_text("hue,depth,price\n" + "\n".join(lines) + "\n")
    chosen = () if learner is None else ("--learner", learner)
    result = sepal("train", "mixed.csv", *chosen, "-o", "mixed.sepal")
    assert result.exit_code == 0
    assert learner is not None or "SepalRegressor" in result.stderr
    assert ("leave-one-out R squared" in result.stdout) == (learner in (None, "auto-regressor"))
    rows = json.loads(sepal("predict", "mixed.sepal", "mixed.csv", "--json").stdout)["rows"]
    off = [row["prediction"] - (i % 3 + 0.1 * (i % 7)) for i, row in enumerate(rows)]
    assert np.sqrt(np.mean(np.square(off))) < 0.6  # the spread of the prices is 0.84


def test_numbers_with_decimal_commas_are_scored(inside):
    """Cells come out as they stood in the file, 1,5; the score of such a target was then left out without a word."""
    lines = [f"{i % 9},{i % 4},{2 * (i % 9) + 0.5}".replace(",", ";").replace(".", ",") for i in range(36)]
    (inside / "line.csv").write_text("a;b;price\n" + "\n".join(lines) + "\n")
    assert sepal("train", "line.csv", "-l", "knn-regressor", "-k", "1", "-o", "line.sepal").exit_code == 0
    assert "score: R squared 1.0000" in sepal("predict", "line.sepal", "line.csv").stderr
    table = package.read_table(inside / "line.csv", target="b").with_target("price")
    assert np.asarray(table.y).tolist()[:2] == [0.5, 2.5]


def test_numbers_are_predicted_too(inside):
    (inside / "line.csv").write_text("x,y\n" + "".join(f"{x},{2 * x + 0.5}\n" for x in range(9)))
    assert sepal("train", "line.csv", "--learner", "knn-regressor", "-k", "1", "-o", "line.sepal").exit_code == 0
    (inside / "new.csv").write_text("x\n3.1\n")
    assert sepal("predict", "line.sepal", "new.csv").stdout == "row,prediction\n0,6.5\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("speed,agilty\n3,8\n", ("new.csv", 'no column "agility"', 'did you mean "agilty"?')),
        ("speed\n3\n", ('no column "agility"',)),
        ("speed,agility\n3,quick\n", ('column "agility"', "expected numbers", '"quick"')),
        ("", ("new.csv", "empty")),
    ],
)
def test_data_that_does_not_fit_the_model(inside, content, words):
    (inside / "new.csv").write_text(content)
    message = refused("predict", "model.sepal", "new.csv", "-o", "out.csv")
    for word in words:
        assert word in message
    assert not (inside / "out.csv").exists()


@pytest.mark.parametrize("kept", [0, 10, 300, -1])
def test_files_that_are_no_models(inside, kept):
    whole = (inside / "model.sepal").read_bytes()
    (inside / "bad.sepal").write_bytes(whole[:kept])
    message = refused("predict", "bad.sepal", "athletes")
    assert "bad.sepal" in message
    assert "not a model, or the file is damaged" in message


def test_a_model_that_is_not_there():
    assert "there is no such file" in refused("predict", "other.sepal", "athletes")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("train", "athletes"), ("-o",)),
        (("train", "athletes", "-o", "no/model.sepal"), ("--out no/model.sepal", "there is no directory no")),
        (("train", "athletes", "-o", "."), ("directory", "model.sepal")),
        (("train", "athletes", "--learner", "oracle", "-o", "m.sepal"), ("--learner oracle",)),
        (("train", "nothing.csv", "-o", "m.sepal"), ("nothing.csv",)),
        (("train", "athletes", "-o", "new.csv"), ("--out new.csv", "not written as CSV", "new.sepal")),
        (("predict", "model.sepal"), ("NEW",)),
        (("predict", "model.sepal", "athletes", "-o", "out.txt"), ("CSV or JSON", "out.csv")),
    ],
)
def test_wrong_words(inside, args, words):
    message = refused(*args)
    for word in words:
        assert word in message
    assert [file.name for file in inside.iterdir()] == ["model.sepal"]


@pytest.mark.parametrize("name", ["victim.csv", "victim.txt", "victim", "victim.sepal"])
def test_training_replaces_no_other_file(inside, name):
    """Another data file was replaced with a model without a word; only the file that was read was safe."""
    (inside / name).write_text("a,b,class\n1,2,x\n")
    message = refused("train", "athletes", "-o", name)
    assert f"--out {name}: this would overwrite a file that is not a model" in message
    assert "choose another name ending in .sepal" in message
    assert (inside / name).read_text() == "a,b,class\n1,2,x\n"


def test_the_chain_tells_its_steps_in_json_too(inside):
    """Its explanation is a text, and --json ended in a traceback."""
    said = json.loads(sepal("train", "athletes", "-l", "chain", "-o", "chain.sepal", "--json").stdout)
    assert said["learner"] == "chain"
    assert any(line.lstrip().startswith("features   2 of 2") for line in said["explanation"]["lines"])
