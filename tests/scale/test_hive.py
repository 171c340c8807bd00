"""Folders called name=value are columns, as pyarrow's hive partitioning reads them."""

from __future__ import annotations

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
from sepal.scale import _sources as sources
from sepal.scale import (
    evaluate_partitions,
    fit_partitions,
    fit_parts,
    partitioned,
    predict_partitions,
    prepare_partitions,
    sample_table,
)
from tests.scale.frames import frame

MISSING = "__HIVE_DEFAULT_PARTITION__"


@pytest.fixture
def run():
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def _rows(n=240):
    table = frame("real", n).iloc[:, [0, 1, 2, -1]]
    table["year"] = 2020 + np.arange(n) % 3
    table["shop"] = np.array(["a b", "ü/%", "c=d"])[np.arange(n) // 2 % 3]
    return table


def _arrow(table, folder, columns):
    pyarrow.parquet.write_to_dataset(
        pyarrow.Table.from_pandas(table, preserve_index=False), folder, partition_cols=columns
    )


def _dask(table, folder, columns):
    given = dask.dataframe.from_pandas(table, npartitions=2)
    given.to_parquet(folder, partition_on=columns, write_index=False)


def _csv(table, folder, columns):
    for values, rows in table.groupby(columns):
        inner = folder.joinpath(
            *(f"{c}={str(v).replace('%', '%25').replace('/', '%2F')}" for c, v in zip(columns, values, strict=True))
        )
        inner.mkdir(parents=True)
        rows.drop(columns=columns).to_csv(inner / "part-0.csv", index=False)


def _whole(folder):
    """What pyarrow reads: all rows, with texts and whole numbers of the folders last."""
    kind = "csv" if any(folder.rglob("*.csv")) else "parquet"
    return pyarrow.dataset.dataset(folder, format=kind, partitioning="hive").to_table().to_pandas()


WRITERS = {"arrow": _arrow, "csv": _csv}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("pattern", ["", "/*/*/*", "/year=*/**/*.*", "/**/*.*"])
def test_the_table_is_that_of_pyarrow(writer, pattern, tmp_path, here):
    WRITERS[writer](_rows(), tmp_path / "sales", ["year", "shop"])
    whole = _whole(tmp_path / "sales")
    assert whole["year"].dtype.kind == "i"
    assert set(whole["shop"]) == {"a b", "ü/%", "c=d"}
    ready = prepare_partitions(f"{tmp_path}/sales{pattern}", "class", n_jobs=1)
    assert sepal.thornton_score(ready) == sepal.thornton_score(whole.drop(columns="class"), whole["class"])
    schema = fit_parts(partitioned(tmp_path / "sales", "class"), here).schema
    table = sepal.data.as_table(whole.drop(columns="class"), whole["class"])
    assert schema.like.names == table.names
    assert schema.like.kinds == table.kinds
    assert schema.like.levels == table.levels


@pytest.mark.parametrize("writer", WRITERS)
def test_a_target_in_the_folders(writer, tmp_path, run):
    folder = tmp_path / "sales"
    WRITERS[writer](_rows(), folder, ["shop", "class"])
    whole = _whole(folder)
    X, y = whole.drop(columns="class"), whole["class"]
    score = sepal.thornton_score(X, y)
    assert sepal.thornton_score(prepare_partitions(folder, n_jobs=1)) == score
    assert sepal.separability(folder, "class", n_jobs=1).thornton == sepal.separability(X, y, n_jobs=1).thornton
    drawn = sample_table(partitioned(folder, "class"), 240)
    assert sorted(map(tuple, drawn.table.values.tolist())) == sorted(map(tuple, sepal.data.as_table(X).values.tolist()))
    (tmp_path / "flat").mkdir()
    whole.to_parquet(tmp_path / "flat" / "all.parquet", index=False)
    asked = [
        evaluate_partitions(sepal.KNNClassifier(3), at, "class", cv=3, n_jobs=1) for at in (folder, tmp_path / "flat")
    ]
    assert asked[0].accuracy == asked[1].accuracy
    for words in (("report", folder), ("measure", folder), ("evaluate", folder, "--learner", "knn")):
        told = run(*words, "--target", "class")
        assert told.exit_code == 0, told.output
    model, out = tmp_path / "model.sepal", tmp_path / "out.csv"
    trained = run("train", folder, "--target", "class", "--learner", "knn", "--k", "1", "-o", model)
    assert trained.exit_code == 0, trained.output
    told = run("predict", model, folder, "-o", out)
    assert told.exit_code == 0, told.output
    assert 'score: 240 of 240 rows as the column "class" says' in told.stderr
    one = sepal.KNNClassifier(1).fit(X, y)
    assert pd.read_csv(out)["prediction"].tolist() == one.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize(
    "values", [["01", "2"], ["-3", "4"], ["+3", "4"], ["1.5", "2"], ["a%20b", "c=d"], [MISSING, "4"], [MISSING, "x"]]
)
def test_values_are_what_pyarrow_takes_them_for(values, tmp_path):
    for value in values:
        (tmp_path / f"k={value}").mkdir()
        pyarrow.parquet.write_table(pyarrow.table({"x": [1.0]}), tmp_path / f"k={value}" / "a.parquet")
    wanted = pyarrow.dataset.dataset(tmp_path, partitioning="hive").to_table()["k"].to_pylist()
    found = [part.folders for part in partitioned(tmp_path, target=False).parts]
    assert {each[0] for each in found} == {("k", value) for value in wanted}


def test_what_dask_writes(tmp_path):
    table = _rows()
    _dask(table, tmp_path / "sales", ["year"])
    whole = _whole(tmp_path / "sales")
    ready = prepare_partitions(tmp_path / "sales", "class", n_jobs=1)
    assert sepal.thornton_score(ready) == sepal.thornton_score(whole.drop(columns="class"), whole["class"])


def _write(folder, **files):
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/').replace('_', '=')}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_missing_values_and_numbers_that_are_texts(tmp_path, here):
    for i, value in enumerate(["7", "x", MISSING]):
        (tmp_path / f"size={value}").mkdir()
        (tmp_path / f"size={value}" / "a.csv").write_text(f"a,class\n{i},p\n{i + 1},q\n")
    schema = fit_parts(partitioned(tmp_path, "class"), here).schema
    assert schema.like.levels[1] == ("7", "x")
    assert schema.n_missing == 2
    cells = [schema.table(at).values[:, 1].tolist() for at in range(3)]  # in the order of the names: 7, none, x
    assert np.array_equal(cells, [[0.0, 0.0], [np.nan, np.nan], [1.0, 1.0]], equal_nan=True)


def test_rows_whose_folder_says_no_label_are_dropped_if_asked(tmp_path, here):
    for value in ("p", "q", MISSING):
        (tmp_path / f"label={value}").mkdir()
        (tmp_path / f"label={value}" / "a.csv").write_text("a\n1\n2\n")
    with pytest.raises(DataError, match=rf"label={MISSING}/a\.csv.*expected a label"):
        fit_parts(partitioned(tmp_path, "label"), here)
    schema = fit_parts(partitioned(tmp_path, "label", missing_target="drop"), here).schema
    assert schema.class_counts.tolist() == [2, 2]
    assert schema.of_parts == ("1 of 3 partitions has no rows with a label",)
    with pytest.raises(DataError, match="the only partition has columns and no rows with a label"):
        fit_parts(partitioned(f"{tmp_path}/label=_*/a.csv", "label", missing_target="drop"), here)


def test_the_last_column_of_the_files_stays_the_target(tmp_path, here):
    _write(tmp_path, year_1__a="x,kind\n1,p\n2,q\n", year_2__a="x,kind\n3,p\n4,q\n")
    schema = fit_parts(partitioned(tmp_path), here).schema
    assert (schema.like.target, schema.like.names) == ("kind", ("x", "year"))


def test_kinds_may_name_a_folder(tmp_path, here):
    _write(tmp_path, year_1__a="x,kind\n1,p\n2,q\n", year_2__a="x,kind\n3,p\n4,q\n")
    schema = fit_parts(partitioned(tmp_path, kinds={"year": "nominal"}), here).schema
    assert schema.like.kinds == ("numeric", "nominal")
    schema = fit_parts(partitioned(tmp_path, drop=["year"]), here).schema
    assert schema.like.names == ("x",)


def test_the_column_of_a_file_counts_and_what_contradicts_it_is_said(tmp_path, here):
    _write(tmp_path, size_1__a="size,x,class\n1,1,p\n1,2,q\n", size_2__a="size,x,class\n2,3,p\n5,4,q\n")
    schema = fit_parts(partitioned(tmp_path), here).schema
    assert schema.like.names == ("size", "x")
    assert schema.table(1).values[:, 0].tolist() == [2.0, 5.0]
    assert len(schema.of_parts) == 1
    assert 'column "size"' in schema.of_parts[0]
    assert "size=2/a.csv" in schema.of_parts[0]
    _write(tmp_path, size_2__a="size,x,class\n2,3,p\n2,4,q\n")
    assert fit_parts(partitioned(tmp_path), here).schema.of_parts == ()
    _write(tmp_path / "labels", class_p__a="x,class\n1,p\n2,p\n", class_q__a="x,class\n1,p\n2,q\n")
    told = fit_parts(partitioned(tmp_path / "labels"), here).schema.of_parts
    assert len(told) == 1
    assert 'column "class"' in told[0]


def test_only_folders_below_the_one_given_count(tmp_path, here, monkeypatch):
    given = tmp_path / "run=[7]"
    _write(given, size_1__a="x,class\n1,p\n2,q\n", size_2__a="x,class\n3,p\n5,q\n")
    monkeypatch.chdir(given)

    def names(source):
        return fit_parts(partitioned(source), here).schema.like.names

    assert {names(source) for source in (given, ".", "./*/*.csv", "*/a.csv")} == {("x", "size")}
    assert names("../run=*/*/*.csv") == ("x", "run", "size")
    assert names("size=1/*.csv") == names(sorted(given.glob("*/*.csv"))) == ("x",)


def test_a_file_outside_of_the_folders_is_named(tmp_path, here):
    _write(tmp_path, size_1__a="x,class\n1,p\n2,q\n", z="x,class\n3,p\n5,q\n")
    with pytest.raises(DataError, match=r'z\.csv has no column "size"; .*size=1/a\.csv has'):
        fit_parts(partitioned(tmp_path), here)


def test_row_groups_and_files_without_rows_keep_their_folder(tmp_path, here, monkeypatch):
    monkeypatch.setattr(sources, "MOST_ROWS", 50)
    table = frame("real", 120).iloc[:, [0, 1, -1]]
    for year in (1, 2):
        (tmp_path / f"year={year}").mkdir()
        table.to_parquet(tmp_path / f"year={year}" / "a.parquet", index=False, row_group_size=40)
        table[:0].to_parquet(tmp_path / f"year={year}" / "b.parquet", index=False)
    source = partitioned(tmp_path, "class")
    assert len(source.parts) == 8
    schema = fit_parts(source, here).schema
    assert np.concatenate([schema.table(at).values[:, 2] for at in range(6)]).tolist() == [1.0] * 120 + [2.0] * 120


def test_folders_of_texts_that_are_all_numbers_are_predicted(tmp_path):
    """A model that knew the shops 01 and a was asked about the shop 1."""
    table = pd.DataFrame({"x": np.arange(40.0), "class": ["u", "v"] * 20})
    for where, shops in (("old", ("01", "a")), ("new", ("01",))):
        for shop in shops:
            folder = tmp_path / where / f"shop={shop}"
            folder.mkdir(parents=True)
            table.to_csv(folder / "0.csv", index=False)
    model = fit_partitions(sepal.KNNClassifier(1), tmp_path / "old", target="class").model
    sepal.save_model(model, tmp_path / "model.sepal")
    for given in (model, tmp_path / "model.sepal"):
        (found,) = predict_partitions(given, tmp_path / "new")
        assert found.predictions.tolist() == table["class"].tolist()
