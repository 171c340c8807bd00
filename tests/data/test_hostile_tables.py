"""Tables that once made the readers crash, hang, fill the memory or answer wrongly without a word."""

from __future__ import annotations

import datetime
import gzip
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sepal.data import Table, _unpacking, as_table, class_codes, read_table
from sepal.data._label_arrays import level_array
from sepal.exceptions import CellTypeError, DataError, ParameterError

HEAD = "@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n"
LONG = 100_000


def table(folder: Path, data: str | bytes, name: str = "t.csv", **arguments: Any) -> Table:
    file = folder / name
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_table(file, **arguments)


def parquet(folder: Path, columns: dict[str, Any]) -> Table:
    pq.write_table(pa.table(columns), folder / "t.parquet")
    return read_table(folder / "t.parquet")


def test_a_point_after_a_hundred_decimal_commas(tmp_path: Path) -> None:
    """An ordinary European file with a point among its decimal commas was an IndexError."""
    found = table(tmp_path, "a;b;class\n" + "1,5;2;x\n" * 100 + "2,5;1.5;y\n")
    assert found.kinds == ("numeric", "numeric")
    assert found.values[:, 0].tolist() == [1.5] * 100 + [2.5]
    assert found.values[:, 1].tolist() == [2.0] * 100 + [1.5]


@pytest.mark.parametrize("mark", ["\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u2003"])
def test_separators_and_wide_blanks_around_a_number(tmp_path: Path, mark: str) -> None:
    """The separators U+001C to U+001F beside a number were an IndexError."""
    found = table(tmp_path, f"a;b;class\n1;{mark}2;x\n3;4{mark};y\n5;6;y\n")
    assert found.kinds == ("numeric", "numeric")
    assert found.values[:, 1].tolist() == [2.0, 4.0, 6.0]


@pytest.mark.parametrize("labels", [(9007199254740993, 9007199254740992), (2**63, 2**63 + 1), (-(2**53) - 1, -(2**53))])
def test_labels_that_float64_would_make_one(tmp_path: Path, labels: tuple[int, int]) -> None:
    """Two whole numbers above 2^53 were rounded to one class."""
    found = table(tmp_path, "a,class\n" + "".join(f"{i},{labels[i % 2]}\n" for i in range(6)))
    codes, classes = class_codes(found)
    assert len(classes) == 2
    assert sorted(map(str, classes)) == sorted(map(str, labels))
    assert [str(classes[code]) for code in codes] == [str(labels[i % 2]) for i in range(6)]
    assert not any("rounded" in note for note in found.notes)


def test_large_targets_that_lose_nothing_stay_numbers(tmp_path: Path) -> None:
    found = table(tmp_path, "a,class\n1,1.5e17\n2,2e300\n3,9007199254740992\n")
    assert found.y is not None
    assert found.y.tolist() == [1.5e17, 2e300, 2.0**53]


def test_large_whole_numbers_in_a_column_are_noted_if_they_were_rounded(tmp_path: Path) -> None:
    """They were rounded without a word."""
    note = 'whole numbers above 2^53 in "a" were rounded to the nearest float64'
    assert note in table(tmp_path, "a,class\n9007199254740993,x\n2,y\n").notes
    assert note in table(tmp_path, "a,b\n9007199254740993,x\n2,y\n", target=False).notes
    assert note not in table(tmp_path, "a,class\n9007199254740992,x\n1.23e17,y\n").notes


def test_labels_beyond_64_bits() -> None:
    """They were an OverflowError, or two of them one class."""
    assert class_codes([2**70, 1, 2**70 + 1])[1].tolist() == [1, 2**70, 2**70 + 1]
    assert class_codes([2**63, -1, 2**63 + 1])[1].tolist() == [-1, 2**63, 2**63 + 1]


def test_a_comma_that_may_stand_between_thousands_is_noted(tmp_path: Path) -> None:
    """1,000 beside 950 was read as 1 without a word."""
    found = table(tmp_path, "a;class\n950;x\n1,000;y\n")
    assert any('the comma of "1,000" in column "a" was taken as a decimal comma (1)' in note for note in found.notes)
    for sure in ("1,5", "0,500", "1234,500"):
        assert not table(tmp_path, f"a;b;class\n950;1,000;x\n{sure};2;y\n").notes


def dated(pattern: str, cell: str) -> str:
    return f"@relation r\n@attribute a date '{pattern}'\n@attribute b numeric\n@data\n'{cell}',1\n"


