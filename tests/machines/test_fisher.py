from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from sepal import datasets
from sepal.exceptions import DataError, ParameterError, SepalWarning
from sepal.machines import FisherDiscriminant
from tests.machines.contract import contract
from tests.oracles import geometry


@pytest.mark.parametrize(
    ("estimator", "check"), contract([FisherDiscriminant(), FisherDiscriminant(priors="empirical")])
)
def test_estimator_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SepalWarning)  # some checks use fewer rows than columns
        check(estimator)


def blobs(n=60, p=4, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    return rng.normal(size=(n, p)) + y[:, None] * rng.normal(size=p), y


@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_the_oracle_gives_the_same_classes(priors):
    X, y = blobs()
    queries = np.random.default_rng(1).normal(size=(40, 4)) * 2
    found = FisherDiscriminant(priors=priors).fit(X, y).predict(queries)
    assert found.tolist() == geometry.fisher_predict(X, y.tolist(), queries, 1.0, priors)


def test_two_classes_have_the_direction_of_linear_discriminant_analysis():
    X, y = blobs(n_classes=2)
    y[:10] = 0  # unbalanced
    machine = FisherDiscriminant().fit(X, y)
    peer = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    n = len(X)
    # scikit-learn divides the scatter by n, we by n - 2
    np.testing.assert_allclose(machine.coef_ * n / (n - 2), peer.coef_, rtol=1e-9)


def test_weights_count_rows_and_class_weights_are_factors_of_priors():
    X, y = blobs()
    weights = np.random.default_rng(2).integers(0, 4, len(y))
    for params in ({}, {"priors": "empirical"}, {"class_weight": "balanced", "priors": "empirical"}):
        weighted = FisherDiscriminant(**params).fit(X, y, sample_weight=weights)
        repeated = FisherDiscriminant(**params).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
        np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-8)
        np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), rtol=1e-7, atol=1e-9)
    costs = FisherDiscriminant(priors=[0.2, 0.3, 0.5], class_weight={0: 5, 1: 2}).fit(X, y)
    np.testing.assert_allclose(costs.priors_, np.array([1.0, 0.6, 0.5]) / 2.1)
    with pytest.raises(DataError, match="every class"):
        FisherDiscriminant().fit(X, y, sample_weight=y)
    with pytest.raises(DataError, match=r"needs more rows[\s\S]*multiply"):
        FisherDiscriminant().fit(X, y, sample_weight=np.full(60, 0.01))


def test_equal_priors_put_the_plane_halfway_between_the_means():
    X, y = blobs(n_classes=2)
    y[:10] = 0
    machine = FisherDiscriminant().fit(X, y)
    middle = (X[y == 0].mean(axis=0) + X[y == 1].mean(axis=0)) / 2
    assert machine.decision_function([middle])[0] == pytest.approx(0, abs=1e-10)
    normal, offset = machine.hyperplane()
    assert np.linalg.norm(normal) == pytest.approx(1)
    assert normal @ middle == pytest.approx(offset)
    np.testing.assert_allclose(machine.hyperplane(1, 0)[0], -normal)


def test_empirical_priors_move_the_plane_by_the_log_ratio():
    X, y = blobs(n_classes=2)
    y[:10] = 0
    share = np.mean(y == 1)
    equal = FisherDiscriminant().fit(X, y)
    empirical = FisherDiscriminant(priors="empirical").fit(X, y)
    np.testing.assert_allclose(empirical.intercept_ - equal.intercept_, np.log(share / (1 - share)))


def singular(kind):
    X, y = blobs(n=40, p=3, n_classes=2)
    if kind == "copied":  # the means differ inside the range only
        return np.column_stack([X, X[:, 0] + X[:, 1]]), y
    return np.column_stack([X, y * 0.5]), y  # the last column separates and has no spread


