"""Answers to rows in partitions are those to one file, in one file that is whole or not there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sepal
from sepal.cli._app import app
from sepal.exceptions import DataError
from sepal.scale import _sources as sources
from sepal.scale import partitioned, predict_partitions
from tests.scale.frames import frame


@pytest.fixture
def run():
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def model(tmp_path):
    table = frame("mixed", 150, seed=5)
    path = tmp_path / "model.sepal"
    sepal.save_model(sepal.KNNClassifier(n_neighbors=3).fit(table.drop(columns="class"), table["class"]), path)
    return path


def _trained(run, tmp_path):
    frame("mixed", 150, seed=5).to_csv(tmp_path / "old.csv", index=False)
    path = tmp_path / "trained.sepal"
    said = run("train", tmp_path / "old.csv", "--learner", "knn", "--k", "3", "-o", path)
    assert said.exit_code == 0, said.output
    return path


def _new(n=240):
    """Rows with an identifier, a column the model does not know, and in the first file a column without a cell."""
    table = frame("mixed", n)
    table.insert(3, "id", np.arange(n) + 1000)
    table["note"] = np.where(np.arange(n) % 3 == 0, "late", "soon")
    table.loc[:79, "x4"] = np.nan
    return table


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("words", [(), ("--all-columns",)])
def test_the_file_is_that_of_one_file(ending, words, cut, run, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MOST_ROWS", 50)
    table, trained = _new(), _trained(run, tmp_path)
    table.to_csv(tmp_path / "one.csv", index=False)
    one = run("predict", trained, tmp_path / "one.csv", "-o", tmp_path / "wanted.csv", *words)
    many = run("predict", trained, cut(table, [80, 100, 60], ending), "-o", tmp_path / "found.csv", *words)
    assert many.exit_code == 0, many.output
    assert (tmp_path / "found.csv").read_text() == (tmp_path / "wanted.csv").read_text()
    said = [line for line in one.stderr.splitlines() if "wanted.csv" not in line]
    heard = [line for line in many.stderr.splitlines() if "found.csv" not in line]
    assert heard[0].startswith("240 rows x 12 columns in ")
    assert heard[1].startswith("doing:  ")
    assert heard[2:] == said
    assert len(said) == 2


def test_answers_come_in_the_order_of_partitions_from_workers_too(cut, model, client):
    table = frame("mixed", 300)
    source = partitioned(cut(table, [10, 90, 20, 80, 30, 70]), target=False)
    found = list(predict_partitions(model, source, client=client))
    assert [part.first_row for part in found] == [0, 10, 100, 120, 200, 230]
    fitted = sepal.load_model(model)
    wanted = table.drop(columns="class")
    assert np.concatenate([part.predictions for part in found]).tolist() == fitted.predict(wanted).tolist()
    assert np.array_equal(np.concatenate([part.probabilities for part in found]), fitted.predict_proba(wanted))
    assert sum(part.table.n_rows for part in found) == 300


def test_no_more_than_a_partition_is_held(cut, model, monkeypatch):
    loaded = []
    load = sources.load_part
    monkeypatch.setattr("sepal.scale._predict.load_part", lambda *given: loaded.append(1) or load(*given))
    source = partitioned(cut(frame("mixed", 200), [20] * 10), target=False)
    for answered, _ in enumerate(predict_partitions(model, source, n_jobs=1), start=1):
        assert len(loaded) == 1 + answered  # one was loaded before, of which some rows told how long all take


def test_a_failure_leaves_the_file_as_it_was(cut, run, model, tmp_path, monkeypatch):
    pattern, out = cut(frame("mixed", 200), [50] * 4, "parquet"), tmp_path / "out.csv"
    out.write_text("as it was")
    load = sources.load_part

    def lost(part, reading):
        if part.label.endswith("part-002.parquet"):
            raise DataError(f"{part.label}: the partition cannot be read: gone")
        return load(part, reading)

    monkeypatch.setattr("sepal.scale._predict.load_part", lost)
    said = run("predict", model, pattern, "-o", out)
    assert said.exit_code != 0
    assert "part-002.parquet: the partition cannot be read" in said.stderr
    assert "--out" not in said.stderr
    assert out.read_text() == "as it was"
    assert not list(tmp_path.glob(".sepal-*"))


WRONG = {
    "column": (lambda table: table.drop(columns="x3"), 'no column "x3", which the model was trained with'),
    "kind": (lambda table: table.assign(x3="red"), "x3"),
}


@pytest.mark.parametrize("what", WRONG)
def test_partitions_that_do_not_fit_the_model(what, cut, run, model, tmp_path):
    change, message = WRONG[what]
    said = run("predict", model, cut(change(frame("mixed", 60)), [30, 30]), "-o", tmp_path / "out.csv")
    assert said.exit_code == 2
    assert message in said.stderr
    assert "part-000.csv" in said.stderr
    assert not (tmp_path / "out.csv").exists()


def test_a_damaged_partition_is_named(run, model, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    frame("mixed", 50).to_csv(folder / "a.csv", index=False)
    frame("mixed", 50).to_csv(folder / "b.csv.gz", index=False)
    (folder / "b.csv.gz").write_bytes((folder / "b.csv.gz").read_bytes()[:200])
    said = run("predict", model, folder, "-o", tmp_path / "out.csv")
    assert said.exit_code == 2
    assert "b.csv.gz" in said.stderr
    assert not (tmp_path / "out.csv").exists()


def test_what_is_refused(cut, run, model, tmp_path):
    pattern = cut(frame("mixed", 60), [30, 30])
    assert "give --out out.csv" in run("predict", model, pattern).stderr
    assert "give --out out.csv" in run("predict", model, pattern, "-o", tmp_path / "out.json").stderr
    one = pattern.replace("*", "part-000")
    assert "--workers is for rows in partitions" in run("predict", model, one, "--workers", "1").stderr


def test_texts_that_are_numbers_in_one_partition(tmp_path, run):
    old = pd.DataFrame({"zip": ["1", "2", "A", "1", "2", "A"], "size": [1, 2, 3, 1, 2, 3], "class": list("xyzxyz")})
    model, parts = tmp_path / "model.sepal", tmp_path / "parts"
    sepal.save_model(sepal.KNNClassifier(n_neighbors=1).fit(old.drop(columns="class"), old["class"]), model)
    parts.mkdir()
    (parts / "a.csv").write_text("zip,size\n1,1\n2,2\n")
    (parts / "b.csv").write_text("size,zip\n3,A\n2,2\n")
    said = run("predict", model, parts, "-o", tmp_path / "out.csv")
    assert said.exit_code == 0, said.output
    answers = pd.read_csv(tmp_path / "out.csv")
    assert answers["row"].tolist() == [0, 1, 2, 3]
    assert answers["prediction"].tolist() == list("xyzy")


def test_errors_of_numbers_are_those_of_one_file(cut, run, tmp_path):
    """R squared about the mean of all rows, though no partition knows it."""
    table = frame("real", 200).drop(columns="class")
    table["y"] = table["x0"] * 3 + table["x1"] + 100
    table.iloc[:60].to_csv(tmp_path / "old.csv", index=False)
    model = tmp_path / "numbers.sepal"
    trained = run("train", tmp_path / "old.csv", "--target", "y", "--learner", "knn", "-o", model)
    assert trained.exit_code == 0, trained.output
    new = table.iloc[60:].sort_values("y")
    new.to_csv(tmp_path / "one.csv", index=False)
    one = run("predict", model, tmp_path / "one.csv", "-o", tmp_path / "wanted.csv")
    many = run("predict", model, cut(new, [40, 30, 70]), "-o", tmp_path / "found.csv")
    assert many.exit_code == 0, many.output
    assert (tmp_path / "found.csv").read_text() == (tmp_path / "wanted.csv").read_text()
    said = next(line for line in one.stderr.splitlines() if line.startswith("score: R squared"))
    assert said in many.stderr.splitlines()


def test_only_columns_that_are_asked_for_come_back(cut, model, client):
    table = frame("mixed", 100)
    table.insert(0, "id", np.arange(100))
    source = partitioned(cut(table, [60, 40]), target=False)
    none = list(predict_partitions(model, source, client=client, columns=lambda name: False))
    assert [part.table.names for part in none] == [("id",)] * 2  # tells rows apart
    assert none[0].names == tuple(table.columns)
    some = list(predict_partitions(model, source, client=client, columns=lambda name: name == "x3"))
    assert set(some[0].table.names) == {"id", "x3"}
    plain = partitioned(cut(frame("mixed", 80), [50, 30], "parquet"), target=False)
    assert all(part.table is None for part in predict_partitions(model, plain, n_jobs=1, columns=lambda name: False))
