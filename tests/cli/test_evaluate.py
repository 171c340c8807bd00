"""``sepal evaluate``: the summary, its JSON, predictions by row, and wrong words."""

from __future__ import annotations

import csv
import json
import re

import pytest
from typer.testing import CliRunner

import sepal as package
from sepal.cli import _learners
from sepal.cli._app import app

runner = CliRunner()


def sepal(*args: str):
    """Run the command inside this process."""
    return runner.invoke(app, args)


@pytest.fixture(autouse=True)
def _inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# Leave-one-out on the athletes, unscaled, as the textbook's figures have it.
@pytest.mark.parametrize(("k", "right"), [("1", 20), ("3", 16), ("5", 16), ("19", 12)])
def test_athletes_left_out_one_by_one(k, right):
    text = sepal("evaluate", "athletes", "--k", k, "--scale", "none", "--cv", "loo").stdout
    assert text.startswith("=== Leave-one-out ===")
    assert re.search(rf"Correctly Classified Instances +{right} ", text)


def test_the_json_is_the_evaluation():
    said = json.loads(sepal("evaluate", "liver", "-k", "3", "--cv", "5", "--seed", "2", "--json").stdout)
    found = package.evaluate(package.KNNClassifier(3), package.datasets.load("liver"), cv=5, random_state=2)
    assert (said["kind"], said["right"], said["n_rows"]) == ("evaluation", found.n_right, 345)
    assert said["confusion"] == found.confusion.tolist()


def test_predictions_by_row(tmp_path):
    result = sepal("evaluate", "athletes", "--k", "3", "--cv", "4", "--predictions", "out.csv", "--json")
    assert "out.csv" in result.stderr
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["row", "fold", "actual", "prediction", "right", "p(no)", "p(yes)"]
    assert [int(row["row"]) for row in rows] == list(range(20))
    assert [row["actual"] for row in rows] == package.datasets.load("athletes").y.tolist()
    assert sum(row["right"] == "True" for row in rows) == json.loads(result.stdout)["right"]
    assert sepal("evaluate", "athletes", "--k", "3", "--cv", "4", "--predictions", "out.json").exit_code == 0
    again = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert [str(row["prediction"]) for row in again] == [row["prediction"] for row in rows]
    assert again[0]["right"] is (rows[0]["right"] == "True")


def test_a_regression(tmp_path):
    lines = ["x,y"] + [f"{x},{2 * x + 0.5}" for x in range(30)]
    (tmp_path / "line.csv").write_text("\n".join(lines) + "\n")
    text = sepal("evaluate", "line.csv", "--learner", "knn-regressor", "--k", "2", "--predictions", "out.csv").stdout
    found = float(re.search(r"Correlation coefficient +([0-9.]+)", text)[1])
    assert found > 0.99
    assert (tmp_path / "out.csv").read_text().startswith("row,fold,actual,prediction\n0,")


@pytest.mark.parametrize("learner", list(_learners.LEARNERS))
def test_every_learner_of_the_table_can_be_made(learner):
    estimator = _learners.make_learner(learner, {"scale": "standard"}, [])
    assert estimator.get_params()["scale"] == "standard"


def test_other_parameters_by_name():
    estimator = _learners.make_learner("knn", {"k": 5}, ["smoothing=1.5", "vote_ties=prior", "priors=null"])
    found = estimator.get_params()
    assert (found["n_neighbors"], found["smoothing"], found["vote_ties"], found["priors"]) == (5, 1.5, "prior", None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--learner", "knnn"), ("--learner knnn", "did you mean knn?")),
        (("--learner", "svm-of-tomorrow"), ("expected one of knn",)),
        (("--k", "three"), ("--k three", "--k 3")),
        (("--k", "0"), ("n_neighbors",)),
        (("--k", "30"), ("n_neighbors", "30")),
        (("--learner", "metric-clustering", "--k", "3"), ("--k", "metric-clustering", "--scale")),
        (("--set", "smoothing"), ("NAME=VALUE",)),
        (("--set", "smothing=1"), ("smothing", "did you mean smoothing?")),
        (("--set", "n_neighbors=3", "--k", "3"), ("--k", "n_neighbors", "leave one out")),
        (("--learner", "knn-regressor"), ("target 'class'", "KNNRegressor predicts numbers", "'no'")),
        (("--weights", "heavy"), ("weights", "heavy")),
        (("--distance", "euclidian"), ("distance",)),
        (("--cv", "many"), ("--cv many", "--cv 10")),
        (("--cv", "1"), ("cv", "at least 2")),
        (("--cv", "15"), ("largest class",)),
        (("--predictions", "out.xlsx"), ("--predictions", "CSV", "out.json")),
        (("--predictions", "no/out.csv"), ("there is no directory no",)),
    ],
)
def test_wrong_words(tmp_path, options, words):
    result = sepal("evaluate", "athletes", "--cv", "4", *options)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_numbers_are_no_classes(tmp_path):
    (tmp_path / "line.csv").write_text("x,y\n" + "".join(f"{x},{2 * x + 0.5}\n" for x in range(30)))
    result = sepal("evaluate", "line.csv", "--learner", "knn")
    assert result.exit_code == 2
    assert "expected classes, found 30 distinct numbers" in result.stderr
