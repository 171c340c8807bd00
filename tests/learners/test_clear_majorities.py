"""Heads are counted where that is all there is to a vote; whatever needs weighing is weighed."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.learners import KNNClassifier


def _by_hand(X, y, asked, k):
    """The class that most of the k nearest rows have; where the vote is even, that of the nearest of these."""
    found = []
    for row in asked:
        near = np.argsort(((X - row) ** 2).sum(axis=1), kind="stable")[:k]
        labels, counts = np.unique(y[near], return_counts=True)
        found.append(next(label for label in y[near] if label in labels[counts == counts.max()]))
    return found


@pytest.mark.parametrize("k", [1, 2, 5, 8])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_majority_wins(k, n_classes):
    rng = np.random.default_rng(k)
    X, y, asked = rng.random((300, 4)), rng.integers(n_classes, size=300), rng.random((80, 4))
    model = KNNClassifier(k, scale=None).fit(X, y)
    answers = model.predict(asked)
    assert answers.tolist() == _by_hand(X, y, asked, k)
    one_by_one = np.concatenate([model.predict(row[None]) for row in asked])
    np.testing.assert_array_equal(one_by_one, answers)
    np.testing.assert_array_equal(model.classes_[model.predict_proba(asked).argmax(axis=1)], answers)


def test_ties_copies_and_weights_are_weighed():
    X = np.array([[0.0], [0.0], [2.0], [2.0], [5.0]])
    y = np.array(["a", "a", "b", "b", "b"])
    # At 1.0 the four nearest are even and so are the two nearest, all at the same distance.
    asked = np.array([[1.0], [0.1], [1.9]])
    for k in (1, 2, 3):
        model = KNNClassifier(k, scale=None).fit(X, y)
        assert model.predict(asked)[1:].tolist() == ["a", "b"]
        np.testing.assert_array_equal(model.predict(asked), model.classes_[model.predict_proba(asked).argmax(axis=1)])
    heavy = KNNClassifier(3, scale=None).fit(X[[0, 2, 4]], y[[0, 2, 4]], sample_weight=[3.0, 1.0, 1.0])
    assert heavy.predict([[1.5]]).tolist() == ["a"]  # b is nearest, but the next three heads are one row
    turned = KNNClassifier(3, scale=None, class_weight={"a": 10.0, "b": 1.0}).fit(X, y)
    assert turned.predict([[2.5]]).tolist() == ["a"]
