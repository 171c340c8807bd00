"""Which rows are equal: one hash, one grouping, two ways to number the groups."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.data import _equal_rows, as_table, copies_of, equal_groups, sample_by_class

ROWS = np.array([[2.0, 5.0], [3.0, 5.0], [2.0, 5.0], [0.0, np.nan], [-0.0, np.nan], [3.0, 7.0], [3.0, 5.0]])
BY_HAND = [0, 1, 0, 2, 2, 3, 1]


def test_equal_rows_share_a_number_in_order_of_appearance():
    assert equal_groups(ROWS).tolist() == BY_HAND
    assert equal_groups(np.zeros((3, 0))).tolist() == [0, 0, 0]


@pytest.mark.parametrize("collide", [lambda cells: np.zeros(len(cells)), lambda cells: np.floor(cells[:, 0] / 2)])
def test_equal_rows_are_told_from_rows_that_share_a_hash(monkeypatch, collide):
    copies = copies_of(as_table(ROWS))
    monkeypatch.setattr(_equal_rows, "row_hash", collide)
    assert equal_groups(ROWS).tolist() == BY_HAND
    assert copies_of(as_table(ROWS)).tolist() == copies.tolist()


def test_numbers_of_copies_go_with_the_row_wherever_it_stands(rng):
    order = rng.permutation(len(ROWS))
    assert copies_of(as_table(ROWS[order])).tolist() == copies_of(as_table(ROWS))[order].tolist()
    assert len(set(copies_of(as_table(ROWS)).tolist())) == 4


def test_the_hash_tells_the_places_of_cells():
    cells = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])
    found = _equal_rows.row_hash(cells)
    assert found[0] == found[2] != found[1]


def test_a_sample_keeps_the_shares_of_the_classes(rng):
    codes = np.repeat([0, 2, 5], [60, 30, 3])
    drawn = sample_by_class(np.arange(93), codes, 31, rng)
    assert np.bincount(codes[drawn])[[0, 2, 5]].tolist() == [20, 10, 2]  # 3 * 31 / 93 is 1, and two are the least
    assert drawn.tolist() == sorted(set(drawn.tolist()))
