"""Partitions without rows are left out: every answer is that of the same rows without them, and it is said."""

from __future__ import annotations

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import sepal
from sepal.cli._app import app
from sepal.exceptions import DataError
from sepal.machines import FisherDiscriminant
from sepal.scale import _sources as sources
from sepal.scale import (
    angle_partitions,
    evaluate_partitions,
    fit_partitions,
    fit_parts,
    partitioned,
    predict_partitions,
    prepare_partitions,
    sample_table,
)
from sepal.scale._schema import read_schema
from tests.scale.frames import frame

FULL, GAPPY = [90, 150, 60], [0, 90, 0, 150, 60, 0]
SAID = "3 of 6 partitions have no rows"


@pytest.fixture
def run():
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_the_index_is_that_of_one_table(ending, cut):
    table = frame("mixed", 300)
    ready = prepare_partitions(cut(table, GAPPY, ending), "class", n_jobs=1)
    X, y = table.drop(columns="class"), table["class"]
    assert sepal.thornton_score(ready) == sepal.thornton_score(X, y)
    assert SAID in ready.notes
    assert SAID in str(ready.plan)


def test_a_filtered_dask_frame_is_that_of_the_rows_left():
    """The parts without rows are the first and the last; their columns of texts are of no known type."""
    table = frame("mixed", 300)
    table["x9"] = np.arange(300.0) / 7
    given = dask.dataframe.from_pandas(table, npartitions=6)
    given = given[(given["x9"] > 10) & (given["x9"] < 30)]
    left = table[(table["x9"] > 10) & (table["x9"] < 30)]
    ready = prepare_partitions(given, "class", n_jobs=1)
    assert sepal.thornton_score(ready) == sepal.thornton_score(left.drop(columns="class"), left["class"])
    assert "2 of 6 partitions have no rows" in ready.notes


def test_a_filtered_dask_array_has_blocks_without_rows():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, "a", "b")
    kept = dask.array.from_array(np.arange(60) >= 25, chunks=25)
    rows, labels = dask.array.from_array(X, chunks=(25, 3))[kept], dask.array.from_array(y, chunks=25)[kept]
    ready = prepare_partitions(rows, labels, n_jobs=1)
    assert sepal.thornton_score(ready) == sepal.thornton_score(X[25:], y[25:])
    assert "1 of 3 partitions has no rows" in ready.notes
    model = sepal.KNNClassifier(3).fit(X, y)
    found = list(predict_partitions(model, rows))
    assert [each.first_row for each in found] == [0, 25]
    assert [label for each in found for label in each.predictions.tolist()] == model.predict(X[25:]).tolist()


def test_row_groups_without_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MOST_ROWS", 60)
    table = frame("real", 150)
    cells = pyarrow.Table.from_pandas(table, preserve_index=False)
    with pyarrow.parquet.ParquetWriter(tmp_path / "a.parquet", cells.schema) as file:
        for rows in (cells[:0], cells[:70], cells[:0], cells[70:130], cells[130:]):
            file.write_table(rows)
    assert pyarrow.parquet.ParquetFile(tmp_path / "a.parquet").metadata.num_row_groups == 5
    X, y = table.drop(columns="class"), table["class"]
    for source in (tmp_path, pyarrow.dataset.dataset(tmp_path)):
        assert sepal.thornton_score(prepare_partitions(source, "class", n_jobs=1)) == sepal.thornton_score(X, y)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_sample_report_sums_and_folds_are_those_without_them(ending, cut):
    table = frame("mixed", 300)
    given, wanted = cut(table, GAPPY, ending), cut(table, FULL, ending)
    drawn, whole = (sample_table(partitioned(each, "class"), 80, random_state=3) for each in (given, wanted))
    assert np.array_equal(drawn.rows, whole.rows)
    assert np.array_equal(drawn.table.values, whole.table.values, equal_nan=True)
    assert drawn.table.notes == (SAID, *whole.table.notes)
    found, report = (sepal.separability(each, "class", n_jobs=1) for each in (given, wanted))
    assert found.thornton.score == report.thornton.score
    assert (found.curve, found.verdict, found.angle.mahalanobis) == (
        report.curve,
        report.verdict,
        report.angle.mahalanobis,
    )
    assert [each.row for each in found.suspects.rows] == [each.row for each in report.suspects.rows]
    assert SAID in " ".join(found.to_text(200).split())
    numbers = frame("real", 300)
    some, all_ = cut(numbers, [*GAPPY, 0], ending), cut(numbers, [90, 150, 30, 30], ending)
    assert angle_partitions(some).mahalanobis == angle_partitions(all_).mahalanobis
    models = [fit_partitions(FisherDiscriminant(), each).model for each in (some, all_)]
    assert np.array_equal(*(model.predict_proba(numbers.drop(columns="class")) for model in models))
    folds = [evaluate_partitions(sepal.KNNClassifier(3), each, random_state=1, cv=3, n_jobs=1) for each in (some, all_)]
    assert folds[0].accuracy == folds[1].accuracy


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_verbs_take_them_and_say_so(ending, cut, run, tmp_path):
    table = frame("mixed", 300)
    table["row"] = np.arange(300)
    given, wanted = cut(table, GAPPY, ending), cut(table, FULL, ending)
    for source, name in ((given, "given"), (wanted, "wanted")):
        trained = run("train", source, "--target", "class", "--learner", "knn", "-o", tmp_path / f"{name}.sepal")
        assert trained.exit_code == 0, trained.output
        assert (SAID in trained.stderr) == (name == "given")
        told = run("predict", tmp_path / "given.sepal", source, "-o", tmp_path / f"{name}.csv")
        assert told.exit_code == 0, told.output
        assert (SAID in told.stderr) == (name == "given")
    assert (tmp_path / "given.csv").read_text() == (tmp_path / "wanted.csv").read_text()
    assert len(pd.read_csv(tmp_path / "given.csv")) == 300
    for words in (("measure",), ("report",), ("evaluate", "--learner", "knn")):
        told = run(words[0], given, "--target", "class", *words[1:])
        assert told.exit_code == 0, told.output
        assert SAID in " ".join(told.output.split()), words


