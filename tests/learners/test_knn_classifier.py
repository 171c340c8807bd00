from __future__ import annotations

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

import sepal.datasets
from sepal.data import as_table
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier
from tests.oracles import knn as oracle
from tests.oracles.neighbors import distances as oracle_distances
from tests.oracles.neighbors import pairwise, squared_euclidean, squared_heom

WEIGHTS = ["uniform", "distance", "rank", "dudani", "gaussian", "exponential", "tricube"]


def tied_rows(seed, n=24, n_classes=3):
    """Whole numbers in few places: copies, ties at every rank, equal votes."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, size=(n, 2)).astype(float), rng.integers(0, n_classes, size=n)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("seed", range(4))
def test_probabilities_equal_the_oracle_under_ties_and_weights(weights, seed):
    X, y = tied_rows(seed)
    mass = np.random.default_rng(seed + 100).integers(1, 4, size=len(y))
    queries = np.array([[0.5, 1.5], [1.0, 1.0], [9.0, 9.0], [2.0, 2.5]])
    for k in (1, 2, 5, 11):
        model = KNNClassifier(k, weights=weights, scale=None).fit(X, y, sample_weight=mass)
        found = model.predict_proba(queries)
        predicted = model.predict(queries)
        for q, row in enumerate(queries):
            values = [squared_euclidean(row, x) for x in X]
            shares = oracle.row_weights(values, k, weights, mass=mass.tolist())
            votes = oracle.class_votes(shares, y.tolist(), 3)
            np.testing.assert_allclose(found[q], votes / votes.sum(), atol=1e-12)
            assert predicted[q] in oracle.winner(values, shares, y.tolist(), mass.tolist(), k, votes)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("seed", range(3))
def test_leave_one_out_for_every_k_equals_the_oracle(weights, seed):
    X, y = tied_rows(seed, n=20, n_classes=2)
    D = pairwise(squared_euclidean, X, X)
    model = KNNClassifier(weights=weights, scale=None).fit(X, y)
    assert model.loo_curve_.k.tolist() == list(range(1, 20))
    decided = 0
    for k, score in zip(model.loo_curve_.k, model.loo_curve_.score, strict=True):
        expected = oracle.loo_accuracy(D, y.tolist(), int(k), weights)
        if not math.isnan(expected):
            decided += 1
            assert score == pytest.approx(expected, abs=1e-12), k
    assert decided > 5


def test_leave_one_out_with_a_fixed_width():
    X, y = tied_rows(5, n=20, n_classes=2)
    D = pairwise(squared_euclidean, X, X)
    for name in ("gaussian", "exponential", "tricube"):
        model = KNNClassifier(weights=name, width=0.7, scale=None).fit(X, y)
        for k in (1, 4, 9):
            expected = oracle.loo_accuracy(D, y.tolist(), k, name, width=0.7)
            if not math.isnan(expected):
                assert model.loo_curve_.score[k - 1] == pytest.approx(expected, abs=1e-12)


def test_leave_one_out_with_weights_leaves_one_unit_out():
    X, y = tied_rows(7, n=14, n_classes=2)
    mass = np.random.default_rng(1).integers(1, 4, size=14)
    D = pairwise(squared_euclidean, X, X)
    weighted = KNNClassifier(scale=None, k_max=12).fit(X, y, sample_weight=mass)
    repeated = KNNClassifier(scale=None, k_max=12).fit(np.repeat(X, mass, axis=0), np.repeat(y, mass))
    np.testing.assert_allclose(weighted.loo_curve_.score, repeated.loo_curve_.score, atol=1e-12)
    np.testing.assert_allclose(weighted.loo_curve_.standard_error, repeated.loo_curve_.standard_error, atol=1e-12)
    for k in (1, 3, 8):
        expected = oracle.loo_accuracy(D, y.tolist(), k, mass=mass.tolist())
        if not math.isnan(expected):
            assert weighted.loo_curve_.score[k - 1] == pytest.approx(expected)


def test_leave_one_out_equals_scikit_learn_where_nothing_is_tied():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, "u", "v")
    curve = KNNClassifier(scale=None, k_max=15).fit(X, y).loo_curve_
    for k in (1, 3, 7, 15):
        expected = cross_val_predict(KNeighborsClassifier(k), X, y, cv=LeaveOneOut())
        assert curve.score[k - 1] == pytest.approx(np.mean(expected == y))


def test_athletes():
    # D. Greene, slides on nearest-neighbour classifiers (UCD COMP30120, 2015): athletes 4, 5 and 2 are nearest, "no".
    # Leave-one-out: votes counted in plain numpy; 12 of 20 are "no".
    athletes = sepal.datasets.load("athletes")
    model = KNNClassifier(3, scale=None).fit(athletes)
    distances, rows = model.kneighbors(as_table([[3.0, 8.0]], names=athletes.names))
    assert rows.tolist() == [[3, 4, 1]]
    np.testing.assert_allclose(distances, [[0.3536, 0.5590, 0.7500]], atol=5e-5)
    assert model.predict(as_table([[3.0, 8.0]], names=athletes.names)).tolist() == ["no"]
    curve = KNNClassifier(scale=None).fit(athletes).loo_curve_
    np.testing.assert_allclose(curve.score[[0, 2, 4, 18]], [1.0, 0.8, 0.8, 0.6])
    assert curve.baseline == pytest.approx(0.6)
    assert curve.best_k == 1


def test_athletes_tie_under_manhattan():
    """By hand, of the slides' athletes: 2 and 5 are both at 0.75, and with k = 2 they share the second place."""
    athletes = sepal.datasets.load("athletes")
    model = KNNClassifier(2, scale=None, distance="manhattan").fit(athletes.values, np.arange(20) == 1)
    np.testing.assert_allclose(model.predict_proba([[3.0, 8.0]]), [[0.75, 0.25]])
    assert model.kneighbors([[3.0, 8.0]], 3)[1].tolist() == [[3, 1, 4]]


