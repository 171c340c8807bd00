"""Every source gives the same rows, and an error names the file and the column that are wrong."""

from __future__ import annotations

import pickle
from pathlib import Path

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import polars
import pyarrow
import pyarrow.dataset
import pytest

import sepal
from sepal.exceptions import DataError, ParameterError
from sepal.scale import _sources as sources
from sepal.scale import (
    fit_parts,
    is_partitioned,
    measure_partitions,
    partitioned,
    predict_partitions,
    prepare_partitions,
    sample_table,
)
from sepal.scale._sources import load_part
from tests.scale.frames import frame


def _made(name, table, cut, tmp_path):
    pattern = cut(table, [150, 100, 50], "parquet")
    return {
        "folder": lambda: pattern.removesuffix("/*.parquet"),
        "dask": lambda: dask.dataframe.from_pandas(table, npartitions=3),
        "arrow": lambda: pyarrow.dataset.dataset(pattern.removesuffix("/*.parquet")),
        "polars": lambda: polars.scan_parquet(pattern),
        "gz": lambda: _gz(table, tmp_path),
    }[name]()


def _gz(table, tmp_path):
    for at in range(2):
        table.iloc[150 * at : 150 * at + 150].to_csv(tmp_path / f"{at}.csv.gz", index=False)
    return f"{tmp_path}/*.csv.gz"


