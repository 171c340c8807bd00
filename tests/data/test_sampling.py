"""Samples of a table: each class by its share, the same rows however the table was shuffled, and said in its notes."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.data import as_table, sampled
from sepal.exceptions import ParameterError


def table(n=1000):
    """Nine rows of ten are of class a; every row has its own number."""
    return as_table(np.arange(float(n))[:, None], np.where(np.arange(n) % 10 == 0, "b", "a"))


def test_each_class_by_its_share_and_rows_in_their_order():
    some = sampled(table(), 100)
    assert some.n_rows == 100
    assert np.count_nonzero(some.y == "b") == 10
    numbers = some.values[:, 0]
    assert np.all(np.diff(numbers) > 0)
    assert np.array_equal(some.y == "b", numbers % 10 == 0)  # labels stay with their rows
    assert some.notes[-1] == "a random sample of 100 of 1,000 rows"


def test_a_seed_draws_the_same_rows_however_they_are_shuffled():
    rows = table()
    shuffled = rows.take(np.random.default_rng(1).permutation(rows.n_rows))
    first = sampled(rows, 50).values[:, 0]
    assert np.array_equal(first, np.sort(sampled(shuffled, 50).values[:, 0]))
    assert not np.array_equal(first, sampled(rows, 50, random_state=1).values[:, 0])


def test_every_row_is_drawn_equally_often():
    rows = as_table(np.arange(20.0)[:, None], np.repeat(["a", "b"], 10))
    drawn = np.concatenate([sampled(rows, 10, random_state=seed).values[:, 0] for seed in range(2000)])
    times = np.bincount(drawn.astype(int), minlength=20)
    assert times.sum() == 20_000
    assert np.all(np.abs(times - 1000) < 5 * np.sqrt(2000 * 0.25))


def test_two_of_a_small_class_stay_and_numbers_have_no_classes():
    few = as_table(np.arange(100.0)[:, None], ["b"] * 3 + ["a"] * 97)
    assert np.count_nonzero(sampled(few, 10).y == "b") == 2
    numbers = as_table(np.arange(100.0)[:, None], np.linspace(0.0, 1.0, 100))
    assert sampled(numbers, 10).n_rows == 10


def test_enough_rows_are_the_table_itself():
    rows = table(20)
    assert sampled(rows, 20) is rows
    assert sampled(rows, 21) is rows


@pytest.mark.parametrize("wrong", [1, 0, -3, 2.5, True, "10", None])
def test_a_wrong_number_of_rows_is_named(wrong):
    with pytest.raises(ParameterError, match="n_rows"):
        sampled(table(), wrong)
