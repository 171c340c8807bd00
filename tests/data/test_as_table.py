"""Arrays, lists and data frames in; kinds from types and from the caller."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from sepal.data import Table, as_table, match_table
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors import neighbor_ranking

NAN = float("nan")


def same(one: Table, other: Table) -> None:
    """Equal in everything a distance can see."""
    np.testing.assert_array_equal(one.values, other.values)
    assert (one.names, one.kinds, one.levels) == (other.names, other.kinds, other.levels)


def mixed_pandas() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "height": [1.5, 2.5, None, 4.0],
            "count": pd.array([1, None, 3, 4], dtype="Int64"),
            "size": pd.Categorical(["S", "L", None, "S"], categories=["S", "M", "L"], ordered=True),
            "color": pd.Categorical(["red", "blue", "red", None], categories=["red", "green", "blue"]),
            "town": ["Rome", None, "Bonn", "Rome"],
            "new": [True, False, True, True],
            "maybe": pd.array([True, None, False, True], dtype="boolean"),
        }
    )


MIXED_VALUES = np.array(
    [
        [1.5, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0],
        [2.5, NAN, 2.0, 2.0, NAN, 0.0, NAN],
        [NAN, 3.0, NAN, 0.0, 0.0, 1.0, 0.0],
        [4.0, 4.0, 0.0, NAN, 1.0, 1.0, 1.0],
    ]
)
MIXED_KINDS = ("numeric", "numeric", "ordinal", "nominal", "nominal", "nominal", "nominal")
MIXED_LEVELS = (
    None,
    None,
    ("S", "M", "L"),
    ("red", "green", "blue"),
    ("Bonn", "Rome"),
    (False, True),
    (False, True),
)


def test_pandas_kinds_levels_and_codes() -> None:
    table = as_table(mixed_pandas())
    np.testing.assert_array_equal(table.values, MIXED_VALUES)
    assert table.kinds == MIXED_KINDS
    assert table.levels == MIXED_LEVELS
    assert table.names == tuple(mixed_pandas().columns)


def test_pyarrow_kinds_levels_and_codes() -> None:
    table = as_table(pa.Table.from_pandas(mixed_pandas()))
    np.testing.assert_array_equal(table.values, MIXED_VALUES)
    assert (table.kinds, table.levels) == (MIXED_KINDS, MIXED_LEVELS)


def test_pyarrow_chunks_with_different_dictionaries() -> None:
    chunks = pa.chunked_array([pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "b"]).dictionary_encode()])
    table = as_table(pa.table({"x": chunks}))
    levels = table.levels[0]
    assert levels is not None
    assert [levels[int(code)] for code in table.values[:, 0]] == ["b", "a", "c", "b"]


def test_polars_kinds_levels_and_codes() -> None:
    frame = pl.DataFrame(
        {
            "height": [1.5, NAN, None],
            "count": [1, None, 3],
            "size": pl.Series(["L", None, "S"], dtype=pl.Enum(["S", "M", "L"])),
            "color": pl.Series(["red", "blue", None], dtype=pl.Categorical),
            "town": ["Rome", None, "Bonn"],
            "new": [True, None, False],
            "price": pl.Series(["1.25", None, "3.50"]).cast(pl.Decimal(10, 2)),
            "nothing": [None, None, None],
        }
    )
    table = as_table(frame)
    assert table.kinds == (*["numeric"] * 2, *["nominal"] * 4, *["numeric"] * 2)
    assert table.levels[2:6] == (("S", "M", "L"), ("blue", "red"), ("Bonn", "Rome"), (False, True))
    np.testing.assert_array_equal(
        table.values,
        np.array(
            [
                [1.5, 1.0, 2.0, 1.0, 1.0, 1.0, 1.25, NAN],
                [NAN, NAN, NAN, 0.0, NAN, NAN, NAN, NAN],
                [NAN, 3.0, 0.0, NAN, 0.0, 0.0, 3.5, NAN],
            ]
        ),
    )


def test_polars_enum_is_ordinal_on_request() -> None:
    frame = pl.DataFrame({"size": pl.Series(["L", "S"], dtype=pl.Enum(["S", "M", "L"]))})
    assert as_table(frame).kinds == ("nominal",)
    ordinal = as_table(frame, kinds={"size": "ordinal"})
    assert (ordinal.kinds, ordinal.levels, ordinal.notes) == (("ordinal",), (("S", "M", "L"),), ())
    assert ordinal.values.ravel().tolist() == [2.0, 0.0]


def test_round_trip_through_pandas_keeps_everything() -> None:
    table = as_table(mixed_pandas())
    same(as_table(table.frame("pandas")), table)


def test_round_trip_through_polars_keeps_all_but_the_ordinal_kind() -> None:
    table = as_table(mixed_pandas()).select(["height", "count", "size", "color", "town"])
    back = as_table(table.frame("polars"))
    assert back.kinds == ("numeric", "numeric", "nominal", "nominal", "nominal")
    same(as_table(table.frame("polars"), kinds={"size": "ordinal"}), table)


def test_round_trip_through_pyarrow_keeps_everything() -> None:
    table = as_table(mixed_pandas())
    same(as_table(pa.Table.from_pandas(table.frame("pandas"))), table)


def test_a_container_does_not_change_the_table() -> None:
    X = np.array([[1.0, 2.0], [3.0, NAN], [5.0, 6.5]])
    array = as_table(X, names=["a", "b"])
    for container in (
        pd.DataFrame(X, columns=["a", "b"]),
        pl.DataFrame(X, schema=["a", "b"]),
        pa.table({"a": X[:, 0], "b": X[:, 1]}),
    ):
        same(as_table(container), array)
    same(as_table(X.tolist(), names=["a", "b"]), array)
    same(as_table(np.asfortranarray(X), names=["a", "b"]), array)
    same(as_table(X.astype(object), names=["a", "b"]), array)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint16, np.int64])
def test_numbers_are_converted_exactly(dtype: Any) -> None:
    X = np.array([[0.1, 3], [100, 7]]).astype(dtype)
    table = as_table(X)
    assert table.values.dtype == np.float64
    assert table.values.tolist() == [[float(cell) for cell in row] for row in X]
    assert table.names == ("x1", "x2")


def test_the_array_is_copied() -> None:
    X, y = np.zeros((2, 2)), np.array([0, 1])
    table = as_table(X, y)
    X[0, 0], y[0] = 5.0, 9
    assert table.values[0, 0] == 0.0
    assert table.y is not None
    assert table.y.tolist() == [0, 1]


def test_large_whole_numbers_are_noted() -> None:
    assert as_table(np.array([[2**53], [2**53 - 1]])).notes == ()
    (note,) = as_table(np.array([[2**53 + 1], [1]])).notes
    assert "above 2^53" in note


def test_bool_array_is_nominal() -> None:
    table = as_table(np.array([[True], [False]]))
    assert (table.kinds, table.levels) == (("nominal",), ((False, True),))
    assert table.values.ravel().tolist() == [1.0, 0.0]


def test_masked_cells_are_missing() -> None:
    X = np.ma.masked_array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(as_table(X).values, [[1.0, NAN], [3.0, 4.0]])


def test_mixed_list_is_read_by_column() -> None:
    table = as_table([[1, "a", True, None], [2.5, None, False, None]])
    assert table.kinds == ("numeric", "nominal", "nominal", "numeric")
    np.testing.assert_array_equal(table.values, [[1.0, 0.0, 1.0, NAN], [2.5, NAN, 0.0, NAN]])


def test_decimal_objects_are_numbers() -> None:
    frame = pd.DataFrame({"x": [Decimal("1.5"), None]})
    np.testing.assert_array_equal(as_table(frame).values, [[1.5], [NAN]])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"t": pd.to_datetime(["1970-01-02", None])}),
        pd.DataFrame({"t": pd.to_datetime(["1970-01-02", None]).tz_localize("UTC").tz_convert("Asia/Tokyo")}),
        pd.DataFrame({"t": np.array([dt.date(1970, 1, 2), None], dtype=object)}),
        pl.DataFrame({"t": [dt.datetime(1970, 1, 2), None]}),
        pl.DataFrame({"t": [dt.date(1970, 1, 2), None]}),
        pa.table({"t": pa.array([dt.datetime(1970, 1, 2), None], type=pa.timestamp("ms"))}),
        np.array([["1970-01-02"], ["NaT"]], dtype="datetime64[D]"),
    ],
)
def test_dates_become_seconds_with_a_note(frame: Any) -> None:
    table = as_table(frame)
    np.testing.assert_array_equal(table.values, [[86400.0], [NAN]])
    assert any("seconds since 1970" in note for note in table.notes)


def test_durations_become_seconds() -> None:
    table = as_table(pd.DataFrame({"t": pd.to_timedelta(["90s", None])}))
    np.testing.assert_array_equal(table.values, [[90.0], [NAN]])
    assert any("durations" in note for note in table.notes)


def test_constant_and_empty_columns_are_noted() -> None:
    table = as_table(np.array([[1.0, 5.0, NAN], [2.0, 5.0, NAN]]))
    assert table.notes == ('only one distinct value in column "x2"', 'not a single value in column "x3"')


def test_a_table_comes_back_as_it_is() -> None:
    table = as_table([[1.0], [2.0]], ["a", "b"])
    assert as_table(table) is table


def test_y_replaces_the_target_of_a_table() -> None:
    table = as_table([[1.0], [2.0]], pd.Series(["a", "b"], name="old"))
    replaced = as_table(table, pl.Series("new", [1, 2]))
    assert (table.target, replaced.target) == ("old", "new")
    assert replaced.y is not None
    assert replaced.y.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (np.array([1, 0], dtype=np.int8), [1, 0]),
        (np.array([[1], [0]]), [1, 0]),
        (np.array([True, False]), [True, False]),
        (np.array(["a", "b"], dtype=object), ["a", "b"]),
        (pd.Series(["a", "b"]), ["a", "b"]),
        (pd.Series([1, 2], dtype="Int64"), [1, 2]),
        (pd.Series([True, False], dtype="boolean"), [True, False]),
        (pd.Series(["u", "v"], dtype="category"), ["u", "v"]),
        (pd.Index(["a", "b"]), ["a", "b"]),
        (pl.Series(["a", "b"]), ["a", "b"]),
        (pl.Series(["a", "b"], dtype=pl.Categorical), ["a", "b"]),
        (pa.chunked_array([["a"], ["b"]]), ["a", "b"]),
        (pa.array(["a", "b"]), ["a", "b"]),
        ([0.5, 1.5], [0.5, 1.5]),
        (pd.DataFrame({"y": ["a", "b"]}), ["a", "b"]),
    ],
)
def test_labels_from_any_container(y: Any, expected: list[Any]) -> None:
    table = as_table([[1.0], [2.0]], y)
    assert table.y is not None
    assert table.y.tolist() == expected
    assert {type(label) for label in table.y.tolist()} == {type(label) for label in expected}


# kinds


def test_kinds_by_name_and_by_position() -> None:
    for key in ("x2", 1, -1):
        table = as_table(np.array([[1.0, 30.0], [2.0, 10.0], [3.0, NAN]]), kinds={key: "nominal"})
        assert table.kinds == ("numeric", "nominal")
        assert table.levels == (None, (10, 30))
        np.testing.assert_array_equal(table.values[:, 1], [1.0, 0.0, NAN])


def test_kinds_one_per_column() -> None:
    table = as_table([[1, 2], [3, 4]], kinds=["ordinal", None])
    assert table.kinds == ("ordinal", "numeric")
    with pytest.raises(ParameterError, match=r"one entry per column \(2\), found 1"):
        as_table([[1, 2], [3, 4]], kinds=["ordinal"])


def test_kinds_with_levels_make_an_ordinal_column() -> None:
    table = as_table([["L"], ["S"], [None]], kinds={0: ["S", "M", "L"]})
    assert (table.kinds, table.levels) == (("ordinal",), (("S", "M", "L"),))
    np.testing.assert_array_equal(table.values.ravel(), [2.0, 0.0, NAN])


def test_kinds_with_levels_of_numbers() -> None:
    for levels in ([30, 20, 10], ["30", "20", "10"], [30.0, 20.0, 10.0]):
        table = as_table(np.array([[10.0], [30.0]]), kinds={0: levels})
        assert table.values.ravel().tolist() == [2.0, 0.0]
        assert table.levels == (tuple(levels),)


def test_fractions_as_levels_stay_fractions() -> None:
    assert as_table(np.array([[0.5], [1.0]]), kinds={0: "nominal"}).levels == ((0.5, 1.0),)


def test_nominal_numbers_become_numeric() -> None:
    table = as_table([["10"], ["2.5"], [None]], kinds={0: "numeric"})
    assert table.kinds == ("numeric",)
    np.testing.assert_array_equal(table.values.ravel(), [10.0, 2.5, NAN])
    booleans = as_table(np.array([[True], [False]]), kinds={0: "numeric"})
    assert booleans.values.ravel().tolist() == [1.0, 0.0]


def test_ordinal_without_levels_says_which_order_it_took() -> None:
    table = as_table([["S"], ["L"]], kinds={0: "ordinal"})
    assert table.levels == (("L", "S"),)
    assert any("sorted order (L < S)" in note for note in table.notes)


def test_kinds_change_a_table() -> None:
    table = as_table([[1, "a"], [2, "b"]], ["u", "v"])
    changed = as_table(table, kinds={"x1": "nominal", "x2": ["b", "a"]})
    assert (changed.kinds, changed.levels) == (("nominal", "ordinal"), ((1, 2), ("b", "a")))
    assert changed.values.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert changed.y is table.y
    assert table.kinds == ("numeric", "nominal")


@pytest.mark.parametrize(
    ("kinds", "error", "text"),
    [
        ({"color": "numeric"}, DataError, 'row 1, column "color": expected numbers, found "red"'),
        ({"color": ["red"]}, DataError, 'row 0, column "color": expected one of "red", found "blue"'),
        ({"colour": "nominal"}, ParameterError, 'no column "colour"\nhint: did you mean "color"'),
        ({"zzz": "nominal"}, ParameterError, 'the columns are "price", "color"'),
        ({5: "nominal"}, ParameterError, "from 0 to 1"),
        ({"price": "number"}, ParameterError, 'expected one of "numeric", "ordinal", "nominal"'),
        ({"price": 3}, ParameterError, "or the levels in order, found 3"),
        ({"color": []}, ParameterError, "distinct levels, at least one"),
        ({"color": ["red", "red"]}, ParameterError, "distinct levels"),
        ("nominal", ParameterError, "expected a mapping"),
    ],
)
def test_bad_kinds(kinds: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        as_table(pd.DataFrame({"price": [1, 2], "color": ["blue" if "red" in str(kinds) else "7", "red"]}), kinds=kinds)


def test_names() -> None:
    assert as_table([[1, 2]], names=["a", "b"]).names == ("a", "b")
    assert as_table(pd.DataFrame([[1, 2]])).names == ("0", "1")
    with pytest.raises(ParameterError, match=r"names: expected one per column \(2\), found 1"):
        as_table([[1, 2]], names=["a"])
    with pytest.raises(DataError, match='names: columns 1 and 2 have the same name "a"'):
        as_table([[1, 2]], names=["a", "a"])


# what is refused


@pytest.mark.parametrize(
    ("X", "text"),
    [
        (np.array([[1.0, 2.0], [3.0, np.inf]]), 'row 1, column "x2": expected finite numbers, found inf'),
        (pd.DataFrame({"a": [1.0, -np.inf]}), 'row 1, column "a": expected finite numbers, found -inf'),
        (pd.DataFrame({"m": [1, "a", None]}), 'column "m": .* the number 1 and the text "a"'),
        (pd.DataFrame({"m": ["a", True]}), 'column "m": .* the text "a" and the boolean True'),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), 'columns 1 and 2 have the same name "a"'),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), 'columns 1 and 2 have the same name "1"'),
        (np.array([[1j]]), "Complex data not supported"),
        (pd.DataFrame({"c": [1j]}), 'column "c": .*Complex data not supported'),
        (pd.DataFrame({"c": [1j, None]}, dtype=object), 'column "c": .*Complex data not supported'),
        (pl.DataFrame({"l": [[1], [2]]}), 'column "l": .* a string, a number, a boolean or a date; found List'),
        (pa.table({"b": [b"x"]}), 'column "b": .* found the bytes'),
        (np.zeros((0, 3)), r"0 sample\(s\)"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\)"),
        (np.zeros(3), "Reshape your data"),
        (np.zeros((2, 2, 2)), "Expected 2D array, got 3D array"),
        (pd.Series([1, 2]), "Reshape your data"),
        ([[1, 2], [3]], "X, row 1: expected 2 cells as in row 0, found 1"),
        ([], "Reshape your data"),
        (sparse.csr_matrix(np.eye(2)), "sparse matrix(.|\n)*toarray"),
        (pl.LazyFrame({"a": [1]}), r"LazyFrame\nhint: use X.collect\(\)"),
        ("flowers.csv", "sepal.read_table"),
        (None, "found NoneType"),
        ({"a": [1]}, "found dict"),
        (pd.DataFrame({"big": [10**400, 1]}, dtype=object), 'column "big": expected numbers within float64'),
    ],
)
def test_refused_tables(X: Any, text: str) -> None:
    with pytest.raises(DataError, match=text):
        as_table(X)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (["a"], "X has 2 rows and y has 1 labels"),
        (["a", None], "y, row 1: expected a label, found a missing value"),
        ([1.0, NAN], "y, row 1: .* 1 of 2 are missing"),
        (pd.Series(["a", None]), "y, row 1"),
        (pd.Series([1, None], dtype="Int64"), "y, row 1"),
        (pl.Series(["a", None]), "y, row 1"),
        (np.array(["2020", "NaT"], dtype="datetime64[D]"), "y, row 1"),
        ([1.0, np.inf], "y, row 1: expected a label, found inf"),
        (["a", 1], 'labels of one type, found "a" and 1'),
        ("class", "expected one label per row, found the text"),
        ([[1, 2], [3, 4]], r"an array of shape \(2, 2\)"),
        ([[1], [2, 3]], "rows of different lengths"),
        (np.array([1j, 2]), "Complex data not supported"),
        (sparse.csr_matrix([[1], [0]]), "sparse"),
    ],
)
def test_refused_labels(y: Any, text: str) -> None:
    with pytest.raises(DataError, match=text):
        as_table([[1.0], [2.0]], y)


def test_error_text_stays_short_for_long_values() -> None:
    with pytest.raises(DataError) as caught:
        as_table(pd.DataFrame({"x" * 10**6: ["y" * 10**6, 1]}))
    assert len(str(caught.value)) < 500


def test_an_object_that_is_no_cell_is_a_type_error_too() -> None:
    """It was a DataError alone, where scikit-learn's contract asks for a TypeError."""
    with pytest.raises(
        TypeError, match=r'column "x2": every argument must be a string, a number.*found the dict'
    ) as at:
        as_table(np.array([[1.0, 2.0], [3.0, {"a": 1}]], dtype=object))
    assert isinstance(at.value, DataError)


