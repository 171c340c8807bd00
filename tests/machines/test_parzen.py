"""Parzen windows: densities by scikit-learn, leave-one-out by refitting, the figures on breast cancer."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KernelDensity
from sklearn.utils.estimator_checks import parametrize_with_checks

from sepal import datasets
from sepal.exceptions import DataError, ParameterError
from sepal.machines import ParzenClassifier
from sepal.measures import thornton_score
from tests.oracles import kernels

IRIS = load_iris()


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@parametrize_with_checks([ParzenClassifier()])
def test_scikit_learn_checks(estimator, check) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize(("priors", "shares"), [("equal", [1 / 3] * 3), ([2.0, 1.0, 1.0], [0.5, 0.25, 0.25])])
def test_densities(rng, priors: object, shares: list[float]) -> None:
    machine = ParzenClassifier(0.4, priors=priors, scale=None).fit(IRIS.data, IRIS.target)
    queries = IRIS.data + rng.normal(size=IRIS.data.shape)
    logs = [
        KernelDensity(bandwidth=0.4).fit(IRIS.data[IRIS.target == c]).score_samples(queries) + np.log(shares[c])
        for c in range(3)
    ]
    joint = np.exp(np.column_stack(logs))
    np.testing.assert_allclose(machine.predict_proba(queries), joint / joint.sum(axis=1, keepdims=True), atol=1e-9)


@pytest.mark.parametrize(("width", "expected"), [(0.2, 0.9736), (0.3, 0.9693), (0.5, 0.9575), (0.6, 0.9546), (1.0, 0.9458), (2.0, 0.9414)])  # fmt: skip  # noqa: E501
def test_breast_cancer_figures(width: float, expected: float) -> None:
    # All pairs in plain numpy: the diagonal is left out, and the own class has one row less.
    table = datasets.load("breast-cancer").drop_missing()
    assert ParzenClassifier(width).fit(table).loo_score_ == pytest.approx(expected, abs=5.1e-5)


def test_empirical_priors_differ_at_large_widths() -> None:
    # All pairs in plain numpy, as above; with equal priors it is 0.9458.
    table = datasets.load("breast-cancer").drop_missing()
    assert ParzenClassifier(1.0, priors="empirical").fit(table).loo_score_ == pytest.approx(0.8521, abs=5.1e-5)


@pytest.mark.parametrize("priors", ["equal", "empirical"])
def test_leave_one_out_is_refitting(rng, priors: str) -> None:
    rows = rng.choice(150, 60, replace=False)
    X, y = IRIS.data[rows], IRIS.target[rows]
    machine = ParzenClassifier(priors=priors, scale=None).fit(X, y)
    for width in machine.loo_widths_[4::12]:
        right = [
            ParzenClassifier(width, priors=_shares(y, priors), scale=None)
            .fit(np.delete(X, i, axis=0), np.delete(y, i))
            .predict(X[i : i + 1])[0]
            == y[i]
            for i in range(60)
        ]
        assert machine.loo_scores_[machine.loo_widths_ == width][0] == pytest.approx(np.mean(right))
    assert machine.loo_score_ == machine.loo_scores_.max()


def _shares(y: np.ndarray, priors: str) -> object:
    """Priors stay those of all rows when one is left out."""
    return priors if priors == "equal" else (np.bincount(y) / len(y)).tolist()


def test_narrow_windows_are_the_nearest_neighbor(rng) -> None:
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    machine = ParzenClassifier(1e-4).fit(X, y)
    assert machine.loo_score_ == pytest.approx(thornton_score(X, y))
    assert np.array_equal(machine.predict(X), y)
    assert np.all(np.isfinite(machine.predict_proba(X + 100.0)))


def test_weights_count_copies(rng) -> None:
    weights = rng.integers(0, 3, 150)
    copies = np.repeat(np.arange(150), weights)
    weighted = ParzenClassifier().fit(IRIS.data, IRIS.target, sample_weight=weights)
    repeated = ParzenClassifier().fit(IRIS.data[copies], IRIS.target[copies])
    assert weighted.width_ == pytest.approx(repeated.width_)
    np.testing.assert_allclose(weighted.loo_scores_, repeated.loo_scores_, atol=1e-12)
    np.testing.assert_allclose(weighted.predict_proba(IRIS.data), repeated.predict_proba(IRIS.data), atol=1e-9)


def test_row_order_does_not_change_the_width_of_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which rows were left out depended on where they stood, and so did the width."""
    # More rows than are left out.
    monkeypatch.setattr("sepal.machines._parzen._LOO_ROWS", 500)
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 700)
    X = rng.normal(size=(700, 2)) + y[:, None]
    order = rng.permutation(700)
    one, other = ParzenClassifier().fit(X, y), ParzenClassifier().fit(X[order], y[order])
    np.testing.assert_allclose(other.loo_scores_, one.loo_scores_, rtol=0, atol=1e-12)
    assert other.width_ == pytest.approx(one.width_)


