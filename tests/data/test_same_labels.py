"""Levels that formats tell in different ways: booleans and numbers of one, texts of another."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sepal.data import as_table, match_table, same_labels
from sepal.exceptions import DataError
from sepal.learners import KNNClassifier

TEXTS, CAPITALS, BOOLEANS = ["False", "True"], ["FALSE", "TRUE"], [False, True]


@pytest.mark.parametrize(("training", "new"), [(TEXTS, BOOLEANS), (BOOLEANS, TEXTS), (CAPITALS, BOOLEANS)])
def test_yes_and_no_of_two_formats_are_the_same_levels(training, new):
    """A model of CSV did not take Parquet: expected values such as "False", "True", found False."""
    like, table = as_table(pl.DataFrame({"a": training})), as_table(pl.DataFrame({"a": new}))
    assert match_table(table, like).values.ravel().tolist() == [0.0, 1.0]
    assert match_table(table.take([1]), like).values.tolist() == [[1.0]]
    model = KNNClassifier(1).fit(pl.DataFrame({"a": training * 2}), ["no", "yes"] * 2)
    assert model.predict(pl.DataFrame({"a": new})).tolist() == ["no", "yes"]


def test_numbers_that_texts_spell_are_the_same_levels():
    like = as_table([["1"], ["2"], ["3+"]])
    assert match_table(as_table([[2.0], [1.0], [np.nan]]), like).values[:2].tolist() == [[1.0], [0.0]]
    with pytest.raises(DataError, match="expected values such as"):
        match_table(as_table([[2.0], [7.0]]), like)


@pytest.mark.parametrize(
    ("new", "known"),
    [
        ([True], ["TRUE", "True"]),  # two could be meant
        ([True, False], ["yes", "no"]),
        (["true"], ["True"]),  # texts that differ are two levels
        ([1], [True]),
        (["1"], [True, False]),
        (["7 %", "$7", "7.0.0", "1,000", "1.000"], [7, 1000]),
        ([9007199254740993], ["9007199254740992"]),
        (["v3.0"], ["v3"]),
        ([10**400, "9" * 5000], ["5"]),
    ],
)
def test_what_could_mean_something_else_is_not_the_same(new, known):
    expected = {new[0]: known[0]} if new[0] == known[0] else {}
    assert same_labels(new, known) == expected


def test_what_a_label_means_does_not_hang_on_the_others():
    """Labels were read as files are, all together: 1.000 was 1 alone, and 1000 beside 2.000.000."""
    known = [1, 7, 1000]
    for target in (False, True):
        new = ["007", "7", "1.000", "1000", "a", "7 %"]
        alone = {label: same_labels([label], known, target=target).get(label) for label in new}
        assert same_labels(new, known, target=target) == {a: b for a, b in alone.items() if b is not None}
        assert alone == {"007": 7, "7": 7, "1.000": 1, "1000": 1000, "a": None, "7 %": 7 if target else None}
