"""Subsets are judged without the group of the row that is left out, and without its copies where records repeat."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.exceptions import DataError, ParameterError
from sepal.measures import expected_accuracy
from sepal.selection import (
    ExpectedAccuracy,
    LooKnn,
    SeparabilitySelector,
    rank_features,
    search_subsets,
    selection_test,
    subset_sweep,
)
from tests.oracles import selection as oracle
from tests.oracles.thornton import expected_accuracy_of_groups, thornton_samples


def labelled(n: int, seed: int, whole: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(n, 3)).astype(float) if whole else rng.normal(size=(n, 3))
    X[0], X[1] = X.min(axis=0), X.max(axis=0)
    return X, rng.choice(list("abc"), size=n), rng.integers(0, n // 3, size=n)


def far_groups(D: np.ndarray, groups: np.ndarray) -> np.ndarray:
    return np.where(groups[:, None] == groups[None, :], np.inf, D)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("ties", ["expected", "pessimistic", "optimistic"])
def test_every_subset_against_the_oracle(whole, ties):
    X, y, groups = labelled(30, 1, whole)
    sweep = subset_sweep(X, y, scale=None, ties=ties, groups=groups, criterion=("thornton", "alignment"))
    alone = subset_sweep(X, y, scale=None, groups="rows", criterion="alignment")
    for columns in oracle.all_subsets(3):
        mask = sum(1 << c for c in columns)
        D = far_groups(oracle.squared_distances(X, columns), groups)
        assert sweep.scores[mask] == pytest.approx(float(np.mean([float(s) for s in thornton_samples(D, y, ties)])))
        assert sweep.all_scores["alignment"][mask] == alone.scores[mask]  # which leaves nobody out


def test_lists_longer_than_the_cache():
    """Many rows go through the sweep in tiles."""
    X, y, groups = labelled(3000, 2, True)
    table = np.hstack([X] * 8)
    found = search_subsets(table, y, scale=None, strategy="backward", max_evaluations=1, groups=groups)
    assert found.scores[2**24 - 1] == pytest.approx(expected_share(table, y, groups))


def expected_share(X: np.ndarray, y: np.ndarray, groups: np.ndarray) -> float:
    """Thornton's index without the group, rows one by one."""
    right = 0.0
    for i in range(len(X)):
        far = np.sum((X - X[i]) ** 2, axis=1)
        far[groups == groups[i]] = np.inf
        right += float(np.mean(y[far == far.min()] == y[i]))
    return right / len(X)


@pytest.mark.parametrize("k", [1, 3, 6])
def test_votes_against_the_oracle(k):
    X, y, groups = labelled(30, 3, True)
    sweep = subset_sweep(X, y, scale=None, criterion=LooKnn(n_neighbors=k), groups=groups)
    for columns in oracle.all_subsets(3):
        D = far_groups(oracle.squared_distances(X, columns), groups)
        assert sweep.scores[sum(1 << c for c in columns)] == pytest.approx(oracle.loo_votes(D, y, k))
    most = 30 - int(np.bincount(groups).max())
    with pytest.raises(ParameterError, match=f"from 1 to {most}, the rows outside the largest group"):
        subset_sweep(X, y, criterion=LooKnn(n_neighbors=most + 1), groups=groups)


def test_copies_of_noise_choose_nothing():
    """Copies of a row that was left out answered for it, and every subset of noise was perfect."""
    rng = np.random.default_rng(4)
    once, codes = rng.normal(size=(60, 4)), np.arange(60) % 2
    X, y = np.repeat(once, 2, axis=0), np.repeat(codes, 2)
    assert subset_sweep(X, y, groups="rows").best.score == 1.0
    single, double = subset_sweep(once, codes), subset_sweep(X, y)
    np.testing.assert_allclose(double.scores, single.scores)
    assert any("copies: 100.0% of the rows" in note for note in double.notes)
    near = [(s.mask, round(s.standard_error, 12)) for s in single.near_best()]
    assert [(s.mask, round(s.standard_error, 12)) for s in double.near_best()] == near
    chosen = SeparabilitySelector().fit(X, y, groups=np.repeat(np.arange(60), 2))
    assert chosen.subset_.columns == single.best.columns
    assert (
        search_subsets(X, y, strategy="forward").best.score
        == search_subsets(once, codes, strategy="forward").best.score
    )
    by_feature = rank_features(X, y), rank_features(once, codes)
    for name in ("thornton", "gain", "inclusion"):
        np.testing.assert_allclose(by_feature[0].columns[name], by_feature[1].columns[name])


