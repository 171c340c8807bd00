"""The distance and ranking oracles against scipy, scikit-learn and hand calculations."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import nan_euclidean_distances
from sklearn.neighbors import NearestNeighbors

from tests.oracles.neighbors import (
    SQUARED,
    TIE_TOLERANCE,
    compared_values,
    cosine,
    covariance_of,
    distances,
    kept_directions,
    manhattan,
    ranking,
    squared_euclidean,
    squared_euclidean_by_column,
    squared_heom,
    squared_nan_euclidean,
    tie_tolerance,
    tied_groups,
)
from tests.oracles_check.athletes import ATHLETES


@pytest.fixture
def queries() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(13, 4))


@pytest.fixture
def train() -> np.ndarray:
    return np.random.default_rng(2).normal(size=(29, 4)) * [1.0, 3.0, 0.2, 10.0]


WEIGHTS = np.array([0.5, 2.0, 0.0, 3.0])


@pytest.mark.parametrize(
    ("name", "params", "peer", "peer_params"),
    [
        ("euclidean", {}, "euclidean", {}),
        ("weighted_euclidean", {"weights": WEIGHTS}, "euclidean", {"w": WEIGHTS}),
        ("manhattan", {}, "cityblock", {}),
        ("chebyshev", {}, "chebyshev", {}),
        ("minkowski", {"p": 1.5}, "minkowski", {"p": 1.5}),
        ("minkowski", {"p": 3}, "minkowski", {"p": 3}),
        ("minkowski", {"p": 3, "weights": WEIGHTS}, "minkowski", {"p": 3, "w": WEIGHTS}),
        ("minkowski", {"p": math.inf}, "chebyshev", {}),
        ("cosine", {}, "cosine", {}),
    ],
)
def test_distance_agrees_with_scipy(name, params, peer, peer_params, queries, train):
    expected = cdist(queries, train, peer, **peer_params)
    np.testing.assert_allclose(distances(name, queries, train, **params), expected, rtol=1e-12)


def test_parameter_of_another_distance_is_refused(queries, train):
    with pytest.raises(AssertionError, match="takes"):
        compared_values("euclidean", queries, train, weights=WEIGHTS)


def test_columnwise_sums_are_the_loop_bit_for_bit(queries, train):
    np.testing.assert_array_equal(
        squared_euclidean_by_column(queries, train), compared_values("euclidean", queries, train)
    )


def test_slide_example_of_two_points():
    # D. Greene, slides on nearest-neighbour classifiers (UCD COMP30120, 2015).
    assert manhattan([60, 62], [70, 53]) == 19
    assert math.sqrt(squared_euclidean([60, 62], [70, 53])) == pytest.approx(13.45, abs=0.005)


# ---------------------------------------------------------------- mahalanobis


def test_covariance_divides_by_n_minus_one(train):
    np.testing.assert_allclose(covariance_of(train), np.cov(train, rowvar=False, ddof=1), rtol=1e-12)


@pytest.mark.parametrize("given", [True, False])
def test_mahalanobis_agrees_with_scipy(given, queries, train):
    covariance = np.diag([1.0, 2.0, 3.0, 4.0]) + 0.5 if given else None
    used = covariance if given else np.cov(train, rowvar=False)
    expected = cdist(queries, train, "mahalanobis", VI=np.linalg.inv(used))
    found = distances("mahalanobis", queries, train, covariance=covariance)
    np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_mahalanobis_with_dependent_columns_uses_the_pseudo_inverse(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3))
    dependent = np.column_stack([X, X @ [1.0, -2.0, 0.5], np.full(20, 7.0)])
    covariance = np.cov(dependent, rowvar=False)
    assert len(kept_directions(covariance)[0]) == 3
    inverse = np.linalg.pinv(covariance, rcond=1e-12, hermitian=True)
    expected = [[(x - z) @ inverse @ (x - z) for z in dependent] for x in dependent]
    found = compared_values("mahalanobis", dependent, dependent)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    # the dependent columns add no information: the distance is that of the three free ones
    np.testing.assert_allclose(found, compared_values("mahalanobis", X, X), rtol=1e-9, atol=1e-12)


# ---------------------------------------------------------------- cosine


def test_cosine_of_a_zero_vector_is_one_from_everything():
    assert cosine([0, 0, 0], [1, 2, 3]) == 1
    assert cosine([1, 2, 3], [0, 0, 0]) == 1
    assert cosine([0, 0, 0], [0, 0, 0]) == 1


def test_cosine_of_parallel_orthogonal_and_opposite_rows():
    assert cosine([1, 1, 1], [3, 3, 3]) == 0
    assert cosine([0.1, 0.7], [0.2, 1.4]) == 0
    assert cosine([1, 0], [0, 5]) == 1
    assert cosine([1, 2], [-2, -4]) == pytest.approx(2, rel=1e-15)
    assert cosine([1, 0], [1, math.sqrt(3)]) == pytest.approx(0.5, rel=1e-14)


@pytest.mark.parametrize("angle", [1e-9, 1e-6, 1e-3, 0.5, 1.5, 3.0])
def test_cosine_keeps_its_digits_at_small_angles(angle):
    exact = 2 * math.sin(angle / 2) ** 2
    assert cosine([2.0, 0.0], [math.cos(angle), math.sin(angle)]) == pytest.approx(exact, rel=1e-12)


# ---------------------------------------------------------------- missing cells, mixed columns


def test_nan_euclidean_agrees_with_scikit_learn():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 5))
    X[rng.random(X.shape) < 0.45] = np.nan
    X[0] = np.nan
    expected = nan_euclidean_distances(X, X)
    expected[np.isnan(expected)] = np.inf  # scikit-learn marks "nothing in common" with NaN
    np.fill_diagonal(expected, 0.0)
    found = distances("nan_euclidean", X, X)
    assert np.isinf(found[0]).all()
    np.fill_diagonal(found, 0.0)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_nan_euclidean_by_hand():
    nan = math.nan
    assert squared_nan_euclidean([3, nan, nan, 6], [1, nan, 4, 5]) == 4 / 2 * (4 + 1)
    assert squared_nan_euclidean([nan, 1], [1, nan]) == math.inf


def test_heom_by_hand():
    nan = math.nan
    mask = [False, True, True, False, True]
    x = [0.25, 2, 1, nan, nan]
    z = [0.75, 2, 0, 0.5, nan]
    assert squared_heom(x, z, mask) == 0.25 + 0 + 1 + 1 + 1
    assert squared_heom([0.0], [1.5], [False]) == 2.25  # a value outside the training range stays above 1
    D = distances("heom", np.array([x]), np.array([x, z]), nominal_mask=mask)
    np.testing.assert_allclose(D, [[math.sqrt(2), math.sqrt(3.25)]])


# ---------------------------------------------------------------- tied groups


def test_tolerance_counts_from_the_first_member_of_a_group():
    values = [1.0, 1.0 + 0.75 * TIE_TOLERANCE, 1.0 + 1.5 * TIE_TOLERANCE, 2.0]
    assert [rows for _, rows in tied_groups(values)] == [[0, 1], [2], [3]]
    assert [rows for _, rows in tied_groups(values, tolerance=0.0)] == [[0], [1], [2], [3]]


def test_groups_carry_their_smallest_value_and_ascending_rows():
    near = 1.0 + 0.5 * TIE_TOLERANCE
    assert list(tied_groups([5.0, near, 1.0, 5.0])) == [(1.0, [1, 2]), (5.0, [0, 3])]


def test_zero_ties_only_with_zero_and_infinities_tie():
    groups = list(tied_groups([math.inf, 0.0, 1e-300, math.inf, 0.0]))
    assert [rows for _, rows in groups] == [[1, 4], [2], [0, 3]]


def test_nan_and_negative_distances_are_refused():
    with pytest.raises(AssertionError, match="NaN"):
        list(tied_groups([1.0, math.nan]))
    with pytest.raises(AssertionError, match="negative"):
        list(tied_groups([1.0, -1e-17]))


def test_integers_need_no_tolerance():
    whole = np.array([[1.0, 2.0], [-3.0, 4.0]])
    assert tie_tolerance("euclidean", whole) == 0
    assert tie_tolerance("euclidean", whole, whole / 2) == TIE_TOLERANCE
    assert tie_tolerance("euclidean", np.array([[1.0, math.nan]])) == TIE_TOLERANCE
    assert tie_tolerance("cosine", whole) == TIE_TOLERANCE


def test_scaled_integers_keep_their_ties_in_every_column_order():
    X = np.random.default_rng(4).integers(0, 11, size=(40, 4)).astype(float)
    expected = [list(tied_groups(row, 0.0)) for row in squared_euclidean_by_column(X, X)]
    broken = 0
    for order in permutations(range(4)):
        scaled = X[:, order] / 10
        D = squared_euclidean_by_column(scaled, scaled)
        for row, groups in zip(D, expected, strict=True):
            assert [rows for _, rows in tied_groups(row)] == [rows for _, rows in groups]
            broken += [rows for _, rows in tied_groups(row, 0.0)] != [rows for _, rows in groups]
    assert broken > 0  # without the tolerance rounding does break ties on these very data


# ---------------------------------------------------------------- rankings


def test_athletes_query():
    # The same slides: the query (3, 8) has athletes 4, 5 and 2 nearest; distances by hand, sqrt(2) / 4 and so on.
    D = compared_values("euclidean", np.array([[3.0, 8.0]]), ATHLETES)
    (neighbors,) = ranking(D, 3, exclude_self=False, squared=True)
    assert [neighbor.row + 1 for neighbor in neighbors] == [4, 5, 2]
    assert [round(neighbor.distance, 4) for neighbor in neighbors] == [0.3536, 0.5590, 0.7500]


def test_athletes_manhattan_tie():
    D = compared_values("manhattan", np.array([[3.0, 8.0]]), ATHLETES)
    (neighbors,) = ranking(D, 3, exclude_self=False)
    assert [tuple(neighbor) for neighbor in neighbors] == [(3, 0.5, 0), (1, 0.75, 1), (4, 0.75, 1)]


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev"])
def test_ranking_agrees_with_scikit_learn_without_ties(name, train):
    expected, expected_rows = NearestNeighbors(n_neighbors=5, metric=name, algorithm="brute").fit(train).kneighbors()
    squared = name in SQUARED
    answer = ranking(compared_values(name, train, train), 5, exclude_self=True, squared=squared)
    assert [[neighbor.row for neighbor in neighbors] for neighbors in answer] == expected_rows.tolist()
    found = [[neighbor.distance for neighbor in neighbors] for neighbors in answer]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_index_form_cuts_the_group_and_all_form_completes_it():
    D = np.array([[0.0, 1.0, 3.0, 2.0, 2.0, 2.0]])
    (cut,) = ranking(D, 3, exclude_self=False)
    assert [tuple(neighbor) for neighbor in cut] == [(0, 0.0, 0), (1, 1.0, 1), (3, 2.0, 2)]
    (complete,) = ranking(D, 3, exclude_self=False, ties="all")
    assert [neighbor.row for neighbor in complete] == [0, 1, 3, 4, 5]
    assert [neighbor.group for neighbor in complete] == [0, 1, 2, 2, 2]


def test_self_is_excluded_by_index_among_duplicates():
    X = np.array([[1.0], [1.0], [1.0], [5.0]])
    answer = ranking(compared_values("euclidean", X, X), 2, exclude_self=True, squared=True)
    assert [[neighbor.row for neighbor in neighbors] for neighbors in answer] == [
        [1, 2],
        [0, 2],
        [0, 1],
        [0, 1],
    ]
    assert [neighbor.distance for neighbor in answer[3]] == [4.0, 4.0]


def test_more_neighbors_than_rows_are_refused():
    with pytest.raises(AssertionError, match="only 1 rows"):
        ranking(np.zeros((2, 2)), 2, exclude_self=True)
