"""scikit-learn's contract, for every named distance and every kind of vote."""

from __future__ import annotations

import pytest
import sklearn
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from sepal.distances import DISTANCES
from sepal.estimators import EXPECTED_FAILED_CHECKS
from sepal.learners import DANNClassifier, KNNClassifier, KNNRegressor, MetricClusteringClassifier

WEIGHTS = ("similarity", "rank", "dudani", "gaussian", "exponential", "tricube")

ESTIMATORS = [
    KNNClassifier(),
    KNNClassifier(9, weights="distance"),
    KNNClassifier(scale="standard"),
    KNNClassifier("all", weights="gaussian", width=0.1),
    KNNClassifier(ties="index", vote_ties="smallest"),
    KNNRegressor(),
    KNNRegressor(3, aggregate="median"),
    KNNRegressor(scale="standard", weights="distance"),
    *(KNNClassifier(weights=weights) for weights in (*WEIGHTS, "class_similarity")),
    *(KNNRegressor(weights=weights) for weights in WEIGHTS),
    MetricClusteringClassifier(),
    DANNClassifier(),
]
# Weights by name, 1 where silent, fit any number of columns. On columns scaled to [0, 1] all directions are much alike,
# so that the cosine is asked about columns as they are. Places on a globe have two columns, and the checks do not.
OPTIONS = {"weighted_euclidean": {"feature_weights": {}}, "cosine": {"scale": None}}
BY_DISTANCE = [
    learner(distance=name, **OPTIONS.get(name, {}))
    for learner in (KNNClassifier, KNNRegressor)
    for name in DISTANCES
    if name not in ("tanimoto", "haversine") and (learner, name) != (KNNRegressor, "hvdm")
]
# These hand over negative numbers, whatever the tags say, or a sparse matrix of counts; Tanimoto compares sets.
NOT_FOR_SETS = ("check_class_weight_classifiers", "check_sample_weight_equivalence_on_sparse_data")
if sklearn.__version__.startswith("1.7."):  # subtracts a mean from whole numbers in place, before any learner is asked
    NOT_FOR_SETS += ("check_positive_only_tag_during_fit",)


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@parametrize_with_checks(BY_DISTANCE)
def test_scikit_learn_checks_by_distance(estimator, check):
    check(estimator)


@pytest.mark.parametrize("learner", [KNNClassifier, KNNRegressor])
def test_scikit_learn_checks_of_sets(learner):
    names = []
    for estimator, check in estimator_checks_generator(learner(distance="tanimoto"), mark="skip"):
        names.append(check.func.__name__)
        if names[-1] not in (*NOT_FOR_SETS, "check_array_api_input", *EXPECTED_FAILED_CHECKS):
            check(estimator)
    assert set(NOT_FOR_SETS[learner is KNNRegressor :]) <= set(names)
    assert len(names) > 50