@pytest.mark.parametrize("name", ["folder", "dask", "arrow", "polars", "gz"])
def test_sources_agree(name, cut, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MOST_ROWS", 120)
    table = frame("mixed", 300)
    source = _made(name, table, cut, tmp_path)
    assert is_partitioned(source)
    ready = prepare_partitions(source, "class", n_jobs=1)
    assert len(partitioned(source, "class").parts) > 1
    assert sepal.thornton_score(ready) == sepal.thornton_score(table.drop(columns="class"), table["class"])


def test_dask_arrays():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    ready = prepare_partitions(dask.array.from_array(X, chunks=(25, 2)), dask.array.from_array(y, chunks=25), n_jobs=1)
    assert sepal.thornton_score(ready) == sepal.thornton_score(X, y)
    with pytest.raises(DataError, match="blocks of"):
        partitioned(dask.array.from_array(X, chunks=(25, 2)), dask.array.from_array(y, chunks=20))


def _in_memory(table, rows):
    X, y = table.drop(columns="class").to_numpy(), table["class"].to_numpy().astype(str)
    return {
        "dask": (dask.dataframe.from_pandas(table, npartitions=len(table) // rows), "class"),
        "dask arrays": (dask.array.from_array(X, chunks=(rows, 4)), dask.array.from_array(y, chunks=rows)),
        "arrow": (pyarrow.dataset.dataset(pyarrow.Table.from_pandas(table)), "class"),
        "polars": (polars.from_pandas(table).lazy(), "class"),
    }


@pytest.mark.parametrize("name", ["dask", "dask arrays", "arrow", "polars"])
def test_a_partition_takes_no_other_along(name, there, monkeypatch):
    """Rows that are in memory here were all sent with every task, where one partition of them was asked for."""
    monkeypatch.setattr("sepal.scale._sources.MOST_ROWS", 500)
    table = frame("real", 4_000)
    source, y = _in_memory(table, 500)[name]
    parts = partitioned(source, y)
    sent = [pickle.dumps(part) for part in parts.parts]
    assert len(sent) == 8
    assert max(len(each) for each in sent) < 1.3 * len(pickle.dumps(table[:500]))
    found = np.concatenate([load_part(pickle.loads(each), parts.reading).values for each in sent])  # noqa: S301 - our own
    assert np.array_equal(found, table.drop(columns="class").to_numpy())
    assert fit_parts(parts, there).schema.n_rows == 4_000


def test_what_a_cluster_holds_is_refused(client):
    persisted = client.persist(dask.dataframe.from_pandas(frame("real", 60), npartitions=2))
    with pytest.raises(DataError, match="persisted"):
        partitioned(persisted, "class")


def test_sources_work_on_a_cluster(there):
    table = frame("real", 200)
    given = fit_parts(partitioned(dask.dataframe.from_pandas(table, npartitions=3), "class"), there)
    assert given.schema.part_rows.sum() == 200


def _write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return f"{folder}/*.csv"


WRONG = {
    "kind": (
        {"a": "x,class\n1,p\n2,q\n", "b": "x,class\nred,p\nblue,q\n"},
        r'b\.csv, column "x": nominal.*a\.csv',
    ),
    "lost": ({"a": "x,z,class\n1,1,p\n", "b": "x,class\n1,q\n"}, r'b\.csv has no column "z"; .*a\.csv has'),
    "extra": ({"a": "x,class\n1,q\n", "b": "x,z,class\n1,1,p\n"}, r'b\.csv has a column "z"; .*a\.csv has none'),
    "labels": (
        {"a": "x,class\n1,p\n2,q\n", "b": "x,class\n1,7\n2,8\n"},
        r"a\.csv.*texts; in .*b\.csv they are num",
    ),
    "one class": ({"a": "x,class\n1,p\n", "b": "x,class\n3,p\n"}, "at least two classes, found 1"),
    "empty": ({"a": "x,class\n1,p\n", "b": ""}, r"b\.csv: the file is empty"),
}


@pytest.mark.parametrize("what", WRONG)
def test_errors_name_file_and_column(what, tmp_path, here):
    files, message = WRONG[what]
    with pytest.raises(DataError, match=message):
        fit_parts(partitioned(_write(tmp_path, **files)), here)


def test_a_damaged_file_is_named_by_the_worker(tmp_path, there):
    frame("real", 50).to_parquet(tmp_path / "a.parquet", index=False)
    frame("real", 50).to_csv(tmp_path / "b.csv.gz", index=False)
    whole = (tmp_path / "b.csv.gz").read_bytes()
    (tmp_path / "b.csv.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"b\.csv\.gz"):
        fit_parts(partitioned(tmp_path), there)
    (tmp_path / "c.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(DataError, match=r"c\.parquet"):
        partitioned(tmp_path)


def test_columns_in_another_order_levels_and_gaps_are_reconciled(tmp_path, here):
    pattern = _write(
        tmp_path, a="x,color,z,class\n1,red,,p\n2,blue,,q\n", b="color,x,z,class\ngreen,3,5,p\nred,4,7,q\n"
    )
    schema = fit_parts(partitioned(pattern), here).schema
    assert schema.like.names == ("x", "color", "z")
    assert schema.like.kinds == ("numeric", "nominal", "numeric")
    assert schema.like.levels[1] == ("blue", "green", "red")
    assert schema.table(1).values.tolist() == [[3.0, 1.0, 5.0], [4.0, 2.0, 7.0]]
    assert schema.n_missing == 2
    assert dict(zip(schema.classes.tolist(), schema.class_counts.tolist(), strict=True)) == {"p": 2, "q": 2}


def test_columns_that_number_the_rows_are_set_apart(cut, here):
    table = frame("real", 300)
    table.insert(0, "id", np.arange(300))
    schema = fit_parts(partitioned(cut(table, [100, 200])), here).schema
    assert schema.apart == ("id",)
    assert "id" in schema.notes[0]


def test_nothing_that_fits(tmp_path):
    with pytest.raises(DataError, match="no file has such a name"):
        partitioned(f"{tmp_path}/*.parquet")
    with pytest.raises(DataError, match="holds no file"):
        partitioned(tmp_path)
    with pytest.raises(ParameterError, match="got int"):
        partitioned(7)


def test_rows_without_labels_are_answered_whatever_they_come_as(tmp_path):
    """An array of Dask has no names: the model of a plain array answers it as it answers that array."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3))
    model = sepal.KNNClassifier(3).fit(X, np.where(X[:, 0] > 0, "a", "b"))
    wanted = model.predict(X).tolist()
    found = list(predict_partitions(model, dask.array.from_array(X, chunks=(25, 3))))
    assert [each.first_row for each in found] == [0, 25, 50]
    assert [label for each in found for label in each.predictions.tolist()] == wanted


def test_a_pattern_is_taken_where_partitions_are(tmp_path):
    for i in range(2):
        (tmp_path / f"{i}.csv").write_text("a,class\n1,x\n2,x\n7,y\n8,y\n")
    assert sample_table(f"{tmp_path}/*.csv", 4).rows_seen == 4
    table = pd.DataFrame({"a": [1.0, 2.0, 7.0, 8.0]})
    model = sepal.KNNClassifier(1).fit(table, list("xxyy"))
    assert sum(each.rows_seen for each in predict_partitions(model, tmp_path)) == 8


def test_who_gives_a_pattern_to_a_function_of_tables_is_told_where_it_goes():
    with pytest.raises(DataError, match=r"sepal\.scale\.prepare_partitions\(X, y\)"):
        sepal.thornton_score("sales/*.parquet", "class")


@pytest.mark.parametrize(
    ("source", "name"),
    [([], "an empty list"), ((), "an empty tuple"), ([[1.0]], "a list with a list"), (3, "int")],
)
def test_what_is_no_table_in_partitions_is_named(source, name):
    """A list gave an AttributeError once."""
    for ask in (partitioned, lambda given: sample_table(given, 4), measure_partitions):
        with pytest.raises(ParameterError, match=f"a list of files, .*; got {name}$"):
            ask(source)


def test_a_list_of_files_is_a_table_in_partitions(cut):
    table = frame("real", 60)
    files = sorted(Path(cut(table, [40, 20])).parent.glob("*.csv"))
    drawn = sample_table(files, 100)
    assert drawn.rows.tolist() == list(range(60))
    assert np.allclose(drawn.table.values, table.drop(columns="class"))


def _doubled(scanned):
    return scanned.join(scanned.select("c0"), on="c0", how="left")


@pytest.mark.parametrize("made", [lambda scanned: scanned.unique(), _doubled], ids=["unique", "join"])
def test_polars_rows_in_any_order_are_not_cut(made, tmp_path, monkeypatch):
    """Each slice was taken of rows in another order: some rows were in several partitions, others in none."""
    table = frame("real", 300).rename(columns=lambda name: "c0" if name == frame("real", 3).columns[0] else name)
    table.to_parquet(tmp_path / "all.parquet", index=False)
    query = made(polars.scan_parquet(tmp_path / "all.parquet"))
    first = prepare_partitions(query, "class", n_jobs=1)
    assert sepal.thornton_score(first) == sepal.thornton_score(table.drop(columns="class"), table["class"])
    monkeypatch.setattr(sources, "MOST_ROWS", 120)
    with pytest.raises(DataError, match="another order each time"):
        partitioned(query, "class")
    assert len(partitioned(query.sort("c0"), "class").parts) == 3


def test_a_filtered_arrow_dataset_is_refused(cut):
    folder = cut(frame("real", 60), [30, 30], "parquet").removesuffix("/*.parquet")
    filtered = pyarrow.dataset.dataset(folder).filter(pyarrow.dataset.field("class") == "b")
    with pytest.raises(DataError, match="filtered or projected"):
        partitioned(filtered, "class")


def test_files_behind_links_are_read_and_those_of_programs_are_not(cut, tmp_path):
    """A folder behind a link was left out of a folder and not of a pattern; unfinished files of Spark were read."""
    elsewhere = Path(cut(frame("real", 60), [30, 30], "csv")).parent
    folder = tmp_path / "all"
    (folder / "_temporary").mkdir(parents=True)
    (folder / "more").symlink_to(elsewhere)
    (folder / "again").symlink_to(folder)  # leads back
    for name in ("_temporary/0.csv", ".hidden.csv", "_SUCCESS.csv"):
        (folder / name).write_text("not,a table")
    assert [Path(part.label).parent.name for part in partitioned(folder, "class").parts] == ["more", "more"]


@pytest.mark.parametrize("given", ["", "/*.csv"])
def test_a_link_that_leads_nowhere_is_named(given, cut):
    folder = Path(cut(frame("real", 60), [30, 30], "csv")).parent
    (folder / "lost.csv").symlink_to(folder / "nowhere.csv")
    with pytest.raises(DataError, match=r"lost\.csv"):
        prepare_partitions(f"{folder}{given}", "class", n_jobs=1)


def test_dask_arrays_that_do_not_fit_together_are_told_apart():
    rows, labels = dask.array.ones((60, 3), chunks=(20, 3)), dask.array.ones(60, chunks=30)
    with pytest.raises(DataError, match="blocks of 20, 20, 20 and 30, 30 rows"):
        partitioned(rows, labels)
    with pytest.raises(DataError, match="two dimensions and labels of one; found 1 and 1"):
        partitioned(rows[:, 0], labels)
    with pytest.raises(DataError, match=r"blocks of \?, \?, \? and \?, \? rows") as told:
        partitioned(rows[rows[:, 0] > 0], labels[labels > 0])
    assert "compute_chunk_sizes" in told.value.hint
