"""The command on files as people bring them: what is set apart is said by every verb."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from sepal.cli._app import app
from sepal.cli._bounded import too_slow


@pytest.fixture
def messy(tmp_path):
    """A name, a date, a town, a code that tells the class, and two numbers."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    lines = ["customer,since,town,stage,x,y,churn"]
    for i, label in enumerate(y):
        x, z = rng.normal(size=2) + label
        day, month = 1 + i % 28, 1 + i % 12
        lines.append(f"Person {i},{day}.{month}.2023,t{i % 7},s{label}{i % 2},{x:.3f},{z:.3f},{['no', 'yes'][label]}")
    file = tmp_path / "messy.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def run(*words, code=0, **options):
    found = CliRunner().invoke(app, [str(word) for word in words], **options)
    assert found.exit_code == code, found.output
    return found


SAID = ["determines_class", "set_apart_identifier", "note"]


@pytest.mark.parametrize("verb", ["report", "measure", "select", "evaluate"])
def test_every_verb_carries_the_same_cautions(messy, verb):
    more = {"select": ["--cv", "0"], "evaluate": ["-l", "knn", "--cv", "3"]}.get(verb, [])
    facts = json.loads(run(verb, messy, "--json", *more).stdout)
    found = facts["table"]["cautions"] if verb in ("report", "measure") else facts["cautions"]
    assert [each["code"] for each in found] == SAID
    assert found[0]["text"] == '"stage" determines "churn": remove it if it is not known beforehand'
    text = " ".join(run(verb, messy, *more).output.split())
    assert '"stage" determines "churn"' in text
    assert 'column "customer" is different in every row: set apart' in text
    assert 'dates (day.month.year) in column "since" were turned into seconds' in text


def test_train_says_the_cautions_and_predict_needs_no_identifier(messy, tmp_path):
    """A model learned from the names of customers, and asked for them."""
    model = tmp_path / "m.sepal"
    found = run("train", messy, "-o", model, "-l", "knn", "--drop", "stage")
    assert 'caution: column "customer" is different in every row' in found.stderr
    assert b"Person" not in model.read_bytes()
    fewer = tmp_path / "new.csv"
    fewer.write_text("since,town,x,y\n3.4.2023,t1,0.5,0.5\n")
    assert run("predict", model, fewer).stdout.startswith("row,prediction")


def test_columns_are_chosen_by_name(messy):
    facts = json.loads(run("measure", messy, "--json", "--columns", "x,y").stdout)
    assert (facts["table"]["n_columns"], facts["table"]["cautions"]) == (2, [])
    facts = json.loads(run("measure", messy, "--json", "--drop", "stage", "--id", "town", "--kind", "x=nominal").stdout)
    assert facts["table"]["kinds"] == {"numeric": 2, "ordinal": 0, "nominal": 1, "text": 0}
    assert run("measure", messy, "--kind", "x", code=2).stderr.count("expected COLUMN=KIND") == 1
    assert "a bundled set is read as it is" in run("measure", "sonar", "--drop", "a", code=2).stderr


def test_groups_in_a_column_that_was_set_apart(messy):
    found = json.loads(run("evaluate", messy, "--groups", "customer", "-l", "knn", "--cv", "3", "--json").stdout)
    assert "by group" in found["test_mode"]


def test_standard_input(messy):
    facts = json.loads(run("measure", "-", "--json", input=messy.read_bytes()).stdout)
    assert facts["table"]["n_rows"] == 60
    facts = json.loads(run("measure", "-", "--json", "--target", "3", input=messy.read_bytes()).stdout)
    assert facts["table"]["target"] == "stage"


def test_whole_numbers_of_many_values_are_one_sentence_and_not_many_classes(tmp_path):
    """A target of 216 whole numbers made 216 lines of classes with one row."""
    file = tmp_path / "t.csv"
    file.write_text("x,price\n" + "".join(f"{i % 17},{(i * 37) % 216}\n" for i in range(500)))
    found = run("report", file, code=2)
    assert 'the target "price" holds numbers: 216 different ones in 500 rows' in found.stderr
    assert "--task classify" in found.stderr
    assert len(found.output.splitlines()) < 5