def test_random_labels_stay_together():
    """With every row twice the test is that of single rows: p-values are those of chance, not of the copies."""
    rng = np.random.default_rng(5)
    X, y = np.repeat(rng.normal(size=(30, 3)), 2, axis=0), np.repeat(np.arange(30) % 2, 2)
    found = selection_test(X, y, n_permutations=39)
    assert found.p_value > 0.1
    assert found.null.std() > 0  # with copies as neighbours every labeling would be right
    assert found.chance == pytest.approx(14 / 29)
    assert abs(found.null.mean() - selection_test(X[::2], y[::2], n_permutations=39).null.mean()) < 0.05


@pytest.mark.parametrize("missing", [False, True])
def test_relieff_against_the_oracle(missing):
    X, y, groups = labelled(24, 6, True)
    X = X / 4.0
    if missing:
        X[5, 1] = X[9, 2] = np.nan
    found = rank_features(X, y, n_neighbors=3, groups=groups, strategy="forward").columns["relieff"]
    np.testing.assert_allclose(found, oracle.relieff(X, y, 3, groups=groups), atol=1e-12)


@pytest.mark.parametrize("whole", [True, False])
def test_accuracy_over_splits_of_whole_groups_against_the_oracle(whole):
    X, y, _ = labelled(14, 8, whole)
    groups = np.array([0, 0, 0, 1, 1, 2, 3, 3, 4, 4, 4, 4, 5, 2])
    criteria = ("expected_accuracy", "thornton")
    sweep = subset_sweep(X, y, scale=None, groups=groups, criterion=criteria)
    for columns in oracle.all_subsets(3):
        mask = sum(1 << c for c in columns)
        exact = expected_accuracy_of_groups(oracle.squared_distances(X, columns), y.tolist(), groups.tolist(), 3)
        assert sweep.scores[mask] == pytest.approx(float(exact), abs=1e-12)
    alone = subset_sweep(X, y, scale=None, groups=groups, criterion="thornton")
    np.testing.assert_array_equal(sweep.all_scores["thornton"][1:], alone.scores[1:])


def test_accuracy_over_splits_of_groups_everywhere():
    X, y, groups = labelled(40, 9, False)
    sweep = subset_sweep(X, y, criterion="expected_accuracy", groups=groups)
    assert sweep.best.score == pytest.approx(expected_accuracy(X[:, sweep.best.columns], y, 0.5, groups=groups))
    assert len(sweep.near_best()) >= 1
    forward = search_subsets(X, y, criterion=ExpectedAccuracy(0.7), strategy="forward", groups=groups)
    at = forward.best
    assert at.score == pytest.approx(expected_accuracy(X[:, at.columns], y, 0.7, groups=groups))
    chosen = SeparabilitySelector(criterion="expected_accuracy").fit(X, y, groups=groups)
    assert chosen.get_support().any()
    single = subset_sweep(X, y, criterion="expected_accuracy", groups=np.arange(40))
    criterion = ExpectedAccuracy()
    assert criterion.cost_on(sweep.problem) > criterion.cost == criterion.cost_on(single.problem)
    rows = subset_sweep(X, y, criterion="expected_accuracy", groups="rows")
    np.testing.assert_array_equal(single.scores[1:], rows.scores[1:])


def test_what_has_no_meaning_is_refused():
    X, y, groups = labelled(30, 7, False)
    with pytest.raises(DataError, match="one label for each of 30 rows"):
        subset_sweep(X, y, groups=groups[:20])
    with pytest.raises(ParameterError, match="'rows', 'copies' or None; got 'subject'"):
        SeparabilitySelector().fit(X, y, groups="subject")
    X[3, 0] = np.nan
    assert subset_sweep(X, y, groups=groups, missing="drop").problem.n_rows == 29


def test_labels_are_exchanged_between_groups_of_one_size_only():
    """Where no two groups are of one size no label could be exchanged, and p was 1."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(15, 2)), np.repeat([0, 1, 0, 1, 0], [1, 2, 3, 4, 5])
    with pytest.raises(DataError, match="no two of the 5 groups have as many rows"):
        selection_test(X, y, n_permutations=9, groups=np.repeat(np.arange(5), [1, 2, 3, 4, 5]))
    found = selection_test(X, y, n_permutations=9, groups=np.repeat(np.arange(6), [1, 2, 3, 4, 2, 3]))
    assert found.notes == ("groups: 2 of 6 are the only ones of their size, and kept their labels",)
    assert selection_test(X, y, n_permutations=9, groups=np.arange(15) // 3).notes == ()
