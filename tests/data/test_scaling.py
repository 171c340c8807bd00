"""Scaling against plain loops, and where floating point is at its limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sepal.data import as_table, fit_scaling, ranges_and_gaps
from sepal.exceptions import DataError, ParameterError

NAN = float("nan")
HUGE = float(np.finfo(np.float64).max)


def scaled_by_loops(train: list[list[float]], rows: list[list[float]], how: str) -> list[list[float]]:
    """The definition, cell by cell, for numeric columns with at least two distinct values."""
    out = [list(row) for row in rows]
    for j in range(len(train[0])):
        seen = [row[j] for row in train if not math.isnan(row[j])]
        if how == "minmax":
            offset, divisor = min(seen), max(seen) - min(seen)
        else:
            offset = sum(seen) / len(seen)
            divisor = math.sqrt(sum((v - offset) ** 2 for v in seen) / len(seen))
        for i in range(len(rows)):
            out[i][j] = (rows[i][j] - offset) / divisor
    return out


@pytest.mark.parametrize("how", ["minmax", "standard"])
def test_agrees_with_loops_and_uses_training_rows_only(how: Any) -> None:
    rng = np.random.default_rng(3)
    train, rows = rng.normal(5.0, 3.0, (40, 4)), rng.normal(0.0, 9.0, (15, 4))
    train[rng.random(train.shape) < 0.1] = NAN
    rows[2, 1] = NAN
    scaling = fit_scaling(train, ["numeric"] * 4, how)
    np.testing.assert_allclose(
        scaling.apply(rows), scaled_by_loops(train.tolist(), rows.tolist(), how), rtol=1e-12, atol=1e-13
    )
    assert scaling.constant == ()


def test_minmax_reaches_zero_and_one_exactly() -> None:
    train = np.array([[0.1], [0.7], [0.3]])
    assert fit_scaling(train, ["numeric"], "minmax").apply(train)[:2].ravel().tolist() == [0.0, 1.0]


def test_none_changes_nothing_but_reports_constants() -> None:
    train = np.array([[1.0, 4.0], [2.0, 4.0]])
    scaling = fit_scaling(train, ["numeric", "numeric"], None)
    applied = scaling.apply(train)
    np.testing.assert_array_equal(applied, train)
    assert applied is not train
    assert scaling.constant == (1,)


@pytest.mark.parametrize("how", ["minmax", "standard", None])
def test_nominal_codes_are_never_touched(how: Any) -> None:
    train = np.array([[0.0], [3.0], [7.0]])
    np.testing.assert_array_equal(fit_scaling(train, ["nominal"], how).apply(train), train)


def test_ordinal_ranks_are_divided_by_the_levels_not_the_range() -> None:
    table = as_table([["M"], ["L"]], kinds={0: ["XS", "S", "M", "L", "XL"]})
    scaling = fit_scaling(table.values, table.kinds, "minmax", levels=table.levels)
    assert scaling.apply(table.values).ravel().tolist() == [0.5, 0.75]
    without = fit_scaling(table.values, table.kinds, "minmax")
    np.testing.assert_allclose(without.apply(table.values).ravel(), [2 / 3, 1.0])


def test_ordinal_with_one_level() -> None:
    scaling = fit_scaling(np.zeros((3, 1)), ["ordinal"], "minmax", levels=[("only",)])
    assert scaling.apply(np.zeros((1, 1))).item() == 0.0
    assert scaling.constant == (0,)


@pytest.mark.parametrize("how", ["minmax", "standard"])
def test_constant_columns_become_zero_and_are_reported(how: Any) -> None:
    train = np.array([[5.0, 1.0, NAN, 2.0], [5.0, 2.0, NAN, NAN]])
    scaling = fit_scaling(train, ["numeric"] * 4, how)
    assert scaling.constant == (0, 2, 3)
    applied = scaling.apply(train)
    assert applied[:, 0].tolist() == [0.0, 0.0]
    assert scaling.divisor[[0, 2, 3]].tolist() == [1.0, 1.0, 1.0]
    assert np.isnan(applied[:, 2]).all()
    assert scaling.apply(np.array([[7.0, 1.0, 3.0, 2.0]])).tolist()[0][0] == 2.0


def test_a_constant_whose_mean_rounds_is_still_zero() -> None:
    train = np.full((49, 1), 0.1)
    assert fit_scaling(train, ["numeric"], "standard").apply(train).any() == False  # noqa: E712


@pytest.mark.parametrize("how", ["minmax", "standard"])
def test_a_range_beyond_float64(how: Any) -> None:
    train = np.array([[-HUGE], [HUGE], [0.0]])
    applied = fit_scaling(train, ["numeric"], how).apply(train).ravel()
    expected = [0.0, 1.0, 0.5] if how == "minmax" else [-math.sqrt(1.5), math.sqrt(1.5), 0.0]
    np.testing.assert_allclose(applied, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("how", ["minmax", "standard"])
def test_queries_far_outside_stay_finite_and_in_order(how: Any) -> None:
    scaling = fit_scaling(np.array([[0.0], [1e-300]]), ["numeric"], how)
    low, middle, high = scaling.apply(np.array([[-HUGE], [0.0], [HUGE]])).ravel()
    assert np.isfinite([low, middle, high]).all()
    assert low < middle < high


def test_a_difference_that_overflows_but_a_quotient_that_does_not() -> None:
    scaling = fit_scaling(np.array([[-HUGE], [-HUGE / 2]]), ["numeric"], "minmax")
    np.testing.assert_allclose(scaling.apply(np.array([[HUGE], [0.0]])).ravel(), [4.0, 2.0])


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 8), st.integers(1, 3)),
        elements=st.floats(allow_nan=True, allow_infinity=False),
    )
)
def test_never_infinite_and_nan_only_where_it_was(train: np.ndarray) -> None:
    train[np.isnan(train)] = np.nan  # as tables hold it: silent
    for how in ("minmax", "standard"):
        applied = fit_scaling(train, ["numeric"] * train.shape[1], how).apply(train)  # type: ignore[arg-type]
        np.testing.assert_array_equal(np.isnan(applied), np.isnan(train))
        assert not np.isinf(applied).any()
        if how == "minmax":
            inside = applied[~np.isnan(applied)]
            assert ((inside >= 0.0) & (inside <= 1.0)).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("how", ["minmax", "standard", None])
def test_a_signalling_nan_is_a_missing_cell(how) -> None:
    """Found with an older hypothesis: numpy warns of such a NaN in every sum and product."""
    odd = np.array([0x7FF0000000000001], dtype=np.uint64).view(np.float64)[0]
    train = np.array([[1.0], [odd], [3.0]])
    applied = fit_scaling(train, ["numeric"], how).apply(train)
    assert np.isnan(applied).ravel().tolist() == [False, True, False]


def test_bad_parameters() -> None:
    with pytest.raises(ParameterError, match='scale: expected "minmax", "standard" or None, found "robust"'):
        fit_scaling(np.zeros((2, 1)), ["numeric"], "robust")  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"kinds: expected one per column \(1\), found 2"):
        fit_scaling(np.zeros((2, 1)), ["numeric", "numeric"], "minmax")
    with pytest.raises(DataError, match="expected 1 columns, found shape"):
        fit_scaling(np.zeros((2, 1)), ["numeric"], "minmax").apply(np.zeros((2, 2)))


def test_a_row_of_weight_three_counts_as_three_rows() -> None:
    """``scale='standard'`` ignored the weights of rows."""
    values = np.array([[1.0, 4.0], [2.0, np.nan], [7.0, 5.0], [8.0, 9.0]])
    times = np.array([3, 1, 2, 1])
    weighted = fit_scaling(values, ["numeric", "numeric"], "standard", weights=times.astype(float))
    repeated = fit_scaling(np.repeat(values, times, axis=0), ["numeric", "numeric"], "standard")
    np.testing.assert_allclose(weighted.offset, repeated.offset, rtol=1e-14)
    np.testing.assert_allclose(weighted.divisor, repeated.divisor, rtol=1e-14)


@pytest.mark.parametrize("n_columns", [1, 2, 11, 12, 36, 511, 512, 513, 1025])
@pytest.mark.parametrize("n_rows", [1, 2, 27, 28, 29, 57, 200])
def test_ranges_of_columns_are_those_of_plain_loops(n_rows: int, n_columns: int) -> None:
    """Rows are reduced side by side, and what is left of them beside that: no row may be lost, whatever the sizes."""
    rng = np.random.default_rng(n_rows * n_columns)
    values = rng.permutation(n_rows * n_columns).reshape(n_rows, n_columns).astype(np.float64)
    columns = values.T.tolist()
    for given_values in (values, np.asfortranarray(values)):
        low, high, missing = ranges_and_gaps(given_values)
        assert (low.tolist(), high.tolist(), missing) == ([*map(min, columns)], [*map(max, columns)], False)
    values[-1, -1] = NAN
    columns[-1].pop()
    low, high, missing = ranges_and_gaps(values)
    assert missing
    assert low[:-1].tolist() == [min(column) for column in columns[:-1]]
    if columns[-1]:
        assert (low[-1], high[-1]) == (min(columns[-1]), max(columns[-1]))
