"""Numbers to predict whose squares overflow or vanish are answered as the same numbers near 1 are."""

from __future__ import annotations

import numpy as np
import pytest

from sepal import SepalRegressor
from sepal.learners import KNNRegressor
from sepal.machines import FeatureVectorRegressor

X = np.modf(np.outer(np.arange(1.0, 61.0), np.sqrt([2.0, 3.0, 5.0])))[0]
Y = X[:, 0] - 0.3

REGRESSORS = [
    KNNRegressor(),
    KNNRegressor(aggregate="median"),
    KNNRegressor(5, aggregate="linear"),
    KNNRegressor(5, weights="distance"),
    SepalRegressor(),
    FeatureVectorRegressor(),
]


@pytest.mark.parametrize("power", [-900, -500, 531, 1000, 1023])
@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_very_large_and_very_small_numbers(model, power):
    """KNNRegressor told of an index -1, SepalRegressor answered NaN, and R squared was NaN; warnings are errors."""
    near = model.fit(X, Y)
    expected, score = near.predict(X), near.score(X, Y)
    far = model.fit(X, Y * 2.0**power)
    np.testing.assert_allclose(far.predict(X) * 2.0**-power, expected, atol=1e-12)
    assert far.score(X, Y * 2.0**power) == pytest.approx(score, abs=1e-12)


def test_what_is_told_beside_the_answers():
    near, far = SepalRegressor().fit(X, Y), SepalRegressor().fit(X, Y * 2.0**1000)
    assert far.residual_std_ * 2.0**-1000 == pytest.approx(near.residual_std_)
    assert far.worst_share_ == pytest.approx(near.worst_share_)
    told = [(each.name, each.score, each.standard_error) for each in far.explain().baselines]
    assert told == [(each.name, each.score, each.standard_error) for each in near.explain().baselines]
    near, far = KNNRegressor(4).fit(X, Y), KNNRegressor(4).fit(X, Y * 2.0**1000)
    spread = far.predict(X, return_std=True)[1]
    np.testing.assert_allclose(spread * 2.0**-1000, near.predict(X, return_std=True)[1])
    np.testing.assert_allclose(far.predict_quantiles(X) * 2.0**-1000, near.predict_quantiles(X))


def test_the_median_of_the_largest_numbers_is_between_them():
    most = np.finfo(np.float64).max
    model = KNNRegressor(2, aggregate="median", scale=None).fit([[0.0], [1.0], [9.0]], [most, most, 0.0])
    assert model.predict([[0.5]]).tolist() == [most]
