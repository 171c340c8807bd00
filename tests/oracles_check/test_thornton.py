"""The oracles of Thornton's index against scikit-learn, enumeration, simulation and hand calculations."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from tests.oracles.neighbors import compared_values, distances
from tests.oracles.thornton import (
    accuracies_of_all_splits,
    accuracies_of_all_stratified_splits,
    bootstrap_accuracy,
    chance_corrected,
    chance_level,
    distinct_labelings,
    expected_accuracy,
    expected_stratified_accuracy,
    expected_vote_accuracy,
    hypothesis_margins,
    macro_average,
    mean,
    neighbor_groups,
    per_class_scores,
    permutation_moments,
    permutation_moments_by_enumeration,
    permuted_scores,
    sampled_bootstrap_accuracy,
    sampled_split_accuracies,
    standard_deviation,
    thornton_samples,
    thornton_score,
    vote_is_right,
)
from tests.oracles_check.athletes import ATHLETES, LABELS


def small(n: int, n_classes: int, tied: bool, seed: int = 0) -> tuple[np.ndarray, list[int]]:
    """Squared distances and labels of n points, on a coarse grid if ``tied``; every class has two or more."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, 2)).astype(float) if tied else rng.normal(size=(n, 2))
    y = [int(c) for c in rng.permutation(np.arange(n) % n_classes)]
    D = compared_values("euclidean", X, X)
    assert any(len(group) > 1 for groups in neighbor_groups(D) for group in groups) == tied
    return D, y


@pytest.fixture
def blobs() -> tuple[np.ndarray, np.ndarray]:
    """Two overlapping classes of unequal size, no ties."""
    rng = np.random.default_rng(11)
    y = np.array([0] * 35 + [1] * 25)
    return rng.normal(size=(60, 3)) + 0.8 * y[:, None], y


# ---------------------------------------------------------------- the index


def test_iris_raw():
    X, y = load_iris(return_X_y=True)
    assert thornton_score(compared_values("euclidean", X, X), y) == Fraction(96, 100)


def test_athletes():
    assert thornton_score(compared_values("euclidean", ATHLETES, ATHLETES), LABELS) == 1


def test_index_is_leave_one_out_accuracy(blobs):
    X, y = blobs
    expected = cross_val_score(KNeighborsClassifier(1), X, y, cv=LeaveOneOut())
    for policy in ("expected", "index", "pessimistic", "optimistic"):
        samples = thornton_samples(compared_values("euclidean", X, X), y, policy)
        assert [float(s) for s in samples] == expected.tolist()


def test_policies_by_hand():
    # 0 and 2 stand at equal distance on either side of 1; 4 is nearest to 2.
    X = np.array([[0.0], [1.0], [2.0], [4.0]])
    D, y = compared_values("euclidean", X, X), ["a", "b", "b", "a"]
    assert thornton_samples(D, y, "expected") == [0, Fraction(1, 2), 1, 0]
    assert thornton_samples(D, y, "index") == [0, 0, 1, 0]
    assert thornton_samples(D, y, "pessimistic") == [0, 0, 1, 0]
    assert thornton_samples(D, y, "optimistic") == [0, 1, 1, 0]
    flipped = D[::-1, ::-1]  # the lowest row among the tied is now the other one
    assert thornton_samples(flipped, y[::-1], "index") == [0, 1, 1, 0]
    assert thornton_score(D, y) == thornton_score(flipped, y[::-1]) == Fraction(3, 8)


def test_parity_lattice_has_index_zero_and_blobs_at_its_corners_one():
    corners = np.array(list(product([0.0, 1.0], repeat=3)))
    parity = [int(sum(corner)) % 2 for corner in corners]
    assert thornton_score(compared_values("euclidean", corners, corners), parity) == 0
    doubled = np.concatenate([corners, corners + 0.01])
    assert thornton_score(compared_values("euclidean", doubled, doubled), parity * 2) == 1


def test_classes_by_hand_with_a_class_of_one_member():
    X = np.array([[0.0], [1.0], [2.1], [9.0], [9.5], [11.0]])
    y = ["a", "a", "a", "b", "b", "c"]
    samples = thornton_samples(compared_values("euclidean", X, X), y)
    assert samples == [1, 1, 1, 1, 1, 0]
    assert per_class_scores(samples, y) == {"a": 1, "b": 1, "c": 0}
    assert macro_average(samples, y) == Fraction(2, 3)
    assert chance_level(y) == Fraction(3 * 2 + 2 * 1 + 0, 6 * 5)
    assert chance_corrected(mean(samples), y) == (Fraction(5, 6) - Fraction(4, 15)) / (1 - Fraction(4, 15))


