"""Evaluations of numbers whose squares are no numbers: the same figures as without the factor."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.evaluation import compare, evaluate
from sepal.learners import KNNRegressor

FACTORS = [2.0**660, 2.0**-660, 2.0**1010, 2.0**-1000]


@pytest.fixture
def found(rng):
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + 0.2 * rng.normal(size=40)

    def of(factor: float, k: int = 3):
        return evaluate(KNNRegressor(k), X, y * factor, cv=4)

    return of


@pytest.mark.parametrize("factor", FACTORS)
def test_errors_grow_with_their_numbers(found, factor):
    """Root mean squared errors were infinite or 0, and relative ones 0 or NaN, with warnings of numpy."""
    plain, far = found(1.0), found(factor)
    for name in ("mae", "rmse"):
        assert far.errors[name] == pytest.approx(plain.errors[name] * factor, rel=1e-12)
    for name in ("rae", "rrse"):
        assert far.errors[name] == pytest.approx(plain.errors[name], rel=1e-12)
    assert far.correlation == pytest.approx(plain.correlation, rel=1e-12)
    assert "nan" not in far.summary().lower()


@pytest.mark.parametrize("factor", FACTORS)
def test_tests_of_far_numbers_are_those_of_near_ones(found, factor):
    plain, far = (compare({"a": found(f, 1), "b": found(f, 5)}).pairs[0] for f in (2.0**-1, factor))
    assert (far.t, far.t_p) == pytest.approx((plain.t, plain.t_p), rel=1e-9)
    assert np.sign(far.difference) == (np.sign(plain.difference) if factor > 1.0 else 0.0)


def test_a_mean_square_beyond_all_numbers_is_infinite(found):
    assert found(2.0**660).fold_scores().tolist() == [-np.inf] * 4
    assert found(2.0**-660).fold_scores().tolist() == [0.0] * 4
