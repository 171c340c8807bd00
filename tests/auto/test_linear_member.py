"""Fisher's discriminant as a member: its answers for new rows. Leave-one-out is checked in test_baselines."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris

from sepal.auto._judging import class_judge
from sepal.auto._linear_member import LINEAR_RIDGES, fit_linear
from sepal.data import as_table
from sepal.estimators._views import fit_view
from tests.oracles.geometry import gaussian_posteriors


def test_probabilities_are_those_of_equal_normal_clouds():
    X, y = load_iris(return_X_y=True)
    codes = y.astype(np.int32)
    table = as_table(X)
    view = fit_view(table, "standard")
    judge = class_judge(codes, False)
    member, tried = fit_linear(view, table, codes, judge)
    coordinates = view.coordinates(table)
    answers = member.decisions(table)
    expected = min(
        (gaussian_posteriors(coordinates, codes, coordinates[::10], ridge) for ridge in LINEAR_RIDGES),
        key=lambda found: np.abs(found - answers[::10]).max(),
    )
    np.testing.assert_allclose(answers[::10], expected, atol=1e-9)
    assert (tried.picked(judge.weights).argmax(axis=1) == codes).mean() >= 0.97
