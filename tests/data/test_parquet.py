"""Parquet, with either reader."""

from __future__ import annotations

import builtins
import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sepal.data import read_table
from sepal.exceptions import DataError, MissingDependencyError

NAN = float("nan")


def hide(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """Make these modules look as if they were not installed."""
    real = builtins.__import__

    def importer(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name.partition(".")[0] in modules:
            raise ModuleNotFoundError(name)
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", importer)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    pd.DataFrame(
        {
            "height": [1.5, None, 3.0],
            "town": ["Rome", None, "Bonn"],
            "size": pd.Categorical(["S", "L", "S"], categories=["S", "M", "L"], ordered=True),
            "new": [True, False, True],
            "label": [1, 2, 1],
        }
    ).to_parquet(tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_kinds_and_values(file: Path) -> None:
    table = read_table(file)
    assert table.names == ("height", "town", "size", "new")
    assert table.kinds == ("numeric", "nominal", "ordinal", "nominal")
    assert table.levels == (None, ("Bonn", "Rome"), ("S", "M", "L"), (False, True))
    np.testing.assert_array_equal(table.values, [[1.5, 1.0, 0.0, 1.0], [NAN, NAN, 2.0, 0.0], [3.0, 0.0, 0.0, 1.0]])
    assert (table.target, table.name) == ("label", "t")
    assert table.y is not None
    assert (table.y.tolist(), table.y.dtype.kind) == ([1, 2, 1], "i")


def test_with_polars_only(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read_table(file)
    hide(monkeypatch, "pyarrow")
    table = read_table(file, kinds={"size": ["S", "M", "L"]})
    np.testing.assert_array_equal(table.values, expected.values)
    assert table.kinds == expected.kinds


def test_without_a_reader(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "pyarrow", "polars")
    with pytest.raises(MissingDependencyError, match="neither is installed\nhint: pip install pyarrow"):
        read_table(file)


def test_written_by_polars(tmp_path: Path) -> None:
    frame = pl.DataFrame({"when": [dt.datetime(1970, 1, 2), None], "class": ["a", "b"]})
    frame.write_parquet(tmp_path / "p")
    table = read_table(tmp_path / "p")
    np.testing.assert_array_equal(table.values, [[86400.0], [NAN]])
    assert any("seconds since 1970" in note for note in table.notes)


def test_target_and_kinds(file: Path) -> None:
    table = read_table(file, target="new", kinds={"label": "nominal"})
    assert table.y is not None
    assert table.y.tolist() == [True, False, True]
    assert (table.kinds[-1], table.levels[-1]) == ("nominal", (1, 2))


def test_a_stored_index_is_no_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0], "class": ["a", "b"]}, index=[5, 9])
    frame.to_parquet(tmp_path / "p")
    table = read_table(tmp_path / "p")
    assert (table.names, table.target) == (("x",), "class")


@pytest.mark.parametrize("hidden", [(), ("pyarrow",)])
def test_damaged(file: Path, monkeypatch: pytest.MonkeyPatch, hidden: tuple[str, ...]) -> None:
    file.write_bytes(file.read_bytes()[:200])
    hide(monkeypatch, *hidden)
    with pytest.raises(DataError, match=r"t\.parquet: expected a whole Parquet file, found a damaged one"):
        read_table(file)


def test_no_rows(tmp_path: Path) -> None:
    pd.DataFrame({"x": [1.0], "class": ["a"]}).iloc[:0].to_parquet(tmp_path / "p")
    with pytest.raises(DataError, match="p: columns and no rows"):
        read_table(tmp_path / "p")


def test_errors_name_file_row_and_column(tmp_path: Path) -> None:
    pd.DataFrame({"x": [1.0, np.inf], "class": ["a", None]}).to_parquet(tmp_path / "p.parquet")
    with pytest.raises(DataError, match=r'p\.parquet, row 1, column 2 \("class"\): expected a label'):
        read_table(tmp_path / "p.parquet")
    with pytest.raises(DataError, match=r'p\.parquet, row 1, column 1 \("x"\): expected finite numbers, found inf'):
        read_table(tmp_path / "p.parquet", target="x")
    pl.DataFrame({"l": [[1], [2]], "class": ["a", "b"]}).write_parquet(tmp_path / "q.parquet")
    with pytest.raises(DataError, match=r'q\.parquet, column 1 \("l"\): every argument must be a string'):
        read_table(tmp_path / "q.parquet")
