"""The simple rules an explanation compares with."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import sepal
from sepal.auto._baselines import fisher_left_out, linear, majority
from sepal.auto._judging import class_judge
from sepal.data import as_table


def test_the_majority_is_the_share_of_the_largest_class():
    for codes, share in (([0] * 50 + [1] * 50 + [2] * 50, 1 / 3), ([0, 1, 1, 1], 0.75)):
        assert majority(class_judge(np.array(codes, dtype=np.int32), balanced=False)).score == pytest.approx(share)


def test_fishers_left_out_decisions_equal_refits():
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3].astype(np.int32)
    ours = fisher_left_out(X, y, 0.0)
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        refit = LinearDiscriminantAnalysis(solver="lsqr").fit(X[rest], y[rest])
        # lsqr divides the scatter by n, Fisher's rule by n - classes; differences of decisions are compared.
        scale = (rest.sum() - 3) / rest.sum()
        refit.intercept_ = scale * (refit.intercept_ - np.log(refit.priors_)) + np.log(refit.priors_)
        expected = scale * (X[i] @ refit.coef_.T) + refit.intercept_
        np.testing.assert_allclose(np.diff(ours[i]), np.diff(expected), rtol=1e-6, atol=1e-6)


def test_a_line_separates_iris_as_well_as_published():
    X, y = load_iris(return_X_y=True)
    table = as_table(X, y)
    score = linear(table, class_judge(y.astype(np.int32), balanced=False)).score
    assert score == pytest.approx(147 / 150)  # leave-one-out of Fisher's discriminant: three flowers are wrong


def test_more_columns_than_rows_and_a_class_of_one_row():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 40))
    codes = np.array([0] * 6 + [1] * 5 + [2], dtype=np.int32)
    score = linear(as_table(X, codes), class_judge(codes, balanced=False)).score
    assert 0 <= score <= 11 / 12  # the only row of its class cannot be right


def test_sonar_is_not_linear():
    table = sepal.datasets.load("sonar")
    codes = np.unique(table.y, return_inverse=True)[1].astype(np.int32)
    assert 0.7 < linear(table, class_judge(codes, balanced=False)).score < 0.82