@pytest.mark.parametrize("policy", ["expected", "index"])
def test_chance_level_is_the_mean_over_all_permutations(policy):
    D, _ = small(6, 2, tied=True)
    y = ["a", "a", "a", "b", "b", "c"]
    scores = [thornton_score(D, labels, policy) for labels in permutations(y)]
    assert mean(scores) == chance_level(y)
    assert chance_corrected(chance_level(y), y) == 0


# ---------------------------------------------------------------- all splits


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("m", range(1, 9))
def test_expected_accuracy_is_the_mean_over_all_splits(tied, n_classes, m):
    D, y = small(9, n_classes, tied)
    assert expected_accuracy(D, y, m) == mean(accuracies_of_all_splits(D, y, m))


@pytest.mark.parametrize("tied", [False, True])
def test_one_row_held_out_gives_the_index(tied):
    D, y = small(9, 3, tied)
    assert expected_accuracy(D, y, 8) == thornton_score(D, y)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize(("k", "m"), [(1, 4), (3, 3), (3, 5), (3, 8), (5, 5), (5, 7)])
def test_expected_vote_accuracy_is_the_mean_over_all_splits(tied, k, m):
    D, y = small(9, 2, tied)
    assert expected_vote_accuracy(D, y, m, k) == mean(accuracies_of_all_splits(D, y, m, k))


def test_votes_with_one_row_held_out_are_leave_one_out(blobs):
    X, y = blobs
    D = compared_values("euclidean", X, X)
    for k in (1, 3, 7):
        accuracy = cross_val_score(KNeighborsClassifier(k), X, y, cv=LeaveOneOut()).mean()
        assert float(expected_vote_accuracy(D, y, len(y) - 1, k)) == pytest.approx(accuracy, rel=1e-12)


def test_vote_over_a_tied_group_by_hand():
    # Row 0 asks: row 1 is nearest, rows 2, 3, 4 tie for the two places left.
    groups, y = [[1], [2, 3, 4], [5]], ["a", "b", "a", "a", "b", "a"]
    assert vote_is_right(groups, {1, 2, 3, 4, 5}, y, 0, 3) == Fraction(1, 3)  # only the pick {2, 3} wins
    assert vote_is_right(groups, {2, 3, 4, 5}, y, 0, 3) == 1
    assert vote_is_right(groups, {4, 5}, y, 0, 1) == 0


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize(
    "counts",
    [{0: 1, 1: 1, 2: 1}, {0: 2, 1: 1, 2: 1}, {0: 1, 1: 2, 2: 3}, {0: 0, 1: 3, 2: 2}, {0: 3, 1: 2, 2: 2}],
)
def test_expected_stratified_accuracy_is_the_mean_over_all_stratified_splits(tied, counts):
    D, y = small(9, 3, tied)
    enumerated = accuracies_of_all_stratified_splits(D, y, counts)
    assert len(enumerated) == math.prod(math.comb(size, counts[c]) for c, size in Counter(y).items())
    assert expected_stratified_accuracy(D, y, counts) == mean(enumerated)


def test_unequal_rates_matter_inside_a_tied_group():
    # All six points coincide; one "a" and two "b" are trained. Each of the two held-out "a" meets its class
    # with chance 1/3, the held-out "b" with 2/3. The share of its class among the other five, 2/5, is wrong.
    D, y = np.zeros((6, 6)), ["a", "a", "a", "b", "b", "b"]
    assert expected_stratified_accuracy(D, y, {"a": 1, "b": 2}) == mean(
        [Fraction(1, 3), Fraction(1, 3), Fraction(2, 3)]
    )


def test_medium_data_agree_with_random_splits(blobs):
    X, y = blobs
    D, rng = compared_values("euclidean", X, X), np.random.default_rng(12)
    for k, exact in ((1, expected_accuracy(D, y, 30)), (3, expected_vote_accuracy(D, y, 30, 3))):
        sampled = sampled_split_accuracies(D, y, 30, 300, rng, k)
        error = standard_deviation(sampled) / math.sqrt(300)
        assert abs(float(mean(sampled) - exact)) < 4 * error
    assert expected_vote_accuracy(D, y, 30, 1) == expected_accuracy(D, y, 30)