def test_singleton_class_aligned_width_and_class_weight() -> None:
    X, y = np.vstack([IRIS.data, IRIS.data[:1] + 0.05]), np.append(IRIS.target, 3)
    machine = ParzenClassifier().fit(X, y)
    assert machine.loo_score_ < 1.0
    assert ParzenClassifier("aligned").fit(IRIS.data, IRIS.target).score(IRIS.data, IRIS.target) > 0.9
    heavy = ParzenClassifier(0.5, class_weight={2: 1e6}).fit(IRIS.data, IRIS.target)
    assert np.all(heavy.predict(IRIS.data[50:]) == 2)


@pytest.mark.parametrize(
    "params", [{"width": "wide"}, {"width": 0.0}, {"priors": "none"}, {"priors": [1.0]}, {"class_weight": "x"}]
)
def test_wrong_parameters(params: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=next(iter(params))):
        ParzenClassifier(**params).fit(IRIS.data, IRIS.target)


def test_class_without_weight() -> None:
    with pytest.raises(DataError, match="every class"):
        ParzenClassifier().fit(IRIS.data, IRIS.target, sample_weight=IRIS.target > 0)


@pytest.mark.parametrize(
    ("name", "words"), [("hepatitis", '"sex" is nominal'), ("breast-cancer", 'row 23, column "bare_nuclei"')]
)
def test_what_has_no_density_is_named(name: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        ParzenClassifier().fit(datasets.load(name))


@pytest.mark.parametrize("scale", [None, "minmax", "standard"])
@pytest.mark.parametrize(
    ("given", "shares"),
    [
        ({}, [0.5, 0.5]),
        ({"priors": "empirical"}, [0.25, 0.75]),
        ({"priors": [3.0, 2.0], "class_weight": {0: 2.0, 1: 1.0}}, [0.75, 0.25]),
    ],
)
def test_the_log_density_is_that_of_the_columns_given(scale: str | None, given: dict, shares: list[float]) -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(12, 2)) * [1.0, 300.0], np.array([0] * 3 + [1] * 9)
    machine = ParzenClassifier(0.4, scale=scale, **given).fit(X, y)
    divisor = {None: np.ones(2), "minmax": np.ptp(X, axis=0), "standard": X.std(axis=0)}[scale]
    new = X[:5] + divisor * rng.normal(size=(5, 2)) * 0.3
    wanted = [kernels.mixed_log_density(x, X, y, shares, 0.4 * divisor) for x in new]
    np.testing.assert_allclose(machine.score_samples(new), wanted, rtol=1e-9)


def test_the_density_adds_up_to_one_and_weights_are_copies() -> None:
    X, y, weight = np.array([[0.0], [1.0], [4.0], [5.0]]), [0, 0, 1, 1], [1, 2, 1, 3]
    machine = ParzenClassifier(0.3, priors="empirical").fit(X, y, weight)
    grid = np.linspace(-15.0, 20.0, 7001)[:, None]
    assert np.exp(machine.score_samples(grid)).sum() * 0.005 == pytest.approx(1.0, abs=1e-9)
    copied = ParzenClassifier(0.3, priors="empirical").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(machine.score_samples(grid[::50]), copied.score_samples(grid[::50]), rtol=1e-9)
