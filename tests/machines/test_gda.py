"""Generalized discriminants against linear discriminants on kernel principal components, and scikit-learn's checks."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from sepal import datasets
from sepal.exceptions import DataError, ParameterError
from sepal.kernels import gram
from sepal.machines import GeneralizedDiscriminant
from tests.machines.contract import contract
from tests.oracles import discriminant as oracle

IRIS = load_iris()


CHECKED = [
    GeneralizedDiscriminant(),
    GeneralizedDiscriminant(n_vectors=20, class_weight="balanced"),
    GeneralizedDiscriminant(kernel="linear", priors="equal"),
    GeneralizedDiscriminant(kernel="precomputed"),
]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize(("estimator", "check"), contract(CHECKED))
def test_scikit_learn_checks(estimator, check) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def _same_up_to_sign_and_scale(a: np.ndarray, b: np.ndarray) -> None:
    for one, other in zip(a.T, b.T, strict=True):
        assert abs(np.corrcoef(one, other)[0, 1]) == pytest.approx(1.0, abs=1e-6)


def test_polynomial_kernel_is_a_linear_discriminant_on_principal_components() -> None:
    """A kernel of finite rank, 15, far below the number of rows, needs no ridge."""
    params = {"kernel": "polynomial", "gamma": 1.0, "degree": 2, "coef0": 1.0}
    machine = GeneralizedDiscriminant(alpha=0.0, scale="standard", **params).fit(IRIS.data, IRIS.target)
    scaled = (IRIS.data - IRIS.data.mean(axis=0)) / IRIS.data.std(axis=0)
    components = KernelPCA(14, kernel="precomputed").fit_transform(gram(scaled, **params))
    expected = LinearDiscriminantAnalysis(solver="svd").fit_transform(components, IRIS.target)
    _same_up_to_sign_and_scale(machine.transform(IRIS.data), expected)


def test_ridge_is_the_definition_on_the_full_kernel() -> None:
    """max v'Bv / v'(T + mu I)v on kernel principal components, by a general eigenvalue problem."""
    K = gram(IRIS.data, width=1.5)
    H = np.eye(150) - 1 / 150
    values, vectors = np.linalg.eigh(H @ K @ H)
    kept = values > 1e-9 * values[-1]
    Z = vectors[:, kept] * np.sqrt(values[kept])
    means = np.array([Z[IRIS.target == c].mean(axis=0) for c in range(3)])
    B = 50 * means.T @ means
    ratio = np.sort(
        np.linalg.eigvals(np.linalg.solve(np.diag(values[kept]) + 0.01 * values[-1] * np.eye(kept.sum()), B)).real
    )
    machine = GeneralizedDiscriminant(alpha=0.01, width=1.5, scale=None, tol=1e-12).fit(IRIS.data, IRIS.target)
    np.testing.assert_allclose(machine.scatter_ratio_, ratio[::-1][:2], rtol=1e-6)


def test_without_a_ridge_classes_collapse(rng) -> None:
    X = rng.normal(size=(60, 3))
    y = np.arange(60) % 3
    machine = GeneralizedDiscriminant(alpha=0.0, width=0.3).fit(X, y)
    np.testing.assert_allclose(machine.scatter_ratio_, 1.0, atol=1e-6)
    assert np.all(GeneralizedDiscriminant(alpha=0.1, width=0.3).fit(X, y).scatter_ratio_ < 0.99)


def test_ripley_and_sparse() -> None:
    train, test = datasets.load("ripley-train"), datasets.load("ripley-test")
    full = GeneralizedDiscriminant(width=0.3, alpha=1e-2).fit(train)
    sparse = GeneralizedDiscriminant(width=0.3, alpha=1e-2, n_vectors=15).fit(train)
    assert 1 - full.score(test, test.y) < 0.105
    assert 1 - sparse.score(test, test.y) < 0.105
    assert sparse.n_vectors_ == 15
    assert sparse.transform(test).shape == (1000, 1)


def test_probabilities_weights_and_components(rng) -> None:
    machine = GeneralizedDiscriminant().fit(IRIS.data, IRIS.target)
    P = machine.predict_proba(IRIS.data)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert np.array_equal(P.argmax(axis=1), machine.predict(IRIS.data))
    assert machine.score(IRIS.data, IRIS.target) > 0.95
    assert GeneralizedDiscriminant(1).fit_transform(IRIS.data, IRIS.target).shape == (150, 1)
    weights = rng.integers(0, 3, 150)
    copies = np.repeat(np.arange(150), weights)
    weighted = GeneralizedDiscriminant().fit(IRIS.data, IRIS.target, sample_weight=weights)
    repeated = GeneralizedDiscriminant().fit(IRIS.data[copies], IRIS.target[copies])
    np.testing.assert_allclose(weighted.predict_proba(IRIS.data), repeated.predict_proba(IRIS.data), atol=1e-5)


@pytest.mark.parametrize("factors", [None, {0: 1.0, 1: 3.0, 2: 0.5}])
def test_class_means_are_those_of_rows_left_out(rng, factors: dict[int, float] | None) -> None:
    """Means of training rows lie on the collapsed classes: log-loss on liver was 9.3, and is 0.65."""
    weights = rng.integers(1, 4, 150)
    machine = GeneralizedDiscriminant(alpha=0.05, kernel="linear", scale=None, class_weight=factors)
    machine.fit(IRIS.data, IRIS.target, sample_weight=weights, groups="rows")  # one copy at a time
    each = np.ones(150) if factors is None else np.array([factors[c] for c in IRIS.target])
    axes = machine.transform(np.eye(4)) - machine.transform(np.zeros((1, 4)))
    projected = oracle.left_out_projections(IRIS.data, IRIS.target, weights * each, each, 0.05, axes)
    for c in range(3):
        rows = IRIS.target == c
        expected = np.average(projected[rows], axis=0, weights=weights[rows])
        np.testing.assert_allclose(machine.means_[c], expected, rtol=1e-6, atol=1e-9)
    # The log odds of two classes are linear with the slope S^-1 (m_b - m_a), S the spread of rows left out.
    inside = projected - machine.means_[IRIS.target]
    S = (inside * (weights * each)[:, None]).T @ inside / (weights * each).sum()
    slope = np.linalg.solve(S, machine.means_[1] - machine.means_[0])
    scores = machine.decision_function(IRIS.data)
    odds = (scores[:, 1] - scores[:, 0]) - machine.transform(IRIS.data) @ slope
    np.testing.assert_allclose(odds, odds[0], rtol=1e-6)


def test_class_weights_are_copies_of_rows_in_the_scatter() -> None:
    params = {"alpha": 0.01, "width": 0.5}
    weighted = GeneralizedDiscriminant(class_weight={1: 2, 2: 3}, **params).fit(IRIS.data, IRIS.target)
    copies = np.repeat(np.arange(150), 1 + IRIS.target)
    repeated = GeneralizedDiscriminant(**params).fit(IRIS.data[copies], IRIS.target[copies])
    np.testing.assert_allclose(weighted.scatter_ratio_, repeated.scatter_ratio_, rtol=1e-6)
    np.testing.assert_allclose(weighted.transform(IRIS.data), repeated.transform(IRIS.data), rtol=1e-4, atol=1e-7)


def test_noise_is_not_mistaken_for_certainty(rng) -> None:
    """Probabilities came from in-sample means, which lie far apart even for labels drawn by lot."""
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 2, 300)
    machine = GeneralizedDiscriminant(width=0.1).fit(X[:150], y[:150])
    assert machine.scatter_ratio_[0] > 0.95
    P = machine.predict_proba(X[150:])
    assert -np.log(P[np.arange(150), y[150:]]).mean() < np.log(2) + 0.1


@pytest.mark.parametrize("seed", range(20))
def test_rounding_errors_decide_nothing(seed: int) -> None:
    """Kernels near the identity: class means of 1e-12 by rounding decided with odds of e^1e11, right or all wrong."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), np.repeat([0, 1], 20)
    for width in ("aligned", 0.008):
        machine = GeneralizedDiscriminant(width=width).fit(X, y)
        assert machine.score(X, y) >= 0.5
        assert np.abs(machine.decision_function(X)).max() < 10.0