def test_a_category_column_without_a_cell_takes_new_levels() -> None:
    """New levels in a categorical column that held no cell in training were an IndexError."""
    training = as_table(pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical([None, None])}))
    found = match_table(pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", None]}), training)
    np.testing.assert_array_equal(found.values[:, 1], [0.0, 1.0, np.nan])


def test_kinds_go_by_the_names_that_are_given():
    """Before, kinds were looked up among x1, x2, ... although names= was given."""
    rows = [[35, "low"], [41, "high"]]
    table = as_table(rows, names=["age", "risk"], kinds={"risk": ["low", "high"]})
    assert table.kinds == ("numeric", "ordinal")
    assert table.values[:, 1].tolist() == [0, 1]
    with pytest.raises(ParameterError, match='no column "size"'):
        as_table(rows, names=["age", "risk"], kinds={"size": "nominal"})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("made", [np.asarray, pd.DataFrame, lambda a: pl.from_numpy(a), lambda a: a.tolist()])
def test_the_missing_value_of_r_is_a_missing_cell(made):
    """Its bits are those of a signalling NaN, beside which numpy found no lowest value in a column."""
    na = np.array([0x7FF00000000007A2], dtype=np.uint64).view(np.float64)[0]
    X = np.array([[na, 1.0], [2.0, na], [6.0, 3.0]])
    table = as_table(made(X), ["a", "b", "a"])
    assert np.isnan(table.values).tolist() == np.isnan(X).tolist()
    # HEOM, scaled: |2 - 6| is the whole range of the first column, a missing cell is 1 away
    assert neighbor_ranking(table, 2, scale="minmax").distances[1].tolist() == [2**0.5] * 2


def _frames_of(X: Any) -> dict[str, Any]:
    """The same numbers in frames that hold them in one piece and in two, and in other libraries."""
    names = [f"c{j}" for j in range(X.shape[1])]
    whole = pd.DataFrame(X, columns=names)
    apart = pd.concat([whole[names[:2]], whole[names[2:]].copy()], axis=1)
    return {"whole": whole, "apart": apart, "polars": pl.from_pandas(whole), "arrow": pa.Table.from_pandas(whole)}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.uint8])
