"""Machines for numbers on any table: the coordinates they get, and what they may say."""

from __future__ import annotations

import numpy as np
import pytest

import sepal.datasets
from sepal.data import as_table
from sepal.estimators import AnyTable, load_model, save_model
from sepal.exceptions import DataError
from sepal.machines import FeatureVectorClassifier, FeatureVectorRegressor, FisherDiscriminant, SVMClassifier
from tests.machines.contract import contract


def test_the_machine_gets_ranges_levels_and_gaps():
    table = as_table([[1.0, "r"], [3.0, "g"], [np.nan, "r"], [5.0, "g"]], ["a", "b", "a", "b"])
    machine = FeatureVectorClassifier(scale=None, width=1.0)
    model = AnyTable(machine).fit(table)
    half = 1.0 / np.sqrt(2.0)
    # size from 1 to 5, its gap in the middle and on an indicator; g, r
    expected = np.array([[0, 0, 0, half], [0.5, 0, half, 0], [0.5, half, 0, half], [1, 0, half, 0]])
    np.testing.assert_allclose(model.view_.coordinates(table), expected)
    np.testing.assert_allclose(model.predict_proba(table), machine.fit(expected, table.y).predict_proba(expected))
    assert model.classes_.tolist() == ["a", "b"]


def test_only_what_the_machine_has():
    assert not hasattr(AnyTable(SVMClassifier()), "predict_proba")
    assert hasattr(AnyTable(SVMClassifier(probability=True)), "predict_proba")
    numbers = AnyTable(FeatureVectorRegressor())
    assert not hasattr(numbers, "predict_proba")
    hepatitis = sepal.datasets.load("hepatitis")
    bilirubin = np.nan_to_num(hepatitis.values[:, 13])
    assert numbers.fit(hepatitis, bilirubin).predict(hepatitis).shape == (155,)


def test_groups_reach_a_machine_that_leaves_rows_out():
    """Groups did not reach the machine inside."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2)).repeat(4, axis=0) + 0.001 * rng.normal(size=(120, 2))
    table = as_table(X, (np.arange(120) // 4 % 2).astype(str))
    people = np.arange(120) // 4
    machine = SVMClassifier(C="auto", width=0.05, scale=None)
    model = AnyTable(machine).fit(table, groups=people)
    expected = machine.fit((X - X.min(axis=0)) / np.ptp(X, axis=0), table.y, groups=people)
    assert model.machine_.C_search_.error.tolist() == expected.C_search_.error.tolist()
    assert model.machine_.C_search_.error.min() > 0.25
    AnyTable(FisherDiscriminant()).fit(table, groups=people)  # leaves none out


def test_kept_in_a_file(tmp_path):
    heart = sepal.datasets.load("heart")
    model = AnyTable(FisherDiscriminant()).fit(heart)
    again = load_model(save_model(model, tmp_path / "m.sepal"))
    np.testing.assert_array_equal(again.predict_proba(heart), model.predict_proba(heart))
    assert model.score(heart, heart.y) == np.mean(model.predict(heart) == heart.y)
    with pytest.raises(DataError, match=r"yet now missing:\n- thal\n"):
        again.predict(heart.select(list(heart.names[:12])))


@pytest.mark.parametrize(
    ("estimator", "check"),
    contract([AnyTable(FeatureVectorClassifier(max_vectors=9)), AnyTable(FeatureVectorRegressor())]),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
