"""The simple rules an explanation compares with."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge

import sepal
from sepal.auto._baselines import (
    fisher_left_out,
    linear_number,
    linear_rule,
    majority,
    mean,
    nearest_number,
    ridge_left_out,
)
from sepal.auto._judging import NumberJudge, class_judge
from sepal.data import as_table


def test_the_majority_is_the_share_of_the_largest_class():
    """The largest class among the other rows was meant, which is never right where classes are equal."""
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


def test_a_line_separates_iris_as_well_as_fishers_discriminant():
    """Ridge regression on indicators, which masks the class in the middle, reached 82 %."""
    X, y = load_iris(return_X_y=True)
    table = as_table(X, y)
    score = linear_rule(table, class_judge(y.astype(np.int32), balanced=False)).score
    # Three flowers are wrong, as by scikit-learn's LinearDiscriminantAnalysis under its LeaveOneOut.
    assert score == pytest.approx(147 / 150)


def test_more_columns_than_rows_and_a_class_of_one_row():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 40))
    codes = np.array([0] * 6 + [1] * 5 + [2], dtype=np.int32)
    score = linear_rule(as_table(X, codes), class_judge(codes, balanced=False)).score
    assert 0 <= score <= 11 / 12  # the only row of its class cannot be right


def test_sonar_is_not_linear():
    table = sepal.datasets.load("sonar")
    codes = np.unique(table.y, return_inverse=True)[1].astype(np.int32)
    # 0.755 by scikit-learn's LinearDiscriminantAnalysis under its LeaveOneOut; this one is regularised.
    assert 0.7 < linear_rule(table, class_judge(codes, balanced=False)).score < 0.82


@pytest.mark.parametrize("columns", [3, 20])
def test_ridges_left_out_predictions_equal_refits(columns):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(12, columns)), rng.normal(size=12)
    centred = X - X.mean(axis=0)
    values = np.linalg.svd(centred, compute_uv=False) ** 2
    unit = values[values > 1e-9].mean()
    ours = ridge_left_out(X, y[:, None], np.array([0.01, 1.0]))
    for k, ridge in enumerate((0.01, 1.0)):
        for i in range(12):
            rest = np.arange(12) != i
            refit = Ridge(alpha=ridge * unit).fit(X[rest], y[rest])
            assert ours[k, i, 0] == pytest.approx(refit.predict(X[i : i + 1])[0], abs=1e-8)


def test_simple_rules_for_numbers_by_hand():
    targets = np.array([1.0, 2.0, 6.0, 7.0])
    judge = NumberJudge(targets)
    assert mean(judge).score == pytest.approx(0.0)  # R squared is held against the mean of the others
    # Nearest others: row 0 has row 1, row 1 has row 0, row 2 has rows 1 and 3 at the same distance, row 3 has row 2.
    found = nearest_number(as_table([[0.0], [1.0], [3.0], [5.0]]), judge, None)
    squares = np.array([1.0, 1.0, (6.0 - 4.5) ** 2, 1.0])
    others = np.array([(targets.sum() - t) / 3 for t in targets])
    assert found.score == pytest.approx(1 - squares.sum() / ((targets - others) ** 2).sum())


def test_a_line_of_numbers_and_columns_that_say_nothing():
    x = np.arange(20.0)
    assert linear_number(as_table(x[:, None]), NumberJudge(3 * x + 1)).score == pytest.approx(1.0, abs=1e-6)
    assert linear_number(as_table(np.ones((20, 2))), NumberJudge(x)).score == pytest.approx(0.0)