def error_on_ripley_test(**parameters):
    train, test = sepal.datasets.load("ripley-train"), sepal.datasets.load("ripley-test")
    model = KNNClassifier(**parameters).fit(train)
    return model, np.mean(model.predict(test) != test.y)


def test_ripley_raw_minimum_and_training_statistics():
    # All k from scipy's distances, votes counted in plain numpy, equal ones to label 0. The lecture notes on k-NN and
    # SVM (founding document C) print 8.8 % at k = 33, for a test set that is standardised by itself: see below.
    assert error_on_ripley_test(n_neighbors=57, scale=None)[1] == pytest.approx(0.080)
    assert error_on_ripley_test(n_neighbors=33, scale="standard")[1] == pytest.approx(0.096)
    train, test = sepal.datasets.load("ripley-train"), sepal.datasets.load("ripley-test")
    errors = [
        np.mean(KNNClassifier(k, scale=None, vote_ties="smallest").fit(train).predict(test) != test.y)
        for k in range(1, 101)
    ]
    assert min(errors) == pytest.approx(0.080)
    assert [k + 1 for k, error in enumerate(errors) if error == min(errors)] == [57, 84]


def test_ripley_k_by_leave_one_out():
    """Equal votes to label 0, as in the figures this repeats: scipy's distances, votes counted in plain numpy."""
    train, test = sepal.datasets.load("ripley-train"), sepal.datasets.load("ripley-test")
    for scale, k, error in ((None, 46, 0.085), ("standard", 17, 0.092)):
        curve = KNNClassifier(scale=scale, vote_ties="smallest").fit(train).loo_curve_
        assert curve.best_k == k
        model = KNNClassifier(k, scale=scale, vote_ties="smallest").fit(train)
        assert np.mean(model.predict(test) != test.y) == pytest.approx(error)


def test_auto_k_is_the_largest_within_one_error_of_the_difference():
    train = sepal.datasets.load("ripley-train")
    model = KNNClassifier(scale=None).fit(train)
    curve = model.loo_curve_
    worse = curve.score.max() - curve.score
    assert worse[model.n_neighbors_ - 1] <= curve.difference_error[model.n_neighbors_ - 1]
    assert np.all(worse[model.n_neighbors_ :] > curve.difference_error[model.n_neighbors_ :])