def test_the_task_can_be_changed(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("x,z,grade\n" + "".join(f"{i % 7},{i % 5},{i % 3 + 1}.0\n" for i in range(60)))
    classes = json.loads(run("measure", file, "--task", "classify", "--json").stdout)["classes"]
    assert [each["label"] for each in classes] == ["1", "2", "3"]
    found = json.loads(run("evaluate", file, "-l", "auto", "--task", "regress", "--cv", "3", "--json").stdout)
    assert found["task"] == "regression"
    assert "is about classes" in run("report", file, "--task", "regress", code=2).stderr
    words = tmp_path / "w.csv"
    words.write_text("x,c\n1,a\n2,b\n3,a\n")
    assert "which is no number" in run("evaluate", words, "--task", "regress", code=2).stderr


def test_rows_without_a_target_can_be_dropped(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("x,c\n" + "".join(f"{i % 9},{['a', 'b', ''][i % 3]}\n" for i in range(30)))
    assert "--missing-target drop" in run("measure", file, code=2).stderr
    found = run("measure", file, "--missing-target", "drop")
    assert "10 of 30 rows without a target were dropped" in " ".join(found.stdout.split())


def test_evaluate_within_a_time_limit(messy, monkeypatch):
    from sepal.cli import _contest

    usual = _contest.make_learner
    told = []

    def slow(name, *arguments):
        learner = usual(name, *arguments)
        if name == "svm":
            monkeypatch.setattr(type(learner), "fit", endless, raising=True)
        return learner

    def endless(self, *arguments, **options):
        told.append("svm")
        while True:
            sum(range(1000))

    monkeypatch.setattr(_contest, "make_learner", slow)
    found = run("evaluate", messy, "--cv", "3", "--time-limit", "20s")
    assert told
    assert "SVM, aligned width, best C: no answer: its share of the time limit was over" in found.stdout
    assert "k-NN" in found.stdout


def test_progress_names_the_learner_and_the_fold():
    from sepal.cli._bounded import fold_progress
    from sepal.report import Clock

    told = []
    tell = fold_progress("k-NN", 4, Clock(None), lambda what, done: told.append((what, done)))
    tell("fold 1 of 4", 0.25)
    tell("fold 4 of 4", 1.0)
    assert told == [("k-NN, fold 1 of 4", 0.0), ("k-NN, fold 2 of 4", 0.25), ("k-NN", 1.0)]


@pytest.mark.parametrize("slow", [{"auto"}, {"auto", "svm", "knn", "fisher"}])
def test_a_slow_first_learner_does_not_end_the_comparison(monkeypatch, slow):
    """It was an error, whatever the others would have answered."""
    from sepal.cli import _contest
    from sepal.report import TimeIsOverError

    usual = _contest.evaluate

    def late(learner, *arguments, **options):
        within = getattr(learner, "machine", learner)
        names = {
            "SepalClassifier": "auto",
            "SVMClassifier": "svm",
            "KNNClassifier": "knn",
            "FisherDiscriminant": "fisher",
        }
        if names[type(within).__name__] in slow:
            raise TimeIsOverError
        return usual(learner, *arguments, **options)

    monkeypatch.setattr(_contest, "evaluate", late)
    found = run("evaluate", "athletes", "--cv", "2", "--time-limit", "60s", code=0 if len(slow) == 1 else 2)
    if len(slow) == 1:
        assert "gain: how much higher the accuracy of SVM" in found.stdout
        assert "SepalClassifier: no answer: its share of the time limit was over" in found.stdout
    else:
        assert "Even the quickest learner did not answer all folds" in found.stderr


def test_loading_counts_for_a_time_limit(monkeypatch):
    """Seconds of loading came on top of a time limit."""
    from sepal.cli import _since_start

    monkeypatch.setattr(_since_start, "_began", [])
    assert _since_start.left_of(5.0) == 5.0
    assert _since_start.left_of(None) is None
    _since_start.started()
    _since_start._began[0] -= 3.0
    assert 1.5 < _since_start.left_of(5.0) <= 2.0
    assert _since_start.left_of(1.0) == 1e-3
    _since_start.ended()
    assert _since_start.left_of(1.0) == 1.0


def test_a_command_that_ran_before_in_this_process_does_not_count(monkeypatch, capsys):
    """A command counted the time of one that had run before it in the same process."""
    from sepal.cli import _since_start, main

    monkeypatch.setattr("sys.argv", ["sepal", "--version"])
    with pytest.raises(SystemExit):
        main()
    assert "sepal" in capsys.readouterr().out
    assert _since_start.seconds_so_far() == 0.0


def test_a_limit_that_loading_used_up_is_called_so():
    """It said "within the 0.0 s that the time limit left"."""
    assert str(too_slow("KNN", 0.0)).startswith("Nothing is left of the time limit: starting and reading")
    assert str(too_slow("KNN", 1.25)).startswith("KNN did not answer all folds within the 1.2 s")