def test_models_here_and_there_answer_no_empty_part(cut, tmp_path, client):
    table = frame("real", 300)
    X = table.drop(columns="class")
    model = sepal.KNNClassifier(3).fit(X, table["class"])
    sepal.save_model(model, tmp_path / "model.sepal")
    source = partitioned(cut(X, GAPPY), target=False)
    for asked in (model, tmp_path / "model.sepal"):
        found = list(predict_partitions(asked, source, client=client))
        assert [each.first_row for each in found] == [0, 90, 240]
        assert [label for each in found for label in each.predictions.tolist()] == model.predict(X).tolist()


def test_kinds_levels_and_the_order_of_columns_come_from_rows(tmp_path, here):
    (tmp_path / "a.csv").write_text("class,size,z,x\n")
    (tmp_path / "b.csv").write_text("x,size,z,class\n1,S,1,p\n2,M,2,q\n")
    schema = fit_parts(partitioned(tmp_path, kinds={"size": ["S", "M", "L"]}), here).schema
    assert schema.like.names == ("x", "size", "z")
    assert schema.like.kinds == ("numeric", "ordinal", "numeric")
    assert schema.place(0) == (str(tmp_path / "b.csv"), 0)
    with pytest.raises(DataError, match=r"a\.csv: .*weight"):
        fit_parts(partitioned(tmp_path, kinds={"weight": "numeric"}), here)


WRONG = {
    "extra": ("x,z,class\n", r'b\.csv has a column "z"; .*a\.csv has none'),
    "lost": ("x\n", r"b\.csv"),
    "renamed": ("y,class\n", r'b\.csv has no column "x"; .*a\.csv has'),
    "no target": ("x,y\n", r"b\.csv"),
    "no byte": ("", r"b\.csv: the file is empty"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_header_that_contradicts_is_named(what, tmp_path, here):
    text, message = WRONG[what]
    (tmp_path / "a.csv").write_text("x,class\n1,p\n2,q\n")
    (tmp_path / "b.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        fit_parts(partitioned(tmp_path, "class"), here)


def test_a_parquet_file_without_rows_is_looked_at(tmp_path, here):
    pd.DataFrame({"x": [1.0, 2.0], "class": ["p", "q"]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame({"x": [1.0], "z": [1.0], "class": ["p"]})[:0].to_parquet(tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r'b\.parquet has a column "z"'):
        fit_parts(partitioned(tmp_path, "class"), here)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_no_rows_anywhere(ending, cut, here):
    nothing = frame("mixed", 10)[:0]
    with pytest.raises(DataError, match="all 3 partitions have columns and no rows"):
        fit_parts(partitioned(cut(nothing, [0, 0, 0], ending), "class"), here)
    with pytest.raises(DataError, match="the only partition has columns and no rows"):
        fit_parts(partitioned(cut(nothing, [0], ending), "class"), here)
    with pytest.raises(DataError, match="the pyarrow Dataset has no rows"):
        partitioned(pyarrow.dataset.dataset(pyarrow.Table.from_pandas(nothing)), "class")


@pytest.mark.parametrize(
    ("first", "second", "are"),
    [
        (("2024-01-05", "2024-02-06"), ("20240307", "20240408"), "numbers; in .*0.csv they are dates"),
        (("12:30", "13:45"), ("2024-01-05", "2024-02-06"), "dates; in .*0.csv they are times"),
        (("37%", "41%"), ("0.37", "0.41"), "numbers; in .*0.csv they are percents"),
        (("$5", "$6"), ("€5", "€7"), "numbers with €; in .*0.csv they are numbers with [$]"),
    ],
)
def test_numbers_that_mean_something_else_in_another_file_are_named(first, second, are, tmp_path, here):
    """Seconds since 1970 stood beside plain numbers in one column, percents beside shares, dollars beside euros."""
    for name, cells in (("0", first), ("1", second)):
        (tmp_path / f"{name}.csv").write_text(f"a,when,class\n1.5,{cells[0]},u\n2.5,{cells[1]},v\n")
    with pytest.raises(DataError, match=rf'1\.csv, column "when": {are}'):
        read_schema(partitioned(tmp_path, target="class"), here)


def test_a_currency_in_some_files_only_is_no_other_number(tmp_path, here):
    for name, cells in (("0", ("$5", "$6")), ("1", ("5", "7"))):
        (tmp_path / f"{name}.csv").write_text(f"a,price,class\n1.5,{cells[0]},u\n2.5,{cells[1]},v\n")
    assert read_schema(partitioned(tmp_path, target="class"), here).like.values[:, 1].max() == 7.0