def test_ripley_when_each_half_is_standardised_by_itself():
    # The lecture notes on k-NN and SVM (founding document C): 8.8 % at k = 33.
    train, test = sepal.datasets.load("ripley-train"), sepal.datasets.load("ripley-test")

    def own(values):
        return (values - values.mean(axis=0)) / values.std(axis=0)

    model = KNNClassifier(33, scale=None).fit(own(train.values), train.y)
    assert np.mean(model.predict(own(test.values)) != test.y) == pytest.approx(0.088)


def test_sample_weights_are_repetitions():
    X, y = tied_rows(11, n=30)
    rng = np.random.default_rng(2)
    mass = rng.integers(0, 4, size=30)
    queries = rng.integers(0, 8, size=(40, 2)) / 2
    for weights in WEIGHTS:
        weighted = KNNClassifier(5, weights=weights).fit(X, y, sample_weight=mass)
        repeated = KNNClassifier(5, weights=weights).fit(np.repeat(X, mass, axis=0), np.repeat(y, mass))
        np.testing.assert_allclose(weighted.predict_proba(queries), repeated.predict_proba(queries), atol=1e-12)
        assert weighted.predict(queries).tolist() == repeated.predict(queries).tolist()


def test_light_weights_reach_further():
    """Rows of weight 1/4: four of them make one neighbour."""
    X, y = np.arange(12.0)[:, None], np.repeat(["a", "b", "c"], 4)
    model = KNNClassifier(2, scale=None).fit(X, y, sample_weight=np.full(12, 0.25))
    np.testing.assert_allclose(model.predict_proba([[-1.0]]), [[0.5, 0.5, 0.0]])


@pytest.mark.parametrize("weights", ["uniform", "distance", "gaussian"])
@pytest.mark.parametrize("seed", range(6))
def test_order_of_rows_columns_and_names_does_not_matter(weights, seed):
    """In scikit-learn ties go by label codes (#21006), order of columns (#15592) and platform (#30663)."""
    X, y = tied_rows(seed, n=22, n_classes=3)
    X[:, 1] *= 1.5
    rng = np.random.default_rng(seed)
    queries = rng.integers(-1, 9, size=(60, 2)) / 2
    names = np.array(["c", "a", "b"])  # another alphabetical order
    model = KNNClassifier(weights=weights).fit(X, y)
    rows = rng.permutation(22)
    other = KNNClassifier(weights=weights).fit(X[rows][:, ::-1], names[y[rows]])
    assert other.n_neighbors_ == model.n_neighbors_
    np.testing.assert_allclose(other.loo_curve_.score, model.loo_curve_.score, atol=1e-12)
    for k in (1, 2, 4, 6):
        a = KNNClassifier(k, weights=weights).fit(X, y).predict(queries)
        b = KNNClassifier(k, weights=weights).fit(X[rows][:, ::-1], names[y[rows]]).predict(queries[:, ::-1])
        assert names[a].tolist() == b.tolist()


def test_vote_ties():
    X, y = np.array([[0.0], [2.0], [3.0], [8.0]]), ["b", "a", "a", "b"]
    query = [[0.9]]  # 0.9 b, 1.1 a, 2.1 a, 7.1 b
    assert KNNClassifier(2, scale=None).fit(X, y).predict(query).tolist() == ["b"]
    assert KNNClassifier(2, scale=None, vote_ties="smallest").fit(X, y).predict(query).tolist() == ["a"]
    three = KNNClassifier(2, scale=None, vote_ties="prior").fit(np.vstack([X, [[50.0]]]), [*y, "a"])
    assert three.predict(query).tolist() == ["a"]


