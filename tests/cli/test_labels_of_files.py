"""Labels that two files hold in different ways: dates, and the same texts and numbers as two formats tell them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.cli.command import refused, sepal

N = 24
CLASSES = [i % 2 for i in range(N)]
FEATURE = [10.0 * c + i % 5 for i, c in enumerate(CLASSES)]  # 0 to 4, and 10 to 14


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _csv(name: str, labels: list[str]) -> None:
    Path(name).write_text("x,class\n" + "".join(f"{x},{labels[c]}\n" for x, c in zip(FEATURE, CLASSES, strict=True)))


def _parquet(name: str, labels: list) -> None:
    pl.DataFrame({"x": FEATURE, "class": [labels[c] for c in CLASSES]}).write_parquet(name)


def _score(model: str, rows: str) -> str:
    return next(line for line in sepal("predict", model, rows).stderr.splitlines() if "score" in line)


ALL_RIGHT = f'score: {N} of {N} rows as the column "class" says (100.0%)'


@pytest.mark.parametrize("said", [(), ("--task", "classify")])
def test_classes_that_are_dates_are_called_so(said):
    """They were 1577836800, and of its own training rows a model answered 0 as the file said."""
    from datetime import date

    _csv("a.csv", ["1.1.2020", "1.1.2021"])
    _csv("b.csv", ["2020-01-01", "2021-01-01"])
    _parquet("c.parquet", [date(2020, 1, 1), date(2021, 1, 1)])
    for train in ("a.csv", "b.csv", "c.parquet"):
        assert sepal("train", train, "-l", "knn", "-k", "1", *said, "-o", "m.sepal").exit_code == 0
        for new in ("a.csv", "b.csv", "c.parquet"):
            found = sepal("predict", "m.sepal", new)
            assert ALL_RIGHT in found.stderr
            assert found.stdout.splitlines()[:2] == [
                "row,prediction,p(2020-01-01),p(2021-01-01)",
                "0,2020-01-01,1.0,0.0",
            ]
    told = json.loads(sepal("evaluate", "a.csv", "-l", "knn", "--json", *said).stdout)
    assert (told["classes"], told["accuracy"]) == (["2020-01-01", "2021-01-01"], 1.0)


def test_a_report_of_dates_as_classes_can_be_made_again():
    _csv("a.csv", ["2020-01-01", "2021-01-01"])
    text = sepal("report", "a.csv").stdout
    assert "2021-01-01" in text
    assert "1609459200" not in text
    assert "with_task('classify')" in text.replace("\n", "")


def test_classes_that_are_times_are_called_so():
    _csv("a.csv", ["8:30", "21:05:30"])
    assert sepal("train", "a.csv", "-l", "knn", "-k", "1", "-o", "m.sepal").exit_code == 0
    assert _score("m.sepal", "a.csv") == ALL_RIGHT
    assert sepal("predict", "m.sepal", "a.csv").stdout.startswith("row,prediction,p(08:30:00),p(21:05:30)\n")


@pytest.mark.parametrize("cell", ["2020-01-{:02d}", "{:02d}:30"])
def test_dates_and_times_that_are_predicted_as_numbers_are_scored(cell, inside):
    """R squared was left out without a word."""
    rows = [f"{i},{cell.format(i + 1)}\n" for i in range(20)]
    (inside / "line.csv").write_text("x,when\n" + "".join(rows))
    assert sepal("train", "line.csv", "-l", "knn", "-k", "1", "--task", "regress", "-o", "m.sepal").exit_code == 0
    assert _score("m.sepal", "line.csv").startswith("score: R squared 1.0000, mean absolute error 0 ")


@pytest.mark.parametrize("texts", [["10 %", "20 %"], ["007", "042"], ["1", "2.0"], ["False", "True"]])
@pytest.mark.parametrize("said", [(), ("--task", "classify")])
def test_labels_of_two_formats_name_the_same_classes(texts, said):
    """CSV tells the number 10 where Parquet tells the text "10 %"; 0 of all rows were right."""
    _csv("a.csv", texts)
    _parquet("b.parquet", texts)
    for train in ("a.csv", "b.parquet"):
        assert sepal("train", train, "-l", "knn", "-k", "1", *said, "-o", "m.sepal").exit_code == 0
        assert [_score("m.sepal", new) for new in ("a.csv", "b.parquet")] == [ALL_RIGHT, ALL_RIGHT]


def test_labels_of_which_none_is_a_class_are_not_scored():
    _csv("a.csv", ["yes", "no"])
    _csv("b.csv", ["ja", "nein"])
    assert sepal("train", "a.csv", "-l", "knn", "-k", "1", "-o", "m.sepal").exit_code == 0
    said = (
        'note: no score: the column "class" holds labels such as "ja", and none is a class of the model ("no", "yes")'
    )
    assert _score("m.sepal", "b.csv") == said
    _csv("c.csv", ["ja", "no"])
    assert _score("m.sepal", "c.csv") == f'score: {N // 2} of {N} rows as the column "class" says (50.0%)'


def test_texts_where_a_model_predicts_numbers_are_told(inside):
    (inside / "line.csv").write_text("x,price\n" + "".join(f"{i},{2 * i + 0.5}\n" for i in range(30)))
    (inside / "new.csv").write_text("x,price\n1,cheap\n2,dear\n")
    assert sepal("train", "line.csv", "-l", "knn", "-k", "1", "-o", "m.sepal").exit_code == 0
    said = 'note: no score: the column "price" holds texts such as "cheap", and the model predicts numbers'
    assert _score("m.sepal", "new.csv") == said


@pytest.mark.parametrize("said", [(), ("--task", "classify")])
@pytest.mark.parametrize("texts", [["2020-01-01", "2021-01-01"], ["10 %", "20 %"], ["007", "042"], ["False", "True"]])
def test_test_rows_of_another_format_have_the_same_classes(texts, said):
    """Numbers and texts were refused, and texts of which none was a class counted as wrong answers."""
    _csv("a.csv", texts)
    _parquet("b.parquet", texts)
    for train, new in (("a.csv", "b.parquet"), ("b.parquet", "a.csv")):
        found = sepal("evaluate", train, "-l", "knn", "-k", "1", "--test", new, "--json", *said)
        assert json.loads(found.stdout)["accuracy"] == 1.0


def test_test_rows_that_hold_some_of_the_classes_only(inside):
    """The target holds '2' where that of the training rows holds '2', it said: of "1", "2" and "3+" two are numbers."""
    (inside / "tr.csv").write_text(
        "x,class\n" + "".join(f"{10 * (i % 3) + i / 99},{['1', '2', '3+'][i % 3]}\n" for i in range(30))
    )
    (inside / "te.csv").write_text("x,class\n0.5,1\n10.5,2\n20.5,7\n")
    told = json.loads(sepal("evaluate", "tr.csv", "-l", "knn", "-k", "1", "--test", "te.csv", "--json").stdout)
    assert told["classes"] == ["1", "2", "3+", "7"]
    assert told["confusion"] == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]]


@pytest.mark.parametrize("labels", [["ja", "nein"], ["5", "6"]])
def test_test_rows_without_a_class_of_the_training_rows_are_refused(labels):
    _csv("a.csv", ["yes", "no"])
    _csv("b.csv", labels)
    said = refused("evaluate", "a.csv", "-l", "knn", "--test", "b.csv")
    assert labels[0] in said
    assert '"no", "yes"' in said
    assert "hint: " in said


@pytest.mark.parametrize("exponent", ["e199", "e-199"])
def test_numbers_whose_squares_are_none_are_scored(exponent, inside):
    """It was a traceback: OverflowError, numerical result out of range."""
    (inside / "far.csv").write_text(
        "x,price\n" + "".join(f"{10 * (i % 9) + i % 2},{2 * i}.5{exponent}\n" for i in range(40))
    )
    assert sepal("train", "far.csv", "-l", "knn", "-k", "1", "--task", "regress", "-o", "m.sepal").exit_code == 0
    (inside / "near.csv").write_text("x,price\n" + "".join(f"{10 * (i % 9) + i % 2},{2 * i}.5\n" for i in range(40)))
    assert sepal("train", "near.csv", "-l", "knn", "-k", "1", "--task", "regress", "-o", "n.sepal").exit_code == 0
    far, near = _score("m.sepal", "far.csv"), _score("n.sepal", "near.csv")
    assert far.split(",")[0] == near.split(",")[0]
    errors = [float(said.split("mean absolute error ")[1].split()[0]) for said in (far, near)]
    assert errors[0] == pytest.approx(errors[1] * float("1" + exponent), rel=1e-2)
