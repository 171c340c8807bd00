"""Rows that are left out together when neighbours choose k: given groups, and copies where records were repeated."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from sepal.data import as_table
from sepal.evaluation import leave_one_out_curve
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier, KNNRegressor, learn_feature_weights
from sepal.learners._feature_weights import nca_value, relieff_solve
from tests.oracles import selection as oracle


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def other_rows(groups: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each group the rows of the others, and its own."""
    return [(np.flatnonzero(groups != g), np.flatnonzero(groups == g)) for g in np.unique(groups)]


def left_out_by_hand(make: Any, X: Any, y: np.ndarray, groups: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Every row answered by a model that has never seen its group."""
    found = np.empty(len(y), dtype=y.dtype)
    for train, test in other_rows(groups):
        found[test] = make().fit(X[train], y[train], weights[train]).predict(X[test])
    return found


OPTIONS = {
    "plain": {},
    "ties by index": {"ties": "index"},
    "by distance": {"weights": "distance"},
    "balanced": {"class_weight": "balanced"},
    "equal priors, ties by size": {"priors": "equal", "vote_ties": "prior"},
    "manhattan": {"distance": "manhattan"},
    "a function": {"distance": lambda a, b: float(np.abs(a - b).max())},
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_group_is_answered_by_the_others(rng, name, weighted):
    X, y = rng.integers(0, 5, size=(36, 2)).astype(float), rng.choice(list("aaabbc"), size=36)
    y[:3] = ["a", "b", "c"]
    groups = rng.integers(0, 9, size=36)
    weights = rng.integers(1, 4, size=36).astype(float) if weighted else np.ones(36)
    make = partial(KNNClassifier, scale=None, **OPTIONS[name])
    model = make("auto", k_max=6).fit(X, y, weights, groups=groups)
    assert model.left_out_ == "groups"
    for k in (1, 3, 6):
        expected = left_out_by_hand(partial(make, k), X, y, groups, weights)
        if name not in ("balanced", "equal priors, ties by size"):
            assert model.loo_curve_.score[k - 1] == pytest.approx(np.average(expected == y, weights=weights))
        fixed = make(k).fit(X, y, weights, groups=groups)
        assert fixed.predict(None).tolist() == expected.tolist()


@pytest.mark.parametrize("aggregate", ["mean", "median", "linear"])
def test_numbers_are_answered_by_the_others(rng, aggregate):
    X, y, groups = rng.integers(0, 7, size=(30, 2)).astype(float), rng.normal(size=30), np.arange(30) % 7
    make = partial(KNNRegressor, scale=None, aggregate=aggregate)
    model = make("auto", k_max=5).fit(X, y, groups=groups)
    for k in (2, 5):
        expected = left_out_by_hand(partial(make, k), X, y, groups, np.ones(30))
        assert model.loo_curve_.score[k - 1] == pytest.approx(1 - np.mean((expected - y) ** 2) / np.var(y))
        np.testing.assert_allclose(make(k).fit(X, y, groups=groups).predict(None), expected, atol=1e-9)


def test_levels_forget_the_classes_of_the_group(rng):
    """The value difference metric learns from classes: those of the group must not be among them."""
    levels, y = rng.integers(0, 3, size=(40, 3)).astype(str), rng.choice(list("ab"), size=40)
    groups = np.concatenate([np.arange(20), np.arange(20)])
    model = KNNClassifier("auto", distance="hvdm", scale=None, k_max=4).fit(levels, y, groups=groups)
    for k in (1, 4):
        expected = left_out_by_hand(
            partial(KNNClassifier, k, distance="hvdm", scale=None), levels, y, groups, np.ones(40)
        )
        assert model.loo_curve_.score[k - 1] == pytest.approx(np.mean(expected == y))


def test_sparse_rows_and_given_distances(rng):
    X, y = rng.integers(0, 3, size=(30, 5)).astype(float), np.arange(30) % 2
    groups = np.arange(30) // 3
    distances = np.abs(X[:, None] - X[None]).sum(axis=2)
    expected = KNNClassifier(k_max=8, scale=None, distance="manhattan").fit(X, y, groups=groups).loo_curve_
    given = KNNClassifier(k_max=8, distance="precomputed").fit(distances, y, groups=groups).loo_curve_
    np.testing.assert_allclose(given.score, expected.score)
    dense = KNNClassifier(k_max=8, scale=None, distance="euclidean").fit(X, y, groups=groups).loo_curve_
    sparse = KNNClassifier(k_max=8, scale=None, distance="euclidean").fit(csr_array(X), y, groups=groups).loo_curve_
    np.testing.assert_allclose(sparse.score, dense.score)
    near = csr_array(np.where(groups[:, None] == groups[None, :], distances + 1.0, 0.0))
    with pytest.raises(DataError, match="leads row 0 to no row of another group"):
        KNNClassifier(distance="precomputed").fit(near, y, groups=groups)


@pytest.mark.parametrize("learner", [KNNClassifier, KNNRegressor])
def test_noise_with_every_row_twice_has_nothing_to_learn(rng, learner):
    """Copies of a row that was left out answered for it: noise with every row twice scored 1 (as in cleanlab #1119)."""
    once, codes = rng.normal(size=(100, 3)), np.arange(100.0) % 2
    X, y = np.repeat(once, 2, axis=0), np.repeat(codes, 2)
    fooled = learner().fit(X, y, groups="rows")
    assert fooled.loo_curve_.score[0] == 1.0
    assert fooled.loo_curve_.notes == ("copies: 100.0% of the rows have a copy, which stayed when they were left out",)
    model = learner().fit(X, y)
    assert model.left_out_ == "copies"
    assert model.loo_curve_.score.max() < (0.65 if learner is KNNClassifier else 0.1)
    assert model.loo_curve_.notes == ("copies: 100.0% of the rows have a copy, and were left out together with it",)
    assert str(model.loo_curve_).endswith(model.loo_curve_.notes[0])
    by_hand = learner().fit(X, y, groups=np.repeat(np.arange(100), 2))
    np.testing.assert_array_equal(by_hand.loo_curve_.score, model.loo_curve_.score)
    assert not by_hand.loo_curve_.notes
    assert leave_one_out_curve(X, y, task="classification").notes == model.loo_curve_.notes


def test_a_weight_is_a_copy_here_too(rng):
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    for weights in (np.full(40, 2.0), rng.integers(1, 3, size=40).astype(float), np.where(y > 0, 5.0, 1.0)):
        weighted = KNNClassifier(scale=None).fit(X, y, weights)
        rows = np.repeat(np.arange(40), weights.astype(int))
        repeated = KNNClassifier(scale=None).fit(X[rows], y[rows])
        assert weighted.left_out_ == repeated.left_out_
        assert len(weighted.loo_curve_.k) == len(repeated.loo_curve_.k)
        np.testing.assert_allclose(weighted.loo_curve_.score, repeated.loo_curve_.score)
        assert weighted.n_neighbors_ == repeated.n_neighbors_


def test_k_goes_as_far_as_the_weights_of_the_rows():
    model = KNNClassifier(scale=None).fit([[0.0], [1.0], [5.0]], list("aab"), [4.5, 4.5, 6.0])
    assert model.loo_curve_.k[-1] == 14


def test_rows_of_no_weight_and_prototypes(rng):
    X, y, groups = rng.normal(size=(30, 2)), np.arange(30) % 2, np.arange(30) // 3
    weights = (np.arange(30) >= 6).astype(float)
    some = KNNClassifier(scale=None).fit(X[6:], y[6:], groups=groups[6:])
    weighted = KNNClassifier(scale=None).fit(X, y, weights, groups=groups)
    np.testing.assert_array_equal(weighted.loo_curve_.score, some.loo_curve_.score)
    carried = leave_one_out_curve(replace(as_table(X, y), weights=weights), scale=None, groups=groups)
    np.testing.assert_array_equal(carried.score, some.loo_curve_.score)
    kept = KNNClassifier(scale=None, prototypes=np.arange(6, 30)).fit(X, y, groups=groups)
    np.testing.assert_array_equal(kept.loo_curve_.score, some.loo_curve_.score)


def test_weights_of_columns_are_learnt_without_copies(rng):
    """Copies were neighbours of their row while weights were learnt, and every weight looked perfect."""
    once, codes = rng.normal(size=(60, 3)), rng.integers(0, 2, size=60)
    once[:, 0] += 2.0 * codes
    X, y = np.repeat(once, 2, axis=0), np.repeat(codes, 2)
    for method in ("nca", "relieff"):
        # Twice the rows, and for ReliefF twice the neighbours, are the same as once.
        single = learn_feature_weights(once, codes, method=method, n_neighbors=4)
        double = learn_feature_weights(X, y, method=method, n_neighbors=8)
        close = 0.02 if method == "nca" else 1e-9  # an ascent ends where its steps become small
        np.testing.assert_allclose(double.weights, single.weights, rtol=0, atol=close)
        assert double.after.score[0] == pytest.approx(single.after.score[0])
        fooled = learn_feature_weights(X, y, method=method, n_neighbors=8, groups="rows")
        assert fooled.after.score[0] == pytest.approx(1.0)
    one, groups = once[:, :1] - once[:, 0].min(), np.arange(60) // 4
    found = relieff_solve(as_table(one / one.max(), codes), codes.astype(np.int32), 2, 5, None, groups)
    np.testing.assert_allclose(found, oracle.relieff(one / one.max(), codes, 5, groups=groups), atol=1e-12)


def test_nca_by_hand():
    """Three rows on a line at 0, 1 and 3, the first two of one group: the last is the only row near them."""
    points, codes = np.array([[0.0], [1.0], [3.0]]), np.array([0, 1, 1], dtype=np.int32)
    value, _ = nca_value(points, np.zeros(1, dtype=np.intp), codes, np.ones(1), np.array([0, 0, 1]))
    # 0 finds the other class, 1 finds its own; 3 finds 1 with weight exp(-4) against exp(-9) for 0.
    assert value == pytest.approx(0.0 + 1.0 + np.exp(-4.0) / (np.exp(-4.0) + np.exp(-9.0)))


def test_several_targets_share_the_groups(rng):
    X, groups = rng.normal(size=(30, 2)), np.arange(30) // 3
    Y = np.column_stack([np.arange(30) % 2, np.arange(30) % 3])
    model = KNNClassifier(3, scale=None).fit(X, Y, groups=groups)
    for column, found in zip(Y.T, model.predict(None).T, strict=True):
        assert found.tolist() == KNNClassifier(3, scale=None).fit(X, column, groups=groups).predict(None).tolist()


def test_wrong_groups_are_refused(rng):
    X, y = rng.normal(size=(6, 1)), list("aabbab")
    with pytest.raises(DataError, match=r"one label for each of 6 rows, found shape \(3,\)"):
        KNNClassifier().fit(X, y, groups=[1, 2, 3])
    with pytest.raises(DataError, match="groups: row 4 has no label"):
        KNNClassifier().fit(X, y, groups=["s", "s", "t", "t", None, "u"])
    with pytest.raises(DataError, match="groups: row 1 has no label"):
        KNNClassifier(1).fit(X, y, groups=[1.0, np.nan, 2.0, 2.0, 3.0, 3.0])
    with pytest.raises(DataError, match="all rows are in one group"):
        KNNClassifier().fit(X, y, [1, 1, 0, 0, 0, 1], groups=[1, 1, 2, 3, 4, 1])
    with pytest.raises(ParameterError, match="'rows', 'copies' or None; got 'subject'"):
        KNNClassifier().fit(X, y, groups="subject")