def test_equal_votes_and_equal_distance_go_to_the_larger_class():
    X = np.array([[-1.0], [1.0], [7.0]])
    assert KNNClassifier(2, scale=None).fit(X, ["b", "a", "b"]).predict([[0.0]]).tolist() == ["b"]
    assert KNNClassifier(2, scale=None).fit(X, ["a", "b", "a"]).predict([[0.0]]).tolist() == ["a"]


def test_mixed_table_with_strings_missing_and_unseen():
    """Strings crash distython (#5), and river's k-NN raises on a nominal value (#1565)."""
    frame = pd.DataFrame(
        {
            "size": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0],
            "color": ["red", "red", "blue", "blue", None, "blue"],
        }
    )
    y = np.array(["u", "u", "v", "v", "v", "v"])
    model = KNNClassifier(3).fit(frame, y)
    queries = pd.DataFrame({"size": [1.5, np.nan], "color": ["green", None]})
    scaled = [[0.0, 1], [0.2, 1], [math.nan, 0], [0.6, 0], [0.8, math.nan], [1.0, 0]]
    asked = [[0.1, 7], [math.nan, math.nan]]
    for row, found in zip(asked, model.predict_proba(queries), strict=True):
        values = [squared_heom(row, x, [False, True]) for x in scaled]
        votes = oracle.class_votes(oracle.row_weights(values, 3), [0, 0, 1, 1, 1, 1], 2)
        np.testing.assert_allclose(found, votes / 3, atol=1e-12)
    same = KNNClassifier(3).fit(pl.from_pandas(frame), y).predict_proba(pl.from_pandas(queries))
    np.testing.assert_array_equal(same, model.predict_proba(queries))


def test_only_nominal_columns():
    """AutoGluon's k-NN leaves nominal columns out and fails where there are no others (#349)."""
    X = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["b", "y"]]
    model = KNNClassifier(1).fit(X, [0, 0, 1, 1, 1])
    assert model.predict([["a", "x"], ["b", "z"]]).tolist() == [0, 1]


def test_difference_error_is_the_paired_one():
    """Rows 0..5 on a line; right or wrong by hand at k = 1 and k = 5."""
    X, y = np.array([[0.0], [1.0], [2.5], [10.0], [11.0], [12.5]]), np.array(list("aabbbb"))
    curve = KNNClassifier(scale=None).fit(X, y).loo_curve_
    one = np.array([1, 1, 0, 1, 1, 1])  # row 2 has the a at 1 nearest
    five = np.array([0, 0, 1, 1, 1, 1])  # among all others: 1 a, 4 b; or 2 a, 3 b
    np.testing.assert_allclose(curve.score[[0, 4]], [5 / 6, 4 / 6])
    np.testing.assert_allclose(curve.standard_error[0], np.std(one) / np.sqrt(6))
    np.testing.assert_allclose(curve.difference_error[4], np.std(five - one) / np.sqrt(6))


def test_class_weight_and_priors():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), ["a", "a", "a", "b"]
    query = [[1.6]]
    plain = KNNClassifier(4, scale=None).fit(X, y).predict_proba(query)
    np.testing.assert_allclose(plain, [[0.75, 0.25]])
    balanced = KNNClassifier(4, scale=None, class_weight="balanced").fit(X, y).predict_proba(query)
    np.testing.assert_allclose(balanced, [[0.5, 0.5]])
    weighted = KNNClassifier(4, scale=None, class_weight={"b": 9}).fit(X, y).predict_proba(query)
    np.testing.assert_allclose(weighted, [[0.25, 0.75]])
    prior = KNNClassifier(4, scale=None, priors=[0.2, 0.8]).fit(X, y).predict_proba(query)
    np.testing.assert_allclose(prior, [[0.2, 0.8]])
    same = KNNClassifier(4, scale=None, priors={"b": 0.8, "a": 0.2}).fit(X, y).predict_proba(query)
    np.testing.assert_allclose(same, prior)


