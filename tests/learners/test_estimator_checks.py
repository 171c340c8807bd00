from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from sepal.learners import DANNClassifier, KNNClassifier, KNNRegressor, MetricClusteringClassifier

ESTIMATORS = [
    KNNClassifier(),
    KNNClassifier(9, weights="distance"),
    KNNRegressor(),
    KNNRegressor(3, aggregate="median"),
    MetricClusteringClassifier(),
    DANNClassifier(),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