def test_spread_of_one_split_by_hand():
    # Held-out row of (0, 1, 3) with classes a, a, b: right, right, wrong.
    X = np.array([[0.0], [1.0], [3.0]])
    accuracies = accuracies_of_all_splits(compared_values("euclidean", X, X), ["a", "a", "b"], 2)
    assert sorted(accuracies) == [0, 1, 1]
    assert standard_deviation(accuracies) == pytest.approx(math.sqrt(2) / 3, rel=1e-15)


def test_spread_of_one_split_agrees_with_random_splits():
    D, y = small(9, 2, tied=True)
    exact = standard_deviation(accuracies_of_all_splits(D, y, 4))
    sampled = standard_deviation(sampled_split_accuracies(D, y, 4, 2000, np.random.default_rng(13)))
    assert sampled == pytest.approx(exact, rel=0.08)


# ---------------------------------------------------------------- bootstrap


@pytest.mark.parametrize("tied", [False, True])
def test_bootstrap_accuracy_is_that_of_all_bags(tied):
    D, y = small(5, 2, tied, seed=1)
    groups = neighbor_groups(D)
    answers = [
        vote_is_right(groups[i], set(bag), y, i)
        for bag in product(range(5), repeat=5)
        for i in range(5)
        if i not in bag
    ]
    assert bootstrap_accuracy(D, y) == mean(answers)


def test_bootstrap_accuracy_agrees_with_random_bags():
    D, y = small(12, 3, tied=True)
    exact = float(bootstrap_accuracy(D, y))
    # about 4.4 rows out of bag in each replicate; 1500 replicates leave a standard error below 0.01
    sampled = sampled_bootstrap_accuracy(D, y, 1500, np.random.default_rng(14))
    assert sampled == pytest.approx(exact, abs=0.03)


# ---------------------------------------------------------------- permuted labels


def test_distinct_labelings_are_all_and_each_once():
    y = [0, 0, 0, 1, 1, 2, 2, 2]
    labelings = list(distinct_labelings(y))
    assert len(labelings) == len(set(labelings)) == math.factorial(8) // (6 * 2 * 6)
    assert set(labelings) == set(permutations(y))


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("policy", ["expected", "index"])
@pytest.mark.parametrize("y", [[0] * 4 + [1] * 4, [0] * 3 + [1] * 3 + [2] * 2, [0] * 7 + [1]])
def test_permutation_moments_are_those_of_all_labelings(tied, policy, y):
    D, _ = small(8, 2, tied)
    assert permutation_moments(D, y, policy) == permutation_moments_by_enumeration(D, y, policy)


def test_mean_of_the_permutation_distribution_is_the_chance_level(blobs):
    X, y = blobs
    center, _ = permutation_moments(compared_values("euclidean", X, X), y)
    assert center == len(y) * chance_level(y)


def test_sampled_permutations_agree_with_the_moments(blobs):
    X, y = blobs
    D, n = compared_values("euclidean", X, X), len(y)
    center, variance = permutation_moments(D, y)
    scores = permuted_scores(D, y, 500, np.random.default_rng(15))
    spread = math.sqrt(variance) / n
    assert np.mean(scores) == pytest.approx(float(center) / n, abs=4 * spread / math.sqrt(500))
    assert np.std(scores) == pytest.approx(spread, rel=4 / math.sqrt(2 * 500))


# ---------------------------------------------------------------- margins


def test_margins_by_hand():
    X = np.array([[0.0], [1.0], [4.0], [4.0], [4.0]])
    D, y = distances("euclidean", X, X), ["a", "a", "b", "b", "a"]
    assert hypothesis_margins(D, y) == [0.5 * (4 - 1), 0.5 * (3 - 1), 0.0, 0.0, 0.5 * (0 - 3)]
    assert hypothesis_margins(D, y, normalized=True) == [1.5 / 5, 1.0 / 4, 0.0, 0.0, -0.5]


def test_margin_of_the_only_member_of_a_class_is_nan():
    X = np.array([[0.0], [1.0], [4.0]])
    for normalized in (False, True):
        margins = hypothesis_margins(distances("euclidean", X, X), ["a", "a", "b"], normalized)
        assert [math.isnan(margin) for margin in margins] == [False, False, True]


def test_sign_of_the_margin_is_the_index(blobs):
    X, y = blobs
    D = distances("euclidean", X, X)
    margins = hypothesis_margins(D, y)
    assert [margin > 0 for margin in margins] == [sample == 1 for sample in thornton_samples(D, y)]
    scaled = hypothesis_margins(D * 1000, y, normalized=True)
    np.testing.assert_allclose(scaled, hypothesis_margins(D, y, normalized=True), rtol=1e-12)
    assert max(abs(margin) for margin in scaled) <= 0.5