def test_balanced_leave_one_out_does_not_count_the_row_left_out():
    """Two rows a, three rows b on a line: every k = 4 vote is over all others, balanced 1:1 by the others alone."""
    X, y = np.array([[0.0], [1.0], [10.0], [11.0], [12.0]]), ["a", "a", "b", "b", "b"]
    curve = KNNClassifier(scale=None, class_weight="balanced").fit(X, y).loo_curve_
    # k = 4: each class present among the others gets exactly half: the nearer one wins.
    assert curve.score[3] == pytest.approx(1.0)


def test_smoothing():
    X, y = [[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"]
    model = KNNClassifier(1, smoothing=0.25, scale=None).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[0.2]]), [[1.25 / 1.5, 0.25 / 1.5]])


def test_all_rows_with_a_kernel_is_locally_weighted_averaging():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, size=30)
    query = rng.normal(size=(5, 2))
    model = KNNClassifier("all", weights="gaussian", width=0.5, scale=None).fit(X, y)
    kernel = np.exp(-((query[:, None] - X[None]) ** 2).sum(axis=2) / (2 * 0.25))
    expected = kernel @ np.eye(2)[y]
    np.testing.assert_allclose(model.predict_proba(query), expected / expected.sum(axis=1, keepdims=True), rtol=1e-9)


def test_similarity_reaches_zero_at_the_far_corner_and_is_never_negative():
    X, y = np.array([[0.0], [4.0], [10.0]]), ["a", "b", "b"]
    model = KNNClassifier(3, weights="similarity").fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[1 / 1.6, 0.6 / 1.6]])
    far = KNNClassifier(3, weights="similarity", distance="manhattan").fit(X, y).predict_proba([[500.0]])
    np.testing.assert_allclose(far, [[1 / 3, 2 / 3]])  # beyond the corner nobody is similar: all count the same


def test_a_function_as_weights():
    X, y = [[0.0], [1.0], [3.0]], ["a", "b", "b"]
    model = KNNClassifier(3, weights=lambda d: 1.0 / (1.0 + d), scale=None).fit(X, y)
    votes = np.array([1 / 1.5, 1 / 1.5 + 1 / 3.5])
    np.testing.assert_allclose(model.predict_proba([[0.5]]), [votes / votes.sum()])
    with pytest.raises(ParameterError, match="at least 0"):
        KNNClassifier(3, weights=lambda d: -d, scale=None).fit(X, y).predict([[0.5]])


def test_feature_weights_by_name_and_position():
    frame = pd.DataFrame({"noise": [5.0, 0.0, 9.0], "signal": [0.0, 1.0, 10.0]})
    y = ["a", "a", "b"]
    for given in ({"noise": 0.0}, [0.0, 1.0]):
        model = KNNClassifier(1, feature_weights=given, scale=None).fit(frame, y)
        assert model.kneighbors(pd.DataFrame({"noise": [9.0], "signal": [0.9]}))[1].tolist() == [[1]]
    with pytest.raises(ParameterError, match="no column 'nose'"):
        KNNClassifier(1, feature_weights={"nose": 1.0}).fit(frame, y)


def test_precomputed_distances():
    X, y = tied_rows(3)
    queries = np.array([[0.4, 1.6], [3.0, 3.0]])
    between = np.sqrt(pairwise(squared_euclidean, X, X))
    to_training = np.sqrt(pairwise(squared_euclidean, queries, X))
    plain, given = KNNClassifier(scale=None).fit(X, y), KNNClassifier(distance="precomputed").fit(between, y)
    np.testing.assert_allclose(given.loo_curve_.score, plain.loo_curve_.score)
    a, b = KNNClassifier(5, scale=None).fit(X, y), KNNClassifier(5, distance="precomputed").fit(between, y)
    np.testing.assert_allclose(b.predict_proba(to_training), a.predict_proba(queries))
    with pytest.raises(DataError, match="square"):
        KNNClassifier(distance="precomputed").fit(between[:, :5], y)


class Kept:
    rows = np.array([0, 3])