def test_an_axis_that_tells_nothing_of_rows_left_out_has_no_part(rng) -> None:
    """A class of near rows, and two of rows like no other: the first axis answers, the second does not."""
    X = np.concatenate([rng.normal(size=20) * 0.1, 100.0 * np.arange(1, 41)])[:, None]
    y = np.concatenate([np.zeros(20, dtype=int), 1 + np.arange(40) % 2])
    machine = GeneralizedDiscriminant(width=1.0, scale=None).fit(X, y)
    P = machine.predict_proba(X)
    assert np.array_equal(machine.predict(X) == 0, y == 0)
    np.testing.assert_allclose(P[20:, 1:], 0.5)
    assert np.all(machine.means_[:, 1] == 0.0)


@pytest.mark.parametrize("alpha", [0.0, 1e-12])
@pytest.mark.parametrize("seed", range(6))
def test_names_of_classes_change_nothing_where_singular_values_are_equal(seed: int, alpha: float) -> None:
    """All are 1 there, so that rounding turned the axes, and these were judged one by one."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(12) % 4)
    X, asked = rng.normal(size=(12, 2)), rng.normal(size=(50, 2))
    for width in ("aligned", "scale"):
        machine = GeneralizedDiscriminant(width=width, alpha=alpha)
        P = machine.fit(X, y).predict_proba(asked)
        for _ in range(3):
            named = rng.permutation(4)
            np.testing.assert_allclose(
                machine.fit(X, named[y]).predict_proba(asked)[:, named], P, atol=0.1
            )  # without a ridge rounding counts


@pytest.mark.parametrize(
    "params",
    [
        {"alpha": -1.0},
        {"priors": "none"},
        {"n_components": 0},
        {"n_vectors": 0},
        {"criterion": "both"},
        {"tol": -1.0},
        {"n_candidates": "few"},
        {"kernel": "rbff"},
    ],
)
def test_wrong_parameters(params: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=next(iter(params))):
        GeneralizedDiscriminant(**params).fit(IRIS.data, IRIS.target)


def test_class_without_weight() -> None:
    with pytest.raises(DataError, match="every class"):
        GeneralizedDiscriminant().fit(IRIS.data, IRIS.target, sample_weight=IRIS.target > 0)
