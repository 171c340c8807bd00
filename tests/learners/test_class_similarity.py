"""weights="class_similarity" against loops: every class sends its own k most similar rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from sepal.exceptions import ParameterError
from sepal.learners import KNNClassifier, KNNRegressor
from tests.oracles.knn import class_similarity_votes


def _grid(seed: int, n: int = 30, n_classes: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)).astype(float)
    y = np.concatenate([np.arange(n_classes), np.arange(n_classes), rng.integers(0, n_classes, n - 2 * n_classes)])
    return X, y, rng.integers(0, 4, (9, 2)).astype(float)


def _distances(X: np.ndarray, q: np.ndarray) -> list[float]:
    return [float(np.sqrt(((x - q) ** 2).sum())) for x in X]


def _span(X: np.ndarray) -> float:
    return float(np.linalg.norm(X.max(axis=0) - X.min(axis=0)))


@pytest.mark.parametrize("k", [1, 3, 7])
@pytest.mark.parametrize("ties", ["expected", "index"])
def test_shares_as_loops(k, ties):
    X, y, Q = _grid(k)
    model = KNNClassifier(k, weights="class_similarity", scale=None, ties=ties).fit(X, y)
    found = model.predict_proba(Q)
    for q, share in zip(Q, found, strict=True):
        votes = class_similarity_votes(_distances(X, q), y.tolist(), 3, k, _span(X))
        np.testing.assert_allclose(share, np.array(votes) / sum(votes), atol=1e-9)
        assert share.argmax() in np.flatnonzero(np.array(votes) > max(votes) * (1 - 1e-9))


def test_left_out_rows_with_weights_as_loops():
    X, y, _ = _grid(5)
    mass = np.random.default_rng(5).integers(1, 4, len(X))
    model = KNNClassifier(3, weights="class_similarity", scale=None).fit(X, y, sample_weight=mass)
    for i, share in enumerate(model.predict_proba(None)):
        votes = class_similarity_votes(_distances(X, X[i]), y.tolist(), 3, 3, _span(X), mass=mass.tolist(), exclude=i)
        np.testing.assert_allclose(share, np.array(votes) / sum(votes), atol=1e-9)


def test_the_curve_over_k_is_that_of_each_k():
    X, y, _ = _grid(2, n_classes=2)
    curve = KNNClassifier(weights="class_similarity", scale=None, k_max=6).fit(X, y, groups="rows").loo_curve_
    for k in range(1, 7):
        left_out = KNNClassifier(k, weights="class_similarity", scale=None).fit(X, y).predict(None)
        assert curve.score[k - 1] == pytest.approx(np.mean(left_out == y))


def test_groups_are_left_out_together():
    X, y, _ = _grid(3, n_classes=2)
    groups = np.arange(len(X)) // 3
    model = KNNClassifier(2, weights="class_similarity", scale=None).fit(X, y, groups=groups)
    span = _span(X)
    for i, share in enumerate(model.predict_proba(None)):
        others = groups != groups[i]
        votes = class_similarity_votes(_distances(X[others], X[i]), y[others].tolist(), 2, 2, span)
        np.testing.assert_allclose(share, np.array(votes) / sum(votes), atol=1e-9)


def test_sparse_rows_are_compared_by_their_cosine():
    rng = np.random.default_rng(0)
    words = (rng.random((40, 12)) < 0.3).astype(float)
    words[:, 0] = 1.0
    y = np.arange(40) % 4 == 0
    model = KNNClassifier(5, weights="class_similarity").fit(scipy.sparse.csr_array(words[:30]), y[:30])
    found = model.predict_proba(scipy.sparse.csr_array(words[30:]))
    unit = words / np.linalg.norm(words, axis=1, keepdims=True)
    for q, share in zip(unit[30:], found, strict=True):
        distances = (1.0 - unit[:30] @ q).tolist()
        votes = class_similarity_votes(distances, y[:30].astype(int).tolist(), 2, 5, 1.0)
        np.testing.assert_allclose(share, np.array(votes) / sum(votes), atol=1e-6)


def test_explanations_name_the_rows_behind_every_class():
    X = np.array([[0.0], [1.0], [2.0], [10.0]])
    y = np.array(["a", "a", "a", "b"])
    why = KNNClassifier(2, weights="class_similarity", scale=None).fit(X, y).explain([[2.0]])
    # similarities: row 2 at 0 is 1, row 1 at 1 is 0.9; row 3 at 8 is 0.2
    assert why.rows.tolist() == [2, 1, 3]
    np.testing.assert_allclose(why.shares, np.array([1.0, 0.9, 0.2]) / 2.1)
    np.testing.assert_allclose(why.votes, [[1.9 / 2.1, 0.2 / 2.1]])


def test_where_it_makes_no_sense_it_is_refused():
    X, y, _ = _grid(0)
    with pytest.raises(ParameterError, match="class_similarity"):
        KNNRegressor(3, weights="class_similarity").fit(X, y.astype(float))
    with pytest.raises(ParameterError, match="far apart"):
        KNNClassifier(3, weights="class_similarity", distance=lambda a, b: abs(a - b).sum()).fit(X, y)
