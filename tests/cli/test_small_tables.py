"""Tables of a few rows: folds that nobody asked for are lowered, and what is impossible is said without them."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import refused, sepal

ROWS = {
    "two": "1,2,x\n2,3,y\n",
    "three": "1,2,x\n2,3,y\n3,1,x\n",
    "four": "1,2,x\n2,3,y\n3,1,x\n4,4,y\n",
    "abc": "1,2,x\n2,3,y\n3,1,z\n",
    "six": "1,2,x\n2,3,x\n3,1,x\n4,4,y\n5,3,y\n6,6,y\n",
    "numbers": "1,2,1.5\n2,3,2.7\n3,1,9.25\n",
}


@pytest.fixture(autouse=True)
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, rows in ROWS.items():
        (tmp_path / f"{name}.csv").write_text("a,b,class\n" + rows)


@pytest.mark.parametrize("verb", ["evaluate", "select"])
def test_folds_that_nobody_asked_for_are_as_many_as_there_are_rows(verb):
    """They were said to be a wrong cv, which nobody had given."""
    found = sepal(verb, "four.csv", "--json")
    assert found.exit_code == 0, found.stderr
    assert "note: 4 folds in place of 10, since there are 4 rows\n" in found.stderr
    if verb == "evaluate":
        assert "4-fold" in json.loads(found.stdout)["test_mode"]
    said = refused(verb, "four.csv", "--cv", "9")
    assert "cv must be" in said
    assert "got 9" in said


@pytest.mark.parametrize("options", [(), ("--cv", "2")])
@pytest.mark.parametrize("name", ["two", "three"])
@pytest.mark.parametrize("verb", ["evaluate", "select"])
def test_a_class_of_one_row_beside_another_cannot_be_held_out(verb, name, options):
    said = refused(verb, f"{name}.csv", *options)
    assert "has 1 row only, and while that is held out nothing but the class" in said
    assert "hint: collect more rows" in said
    assert "cv" not in said


def test_groups_are_counted_as_rows_are(tmp_path):
    (tmp_path / "who.csv").write_text(
        "who,a,class\n" + "".join(f"p{i % 4},{i * 7 % 5},{'xy'[i % 2]}\n" for i in range(24))
    )
    found = sepal("evaluate", "who.csv", "--groups", "who", "-l", "knn")
    assert "note: 4 folds in place of 10, since there are 4 groups\n" in found.stderr
    assert found.exit_code == 0, found.stderr
    (tmp_path / "one.csv").write_text("who,a,class\n" + "".join(f"p,{i * 7 % 5},{'xy'[i % 2]}\n" for i in range(24)))
    assert "all rows are in one group" in refused("evaluate", "one.csv", "--groups", "who")


@pytest.mark.parametrize(("n_groups", "cv"), [(2, 10), (2, 3), (3, 10)])
@pytest.mark.parametrize("target", ["class", "z"])
def test_folds_for_which_there_are_too_few_groups_are_refused(n_groups, cv, target, tmp_path):
    """A traceback of scikit-learn ended the command, where the folds were asked for."""
    classes = "xyz" if n_groups == 3 else "xxyy"  # three groups that are three classes, or both classes in two
    rows = [f"p{i % n_groups},{i * 7 % 5},{classes[i % len(classes)]},{i * i}.5\n" for i in range(24)]
    (tmp_path / "who.csv").write_text("who,a,class,z\n" + "".join(rows))
    said = refused("evaluate", "who.csv", "--target", target, "--groups", "who", "--cv", str(cv))
    assert f"error: cv={cv}: there are {n_groups} groups, and each fold needs one at least\n" in said
    assert said.endswith(f"hint: cv={n_groups}, --cv {n_groups}\n")


def test_two_groups_are_too_few_to_select_with_rows_held_out(tmp_path):
    """They were said to be one group, which is what is left inside a fold."""
    rows = "".join(f"p{i % 2},{i * 7 % 5},{i * 3 % 4},{'xy'[i // 2 % 2]}\n" for i in range(24))
    (tmp_path / "two.csv").write_text("who,a,b,class\n" + rows)
    for options in ((), ("--cv", "2"), ("--cv", "10")):
        said = refused("select", "two.csv", "--groups", "who", *options)
        assert "error: there are 2 groups only: while one is held out the other rows are all in one group" in said
        assert "honest=False, --cv 0\n" in said
    assert sepal("select", "two.csv", "--groups", "who", "--cv", "0").exit_code == 0


def test_one_row_cannot_be_split(tmp_path):
    (tmp_path / "single.csv").write_text("a,b,class\n1,2,1.5\n")
    said = refused("evaluate", "single.csv", "--split", "50")
    assert "error: there is 1 row only, and none can be held out\nhint: collect more rows\n" in said
    assert "cv=0.0001: of 208 rows this leaves none to train on" in refused("evaluate", "sonar", "--split", "0.01")


@pytest.mark.parametrize("options", [(), ("-l", "knn"), ("-l", "svm")])
@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("1.5", 'the target "class" is 1.5 in all 12 rows: only one distinct number, and nothing to learn'),
        ("3", 'the target "class" is 3 in all 12 rows: only one distinct number, and nothing to learn'),
        ("p", 'the target "class" is "p" in all 12 rows: only one distinct class, and nothing to learn'),
    ],
)
def test_a_target_that_is_the_same_in_all_rows_teaches_nothing(cell, said, options, tmp_path):
    """A constant number was told as an "unknown label type: continuous"."""
    (tmp_path / "same.csv").write_text("a,b,class\n" + "".join(f"{i * i},{i % 3},{cell}\n" for i in range(12)))
    found = refused("train", "same.csv", "-o", "m.sepal", *options)
    assert f"error: {said}\nhint: check that this is the right column (--target)" in found
    assert "1 classes" not in found
    assert not (tmp_path / "m.sepal").exists()


def test_one_contestant_that_cannot_be_fitted_is_told_in_its_line():
    text = sepal("evaluate", "numbers.csv", "--cv", "2").stdout
    assert "SepalRegressor: no answer: n_samples=1" in text
    assert "higher" not in text.split("gain: ")[1]
    assert "RMSE of feature vectors is" in text
    text = sepal("evaluate", "abc.csv").stdout
    assert "Fisher's discriminant: no answer: n_samples=2" in text


def test_a_constant_answer_needs_no_second_class():
    assert sepal("evaluate", "three.csv", "-l", "majority").exit_code == 0


def test_methods_of_condensing_name_no_folds_that_cannot_work():
    said = refused("do", "rows.methods", "three.csv")
    assert "the smallest class has one row only" in said
    assert "use cv" not in said
    assert "hint: use cv=3" in refused("do", "rows.methods", "six.csv")
    assert sepal("do", "rows.methods", "six.csv", "--cv", "3", "--set", 'methods=["hart"]').exit_code == 0


@pytest.mark.parametrize("name", ["two", "three"])
def test_a_report_on_a_few_rows_advises_nothing_that_fails(name):
    found = json.loads(sepal("report", f"{name}.csv", "--json").stdout)
    assert found["next_steps"][0]["code"] == "collect_before_a_model"
    assert "sepal evaluate" not in " ".join(step["text"] for step in found["next_steps"])
