from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.svm import SVC

from sepal.exceptions import DataError, ParameterError, SepalWarning
from sepal.machines import KernelAdatronClassifier, SVMClassifier
from tests.machines.contract import contract
from tests.oracles import svm as oracle

CHECKED = [
    KernelAdatronClassifier(),
    KernelAdatronClassifier(kernel="linear", probability=True),
    KernelAdatronClassifier(bias=False),
    KernelAdatronClassifier(kernel="precomputed"),
]


@pytest.mark.parametrize(("estimator", "check"), contract(CHECKED))
def test_scikit_learn_contract(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SepalWarning)  # some checks train on noise, where one class wins
        check(estimator)


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(120, noise=0.25, random_state=0)
    return X, y, np.where(y == 1, 1.0, -1.0), oracle.gram(X, X, oracle.rbf(1.0))


def _alpha(machine, n):
    alpha = np.zeros(n)
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    return alpha


@pytest.mark.parametrize("omega", [0.5, 1.0, 1.5, 1.9])
def test_without_bias_equals_l_bfgs_b_for_every_omega(moons, omega):
    X, y, t, K = moons
    machine = KernelAdatronClassifier(gamma=1.0, scale=None, bias=False, omega=omega, tol=1e-10).fit(X, y)
    expected = oracle.without_bias(K, t, np.ones(120))
    value = oracle.dual_value(expected, K, t)
    assert machine.dual_objective_[0] == pytest.approx(value, rel=1e-8)
    assert oracle.dual_value(_alpha(machine, 120), K, t) == pytest.approx(value, rel=1e-8)
    assert machine.intercept_[0] == 0
    assert machine.violation_[0] < 1e-10
    assert 0 <= machine.duality_gap_[0] + 1e-9 < 1e-6


def test_without_bias_class_weights_are_costs_where_no_row_is_near(moons):
    """Without a bias class weights counted only where kernels of both classes reach."""
    # Errors in class 0 cost three times as much: the bias is held at (1 - 3) / (1 + 3).
    X, y, t, K = moons
    machine = KernelAdatronClassifier(
        gamma=1.0, scale=None, bias=False, class_weight={0: 3.0, 1: 1.0}, tol=1e-10, max_iter=10**6
    ).fit(X, y)
    box = np.where(y == 0, 3.0, 1.0)
    expected = oracle.without_bias(K, t, box, held=-0.5)
    value = oracle.dual_value(expected, K, t) + 0.5 * float(expected @ t)
    assert machine.intercept_[0] == -0.5
    assert machine.dual_objective_[0] == pytest.approx(value, rel=1e-8)
    assert oracle.primal_value(expected, -0.5, K, t, box) == pytest.approx(value, rel=1e-6)
    assert 0 <= machine.duality_gap_[0] + 1e-9 < 1e-6
    assert machine.decision_function([[100.0, 100.0]]) == pytest.approx([-0.5])


def test_a_search_for_the_bias_that_is_cut_short_keeps_the_bias_it_had():
    """A search for the bias that ran out of sweeps lost the bias it had reached."""
    X, y = load_iris(return_X_y=True)
    with pytest.warns(SepalWarning, match="max_iter"):
        machine = KernelAdatronClassifier(kernel="poly", tol=1e-7, max_iter=10_000).fit(X[50:], y[50:])
    peer = SVMClassifier(kernel="poly", tol=1e-7).fit(X[50:], y[50:])
    assert machine.intercept_[0] == pytest.approx(peer.intercept_[0], abs=0.01)


def test_one_and_a_half_needs_fewest_sweeps(moons):
    X, y, _, _ = moons
    sweeps = {
        omega: KernelAdatronClassifier(gamma=1.0, scale=None, bias=False, omega=omega, tol=1e-8).fit(X, y).n_iter_[0]
        for omega in (0.5, 1.0, 1.5, 1.9)
    }
    assert min(sweeps, key=sweeps.__getitem__) == 1.5


@pytest.mark.parametrize("C", [0.5, 1.0, 10.0])
def test_with_bias_equals_svc(moons, C):
    X, y, t, K = moons
    machine = KernelAdatronClassifier(C=C, gamma=1.0, scale=None, tol=1e-10, max_iter=10**6).fit(X, y)
    peer = SVC(C=C, kernel="precomputed", tol=1e-10).fit(K, y)
    alpha = np.zeros(120)
    alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    assert machine.dual_objective_[0] == pytest.approx(oracle.dual_value(alpha, K, t), rel=1e-8)
    assert machine.intercept_[0] == pytest.approx(peer.intercept_[0], abs=1e-6)
    assert abs(machine.dual_coef_.sum()) < 1e-8
    np.testing.assert_allclose(machine.decision_function(X), peer.decision_function(K), atol=1e-5)


def test_several_classes_weights_and_probabilities():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    ours = KernelAdatronClassifier(tol=1e-8, probability=True).fit(X, y, weight)
    peer = SVMClassifier(tol=1e-8, probability=True).fit(X, y, weight)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-3)
    assert np.array_equal(np.argmax(ours.predict_proba(X), axis=1), ours.predict(X))


def test_hard_margin_finds_the_largest_margin_or_says_that_there_is_none():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]])
    machine = KernelAdatronClassifier(C=np.inf, kernel="linear", scale=None, tol=1e-9).fit(X, [0, 0, 1, 1])
    assert machine.margin_[0] == pytest.approx(1.0)
    assert machine.intercept_[0] == pytest.approx(-1.0)
    line = KernelAdatronClassifier(C=np.inf, kernel="linear", scale=None, tol=1e-9)
    line.fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])  # without a bias these are not separable
    assert line.support_.tolist() == [1, 2]
    assert line.decision_function([[1.0], [2.0], [3.0]]) == pytest.approx([-1.0, 0.0, 1.0], abs=1e-6)
    assert line.duality_gap_[0] < 1e-6
    with pytest.raises(DataError, match="not separable"):
        KernelAdatronClassifier(C=np.inf, kernel="linear").fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    with pytest.raises(DataError, match="not separable"):  # the same row in both classes
        KernelAdatronClassifier(C=np.inf).fit([[0.0], [1.0], [1.0]], [0, 0, 1])


def test_a_row_of_zeros_under_a_linear_kernel_is_passed_over():
    machine = KernelAdatronClassifier(kernel="linear", scale=None, bias=False).fit([[0.0], [-1.0], [2.0]], [0, 0, 1])
    assert 0 not in machine.support_
    assert machine.predict([[3.0]])[0] == 1


def test_sweeps_run_out_with_a_warning():
    X, y = make_moons(60, noise=0.3, random_state=0)
    with pytest.warns(SepalWarning, match="max_iter"):
        KernelAdatronClassifier(max_iter=30, tol=1e-9, gamma=5.0).fit(X, y)


@pytest.mark.parametrize("parameters", [{"omega": 2.0}, {"omega": 0}, {"tol": -1.0}, {"max_iter": 0}, {"C": -1.0}])
def test_wrong_parameters_are_named(parameters):
    with pytest.raises(ParameterError, match=f"{next(iter(parameters))} must be"):
        KernelAdatronClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])