def test_prototypes_hook():
    X, y = np.array([[0.0], [1.0], [2.0], [10.0]]), np.array(["a", "a", "a", "b"])
    seen = {}

    def first_of_each_class(table, labels, *, distance, scale):
        seen.update(n=table.n_rows, distance=distance, scale=scale)
        return Kept

    for given in (first_of_each_class, Kept, [0, 3]):
        model = KNNClassifier(1, prototypes=given).fit(X, y)
        assert model.rows_.tolist() == [0, 3]
        assert model.kneighbors([[6.0]])[1].tolist() == [[3]]
        # scaling comes from all rows, so 6 stays nearer to 10 by the same measure
        assert model.kneighbors([[6.0]])[0][0, 0] == pytest.approx(0.4)
    assert seen == {"n": 4, "distance": "auto", "scale": "minmax"}
    with pytest.raises(ParameterError, match="prototypes"):
        KNNClassifier(1, prototypes=[0, 9]).fit(X, y)


def test_the_nearest_k_are_a_prefix_of_the_nearest_k_plus_one():
    """In mlpack the k and the k + 1 nearest rows disagree (#1470)."""
    X, y = tied_rows(9, n=40)
    model = KNNClassifier(1).fit(X, y)
    for k in range(1, 12):
        assert model.kneighbors(X, k)[1].tolist() == model.kneighbors(X, k + 1)[1][:, :k].tolist()


