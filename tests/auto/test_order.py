"""Orders that do not depend on where rows stood or on how classes are called."""

from __future__ import annotations

import numpy as np
import pytest

from sepal import KNNClassifier, SepalClassifier, SepalRegressor, evaluate
from sepal.auto._canonical_order import canonical_columns, canonical_order, spread_order
from sepal.prototypes import condense_curve
from sepal.selection import nested_score, selection_test, stability


@pytest.fixture
def rng():
    return np.random.RandomState(2)


def test_shuffled_rows_come_back_in_the_same_order(rng):
    values = rng.randint(-1, 2, (50, 3)).astype(float)
    values[3, 1] = np.nan
    values[4] = -0.0
    answers = rng.randint(0, 2, 50).astype(float)
    shuffle = rng.permutation(50)
    one, other = canonical_order(values, answers), canonical_order(values[shuffle] + 0.0, answers[shuffle])
    np.testing.assert_array_equal(values[one], values[shuffle][other])
    np.testing.assert_array_equal(answers[one], answers[shuffle][other])


def test_every_beginning_holds_the_classes_in_proportion():
    codes = np.repeat(np.array([0, 1, 2], dtype=np.int32), [600, 300, 100])
    order = spread_order(codes, np.random.RandomState(0))
    assert sorted(order.tolist()) == list(range(1000))
    for size in (50, 100, 500):
        counts = np.bincount(codes[order[:size]], minlength=3)
        np.testing.assert_allclose(counts, np.array([0.6, 0.3, 0.1]) * size, atol=3)


def test_names_of_classes_do_not_change_the_order(rng):
    """The names of the classes decided which rows a sample held."""
    codes = rng.randint(0, 3, 90).astype(np.int32)
    renamed = np.array([2, 0, 1], dtype=np.int32)[codes]
    draws = [spread_order(each, np.random.RandomState(4)) for each in (codes, renamed)]
    np.testing.assert_array_equal(*draws)


def test_columns_are_ordered_by_their_cells_alone(rng):
    """The places of the columns, and not their cells, decided in which order sums over them were made."""
    X = rng.randint(0, 4, size=(50, 6)).astype(float)
    X[3, 2], X[7, 1] = np.nan, -0.0
    groups = rng.randint(0, 3, 50)
    found = X[:, canonical_columns(X, groups)]
    rows, columns = rng.permutation(50), rng.permutation(6)
    turned, renamed = X[rows][:, columns], np.array([2, 0, 1])[groups[rows]]
    again = turned[:, canonical_columns(turned, renamed)]
    np.testing.assert_array_equal(again, found[rows])
    # Other cells, another place for at least one of several such tables: the order is not that of the columns.
    orders = {tuple(canonical_columns(rng.randn(9, 6), np.arange(9) % 2).tolist()) for _ in range(5)}
    assert len(orders) > 1


@pytest.mark.parametrize("seed", range(3))
def test_equal_rows_of_several_groups_may_stand_anywhere(seed):
    """Coarse columns, and a patient to several rows: where equal rows stood decided how groups were numbered."""
    rng = np.random.default_rng(seed)
    groups, y = rng.integers(0, 20, 60), rng.random(60) < 0.5
    X = np.round(rng.normal(size=(60, 3)) + 0.8 * y[:, None])

    def found(rows):
        a, how = (X[rows], np.where(y, "a", "b")[rows]), {"groups": groups[rows]}
        return (
            evaluate(KNNClassifier(3), *a, **how).accuracy,
            evaluate(KNNClassifier(3), *a, **how, cv=0.7).accuracy,
            nested_score(*a, **how).honest,
            stability(*a, n_samples=10, **how).value,
            selection_test(*a, n_permutations=19, **how).p_value,
            condense_curve(*a, **how, methods=["hart"], cv=4).kept_share.tolist(),
            SepalClassifier().fit(*a, **how).predict_proba(X[:3]).tolist(),
            SepalRegressor().fit(X[rows], np.round(X[rows, 0]) + y[rows], **how).predict(X[:3]).tolist(),
        )

    assert found(rng.permutation(60)) == found(np.arange(60))
