"""``sepal evaluate``: the summary, its JSON, predictions by row, and wrong words."""

from __future__ import annotations

import csv
import json
import re
import warnings

import numpy as np
import pytest

import sepal as package
from sepal.cli import _learners
from sepal.exceptions import DataError, SepalWarning
from sepal.machines import FisherDiscriminant
from tests.cli.command import refused, sepal


@pytest.fixture(autouse=True)
def _inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# Right answers of a plain loop over the 20 unscaled rows; all 19 others say "no", as 12 of the rows are.
@pytest.mark.parametrize(("k", "right"), [("1", 20), ("3", 16), ("5", 16), ("19", 12)])
def test_athletes_left_out_one_by_one(k, right):
    text = sepal("evaluate", "athletes", "--k", k, "--scale", "none", "--cv", "loo").stdout
    assert "=== Leave-one-out ===" in text
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
    scaled = "scale" in _learners.LEARNERS[learner].options
    estimator = _learners.make_learner(learner, _learners.Chosen({"scale": "standard" if scaled else None}))
    assert type(estimator).__name__ == _learners.LEARNERS[learner].name
    assert not scaled or estimator.get_params()["scale"] == "standard"


def test_numbers_or_classes():
    def says(y):
        return _learners.number_to_predict(package.data.as_table(np.zeros((len(y), 1)), np.array(y)))

    assert says([0.5, 1.5, 2.5, 3.5])  # measured
    assert says([float(i) for i in range(21)])  # floats, and too many of them
    assert says(list(range(100)))  # whole numbers, all different
    assert not says([0.5, 1.5] * 10)
    assert not says([0, 1, 2] * 10)
    assert not says([i % 26 for i in range(260)])  # letters by number
    assert not says(["1", "2"] * 4)


