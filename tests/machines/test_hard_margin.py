"""C = inf: the widest margin, or the news that there is none."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.exceptions import DataError, SepalWarning
from sepal.machines import KernelAdatronClassifier, SVMClassifier
from tests.oracles import svm as oracle

MACHINES = (SVMClassifier, KernelAdatronClassifier)
INF = float("inf")


def _separable(seed: int, n: int = 24, gap: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """Rows in the plane on both sides of a line, none nearer to it than half the gap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    normal = rng.normal(size=2)
    normal /= np.linalg.norm(normal)
    along = X @ normal
    y = (along > 0).astype(int)
    y[:2] = 0, 1  # each class has a row
    X += np.outer(np.where(y == 1, 1, -1) * (gap / 2 + np.abs(along)) - along, normal)
    return X, y


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("machine", MACHINES)
def test_the_plane_is_that_of_the_primal_problem(machine, seed):
    X, y = _separable(seed)
    w, b = oracle.hard_margin(X, np.where(y == 1, 1.0, -1.0))
    found = machine(C=INF, kernel="linear", scale=None, tol=1e-4).fit(X, y)
    np.testing.assert_allclose(np.append(found.coef_, found.intercept_), np.append(w, b), rtol=1e-3)
    assert found.margin_[0] == pytest.approx(1.0 / np.linalg.norm(w), rel=1e-3)
    assert found.duality_gap_[0] < 0.01 * found.dual_objective_[0]
    assert found.C_ == INF


def test_far_from_the_origin_and_in_other_units_the_margin_is_the_same():
    """Bounds of the weights that began at one over the mean of k(x, x) would be far too low far from the origin."""
    X, y = _separable(1)
    w, _ = oracle.hard_margin(X, np.where(y == 1, 1.0, -1.0))
    for shift, unit in ((1e4, 1.0), (0.0, 1e-6), (0.0, 1e6)):
        found = SVMClassifier(C=INF, kernel="linear", scale=None, tol=1e-5).fit(unit * X + shift, y)
        assert found.margin_[0] == pytest.approx(unit / np.linalg.norm(w), rel=1e-3)


def test_it_is_what_a_large_c_comes_to_and_weights_do_not_matter():
    X, y = _separable(2)
    hard = SVMClassifier(C=INF, width=0.5, tol=1e-8).fit(X, y)
    large = SVMClassifier(C=1e9, width=0.5, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(hard.decision_function(X), large.decision_function(X), atol=1e-6)
    weighted = SVMClassifier(C=INF, width=0.5, tol=1e-8, class_weight={0: 5.0}).fit(X, y, np.linspace(0.5, 2.0, len(y)))
    np.testing.assert_allclose(hard.decision_function(X), weighted.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("machine", MACHINES)
def test_classes_that_meet_are_named(machine):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 1.0, rng.normal(size=(20, 2)) + 30.0])
    y = np.repeat(["ash", "beech", "fir"], [40, 40, 20])
    with pytest.raises(DataError, match="ash and beech are not separable") as told:
        machine(C=INF, kernel="linear").fit(X, y)
    assert "finite C" in str(told.value)
    apart = machine(C=INF, kernel="linear").fit(X[y != "beech"], y[y != "beech"])
    assert apart.score(X[y != "beech"], y[y != "beech"]) == 1.0
    with pytest.raises(DataError, match="not separable"):  # the same row in both classes
        machine(C=INF).fit([[0.0], [1.0], [1.0]], [0, 0, 1])


def test_a_margin_that_rounding_hides_is_none():
    gap = 1e-13
    with pytest.raises(DataError, match="by a margin below"):
        SVMClassifier(C=INF, kernel="linear", scale=None).fit([[0.0], [1.0], [1.0 + gap], [2.0]], [0, 0, 1, 1])


def test_the_classes_that_a_line_cannot_part_a_curve_can():
    X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]
    with pytest.raises(DataError, match="not separable"):
        SVMClassifier(C=INF, kernel="linear").fit(X, y)
    # By hand: all weights are equal, a, and the decision of each row is a (1 + far - 2 near) = 1.
    near, far = np.exp(-0.5), np.exp(-1.0)
    found = SVMClassifier(C=INF, gamma=0.5, scale=None, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(np.abs(found.dual_coef_), 1.0 / (1.0 + far - 2.0 * near), rtol=1e-6)
    assert found.predict(X).tolist() == y


def test_cut_short_it_keeps_what_it_has_and_says_so():
    X, y = _separable(3, n=60, gap=0.01)
    with pytest.warns(SepalWarning, match="used up max_iter=3"):
        short = SVMClassifier(C=INF, max_iter=3).fit(X, y)
    assert short.n_iter_[0] == 3
    assert short.violation_[0] > 0.01
    with pytest.warns(SepalWarning, match="time_limit"):
        SVMClassifier(C=INF, kernel="linear", time_limit=1e-9).fit(*_overlapping())


def _overlapping() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    return rng.normal(size=(300, 2)), np.arange(300) % 2


def test_probabilities_and_several_classes():
    X = np.concatenate([np.random.default_rng(c).normal(size=(12, 2)) + 12.0 * np.array([c, c % 2]) for c in range(3)])
    y = np.repeat(np.arange(3), 12)
    found = SVMClassifier(C=INF, probability=True).fit(X, y)
    assert found.score(X, y) == 1.0
    assert np.array_equal(found.predict_proba(X).argmax(axis=1), y)