def test_frames_of_numbers_give_the_table_of_their_columns(dtype: Any) -> None:
    """More columns than are turned into rows at once, and rows of which nothing divides the number."""
    X = (np.random.default_rng(0).random((37, 300)) * 200).astype(dtype)
    for name, frame in _frames_of(X).items():
        table = as_table(frame)
        assert table.values.flags.c_contiguous, name
        assert table.values.tolist() == X.astype(np.float64).tolist(), name
        assert (table.n_missing, set(table.kinds), table.notes) == (0, {"numeric"}, ()), name
        assert table.names == tuple(f"c{j}" for j in range(300))


def test_missing_and_infinite_cells_of_frames_of_numbers() -> None:
    signalling = np.array([0x7FF0000000000001], dtype=np.uint64).view(np.float64)[0]  # as R writes NA
    X = np.arange(24.0).reshape(6, 4)
    X[2, 1], X[4, 3] = signalling, np.nan
    for name, frame in _frames_of(X).items():
        table = as_table(frame)
        assert table.n_missing == 2, name
        assert table.values[2, 1:2].view(np.uint64)[0] == np.array([np.nan]).view(np.uint64)[0], name
    X[5, 0], X[1, 2] = np.inf, -np.inf
    for frame in _frames_of(X).values():
        with pytest.raises(DataError, match=r'row 5, column "c0": expected finite numbers, found inf'):
            as_table(frame)
    with pytest.raises(DataError, match=r'row 1, column "x3": expected finite numbers, found -inf'):
        as_table(X)


def test_a_table_does_not_change_with_the_frame_it_came_from() -> None:
    X = np.arange(12.0).reshape(4, 3)
    for frame in (pd.DataFrame(X), pd.DataFrame({"a": X[:, 0].copy(), "b": [1, 2, 3, 4]})):
        for kinds in (None, {0: "numeric"}):
            before = as_table(frame, kinds=kinds)
            cells = before.values.tolist()
            frame.iloc[0, 0] += 1.0
            assert before.values.tolist() == cells


def test_whole_numbers_that_are_rounded_are_told_by_column() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": [2**53 + 1, 2], "c": [3, -(2**60) - 1]})
    told = 'whole numbers above 2^53 in "{}" were rounded to the nearest float64'
    assert as_table(frame).notes == (told.format("b"), told.format("c"))
    assert as_table(frame, kinds={"a": "numeric"}).notes == as_table(frame).notes
    assert as_table(frame.to_numpy()).notes == (told.format("X"),)
