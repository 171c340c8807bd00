"""How members are weighed, and how their mixture is calibrated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from sepal.auto import _average, _judging
from sepal.auto._average import mixture_weights
from sepal.auto._calibration import CALIBRATION_PRIOR, calibrate, calibration_rows
from sepal.auto._judging import ClassJudge, NumberJudge, class_judge
from tests.oracles import mixing

CODES = np.array([0, 1, 2, 1, 0, 2, 2], dtype=np.int32)


@pytest.fixture
def rng():
    return np.random.RandomState(4)


def _probabilities(rng, n_members, n=7):
    draws = rng.gamma(1.0, size=(n_members, n, 3))
    return draws / draws.sum(axis=2, keepdims=True)


@pytest.mark.parametrize("n_members", [1, 2, 3])
def test_weights_are_the_mean_of_the_grid_counted_by_likelihood(rng, n_members):
    members = _probabilities(rng, n_members)
    own = [[member[i, code] for i, code in enumerate(CODES)] for member in members]
    expected = mixing.mean_weights(own, _average._PARTS, _judging._FLOOR)
    np.testing.assert_allclose(mixture_weights(np.stack(members), class_judge(CODES, False)), expected, atol=1e-12)


def test_a_member_that_knows_takes_over_and_equal_ones_share():
    good, bad = np.eye(3)[CODES], np.full((7, 3), 1 / 3)
    many = np.tile(CODES, 40).astype(np.int32)
    weights = mixture_weights(np.stack([np.tile(bad, (40, 1)), np.tile(good, (40, 1))]), class_judge(many, False))
    assert weights.tolist() == [0.0, 1.0]  # less than a hundredth is nothing
    np.testing.assert_allclose(mixture_weights(np.stack([bad, bad]), class_judge(CODES, False)), [0.5, 0.5])


def test_numbers_are_weighed_by_their_residuals():
    targets = np.array([1.0, -1.0, 0.5, -0.5])
    members = (targets + np.array([[0.1, -0.2, 0.1, 0.2], [0.4, 0.3, -0.5, 0.1]]))[:, :, None]
    mixtures = np.array([[1.0, 0.0], [0.25, 0.75]])
    found = NumberJudge(targets).log_likelihoods(members, mixtures)
    residuals = [[0.1, -0.2, 0.1, 0.2], [0.325, 0.175, -0.35, 0.125]]  # by hand: a quarter and three quarters
    expected = [-2.0 * np.log(np.mean(np.square(row))) for row in residuals]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_calibration_is_the_minimum_of_its_loss(rng):
    logarithms = np.log(_probabilities(rng, 1)[0])
    weights = np.array([0.2, 0.1, 0.1, 0.2, 0.1, 0.2, 0.1])
    factor, offsets = calibrate(logarithms, CODES, weights)

    def loss(z):
        return mixing.calibration_loss(logarithms, CODES, 7 * weights, z[0], z[1:], CALIBRATION_PRIOR)

    best = minimize(loss, np.array([1.0, 0.0, 0.0, 0.0]), tol=1e-12)
    np.testing.assert_allclose([factor, *offsets], best.x, atol=1e-5)
    assert loss(np.array([factor, *offsets])) <= best.fun + 1e-9


def test_what_is_calibrated_stays_as_it_is_and_a_lean_is_set_right(rng):
    n = 4000
    p = rng.uniform(0.05, 0.95, size=n)
    codes = (rng.uniform(size=n) < p).astype(np.int32)
    weights = np.full(n, 1.0 / n)
    factor, offsets = calibrate(np.log(np.column_stack([1 - p, p])), codes, weights)
    assert factor == pytest.approx(1.0, abs=0.1)
    assert np.abs(offsets).max() < 0.1
    leaning = np.column_stack([1 - p, p]) * [3.0, 1.0]
    leaning /= leaning.sum(axis=1, keepdims=True)
    factor, offsets = calibrate(np.log(leaning), codes, weights)
    assert offsets[1] - offsets[0] == pytest.approx(np.log(3.0), abs=0.15)


def test_the_calibration_affords_fewer_rows_where_classes_are_many():
    assert calibration_rows(700, 3) == 700
    assert calibration_rows(10**6, 2) == 50_000
    assert calibration_rows(10**6, 1000) == 2000


def test_balanced_rows_count_by_their_class():
    codes = np.array([0, 0, 0, 1], dtype=np.int32)
    members = np.array([[[0.9, 0.1]] * 4])
    found = ClassJudge(codes, class_judge(codes, True).weights).log_likelihoods(members, np.ones((1, 1)))
    assert found[0] == pytest.approx(4 * (0.5 * np.log(0.901) + 0.5 * np.log(0.101)))


def test_likelihoods_of_mixtures_are_the_same_in_blocks_of_rows(monkeypatch):
    """231 mixtures of a million rows are 2 GB at once; block by block they are few."""
    rng = np.random.default_rng(2)
    members, mixtures = rng.random((3, 50, 2)), rng.dirichlet(np.ones(3), size=7)
    mass = rng.random(50) + 0.5
    codes = rng.integers(0, 2, 50).astype(np.int32)
    targets = rng.normal(size=50)
    judges = [
        class_judge(codes, False),
        class_judge(codes, True, mass=mass),
        NumberJudge(targets),
        NumberJudge(targets, mass=mass),
    ]
    whole = [judge.log_likelihoods(members, mixtures) for judge in judges]
    monkeypatch.setattr("sepal.auto._judging._BLOCK_NUMBERS", 7 * 8)
    for judge, expected in zip(judges, whole, strict=True):
        np.testing.assert_allclose(judge.log_likelihoods(members, mixtures), expected, rtol=1e-13)