HANGS = {
    "date pattern": dated("EMMM" * 10, "a" * 60 + "1"),
    "date zones": dated("Zy" * 50, "+1234" * 50 + "x"),
    "long date pattern": dated("yM" * LONG, "1"),
    "blanks in a weight": HEAD + "1,x," + " " * LONG + "{" + " " * LONG + "a" + " " * LONG + "}\n",
    "blanks and no weight": HEAD + "1 x" + " " * LONG + "{" + " " * LONG + "\n",
    "a brace over many lines": "@relation r\n@attribute a {" + "v,\n" * (LONG // 10),
    "a quote over many lines": "@relation r\n@attribute a {'" + "v,\n" * (LONG // 10),
    "digits of a sparse row": HEAD + "{" + "1" * LONG + "}\n",
    "blanks of a sparse row": HEAD + "{" + " " * LONG + "0" + " " * LONG + "x}\n",
    "braces": HEAD + "1," + "{a} " * (LONG // 4) + "\n",
}  # fmt: skip


@pytest.mark.parametrize("name", list(HANGS))
def test_arff_that_took_for_ever(tmp_path: Path, name: str) -> None:
    """Expressions that went back again and again, and lines that were joined one by one, made the reader hang."""
    start = time.process_time()
    with pytest.raises(DataError, match=r"t\.arff"):
        table(tmp_path, HANGS[name], "t.arff")
    assert time.process_time() - start < 20  # looks for a hang, not for speed


def test_levels_over_many_lines(tmp_path: Path) -> None:
    """Every line was joined to all before it and these were read again: time grew with the square of the lines."""
    levels = [f"level {i}" if i % 3 else "it's } {" for i in range(2)] + [f"v{i}" for i in range(2000)]
    written = ",\n% a comment }\n".join("'" + level.replace("'", "\\'") + "'" for level in levels)
    head = f"@relation r\n@attribute class {{{written}}} % last\n@attribute a numeric\n"
    found = table(tmp_path, head + "@data\nv0,1\nv1,2\n", "t.arff")
    assert found.class_order == tuple(levels)


@pytest.mark.parametrize("digits", ["9" * 5000, "1" + "0" * 30, "2"])
def test_the_number_of_an_attribute_that_is_not_there(tmp_path: Path, digits: str) -> None:
    """A number of 5,000 digits was Python's own ValueError."""
    with pytest.raises(DataError, match=r"line 5: .* found number \d+(\.\.\.)?, but the attributes go from 0 to 1"):
        table(tmp_path, HEAD + f"{{{digits} 1}}\n", "t.arff")
    assert table(tmp_path, HEAD + "{" + "0" * 5000 + " 1, 1 y}\n{0 2}\n", "t.arff").values.ravel().tolist() == [1, 2]


def test_sparse_rows_must_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file of sparse rows filled the memory."""
    monkeypatch.setattr(_unpacking, "FLOOR", 1 << 16)
    many = "".join(f"@attribute a{i} numeric\n" for i in range(1000))
    with pytest.raises(DataError, match=r"1,000 columns\nhint: .*sparse matrix"):
        table(tmp_path, f"@relation r\n{many}@data\n" + "{}\n" * 1000, "t.arff")


def test_a_gzip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A packed file could unpack to hundreds of times its size."""
    monkeypatch.setattr(_unpacking, "FLOOR", 1 << 20)
    with pytest.raises(DataError, match=r"t\.csv\.gz: [\d,]+ packed bytes unpack to more than .*\nhint: .*gunzip"):
        table(tmp_path, gzip.compress(b"1,2\n" * (1 << 20)), "t.csv.gz")
    good = gzip.compress(b"a,class\n1,x\n") + gzip.compress(b"2,y\n") + b"\0" * 10  # two members and padding
    assert table(tmp_path, good, "t.csv.gz").values.ravel().tolist() == [1.0, 2.0]


def test_a_parquet_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Parquet file of few bytes could declare millions of rows."""
    monkeypatch.setattr(_unpacking, "FLOOR", 1 << 16)
    with pytest.raises(DataError, match=r"declares 1,000,000 rows of 2 columns\nhint: "):
        parquet(tmp_path, {"a": np.zeros(10**6), "class": np.zeros(10**6, dtype=np.int8)})


def test_parquet_dates_at_the_ends_of_time(tmp_path: Path) -> None:
    """Days far from 1970 were pyarrow's ArrowInvalid."""
    days = [datetime.date(1, 1, 1), None, datetime.date(9999, 12, 31)]
    times = [datetime.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=datetime.UTC), None, None]
    found = parquet(tmp_path, {"day": pa.array(days), "time": pa.array(times), "class": ["x", "y", "x"]})
    epoch = datetime.date(1970, 1, 1)
    expected = [np.nan if day is None else (day - epoch).days * 86400.0 for day in days]
    np.testing.assert_array_equal(found.values[:, 0], expected)
    # The last microsecond of 9999: (date(9999, 12, 31) - epoch).days is 2,932,896.
    np.testing.assert_array_equal(found.values[:, 1], [2932897 * 86400 - 1e-6, np.nan, np.nan])


def test_parquet_texts_that_are_not_utf8(tmp_path: Path) -> None:
    """They were a UnicodeDecodeError."""
    offsets = pa.py_buffer(np.array([0, 1, 2], dtype=np.int32))
    texts = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"\xffa")])
    with pytest.raises(DataError, match=r't\.parquet, column 2 \("class"\): expected UTF-8 text'):
        parquet(tmp_path, {"a": [1, 2], "class": texts})


