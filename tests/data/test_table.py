"""The table itself: shape, rows, columns, what it shows."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sepal.data import Table, as_table
from sepal.exceptions import DataError, MissingDependencyError, ParameterError


@pytest.fixture
def table() -> Table:
    """Four rows: a number, a size (ordinal), a color (nominal); one cell of each column is missing."""
    return Table(
        values=np.array([[1.5, 0.0, 1.0], [np.nan, 2.0, 0.0], [3.0, np.nan, 0.0], [4.0, 1.0, np.nan]]),
        names=("weight", "size", "color"),
        kinds=("numeric", "ordinal", "nominal"),
        levels=(None, ("S", "M", "L"), ("blue", "red")),
        y=np.array(["a", "b", "a", "c"]),
        target="shop",
        weights=np.array([1.0, 2.0, 3.0, 4.0]),
        notes=("a note",),
        name="shirts",
    )


def test_counts(table: Table) -> None:
    assert (table.n_rows, table.n_columns, table.n_missing, table.has_missing) == (4, 3, 3, True)
    assert not table.take([0]).has_missing


def test_is_frozen(table: Table) -> None:
    with pytest.raises(FrozenInstanceError):
        table.name = "other"  # type: ignore[misc]
    for array in (table.values, table.y, table.weights):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


def test_the_array_given_stays_writeable() -> None:
    mine = np.zeros((2, 1))
    Table(mine, ("x",), ("numeric",), (None,))
    mine[0] = 1.0
    assert mine.flags.writeable


def test_take_positions_repeats_and_negatives(table: Table) -> None:
    taken = table.take([3, 0, 0, -2])
    assert taken.y is not None
    assert taken.y.tolist() == ["c", "a", "a", "a"]
    np.testing.assert_array_equal(taken.values, table.values[[3, 0, 0, 2]])
    assert taken.weights is not None
    assert taken.weights.tolist() == [4.0, 1.0, 1.0, 3.0]
    assert (taken.levels, taken.notes, taken.name) == (table.levels, table.notes, table.name)


def test_take_mask(table: Table) -> None:
    taken = table.take(np.array([False, True, False, True]))
    assert taken.y is not None
    assert taken.y.tolist() == ["b", "c"]


def test_take_nothing_keeps_columns(table: Table) -> None:
    assert table.take([]).values.shape == (0, 3)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([4], "positions from 0 to 3, found 4"),
        ([-5], "positions from 0 to 3, found -5"),
        ([True, False], "a mask of 4 rows, found 2"),
        ([0.5], "found float64"),
        ([[0, 1]], "2 dimensions"),
        (["a"], "found <U1"),
    ],
)
def test_take_refuses(table: Table, rows: Any, text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        table.take(rows)


def test_select_by_name_and_position(table: Table) -> None:
    chosen = table.select(["color", 0])
    assert (chosen.names, chosen.kinds) == (("color", "weight"), ("nominal", "numeric"))
    assert chosen.levels == (("blue", "red"), None)
    np.testing.assert_array_equal(chosen.values, table.values[:, [2, 0]])
    assert chosen.values.flags.c_contiguous
    assert chosen.y is table.y


@pytest.mark.parametrize(
    ("columns", "error", "text"),
    [
        (["wieght"], ParameterError, 'no column "wieght"\nhint: did you mean "weight"'),
        ([7], ParameterError, "from 0 to 2 .*, found 7"),
        ([], ParameterError, "at least one column"),
        ("size", ParameterError, "a list of names"),
        (["size", 1], DataError, "columns 1 and 2 have the same name"),
    ],
)
def test_select_refuses(table: Table, columns: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        table.select(columns)


def test_drop_missing_counts_the_rows(table: Table) -> None:
    complete = table.drop_missing()
    assert complete.n_rows == 1
    assert complete.notes == ("a note", "3 of 4 rows with missing cells were dropped")
    assert complete.drop_missing() is complete


def test_drop_missing_refuses_to_drop_everything(table: Table) -> None:
    with pytest.raises(DataError, match=r'all 3 rows have missing cells(.|\n)*"weight"'):
        table.take([1, 1, 2]).drop_missing()


def test_target_levels_are_declared_or_sorted(table: Table) -> None:
    assert table.target_levels == ("a", "b", "c")
    assert as_table(
        table, pd.Series(pd.Categorical(["x", "y", "x", "x"], categories=["z", "y", "x"]))
    ).target_levels == (
        "z",
        "y",
        "x",
    )
    assert as_table([[1], [2]], [2, 1]).target_levels == (1, 2)
    assert as_table([[1], [2]], [0.5, 1.5]).target_levels is None
    assert as_table([[1], [2]]).target_levels is None


def test_shapes_must_agree() -> None:
    with pytest.raises(DataError, match=r"names: expected one entry per column \(2\), found 1"):
        Table(np.zeros((1, 2)), ("x",), ("numeric", "numeric"), (None, None))
    with pytest.raises(DataError, match=r"y: expected shape \(1,\), found \(2,\)"):
        Table(np.zeros((1, 1)), ("x",), ("numeric",), (None,), y=np.zeros(2))
    with pytest.raises(DataError, match="float64 array of two dimensions"):
        Table(np.zeros(3), ("x",), ("numeric",), (None,))


def test_pandas_frame_types(table: Table) -> None:
    frame = table.frame("pandas")
    assert list(frame.columns) == ["weight", "size", "color"]
    assert frame["weight"].dtype == np.float64
    assert frame["size"].dtype == pd.CategoricalDtype(["S", "M", "L"], ordered=True)
    assert frame["color"].dtype == pd.CategoricalDtype(["blue", "red"], ordered=False)
    assert frame["size"].tolist()[:2] == ["S", "L"]
    assert frame.isna().sum().tolist() == [1, 1, 1]


def test_polars_frame_types(table: Table) -> None:
    frame = table.frame("polars")
    assert frame.schema == {"weight": pl.Float64, "size": pl.Enum(["S", "M", "L"]), "color": pl.Enum(["blue", "red"])}
    assert frame["color"].to_list() == ["red", "blue", "blue", None]
    assert frame.null_count().row(0) == (1, 1, 1)


def test_frame_refuses_other_libraries(table: Table) -> None:
    with pytest.raises(ParameterError, match="expected one of pandas, polars, found 'spark'"):
        table.frame("spark")  # type: ignore[arg-type]


def test_frame_says_what_to_install(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_polars(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("importlib.import_module", no_polars)
    with pytest.raises(MissingDependencyError, match="pip install polars"):
        table.frame("polars")


def test_repr_is_one_readable_line(table: Table) -> None:
    assert repr(table) == (
        "<Table shirts: 4 rows, 3 columns (1 numeric, 1 ordinal, 1 nominal), 3 missing cells, "
        'target "shop" (a 2, b 1, c 1)>'
    )
    assert repr(as_table([[1.0]])) == "<Table without a name: 1 row, 1 column (1 numeric), no target>"
    many = as_table(np.zeros((30, 1)), np.arange(30))
    assert "target (30 distinct values)" in repr(many)


def test_html_shows_columns_and_escapes(table: Table) -> None:
    shown = as_table(table, names=["<weight>", "size", "color"])._repr_html_()
    assert "&lt;weight&gt;" in shown
    assert "<weight>" not in shown
    assert "S &lt; M &lt; L" in shown
    assert "1.5 to 4" in shown
    assert "<li>a note</li>" in shown
    wide = as_table(np.arange(60.0).reshape(2, 30))._repr_html_()
    assert "and 10 more columns" in wide


def test_html_cuts_long_levels() -> None:
    assert len(as_table([["x" * 10**6], ["y"]])._repr_html_()) < 2000


def test_copies_and_pickles(table: Table) -> None:
    for other in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):  # noqa: S301
        np.testing.assert_array_equal(other.values, table.values)
        assert (other.names, other.levels, repr(other)) == (table.names, table.levels, repr(table))
        assert not other.values.flags.writeable


def test_import_does_not_bring_frames_along() -> None:
    import subprocess
    import sys

    code = (
        "import sys, sepal.data, sepal.datasets; print([m for m in ('pandas','polars','pyarrow') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_the_hint_names_every_column_without_a_value():
    """One of two was named, and without it the same message came again."""
    table = as_table([[1.0, np.nan, 2.0, np.nan], [np.nan, np.nan, 2.0, np.nan]], names=["a", "p", "b", "q"])
    with pytest.raises(DataError) as found:
        table.drop_missing()
    assert found.value.hint == 'leave out what has not a single value: 2 columns: "p", "q"'
