"""Frames whose columns are of several types: each column as numpy has it, whatever stands beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sepal.data import as_table
from sepal.exceptions import DataError

KINDS = ("f8", "f4", "i8", "i1", "u8", "u2")


def _columns(n: int, p: int) -> dict[str, np.ndarray]:
    """Columns of all kinds in turn, none of them constant in two rows and more."""
    whole = np.random.default_rng(n + p).integers(0, 100, size=(p, n))
    whole[:, :2] = [0, 1][:n]
    return {f"c{j}": whole[j].astype(KINDS[j % len(KINDS)]) for j in range(p)}


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas, column by column": lambda columns: pd.concat([pd.Series(c, name=n) for n, c in columns.items()], axis=1),
    "pandas, with a text first": lambda columns: pd.DataFrame({"t": ["a"] * len(columns["c0"]), **columns}),
    "pandas, with gaps of its own": lambda columns: pd.DataFrame(columns).astype({"c0": "Float64"}),
    "polars": pl.DataFrame,
    "polars, with a text first": lambda columns: pl.DataFrame({"t": ["a"] * len(columns["c0"]), **columns}),
}


@pytest.mark.parametrize("made", FRAMES)
@pytest.mark.parametrize(("n", "p"), [(1, 1), (1, 13), (2, 7), (9, 8), (167, 31), (168, 49)])
def test_columns_of_several_types_as_numpy_converts_each(made, n, p):
    columns = _columns(n, p)
    table = as_table(FRAMES[made](columns))
    before = table.n_columns - p
    assert table.names[before:] == tuple(columns)
    assert table.kinds[before:] == ("numeric",) * p
    expected = np.column_stack([column.astype(np.float64) for column in columns.values()])
    np.testing.assert_array_equal(table.values[:, before:], expected)
    assert table.n_missing == 0


@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize("beside", [[0.5, 1.5, 2.5], ["a", "b", "a"], [1, 2, 3]])
def test_a_number_that_is_rounded_is_noted_beside_columns_of_other_types(library, beside):
    table = as_table(library.DataFrame({"other": beside, "large": [1, 2**53 + 1, 3]}))
    assert [note for note in table.notes if "2^53" in note and "large" in note]
    assert not [note for note in table.notes if "2^53" in note and "other" in note]


@pytest.mark.parametrize("whole", [True, False])
def test_gaps_of_polars_are_missing_cells(whole):
    column = [1, None, 3] if whole else [1.5, None, 3.5]
    table = as_table(pl.DataFrame({"a": column, "b": [c and c + 1 for c in column]}))
    assert np.isnan(table.values).tolist() == [[False, False], [True, True], [False, False]]
    assert table.values[0].tolist() == [column[0], column[0] + 1]
    assert table.n_missing == 2


def test_a_missing_cell_beside_a_text_is_counted():
    table = as_table(pd.DataFrame({"t": ["a", "b", "a"], "x": [1.0, np.nan, 2.0], "y": [1, 2, 3]}))
    assert np.isnan(table.values[1, 1])
    assert table.n_missing == 1


def test_names_of_a_frame_need_not_be_texts():
    table = as_table(pd.DataFrame({0: ["a", "b"], 1: [1, 2], 2: [0.5, 1.5]}))
    assert table.names == ("0", "1", "2")
    assert table.values[:, 1:].tolist() == [[1.0, 0.5], [2.0, 1.5]]


def test_categories_of_numbers_are_no_numbers():
    table = as_table(pd.DataFrame({"x": [0.5, 1.5, 2.5], "c": pd.Categorical([3, 4, 3])}))
    assert table.kinds == ("numeric", "nominal")
    assert table.levels[1] == (3, 4)


def test_columns_of_one_frame_are_copied_and_not_kept():
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [3, 4], "t": ["a", "b"]})
    table = as_table(frame)
    frame.loc[0, "x"] = 9.0
    assert table.values[0, 0] == 1.0


@pytest.mark.parametrize("library", [pd, pl])
def test_whole_numbers_at_the_edge_of_float64_beside_others(library):
    """2^53 + 1 is 2^53 as a float: by the float alone it cannot be told that it was rounded."""
    columns = {"a": [0.5, 1.5], "edge": [2**53, 1], "over": [2**53 + 1, 1], "low": [-(2**53) - 1, 1], "b": [1, 2]}
    table = as_table(library.DataFrame(columns))
    noted = [note for note in table.notes if "2^53" in note]
    assert [name for name in columns if any(f'"{name}"' in note for note in noted)] == ["over", "low"]
    assert [note for note in noted if '"over"' in note] == noted[:1]  # in the order of the columns


@pytest.mark.parametrize("library", [pd, pl])
def test_numbers_of_several_types_are_checked_as_those_of_one(library):
    frame = library.DataFrame({"a": [1, 2], "b": [0.5, float("inf")], "c": [1.5, float("nan")]})
    with pytest.raises(DataError, match=r'"b".*inf|inf.*"b"'):
        as_table(frame)


def test_numbers_of_several_types_in_another_order_of_bytes():
    frame = pd.DataFrame({"a": np.array([2**60 + 1, 2], ">i8"), "b": np.array([0.5, 1.5], ">f8"), "c": [1, 2]})
    table = as_table(frame)
    assert table.values.tolist() == [[float(2**60 + 1), 0.5, 1.0], [2.0, 1.5, 2.0]]
    assert [note for note in table.notes if "2^53" in note and '"a"' in note]


def test_numbers_with_gaps_of_pandas_are_not_taken_for_those_of_numpy():
    """Both say that their numbers are of numpy's int64."""
    frame = pd.DataFrame(
        {"gaps": pd.array([None, 2, 3], "Int64"), "whole": [4, 5, 6], "x": [0.5, 1.5, 2.5], "y": [7, 8, 9]}
    )
    values = as_table(frame).values
    assert np.isnan(values[0, 0])
    assert values[1].tolist() == [2.0, 5.0, 1.5, 8.0]


def test_two_columns_of_one_name_are_refused_in_every_mixture_of_types():
    frame = pd.DataFrame([[1, 0.5, 2]], columns=["a", "b", "a"]).astype({"b": "float64"})
    with pytest.raises(DataError, match='"a"'):
        as_table(frame)


def test_a_polars_frame_in_several_pieces():
    pieces = [pl.DataFrame({"a": [1, 2], "b": [0.5, None]}), pl.DataFrame({"a": [3], "b": [2.5]})]
    table = as_table(pl.concat(pieces, rechunk=False))
    np.testing.assert_array_equal(table.values, [[1.0, 0.5], [2.0, np.nan], [3.0, 2.5]])
