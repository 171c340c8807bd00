"""scikit-learn's own checks of the window learner."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from sepal.learners import WindowKNNClassifier


@parametrize_with_checks(
    [
        WindowKNNClassifier(),
        WindowKNNClassifier(window=None, weights="distance", drift="adwin", edit_neighbors=3),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
