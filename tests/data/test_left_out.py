"""Which rows are left out together: independent rows alone, repeated records with their copies, given groups."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from sepal.data import as_rows, as_table, copies_of, left_out_together, records_repeated
from sepal.exceptions import DataError, ParameterError


def _coarse(rng, n):
    """Independent rows of columns so coarse that many coincide: from a handful of distinct rows to hardly any copy."""
    yield rng.randint(0, 2, (n, 3))
    yield rng.randint(0, 3, (n, 5))
    yield rng.randn(n, 2).round(1)
    yield rng.zipf(1.7, (n, 1)).clip(max=10**6)
    yield np.where(rng.rand(n, 1) < 0.4, 0.0, rng.randn(n, 2))  # a lump beside numbers that never repeat
    yield rng.randint(0, n // 2, (n, 1))  # a bootstrap sample, as far as anyone can tell


def test_independent_rows_are_taken_for_what_they_are_however_coarse():
    rng = np.random.RandomState(0)
    wrong = [
        left_out_together(as_table(rows.astype(float))).repeated
        for _ in range(60)
        for n in (40, 300, 1000)
        for rows in _coarse(rng, n)
    ]
    assert np.mean(wrong) < 0.005


@pytest.mark.parametrize("times", [2, 3, 5])
@pytest.mark.parametrize("n", [20, 300])
def test_every_record_repeated_is_noticed(n, times):
    """Copies of a repeated record answered for it when it was left out."""
    rows = np.repeat(np.random.RandomState(n).randn(n, 2), times, axis=0)
    found = left_out_together(as_table(rows))
    assert (found.together, found.n_copies) == ("copies", n * times)
    assert np.all(found.groups.reshape(n, times) == found.groups[::times, None])
    assert len(np.unique(found.groups)) == n


def test_some_records_repeated_are_noticed_where_they_are_many():
    rows = np.random.RandomState(0).randn(1000, 2)
    assert left_out_together(as_table(np.vstack([rows, rows[:150]]))).together == "copies"
    assert left_out_together(as_table(np.vstack([rows, rows[:30]]))).together == "rows"  # may be chance


def test_the_inequality_by_hand():
    # f_1 = 100, f_2 = 100, f_3 = 0: 2 * 100^2 against 3 * 100 * at most 5.3
    assert records_repeated(np.array([1] * 100 + [2] * 100))
    # every distinct row expected twice, f_k proportional to 2^k / k!: equality for all k
    assert not records_repeated(np.repeat(np.arange(1, 8), [100, 100, 67, 33, 13, 4, 1]))


def test_copies_are_equal_in_all_columns_missing_cells_and_zeros_included():
    table = as_table(np.array([[0.0, np.nan], [-0.0, np.nan], [0.0, 1.0], [0.0, 2.0]]))
    assert np.unique(copies_of(table)[[0, 1]]).size == 1
    assert np.unique(copies_of(table)).size == 3
    sparse = as_rows(csr_array(np.array([[0.0, 1.0], [0.0, 1.0], [2.0, 0.0]])))
    assert copies_of(sparse).tolist() == [0, 0, 1]


def test_groups_can_be_given():
    table = as_table(np.repeat(np.arange(4.0), 2)[:, None])
    assert left_out_together(table, list("aabbbbaa")).groups.tolist() == [0, 0, 1, 1, 1, 1, 0, 0]
    assert left_out_together(table, "rows").groups is None
    pairs = left_out_together(table, "copies").groups.reshape(4, 2)
    assert np.all(pairs[:, 0] == pairs[:, 1])
    assert sorted(pairs[:, 0].tolist()) == [0, 1, 2, 3]
    with pytest.raises(DataError, match="one label for each of 8 rows"):
        left_out_together(table, [1, 2])
    with pytest.raises(DataError, match="all rows are in one group"):
        left_out_together(table, [1] * 8)
    with pytest.raises(DataError, match="copies of one"):
        left_out_together(as_table(np.ones((5, 1))), "copies")
    with pytest.raises(ParameterError, match="'rows', 'copies' or None"):
        left_out_together(table, "all")