def test_other_parameters_by_name():
    estimator = _learners.make_learner(
        "knn", _learners.Chosen({"k": 5}, ["smoothing=1.5", "vote_ties=prior", "priors=null"])
    )
    found = estimator.get_params()
    assert (found["n_neighbors"], found["smoothing"], found["vote_ties"], found["priors"]) == (5, 1.5, "prior", None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--learner", "knnn"), ("--learner knnn", "did you mean knn?")),
        (("--learner", "svm-of-tomorrow"), ("expected one of auto, ",)),
        (("--k", "three"), ("--k three", "--k 3")),
        (("--k", "0"), ("n_neighbors",)),
        (("--k", "30"), ("n_neighbors", "30")),
        (("--learner", "metric-clustering", "--k", "3"), ("--k", "metric-clustering", "--scale")),
        (("--learner", "knn", "--set", "smoothing"), ("NAME=VALUE",)),
        (("--learner", "knn", "--set", "smothing=1"), ("smothing", "did you mean smoothing?")),
        (("--set", "n_neighbors=3", "--k", "3"), ("--k", "n_neighbors", "leave one out")),
        (("--learner", "knn-regressor"), ("target 'class'", "KNNRegressor predicts numbers", "'no'")),
        (("--weights", "heavy"), ("weights", "heavy")),
        (("--distance", "euclidian"), ("distance",)),
        (("--cv", "many"), ("--cv many", "--cv 10")),
        (("--cv", "1"), ("cv", "at least 2")),
        (("--cv", "21"), ("the number of rows, 20",)),
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


def cells(text: str) -> dict[str, list[str]]:
    """The lines of the table by learner."""
    lines = [re.split(r"\s{2,}", line.rstrip()) for line in text.splitlines()]
    return {line[0]: line[1:] for line in lines if len(line) > 2}


def test_without_a_learner_there_is_a_contest():
    text = sepal("evaluate", "athletes", "--cv", "4").stdout
    assert text.startswith("athletes: 4-fold cross-validation, seed 0, 20 rows, 2 classes, sepal ")
    table = cells(text)
    assert table[""] == ["accuracy", "balanced", "log-loss", "kappa", "seconds", "gain", "p"]
    assert list(table)[1:] == [
        "SepalClassifier",
        "SVM, aligned width, best C",
        "k-NN, k by leave-one-out",
        "Fisher's discriminant",
        "always the largest class",
    ]
    # 12 of 20 are "no", in every fold of five.
    assert table["always the largest class"][:2] == ["60.00", "50.00"]
    knn = package.evaluate(package.KNNClassifier(), package.datasets.load("athletes"), cv=4)
    assert table["k-NN, k by leave-one-out"][0] == f"{100 * knn.accuracy:.2f}"
    own = float(table["SepalClassifier"][0])
    assert float(table["always the largest class"][-2]) == pytest.approx(own - 60.0)
    assert len(table["SepalClassifier"]) == 5  # no test against itself


def test_the_contest_as_json_and_its_predictions(tmp_path):
    said = json.loads(sepal("evaluate", "athletes", "--cv", "4", "--predictions", "out.csv", "--json").stdout)
    assert said["kind"] == "comparison"
    assert [each["learner"] for each in said["learners"]] == ["auto", "svm", "knn", "fisher", "majority"]
    assert said["learners"][0]["first_against_this"] is None
    knn = said["learners"][2]
    test = knn["first_against_this"]
    assert test["difference"] == pytest.approx(said["learners"][0]["accuracy"] - knn["accuracy"])
    assert test["only_first"] - test["only_second"] == said["learners"][0]["right"] - knn["right"]
    with (tmp_path / "out.csv").open(newline="") as file:
        right = sum(row["right"] == "True" for row in csv.DictReader(file))
    assert right == said["learners"][0]["right"]


def test_a_learner_that_cannot_answer_is_named(monkeypatch):
    def refuse(*args: object) -> None:
        raise DataError("nothing can be done", hint="try something else")

    monkeypatch.setattr("sepal.machines.FisherDiscriminant.fit", refuse)
    text = sepal("evaluate", "athletes", "--cv", "4").stdout
    assert cells(text)["Fisher's discriminant"] == ["-"] * 7
    assert "Fisher's discriminant: no answer: nothing can be done\n" in text
    monkeypatch.setattr("sepal.auto.SepalClassifier.fit", refuse)
    text = sepal("evaluate", "athletes", "--cv", "4").stdout
    assert "SepalClassifier: no answer: nothing can be done\n" in text
    assert (
        "the accuracy of SVM, aligned width, best C is" in text
    )  # the first that answered is compared with the others
    for each in ("sepal.machines.SVMClassifier.fit", "sepal.learners.KNNClassifier.fit"):
        monkeypatch.setattr(each, refuse)
    assert refused("evaluate", "athletes", "--cv", "4") == "error: nothing can be done\nhint: try something else\n"


def test_a_warning_is_a_remark_below_the_table(monkeypatch):
    fit = FisherDiscriminant.fit

    def warned(*args: object) -> object:
        warnings.warn("a machine has doubts", SepalWarning, stacklevel=2)
        return fit(*args)

    monkeypatch.setattr(FisherDiscriminant, "fit", warned)
    result = sepal("evaluate", "athletes", "--cv", "4")
    assert result.stdout.count("a machine has doubts") == 1
    assert result.stdout.endswith("Fisher's discriminant: in a fold, a machine has doubts\n")
    assert result.stderr == ""


def test_a_contest_about_numbers(tmp_path):
    (tmp_path / "line.csv").write_text("x,y\n" + "".join(f"{x},{2 * x + 0.5}\n" for x in range(40)))
    table = cells(sepal("evaluate", "line.csv", "--cv", "5").stdout)
    assert table[""][:3] == ["RMSE", "MAE", "correlation"]
    assert list(table)[1:] == ["SepalRegressor", "feature vectors", "k-NN, k by leave-one-out", "always the mean"]
    own, mean = float(table["SepalRegressor"][0]), float(table["always the mean"][0])
    assert own < 1.0
    assert mean == pytest.approx(np.std(2.0 * np.arange(40)), rel=0.1)
    assert float(table["always the mean"][-2]) == pytest.approx(mean - own, rel=1e-3)


def test_numbers_are_no_classes(tmp_path):
    (tmp_path / "line.csv").write_text("x,y\n" + "".join(f"{x},{2 * x + 0.5}\n" for x in range(30)))
    result = sepal("evaluate", "line.csv", "--learner", "dann")
    assert result.exit_code == 2
    assert "expected classes, found 30 distinct numbers" in result.stderr


@pytest.mark.parametrize(("name", "columns"), [("athletes", 40), ("athletes", 61), ("athletes", 80), ("athletes", 100)])
def test_the_table_of_learners_fits_the_terminal(name, columns, monkeypatch):
    """A narrow terminal did not show the table of learners whole."""
    whole = sepal("evaluate", name, "--cv", "2").stdout
    monkeypatch.setenv("COLUMNS", str(columns))
    text = sepal("evaluate", name, "--cv", "2").stdout
    assert max(map(len, text.splitlines())) <= columns
    figures = re.findall(r"\d+\.\d\d\b", whole)  # accuracies and gains; seconds have one digit
    assert re.findall(r"\d+\.\d\d\b", text) == figures
    for title in ("SepalClassifier", "SVM, aligned width, best C", "always the largest class"):
        assert title in text
    monkeypatch.delenv("COLUMNS")
    piped = sepal("evaluate", name, "--cv", "2").stdout  # a pipe has no width: one line for each learner
    assert _without_seconds(piped) == _without_seconds(whole)
    assert any(line.startswith("SVM, aligned width, best C  ") for line in piped.splitlines())


def _without_seconds(text: str) -> list[str]:
    return re.sub(r"\b\d+\.\d(?!\d)", "", text).split()


def test_one_learner_heeds_the_width_that_is_asked_for():
    """Of COLUMNS=44 the run information of one learner took no notice, where a report did."""
    asked = ("evaluate", "sonar", "-l", "svm", "--cv", "2", "--show-wrong", "1")
    information = sepal(*asked, COLUMNS="44").stdout.split("=== ")[1].splitlines()
    assert any(line.startswith("Columns:") for line in information)
    assert max(map(len, information)) <= 44  # the figures and tables below keep theirs
    assert 80 < max(map(len, sepal(*asked, COLUMNS="").stdout.split("=== ")[1].splitlines())) <= 100


def test_what_training_found_heeds_it_too(tmp_path):
    words = ("train", "athletes", "-o", str(tmp_path / "m.sepal"))
    wide, narrow = (sepal(*words, COLUMNS=columns).stdout.splitlines() for columns in ("", "60"))
    assert max(len(line) for line in narrow if line.startswith("- ")) <= 60
    assert len(narrow) > len(wide)
    assert " ".join(" ".join(narrow).split()) == " ".join(" ".join(wide).split())
