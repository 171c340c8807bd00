"""Answers for training rows without themselves, several targets, distances that are functions, and true tags."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import get_tags

from sepal.estimators import AnyTable, load_model, save_model
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier, KNNRegressor
from sepal.neighbors import kneighbors_graph, neighbor_ranking, radius_ranking
from sepal.selection import SeparabilitySelector
from tests.oracles import knn as oracle
from tests.oracles.neighbors import compared_values


def blobs(rng, n=40):
    y = rng.integers(0, 3, n)
    return rng.integers(0, 4, size=(n, 2)) + 1.5 * np.eye(3)[y][:, :2], y


# ---------------------------------------------------------------- leave-one-out


@pytest.mark.parametrize("weights", ["uniform", "distance", "rank"])
@pytest.mark.parametrize("mass", [False, True])
def test_each_training_row_is_answered_without_itself(weights, mass, rng):
    X, y = blobs(rng)
    times = rng.integers(1, 4, len(y)) if mass else None
    D = compared_values("euclidean", X, X)
    model = KNNClassifier(5, weights=weights, scale=None).fit(X, y, sample_weight=times)
    number = KNNRegressor(5, weights=weights, scale=None).fit(X, y, sample_weight=times)
    shares, means = model.predict_proba(None), number.predict(None)
    for row in range(len(y)):
        each = oracle.row_weights(D[row], 5, weights, mass=times, exclude=row)
        votes = oracle.class_votes(each, y, 3)
        np.testing.assert_allclose(shares[row], votes / votes.sum(), atol=1e-11)
        np.testing.assert_allclose(means[row], each @ y / each.sum(), atol=1e-11)
    assert model.score(None, y) == np.mean(model.predict(None) == y)


@pytest.mark.parametrize("aggregate", ["mean", "median", "linear"])
def test_numbers_without_themselves_are_those_of_models_that_never_saw_the_row(aggregate, rng):
    X = rng.normal(size=(25, 2))
    y = X @ [1.0, -2.0] + rng.normal(size=25)
    found, spread = KNNRegressor(6, aggregate=aggregate, scale=None).fit(X, y).predict(None, return_std=True)
    for row in range(25):
        others = np.arange(25) != row
        model = KNNRegressor(6, aggregate=aggregate, scale=None).fit(X[others], y[others])
        np.testing.assert_allclose(
            [found[row], spread[row]], np.ravel(model.predict(X[[row]], return_std=True)), rtol=1e-9
        )


def test_balanced_votes_forget_the_row_in_the_size_of_its_class_too():
    # Five rows: without row 0 class a has one of four rows, so its vote counts 4/1 against 4/3.
    X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], list("aabbb")
    shares = KNNClassifier(3, scale=None, class_weight="balanced").fit(X, y).predict_proba(None)
    np.testing.assert_allclose(shares[0], [3 / 5, 2 / 5], rtol=1e-12)  # a: 1 x 3, b: 2 x 1


def test_one_row_cannot_be_left_out():
    with pytest.raises(DataError, match="but one"):
        KNNRegressor(1).fit([[0.0]], [1.0]).predict(None)


# ---------------------------------------------------------------- several targets


def test_several_classes_are_as_many_models(rng, tmp_path):
    X, y = blobs(rng)
    Y = np.column_stack([y, rng.integers(0, 2, len(y)), y[::-1]]).astype(str)
    model = KNNClassifier(3, scale=None).fit(X, Y)
    alone = [KNNClassifier(3, scale=None).fit(X, column) for column in Y.T]
    assert model.predict(X).shape == (40, 3)
    assert [classes.tolist() for classes in model.classes_] == [["0", "1", "2"], ["0", "1"], ["0", "1", "2"]]
    for j, each in enumerate(alone):
        np.testing.assert_array_equal(model.predict(X)[:, j], each.predict(X))
        np.testing.assert_array_equal(model.predict_proba(None)[j], each.predict_proba(None))
    np.testing.assert_array_equal(model.kneighbors(X)[1], alone[0].kneighbors(X)[1])
    with pytest.raises(ParameterError, match="3") as caught:
        model.explain(X)
    assert "outputs_" in (caught.value.hint or "")
    again = load_model(save_model(model, tmp_path / "several.sepal"))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert model.fit(X, y).predict(X).shape == (40,)


def test_several_numbers_have_the_shape_they_came_in(rng):
    X, _ = blobs(rng)
    Y = rng.normal(size=(40, 2))
    model = KNNRegressor(4, scale=None).fit(X, Y)
    mean, spread = model.predict(X[:7], return_std=True)
    assert (mean.shape, spread.shape) == ((7, 2), (7, 2))
    for j in range(2):
        np.testing.assert_array_equal(mean[:, j], KNNRegressor(4, scale=None).fit(X, Y[:, j]).predict(X[:7]))
    assert KNNRegressor(4).fit(X, Y[:, :1]).predict(X[:7]).shape == (7, 1)


# ---------------------------------------------------------------- functions and booleans


def lopsided(x, z, much=1.0):
    """Neither symmetric nor 0 between equal rows."""
    return much * float(np.abs(x).sum() + 2.0 * np.abs(x - z).sum())


def test_a_function_of_two_rows_ranks_as_its_values_say(rng):
    X, queries = rng.integers(0, 4, size=(15, 2)).astype(float), rng.integers(0, 4, size=(4, 2)).astype(float)
    D = np.array([[lopsided(x, z, 3.0) for z in X] for x in X])
    options = {"distance": lopsided, "distance_params": {"much": 3.0}}
    by_matrix = neighbor_ranking(D, 5, distance="precomputed", ties="expected")
    found = neighbor_ranking(X, 5, ties="expected", **options)
    assert (found.distance, found.flat_rows.tolist()) == ("lopsided", by_matrix.flat_rows.tolist())
    np.testing.assert_array_equal(found.flat_distances, by_matrix.flat_distances)
    Q = np.array([[lopsided(x, z, 3.0) for z in X] for x in queries])
    near = radius_ranking(X, 20.0, queries=queries, **options)
    for query in range(4):
        assert sorted(near.rows[query].tolist()) == np.flatnonzero(Q[query] <= 20.0).tolist()
    assert kneighbors_graph(X, 2, **options).sum() == 30


def test_learners_take_functions_after_scaling(rng):
    X, y = blobs(rng)
    X = X * [1.0, 1000.0]

    def straight(x, z):
        return float(np.sqrt(((x - z) ** 2).sum()))

    by_name = KNNClassifier(4, distance="euclidean", prototypes=np.arange(0, 40, 2)).fit(X, y)
    by_hand = KNNClassifier(4, distance=straight, prototypes=np.arange(0, 40, 2)).fit(X, y)
    np.testing.assert_array_equal(by_hand.predict(X), by_name.predict(X))
    np.testing.assert_array_equal(by_hand.explain(X[:3]).rows, by_name.explain(X[:3]).rows)
    np.testing.assert_allclose(by_hand.predict_proba(None), by_name.predict_proba(None), rtol=1e-12)
    with pytest.raises(ParameterError, match="feature_weights"):
        KNNClassifier(distance=straight, feature_weights=[1.0, 2.0]).fit(X, y)
    with pytest.raises(ParameterError, match="similarity"):
        KNNClassifier(3, distance=straight, weights="similarity").fit(X, y).predict(X)
    with pytest.raises(DataError, match="at least 0"):
        KNNClassifier(3, distance=lambda x, z: -1.0).fit(X, y).predict(X)
    with pytest.raises(DataError, match="nominal"):
        KNNClassifier(1, distance=straight).fit([["a"], ["b"]], [0, 1])


def test_booleans_are_zeros_and_ones_to_distances_of_numbers(rng):
    X = rng.random((20, 5)) > 0.5
    X[:, 4] = True  # a column that does not vary
    queries = rng.random((6, 5)) > 0.5
    for distance in ("euclidean", "manhattan", "cosine", "canberra"):
        found = neighbor_ranking(X, 4, queries=queries, distance=distance)
        numbers = neighbor_ranking(X.astype(float), 4, queries=queries.astype(float), distance=distance)
        np.testing.assert_array_equal(found.rows, numbers.rows)
        np.testing.assert_array_equal(found.distances, numbers.distances)


# ---------------------------------------------------------------- tags


def test_tags_promise_only_what_is_kept():
    """Tags of local lines, of the Mahalanobis criterion and of `AnyTable` promised what was then refused."""
    line = get_tags(KNNRegressor(aggregate="linear")).input_tags
    assert [line.allow_nan, line.sparse, line.string, line.categorical] == [False] * 4
    mean = get_tags(KNNRegressor()).input_tags
    assert mean.allow_nan
    assert mean.sparse
    assert not get_tags(SeparabilitySelector(criterion="mahalanobis")).input_tags.allow_nan
    assert get_tags(SeparabilitySelector()).input_tags.allow_nan
    assert get_tags(KNNClassifier()).target_tags.multi_output
    for machine in (RandomForestClassifier(), KNNClassifier()):
        tags = get_tags(AnyTable(machine))
        assert not tags.target_tags.multi_output
        assert not tags.classifier_tags.multi_label


def test_several_targets_are_scored_as_they_are_by_scikit_learn():
    """The share of rows of which every target is right."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    Y = np.c_[X[:, 0] > 0, X[:, 1] > 0.5].astype(int)
    model, theirs = KNNClassifier(3, scale=None).fit(X, Y), KNeighborsClassifier(3).fit(X, Y)
    assert model.score(X, Y) == theirs.score(X, Y)
    assert model.score(X[:5], Y[:5], np.arange(1.0, 6.0)) == theirs.score(X[:5], Y[:5], np.arange(1.0, 6.0))
