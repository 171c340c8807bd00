"""Why single rows are answered as they are, and sparse rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

import sepal.datasets
from sepal.auto import SepalClassifier, SepalRegressor
from sepal.data import as_table
from sepal.exceptions import DataError


@pytest.fixture(scope="module")
def heart():
    table = sepal.datasets.load("heart")
    return table, SepalClassifier().fit(table)


def test_members_make_the_answer(heart):
    """The average of the members by their weights, calibrated as the model says."""
    table, model = heart
    some = table.take([0, 5, 17])
    told = model.explain(some)
    np.testing.assert_array_equal(told.predicted, model.predict(some))
    np.testing.assert_allclose(told.probabilities, model.predict_proba(some))
    assert sum(told.weights.values()) == pytest.approx(1.0)
    kernels = [name for name in told.members if name.startswith("kernel-")]
    assert len({told.weights[name] for name in kernels}) == 1
    for answer in told.members.values():
        np.testing.assert_allclose(answer.sum(axis=1), 1.0)


def test_effects_are_what_other_cells_cost():
    """One column decides, the other is noise: by hand, from answers to changed rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] > 0, "up", "down")
    model = SepalClassifier().fit(X, y)
    row = np.array([[2.0, 0.3]])
    told = model.explain(row)
    assert told.predicted.tolist() == ["up"]
    assert told.effects[0, 0] > 0.2 > 0.1 > abs(told.effects[0, 1])
    kept = model.sample_.values
    lenders = kept[np.unique(np.linspace(0, len(kept) - 1, 20).astype(int))]
    other = np.column_stack([lenders[:, 0], np.full(20, 0.3)])
    expected = model.predict_proba(row)[0, 1] - model.predict_proba(other)[:, 1].mean()
    assert told.effects[0, 0] == pytest.approx(expected)


def test_neighbours_are_rows_of_the_training_data(heart):
    """A training row's nearest is itself, by its place in what was given to fit."""
    table, model = heart
    near = model.explain(table.take([7, 200])).neighbors
    assert near.rows[near.start[:2]].tolist() == [7, 200]
    assert near.distances[near.start[:2]].tolist() == [0.0, 0.0]


def test_words_and_lines(heart):
    table, model = heart
    told = model.explain(table.take([7]))
    text = str(told)
    for word in ("members say", "columns, in points of probability", "nearest training rows, counted from 0: 7 ("):
        assert word in text
    assert len(told.frame()) == table.n_columns
    assert "<pre>" in told._repr_html_()
    assert model.explain(table.take(range(9))).__str__().endswith("... and 4 more")


@pytest.mark.parametrize("sparse", [csr_matrix, csr_array])
def test_sparse_rows_are_answered_as_dense_ones(rng, sparse):
    X = np.where(rng.random((60, 8)) < 0.6, 0.0, rng.normal(size=(60, 8)))
    y = np.where(X[:, 0] + X[:, 1] > 0, "a", "b")
    dense, other = SepalClassifier().fit(X, y), SepalClassifier().fit(sparse(X), y)
    np.testing.assert_array_equal(dense.predict_proba(X), other.predict_proba(sparse(X)))
    np.testing.assert_array_equal(other.predict(X), other.predict(sparse(X)))
    assert other.explain(sparse(X[:2])).predicted.tolist() == dense.predict(X[:2]).tolist()
    numbers = SepalRegressor().fit(sparse(X), X[:, 0])
    np.testing.assert_array_equal(numbers.predict(sparse(X)), SepalRegressor().fit(X, X[:, 0]).predict(X))


def test_sparse_rows_that_would_fill_the_memory():
    rows = csr_array((10_000, 10_000))
    with pytest.raises(DataError, match="100,000,000 cells") as error:
        SepalClassifier().fit(rows, np.arange(10_000) % 2)
    assert "SVMClassifier" in error.value.hint


def test_a_continuous_target_names_the_regressor(rng):
    X = rng.normal(size=(30, 2))
    with pytest.raises(DataError) as error:
        SepalClassifier().fit(as_table(X, X[:, 0]))
    assert "KNNRegressor" in error.value.hint
