"""Mutual information of a column and the classes: loops, scikit-learn where nothing is tied, and order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score

from sepal.learners import learn_feature_weights
from sepal.measures import mutual_information
from sepal.selection import rank_features


def by_loops(x, codes, k=3):
    """Ross 2014 with closed intervals: everyone tied at the end is inside."""
    taking_part = [i for i in range(len(x)) if sum(c == codes[i] for c in codes) > 1]
    if len({codes[i] for i in taking_part}) < 2 or len({x[i] for i in taking_part}) < 2:
        return 0.0
    total = 0.0
    for i in taking_part:
        own = [j for j in taking_part if j != i and codes[j] == codes[i]]
        reach = sorted(abs(x[j] - x[i]) for j in own)[min(k, len(own)) - 1]
        inside = sum(abs(x[j] - x[i]) <= reach for j in own)
        near = sum(abs(x[j] - x[i]) <= reach for j in taking_part if j != i)
        total += digamma(inside) - digamma(near) - digamma(len(own) + 1)
    return max(0.0, digamma(len(taking_part)) + total / len(taking_part))


def test_equals_the_loops_on_tied_integers(rng):
    """scikit-learn's estimate adds noise to columns, which decides where values are tied."""
    for _ in range(60):
        n = int(rng.integers(2, 30))
        x, codes = rng.integers(0, 5, size=n).astype(float), rng.integers(0, 3, size=n)
        assert mutual_information(x, codes) == pytest.approx(by_loops(x, codes), abs=1e-12)


def test_equals_scikit_learn_where_nothing_is_tied(rng):
    for _ in range(20):
        codes = rng.integers(0, 3, size=60)
        x = rng.normal(size=60) + codes
        wanted = mutual_info_classif(x[:, None], codes, discrete_features=False, random_state=0)[0]
        assert mutual_information(x, codes) == pytest.approx(wanted, abs=1e-6)


def test_levels_equal_scikit_learn(rng):
    for _ in range(20):
        x, codes = rng.integers(0, 4, size=40).astype(float), rng.integers(0, 3, size=40)
        assert mutual_information(x, codes, discrete=True) == pytest.approx(mutual_info_score(x, codes), abs=1e-12)


def test_a_column_that_tells_all_of_few_values_tells_about_its_entropy():
    codes = np.repeat([0, 1], 200)
    assert mutual_information(codes.astype(float), codes) == pytest.approx(np.log(2), abs=0.01)
    assert mutual_information(np.zeros(400), codes) == 0.0


def test_neither_row_nor_column_order_changes_a_ranking(rng):
    """Noise that broke ties was dealt by place, so that another order of rows gave another ranking."""
    X, y = rng.integers(0, 4, size=(50, 3)).astype(float), rng.integers(0, 2, size=50)
    X[:, 0] += y * rng.integers(0, 2, size=50)
    rows, columns = rng.permutation(50), rng.permutation(3)
    wanted = rank_features(X, y).columns["mutual_information"]
    np.testing.assert_allclose(rank_features(X[rows], y[rows]).columns["mutual_information"], wanted, rtol=1e-12)
    moved = rank_features(X[:, columns], y).columns["mutual_information"]
    np.testing.assert_allclose(moved, wanted[columns], rtol=1e-12)
    weights = learn_feature_weights(X, y, method="mutual_information", k_max=3).weights
    moved = learn_feature_weights(X[rows], y[rows], method="mutual_information", k_max=3).weights
    np.testing.assert_allclose(moved, weights, rtol=1e-12)