@pytest.mark.parametrize(
    "distance",
    [
        *("euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "mahalanobis", "heom"),
        *("nan_euclidean", "hvdm", "gower", "hamming", "kernel"),
    ],
)
def test_string_labels_with_every_distance(distance):
    """scikit-learn's brute force with p = 1 crashes on labels that are strings (#33034)."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) + np.repeat([[0, 0, 0], [3, 3, 0]], 20, axis=0)
    y = np.repeat(["left", "right"], 20)
    assert KNNClassifier(5, distance=distance).fit(X, y).score(X, y) > 0.7


def test_predict_agrees_with_the_largest_probability():
    X, y = tied_rows(13, n=50)
    model = KNNClassifier(4).fit(X, y)
    proba, predicted = model.predict_proba(X), model.predict(X)
    assert np.array_equal(proba.argmax(axis=1), predicted)
    assert np.any(np.sort(proba, axis=1)[:, -1] - np.sort(proba, axis=1)[:, -2] < 1e-9)  # some votes were equal
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def test_the_input_is_not_changed_and_the_model_copies_and_pickles():
    X, y = tied_rows(1)
    before = X.copy()
    model = KNNClassifier().fit(X, y)
    assert np.array_equal(X, before)
    X[:] = 0
    other = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    assert other.predict(before).tolist() == model.predict(before).tolist()
    assert clone(model).get_params()["n_neighbors"] == "auto"


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": "many"}, "n_neighbors"),
        ({"n_neighbors": 25}, "only 24 training rows"),
        ({"weights": "gausian"}, "gaussian"),
        ({"ties": "all"}, "ties"),
        ({"vote_ties": "random"}, "vote_ties"),
        ({"k_max": 24}, "k_max"),
        ({"smoothing": -1}, "smoothing"),
        ({"width": 1.0}, "width"),
        ({"weights": "gaussian", "width": 0}, "width"),
        ({"priors": [0.5, 0.6, 0.1]}, "priors"),
        ({"class_weight": {7: 1}}, "class_weight"),
        ({"distance": "euclidian"}, "euclidean"),
    ],
)
def test_wrong_parameters_are_named(parameters, text):
    X, y = tied_rows(0)
    with pytest.raises(ParameterError, match=text):
        KNNClassifier(**parameters).fit(X, y)


def test_wrong_columns_are_named():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "color": ["red", "blue", "red"]})
    model = KNNClassifier(1).fit(frame, ["a", "b", "a"])
    with pytest.raises(DataError, match='column "size": expected numbers'):
        model.predict(pd.DataFrame({"size": ["big"], "color": ["red"]}))
    with pytest.raises(DataError, match='column "color"'):
        model.predict(pd.DataFrame({"size": [1.0], "color": [3.5]}))
    with pytest.raises(DataError, match=r"unseen at fit time:\n- weight\n.*now missing:\n- size\n"):
        model.predict(as_table([[1.0, "red"]], names=["weight", "color"]))


def test_index_ties_take_the_lowest_rows():
    X, y = np.array([[0.0], [2.0], [1.0]]), ["a", "b", "b"]
    # query 1.0: row 2 at 0, rows 0 and 1 tied at 1
    model = KNNClassifier(2, ties="index", scale=None).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[0.5, 0.5]])
    shared = KNNClassifier(2, scale=None).fit(X, y)
    np.testing.assert_allclose(shared.predict_proba([[1.0]]), [[0.25, 0.75]])


@pytest.mark.parametrize("options", [{"distance": "mahalanobis"}, {"scale": "standard"}, {"distance": "hvdm"}])
def test_statistics_of_the_distance_count_a_row_as_often_as_its_weight(options):
    """Covariance and standard deviations counted every row once, whatever its weight."""
    rng = np.random.default_rng(8)
    X, y, times = rng.normal(size=(40, 3)) * [1.0, 5.0, 0.2], rng.integers(0, 2, 40), rng.integers(0, 4, 40)
    asked = rng.normal(size=(30, 3)) * [1.0, 5.0, 0.2]
    weighted = KNNClassifier(7, **options).fit(X, y, sample_weight=times)
    repeated = KNNClassifier(7, **options).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict_proba(asked), repeated.predict_proba(asked), atol=1e-12)
    near, _ = weighted.kneighbors(asked, 1)
    np.testing.assert_allclose(near, repeated.kneighbors(asked, 1)[0], rtol=1e-9)


def test_a_matrix_of_distances_is_checked_when_it_is_fitted():
    """`fit` looked at the shape of a matrix of distances only, and took negative ones."""
    with pytest.raises(DataError, match=r"row 0, column 1.*at least 0; found -1"):
        KNNClassifier(1, distance="precomputed").fit([[0.0, -1.0], [1.0, 0.0]], [0, 1])


@pytest.mark.parametrize("distance", ["heom", "nan_euclidean"])
@pytest.mark.parametrize("where", ["training", "query", "both", "a whole query", "a whole row"])
def test_missing_cells_wherever_they_are(distance, where):
    """scikit-learn's `nan_euclidean` took missing cells in training and raised on those of a query (#25319)."""
    rng = np.random.default_rng(6)
    X, y, asked = rng.normal(size=(30, 3)), rng.integers(0, 2, 30), rng.normal(size=(8, 3))
    if where in ("training", "both"):
        X[[1, 5, 9], [0, 1, 2]] = np.nan
    if where in ("query", "both"):
        asked[[0, 3], [2, 1]] = np.nan
    if where == "a whole query":
        asked[2] = np.nan
    if where == "a whole row":
        X[4] = np.nan
    model = KNNClassifier(4, distance=distance, scale=None).fit(X, y)
    params = {"nominal_mask": [False] * 3} if distance == "heom" else {}
    D = oracle_distances(distance, asked, X, **params)
    found = model.kneighbors(asked, 4)[0]
    np.testing.assert_allclose(found, np.sort(np.where(np.isnan(D), np.inf, D), axis=1)[:, :4], atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(asked).sum(axis=1), 1.0)
    with pytest.raises(DataError, match="missing value"):
        KNNClassifier(4, distance="euclidean").fit(X, y).predict(asked)


def test_a_missing_cell_of_a_new_row_where_training_rows_are_complete():
    """HEOM adds 1 for it to every distance, so that the other cells decide: here x1, by which (0.9, ?) is a "b"."""
    X, y = np.array([[0.0, 1.0], [0.1, 0.0], [0.9, 0.0], [1.0, 1.0]]), ["a", "a", "b", "b"]
    new = [[0.9, np.nan]]
    with pytest.raises(DataError, match=r'(?s)column "x2": a missing value.*hint: use distance="heom"'):
        KNNClassifier(1).fit(X, y).predict(new)
    assert KNNClassifier(1, distance="heom").fit(X, y).predict(new).tolist() == ["b"]
