"""An order of rows and columns by content: the same table comes out, however it was shuffled."""

from __future__ import annotations

import numpy as np

from sepal.data import _content_order, content_columns, content_order, geometric_rank, telling_columns


def sorted_by_content(X, y):
    rows, columns = content_order(X, y), content_columns(X, y)
    return X[rows][:, columns], y[rows]


def test_shuffled_tables_come_out_the_same(rng):
    """Chance was dealt to rows by their places: L3, N4 and p-values changed when rows were shuffled."""
    for _ in range(200):
        n, p = int(rng.integers(1, 12)), int(rng.integers(1, 6))
        X, y = rng.integers(0, 2, size=(n, p)).astype(float), rng.integers(0, 2, size=n)
        X[rng.random(X.shape) < 0.1] = np.nan
        rows, columns = rng.permutation(n), rng.permutation(p)
        wanted, found = sorted_by_content(X, y), sorted_by_content(X[rows][:, columns], y[rows])
        np.testing.assert_array_equal(found[0], wanted[0])
        np.testing.assert_array_equal(found[1], wanted[1])


def test_columns_that_can_be_exchanged_are_set_apart_together():
    """Every pair of rows looks the same with both columns exchanged; one choice must settle them all."""
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [0.0, 2.0]]), np.zeros(4, dtype=int)
    wanted = sorted_by_content(X, y)[0]
    for rows in ([1, 0, 2, 3], [0, 1, 3, 2], [3, 2, 1, 0], [2, 0, 1, 3]):
        np.testing.assert_array_equal(sorted_by_content(X[rows], y)[0], wanted)
        np.testing.assert_array_equal(sorted_by_content(X[rows][:, ::-1], y)[0], wanted)


def test_classes_under_other_names(rng):
    for _ in range(100):
        X, y = rng.integers(0, 2, size=(9, 4)).astype(float), rng.integers(0, 3, size=9)
        names = rng.permutation(3)
        columns = content_columns(X, y)
        np.testing.assert_array_equal(X[:, content_columns(X, names[y])], X[:, columns])


def test_the_place_on_a_map_follows_the_rows(rng):
    """Equal edges of N1's spanning tree went by the places of the rows, and so did samples."""
    X = np.array([[3.0, 1.0, 0.0], [0.0, 1.0, 5.0], [3.0, 0.0, 0.0]])
    # The columns by their values: 0 0 5, then 0 1 1, then 0 3 3.
    np.testing.assert_array_equal(geometric_rank(X, np.zeros(3, int)), [1, 2, 0])
    for _ in range(100):
        X, y = rng.integers(0, 2, size=(9, 4)).astype(float), rng.integers(0, 2, size=9)
        rows, columns = rng.permutation(9), rng.permutation(4)
        moved = X[rows][:, columns]
        first, second = np.argsort(geometric_rank(X, y)), np.argsort(geometric_rank(moved, y[rows]))
        gaps = [np.abs(one[:, None] - one[None]).sum(axis=-1) for one in (X[first], moved[second])]
        np.testing.assert_array_equal(*gaps)


def test_zeros_and_missing_cells_have_one_form(rng):
    X = np.array([[0.0, np.nan, 1.0], [1.0, 0.0, np.nan], [0.0, 2.0, 0.0]])
    signed = np.where(X == 0, -0.0, np.where(np.isnan(X), -np.nan, X))
    np.testing.assert_array_equal(content_columns(signed, np.zeros(3, int)), content_columns(X, np.zeros(3, int)))
    np.testing.assert_array_equal(content_order(signed, np.zeros(3, int)), content_order(X, np.zeros(3, int)))


def test_quickly_told_columns_follow_neither_rows_nor_places_nor_units_nor_copies(rng, monkeypatch):
    monkeypatch.setattr(_content_order, "MANY_CELLS", 0)
    for number in range(100):
        X, y = rng.normal(size=(12, 5)), rng.integers(0, 2, size=12)
        if number % 3 == 0:  # where means do not tell: the longer way
            X = rng.integers(0, 2, size=(12, 5)).astype(float)
        if number % 3 == 1:
            X[rng.random(X.shape) < 0.1] = np.nan
        rows, columns = rng.permutation(np.repeat(np.arange(12), rng.integers(1, 4, size=12))), rng.permutation(5)
        units = 2.0 ** rng.integers(-400, 400, size=5)
        moved = (X * units)[rows][:, columns]
        order, other = telling_columns(X * units, y), columns[telling_columns(moved, y[rows])]
        np.testing.assert_array_equal(X[:, other], X[:, order])
        if number % 3 == 2:
            np.testing.assert_array_equal(telling_columns(X, y), order)


def test_columns_that_differ_in_their_unit_stand_by_their_digits(rng):
    """A power of two over all columns changed the order of centimetres and inches, and with it what chance drew."""
    X = rng.normal(size=(60, 2))
    X = np.c_[X, X * [2.54, 12.0], X[:, 0] * 2.0]
    groups = np.repeat([0, 1], 30)
    order = content_columns(X, groups)
    for factor in (2.0, 0.5, 2.0**-30, 2.0**200):
        assert content_columns(X * factor, groups).tolist() == order.tolist()
    for columns in (rng.permutation(5) for _ in range(5)):
        assert columns[content_columns(X[:, columns], groups)].tolist() == order.tolist()