def test_one_long_label_among_many_rows() -> None:
    """One long label gave all others its width."""
    levels = ("short", "x" * 200)
    assert level_array(levels, 100).dtype.kind == "U"
    assert level_array(levels, 10**6).dtype.kind == "O"  # as texts of one width 800 MB
    assert level_array(("a", "x" * 300), 2).dtype.kind == "O"
    assert level_array((1, 2), 10**9).dtype.kind == "i"


NESTED = [
    (pl.DataFrame({"a": [{"x": 1}, {"x": 2}]}), "a"),
    (pl.DataFrame({"a": [[1], [2, 3]]}), "a"),
    (pl.DataFrame({"a": [[1, 2], [2, 3]]}, schema={"a": pl.Array(pl.Int64, 2)}), "a"),
    (pa.table({"a": [{"x": 1}, {"x": 2}]}), "a"),
    (pa.table({"a": [[1], [2, 3]]}), "a"),
    (pd.DataFrame({"a": [{"x": 1}, {"x": 2}]}), "a"),
    ([[1, [2]], [3, [4]]], "x2"),
    ([[1, {"x": 2}], [3, None]], "x2"),
]


@pytest.mark.parametrize(("X", "name"), NESTED)
def test_cells_that_hold_cells(X: Any, name: str) -> None:
    """Lists and structs in cells were errors of numpy's."""
    with pytest.raises(CellTypeError, match=rf'column "{name}": every argument must be a string, a number'):
        as_table(X)


@pytest.mark.parametrize("y", [pl.Series([{"x": 1}, {"x": 2}]), pl.Series([[1], [2, 3]]), [{1}, {2}], [[1], [2, 3]]])
def test_labels_that_hold_labels(y: Any) -> None:
    """Structs and sets were taken for labels, and lists were numpy's error."""
    with pytest.raises(DataError, match="y: expected one label per row"):
        class_codes(y)


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
        pd.DataFrame([[1, 2], [3, 4]], columns=["1", 1]),
        pa.table([[1, 2], [3, 4]], names=["a", "a"]),
    ],
)
def test_two_columns_of_one_name(X: Any) -> None:
    with pytest.raises(DataError, match="columns 1 and 2 have the same name"):
        as_table(X)


@pytest.mark.parametrize(
    "arguments",
    [
        {"target": np.array([1, 2])}, {"target": [1]}, {"target": {}}, {"target": 1.5}, {"target": b"a"},
        {"target": 10**5000}, {"kinds": 3}, {"kinds": {"a": [[1], [2]]}}, {"kinds": {"a": [1, {}]}},
        {"kinds": {(1,): "numeric"}}, {"kinds": b"x"},
    ],
)  # fmt: skip
def test_wrong_arguments_of_the_reader(tmp_path: Path, arguments: dict[str, Any]) -> None:
    """Arrays, numbers of 5,000 digits and lists of lists were errors of numpy's and Python's."""
    (name,) = arguments
    with pytest.raises(ParameterError, match=rf"^{name}\b") as caught:
        table(tmp_path, "a,b,class\n1,2,x\n2,1,y\n", **arguments)
    assert len(str(caught.value).splitlines()) <= 2


@pytest.mark.parametrize("names", [3, "ab", [["a"], ["b"]], [None, "a"], [b"a", b"b"]])
def test_wrong_names(names: Any) -> None:
    """``names=3`` was a TypeError, and ``names='ab'`` named two columns a and b."""
    with pytest.raises(ParameterError, match="names: expected"):
        as_table([[1, 2], [3, 4]], names=names)


def test_a_row_that_is_none() -> None:
    """It was numpy's error about an inhomogeneous shape."""
    with pytest.raises(DataError, match="X, row 1: expected a row of cells, found 2"):
        as_table([[1], 2])


@pytest.mark.parametrize("ending", ["arff", "parquet"])
def test_labels_that_float64_would_make_one_in_other_formats(tmp_path: Path, ending: str) -> None:
    """Two whole numbers above 2^53 were still rounded to one class in ARFF and Parquet files."""
    labels, path = [2**53, 2**53 + 1] * 3, tmp_path / f"t.{ending}"
    note = 'whole numbers above 2^53 in "a" were rounded to the nearest float64'
    if ending == "parquet":
        pq.write_table(pa.table({"a": [2**53 + 1, 2, 3, 4, 5, 6], "class": labels}), path)
    else:
        rows = "".join(f"{2**53 + 1 if i == 0 else i},{label}\n" for i, label in enumerate(labels))
        path.write_text(f"@relation r\n@attribute a numeric\n@attribute class integer\n@data\n{rows}{{0 7}}\n")
        labels = [*labels, 0]
    found = read_table(path)
    assert found.y is not None
    assert found.y.tolist() == labels
    assert found.notes.count(note) == 1
    assert not any('"class"' in each for each in found.notes)