@pytest.mark.parametrize("kappa", [0.1, 1.0, 7.0])
@pytest.mark.parametrize("kind", ["copied", "separating"])
def test_singular_covariance_equals_s_plus_kappa_q_inverted(kind, kappa):
    X, y = singular(kind)
    queries = np.random.default_rng(2).normal(size=(50, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SepalWarning)
        machine = FisherDiscriminant(kappa=kappa).fit(X, y)
    S = geometry.pooled(X, y.tolist(), [0, 1])
    Q = np.eye(4) - np.linalg.pinv(S, rcond=1e-10, hermitian=True) @ S
    d = geometry.mean_of(X, y.tolist(), 1) - geometry.mean_of(X, y.tolist(), 0)
    np.testing.assert_allclose(machine.coef_[0], np.linalg.solve(S + kappa * Q, d), rtol=1e-7, atol=1e-9)
    assert machine.rank_ == 3
    assert machine.predict(queries).tolist() == geometry.fisher_predict(X, y.tolist(), queries, kappa)


def test_perfect_separation_in_the_null_space_warns_and_a_copied_column_does_not():
    X, y = singular("separating")
    with pytest.warns(SepalWarning, match="separated perfectly"):
        FisherDiscriminant().fit(X, y)
    FisherDiscriminant().fit(*singular("copied"))  # warnings are errors


def test_kappa_defaults_to_the_mean_of_the_nonzero_eigenvalues():
    X, y = singular("copied")
    values = np.linalg.eigvalsh(geometry.pooled(X, y.tolist(), [0, 1]))
    assert FisherDiscriminant().fit(X, y).kappa_ == pytest.approx(values[1:].mean())


def test_more_columns_than_rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 300))
    y = np.arange(20) % 2
    X[y == 1] += 0.3
    with pytest.warns(SepalWarning, match="rank 18 for 300"):
        machine = FisherDiscriminant(kappa=2.0).fit(X, y)
    assert machine.score(X, y) == 1.0
    S = geometry.pooled(X, y.tolist(), [0, 1])
    Q = np.eye(300) - np.linalg.pinv(S, rcond=1e-10, hermitian=True) @ S
    d = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    np.testing.assert_allclose(machine.coef_[0], np.linalg.solve(S + 2.0 * Q, d), rtol=1e-6, atol=1e-9)


def test_columns_of_very_different_units_are_not_taken_for_singular():
    X, y = blobs(n_classes=2)
    units = np.array([1e9, 1.0, 1e-9, 1.0])
    plain, moved = FisherDiscriminant().fit(X, y), FisherDiscriminant().fit(X * units, y)
    assert moved.rank_ == 4
    np.testing.assert_allclose(moved.coef_ * units, plain.coef_, rtol=1e-6)


def test_axes_have_unit_spread_inside_classes_and_are_uncorrelated():
    X, y = blobs()
    Z = FisherDiscriminant(priors="empirical").fit(X, y).transform(X)
    assert Z.shape == (60, 2)
    np.testing.assert_allclose(geometry.pooled(Z, y.tolist(), [0, 1, 2]), np.eye(2), atol=1e-9)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    peer = LinearDiscriminantAnalysis().fit(X, y).transform(X)
    for j in range(2):
        assert abs(np.corrcoef(Z[:, j], peer[:, j])[0, 1]) == pytest.approx(1, abs=1e-9)


def test_row_order_does_not_change_the_plane():
    X, y = blobs()
    order = np.random.default_rng(4).permutation(len(X))
    np.testing.assert_allclose(
        FisherDiscriminant().fit(X, y).coef_, FisherDiscriminant().fit(X[order], y[order]).coef_, rtol=1e-9
    )


def test_containers_names_pickle_and_clone():
    X, y = blobs(n_classes=2)
    names = ["a", "b", "c", "d"]
    from_pandas = FisherDiscriminant().fit(pd.DataFrame(X, columns=names), y)
    from_polars = FisherDiscriminant().fit(pl.DataFrame(X, schema=names), y)
    plain = FisherDiscriminant(kappa=3.0).fit(X, y)
    assert from_pandas.feature_names_in_.tolist() == from_polars.feature_names_in_.tolist() == names
    np.testing.assert_allclose(from_pandas.coef_, from_polars.coef_)
    np.testing.assert_allclose(from_pandas.coef_, plain.coef_)
    again = pickle.loads(pickle.dumps(plain))  # noqa: S301
    assert again.predict(X).tolist() == plain.predict(X).tolist()
    assert clone(plain).kappa == 3.0
    assert from_pandas.get_feature_names_out().tolist() == ["fisherdiscriminant0"]


def test_a_table_with_a_target_needs_no_y():
    table = datasets.load("liver")
    machine = FisherDiscriminant().fit(table)
    assert machine.feature_names_in_.tolist() == list(table.names)
    assert machine.predict(table).shape == (345,)
    with pytest.raises(DataError, match="nominal"):
        FisherDiscriminant().fit(datasets.load("voting"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kappa": 0}, "kappa"),
        ({"kappa": True}, "kappa"),
        ({"priors": "odd"}, "priors"),
        ({"priors": [0.5, 0.6]}, "priors"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    X, y = blobs(n_classes=2)
    with pytest.raises(ParameterError, match=message):
        FisherDiscriminant(**options).fit(X, y)


def test_an_unknown_class_has_no_plane():
    X, y = blobs()
    machine = FisherDiscriminant().fit(X, y)
    with pytest.raises(ParameterError, match="first, second"):
        machine.hyperplane(0, 9)
