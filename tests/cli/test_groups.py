"""``--groups COLUMN``: rows that are left out together, by a column that is never a feature."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from sepal.cli._app import app
from sepal.data import read_table
from sepal.estimators import load_model
from sepal.evaluation import evaluate
from sepal.learners import KNNClassifier
from sepal.measures import complexity, expected_accuracy_curve, thornton_test

runner = CliRunner()


@pytest.fixture(autouse=True)
def people(tmp_path, monkeypatch):
    """Thirty people with four rows each, which are nearly alike; their classes are chance."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(8)
    at = rng.normal(size=(30, 2)).repeat(4, axis=0) + 0.01 * rng.normal(size=(120, 2))
    lines = [f"{x},{z},person {i // 4},{'ab'[i // 4 % 2]}" for i, (x, z) in enumerate(at.tolist())]
    (tmp_path / "people.csv").write_text("\n".join(["x,z,who,class", *lines]) + "\n")


def answer(*words: str) -> dict:
    found = runner.invoke(app, [*words, "--json"])
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def test_evaluate_holds_people_out_together():
    table = read_table("people.csv")
    who, plain = table.values[:, 2], table.select([0, 1])
    fooled = answer("evaluate", "people.csv", "-k", "1", "--scale", "none")
    honest = answer("evaluate", "people.csv", "-k", "1", "--scale", "none", "--groups", "who")
    assert fooled["accuracy"] > 0.9 > 0.75 > honest["accuracy"]
    assert honest["accuracy"] == evaluate(KNNClassifier(1, scale=None), plain, groups=who).accuracy
    table = answer("evaluate", "people.csv", "--cv", "3", "--groups", "who")
    assert {entry["learner"] for entry in table["learners"]} >= {"auto", "knn"}
    assert all(entry["accuracy"] < 0.75 for entry in table["learners"])


def test_train_chooses_without_the_person():
    found = runner.invoke(app, ["train", "people.csv", "-l", "knn", "--groups", "who", "-o", "model.sepal"])
    assert found.exit_code == 0, found.output
    model = load_model("model.sepal")
    assert model.feature_names_in_.tolist() == ["x", "z"]
    assert (model.left_out_, model.loo_curve_.score[0] < 0.75) == ("groups", True)
    assert runner.invoke(app, ["predict", "model.sepal", "people.csv"]).exit_code == 0
    auto = runner.invoke(app, ["train", "people.csv", "--groups", "who", "-o", "auto.sepal"])
    assert auto.exit_code == 0, auto.output
    assert load_model("auto.sepal").leave_one_out_score_ < 0.75


def test_a_machine_for_numbers_is_told_of_the_person(tmp_path):
    """``--groups`` was refused for every machine on a table with nominal columns."""
    lines = (tmp_path / "people.csv").read_text().splitlines()
    named = [f"{line},{word}" for line, word in zip(lines, ["town", *["here", "there"] * 60], strict=True)]
    (tmp_path / "towns.csv").write_text("\n".join(named) + "\n")
    words = ["train", "towns.csv", "--target", "class", "-l", "svm", "--groups", "who", "-o", "svm.sepal"]
    found = runner.invoke(app, words)
    assert found.exit_code == 0, found.output
    assert load_model("svm.sepal").machine_.C_search_.error.min() > 0.25
    refused = runner.invoke(app, [word.replace("svm", "fisher") for word in words])
    assert "fisher leaves no rows out" in refused.output


def test_report_and_measure_ask_without_the_person(tmp_path):
    """The accuracy curve was that of single rows, with rows of one person on both sides of a split."""
    table = read_table("people.csv")
    who, plain = table.values[:, 2], table.select([0, 1])
    fooled, honest = answer("measure", "people.csv"), answer("measure", "people.csv", "--groups", "who")
    report = answer("report", "people.csv", "--groups", "who")
    assert fooled["thornton"]["score"] > 0.9 > 0.75 > honest["thornton"]["score"]
    assert honest["margins"]["median"] < fooled["margins"]["median"]
    assert fooled["settings"]["n_groups"] is None
    test = thornton_test(plain, groups=who)
    for found in (honest, report):
        assert found["thornton"]["score"] == test.score
        assert found["thornton"]["interval"] == pytest.approx(test.interval)
        assert found["thornton"]["p_value"] == test.p_value > 0.05
        assert found["settings"]["n_groups"] == 30
        assert found["table"]["n_columns"] == 2
    assert {verdict["code"] for verdict in report["verdict"]} >= {"like_chance", "wide_interval_of_groups"}
    assert report["features"]["best_score"] < 0.8
    assert report["suspects"]["n_contradicted"] > 20
    curve = expected_accuracy_curve(plain, train_sizes=(0.5, 0.9), groups=who)
    assert [point["accuracy"] for point in honest["curve"]["points"]] == curve.accuracy.tolist()
    assert [(point["train_rows"], point["train_groups"]) for point in honest["curve"]["points"]] == [
        (None, 15),
        (None, 27),
    ]
    assert fooled["curve"]["points"][-1]["accuracy"] > 0.9 > 0.75 > report["curve"]["points"][-1]["accuracy"]
    assert (report["curve"]["n_groups"], fooled["curve"]["n_groups"]) == (30, None)
    assert report["complexity"]["values"]["N3"] == complexity(plain, groups=who)["N3"] > 0.25
    for verb in ("report", "measure"):
        text = runner.invoke(app, [verb, "people.csv", "--groups", "who"]).output
        assert "exact over all random splits of 30 groups" in " ".join(text.split())
        assert "training groups" in text
        assert "training rows" not in text
    found = runner.invoke(app, ["report", "people.csv", "--groups", "who", "--out", "r.html"])
    assert found.exit_code == 0, found.output
    page = (tmp_path / "r.html").read_text()
    assert "To expect on new groups" in page
    assert "What more groups bring" in page
    assert "accuracy over the number of training groups" in page
    assert "--groups who" in page


def test_select_judges_without_the_person():
    words = ("select", "people.csv", "--cv", "3")
    fooled, honest = answer(*words), answer(*words, "--groups", "who")
    assert fooled["best"]["score"] > 0.9 > 0.75 > honest["best"]["score"]
    assert "who" not in str(honest["best"]["features"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evaluate", "people.csv", "--groups", "whom"], 'did you mean "who"'),
        (["evaluate", "people.csv", "--groups", "class"], "--groups class: this column is the target"),
        (["train", "people.csv", "-l", "fisher", "--groups", "who", "-o", "m.sepal"], "fisher leaves no rows out"),
    ],
)
def test_what_cannot_be_is_refused(words, said):
    found = runner.invoke(app, words)
    assert found.exit_code == 2
    assert said in found.output


def test_a_row_without_a_group(tmp_path):
    text = (tmp_path / "people.csv").read_text().replace("person 1,", ",", 1)
    (tmp_path / "gap.csv").write_text(text)
    found = runner.invoke(app, ["evaluate", "gap.csv", "--groups", "who"])
    assert found.exit_code == 2
    assert 'row 4 has no entry in the column "who"' in found.output
