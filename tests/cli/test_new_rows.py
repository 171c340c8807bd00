"""What is noted of rows that are answered: they may be read otherwise than the rows the model has learned from."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import refused, sepal

# Points between thousands, which the decimal commas of b prove.
TRAIN = "a;b;label\n" + "".join(f"{1 + i % 9}.{100 + i};{i % 7},5;{'hi' if i % 9 > 4 else 'lo'}\n" for i in range(60))
UNSURE = 'the point of "7.804" in column "a" was taken as a decimal point (7.804); if points stand between thousands'


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.csv").write_text(TRAIN)
    (tmp_path / "new.csv").write_text("a;b\n7.804;4\n6.095;2\n")
    (tmp_path / "alike.csv").write_text("a;b\n7.804;4,5\n6.095;2,5\n")
    (tmp_path / "test.csv").write_text("a;b;label\n7.804;4;hi\n6.095;2;hi\n1.250;3;lo\n")
    found = sepal("train", "train.csv", "-l", "knn", "--k", "3", "-o", "m.sepal")
    assert 'caution: numbers in column "a" were read without signs between thousands' in found.stderr
    return tmp_path


@pytest.mark.parametrize("options", [(), ("--json",), ("-o", "out.csv")])
def test_rows_that_are_read_in_another_way_are_not_answered_silently(options):
    found = sepal("predict", "m.sepal", "new.csv", *options)
    assert found.exit_code == 0
    assert f"caution: new.csv: {UNSURE}" in found.stderr
    if options == ("--json",):
        assert len(json.loads(found.stdout)["rows"]) == 2


def test_standard_input_is_called_so():
    assert f"caution: standard input: {UNSURE}" in sepal("predict", "m.sepal", "-", given=b"a;b\n7.804;4\n").stderr


def test_rows_that_are_read_alike_need_no_word():
    """What was said of the training rows is not said again, though other cells are the examples."""
    found = sepal("predict", "m.sepal", "alike.csv")
    assert (found.exit_code, found.stderr) == (0, "")


def test_cautions_for_rows_to_learn_from_are_none_for_new_ones(inside):
    (inside / "few.csv").write_text("a;b;label;name\n7.804;4,5;hi;x\n7.804;4,5;hi;x\n")
    assert [line.split(":")[0] for line in sepal("predict", "m.sepal", "few.csv").stderr.splitlines()] == [
        "score",
        "note",
    ]


def test_columns_that_the_model_does_not_know_are_not_spoken_of(inside):
    (inside / "more.csv").write_text("a;b;price\n" + "7.804;4,5;$5\n" * 3)
    assert sepal("predict", "m.sepal", "more.csv").stderr == "note: not looked at: price\n"
    (inside / "empty.csv").write_text("a;b;price\n" + "7.804;;$5\n" * 3)
    assert 'caution: empty.csv: not a single value in column "b"\n' in sepal("predict", "m.sepal", "empty.csv").stderr


def test_test_rows_are_told_in_the_answer_too():
    found = sepal("evaluate", "train.csv", "--test", "test.csv", "-l", "knn", "--json")
    assert found.exit_code == 0, found.stderr
    assert found.stderr.count(UNSURE) == 1
    texts = [each["text"] for each in json.loads(found.stdout)["cautions"]]
    assert sum(text.startswith(f"test.csv: {UNSURE}") for text in texts) == 1
    assert 'numbers in column "a" were read without signs between thousands' in found.stderr  # of the training rows
    assert "only one distinct value" not in found.stderr


def test_rows_in_partitions_are_told_of(inside):
    for folder, names in (("unsure", ("new",)), ("alike", ("alike",)), ("both", ("new", "alike"))):
        (inside / folder).mkdir()
        for name in names:
            (inside / folder / f"{name}.csv").write_text((inside / f"{name}.csv").read_text())
    found = sepal("predict", "m.sepal", "unsure", "-o", "out.csv")
    assert f"caution: {UNSURE}" in found.stderr
    assert "(in unsure/new.csv)\n" in found.stderr
    assert "caution" not in sepal("predict", "m.sepal", "alike", "-o", "out.csv").stderr
    said = refused("predict", "m.sepal", "both", "-o", "out.csv")
    assert 'column "a": in both/alike.csv "6.095" is 6095, and in both/new.csv "7.804" is 7.804' in said


def test_training_from_partitions_says_how_they_were_read(inside):
    (inside / "parts").mkdir()
    for name in "01":
        (inside / "parts" / f"{name}.csv").write_text(TRAIN)
    for learner in ("knn", "fisher"):
        found = sepal("train", "parts", "-l", learner, "-o", f"{learner}.sepal")
        assert 'caution: numbers in column "b" were read without decimal commas: ' in found.stderr
        assert found.stderr.count("(in parts/0.csv and 1 more partition)\n") == 2
    assert sepal("predict", "knn.sepal", "alike.csv").stderr == ""
