"""A weight is a copy: editing with weights is editing the repeated rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sepal.data import as_table
from sepal.exceptions import DataError, SepalWarning
from sepal.learners import KNNClassifier
from sepal.machines import SVMClassifier
from sepal.prototypes import METHODS, all_knn, enn, renn, tomek_links


def weighted(rng, n=16, n_values=4):
    X, y = rng.integers(n_values, size=(n, 2)).astype(float), rng.permutation(np.arange(n) % 2)
    return X, y, rng.integers(1, 4, size=n)


@pytest.mark.parametrize(
    "method", [enn, renn, all_knn, tomek_links, *(METHODS[name] for name in ("hart", "mss", "rss"))]
)
def test_weights_edit_as_copies_do(method, rng):
    """Prototype methods ignored the weights of rows."""
    compared = 0
    for _ in range(12):
        X, y, w = weighted(rng)
        source = np.repeat(np.arange(len(y)), w)
        try:
            copied = method(X[source], y[source], scale=None)
        except DataError:
            with pytest.raises(DataError, match="keeps no row"):
                method(replace(as_table(X, y), weights=w.astype(float)), scale=None)
            continue
        found = method(replace(as_table(X, y), weights=w.astype(float)), scale=None)
        assert set(found.rows.tolist()) == set(source[copied.rows].tolist())
        assert found.consistency == pytest.approx(copied.consistency)
        compared += 1
    assert compared > 6


@pytest.mark.parametrize("kind_sel", ["mode", "all"])
def test_a_classifier_edits_weighted_rows_as_copies(kind_sel, rng):
    """`KNNClassifier(prototypes=...)` ignored `sample_weight` where it edits."""

    def edit(table, y, **options):
        return enn(table, y, kind_sel=kind_sel, **options)

    for _ in range(8):
        X, y, w = weighted(rng, 24, 6)
        source = np.repeat(np.arange(24), w)
        try:
            copied = KNNClassifier(3, prototypes=edit).fit(X[source], y[source])
        except DataError:
            with pytest.raises(DataError):
                KNNClassifier(3, prototypes=edit).fit(X, y, sample_weight=w)
            continue
        found = KNNClassifier(3, prototypes=edit).fit(X, y, sample_weight=w)
        assert set(found.rows_.tolist()) == set(source[copied.rows_].tolist())
        queries = rng.integers(6, size=(20, 2)) + 0.25
        np.testing.assert_allclose(found.predict_proba(queries), copied.predict_proba(queries), atol=1e-12)


def test_no_class_is_lost_in_silence():
    """Editing could lose a whole class without a word."""
    X = np.array([[0.0], [1.0], [2.0], [3.0], [1.5], [10.0], [11.0], [12.0], [13.0]])
    y = np.array(list("aaaacbbbb"))
    with pytest.warns(SepalWarning, match="no row of c"):
        model = KNNClassifier(1, prototypes="enn").fit(X, y)
    assert model.classes_.tolist() == ["a", "b"]
    kept = KNNClassifier(1, prototypes=lambda X, y, **options: enn(X, y, protect=2, **options)).fit(X, y)
    assert kept.classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("seed", range(6))
def test_the_chosen_c_of_weighted_rows_is_that_of_copies(seed):
    """The search for C left out a row with all of its weight, where copies leave one by one."""
    rng = np.random.default_rng(seed)
    X, y, w = rng.normal(size=(24, 2)), np.arange(24) % 2, rng.integers(1, 4, size=24)
    X[:, 0] += 0.7 * y
    source = np.repeat(np.arange(24), w)
    one = SVMClassifier(C="auto").fit(X, y, sample_weight=w)
    other = SVMClassifier(C="auto").fit(X[source], y[source])
    assert one.C_ == other.C_
    np.testing.assert_allclose(one.C_search_.error, other.C_search_.error, atol=1e-12)
