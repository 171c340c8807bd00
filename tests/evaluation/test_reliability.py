"""Reliability by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.evaluation import reliability
from sepal.exceptions import DataError, ParameterError


def test_two_bins_by_hand():
    shares = [[0.9, 0.1], [0.7, 0.3], [0.4, 0.6], [0.5, 0.5]]
    found = reliability(shares, [0, 1, 1, 0], n_bins=2)
    # By confidence: 0.5 and 0.6, both right; 0.7 wrong and 0.9 right.
    np.testing.assert_allclose(found.confidence, [0.55, 0.8])
    np.testing.assert_allclose(found.right, [1.0, 0.5])
    assert found.counts.tolist() == [2, 2]
    assert (found.low.tolist(), found.high.tolist()) == ([0.5, 0.7], [0.6, 0.9])
    assert found.expected_calibration_error == pytest.approx((0.45 + 0.3) / 2)
    spreads = [np.sqrt(0.25 + 0.24) / 2, np.sqrt(0.21 + 0.09) / 2]
    assert found.chance == pytest.approx(np.mean(spreads) * np.sqrt(2 / np.pi))
    assert found.log_loss == pytest.approx(-np.log([0.9, 0.3, 0.6, 0.5]).mean())
    assert found.standard_error == pytest.approx(np.sqrt(0.25 + 0.24 + 0.21 + 0.09) / 4)
    assert (found.mean_confidence, found.accuracy) == (pytest.approx(0.675), 0.75)


def test_weights_are_as_if_rows_were_repeated():
    shares = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]])
    once = reliability(shares, [0, 1, 1], n_bins=1, weights=[2, 1, 3])
    again = reliability(np.repeat(shares, [2, 1, 3], axis=0), np.repeat([0, 1, 1], [2, 1, 3]), n_bins=1)
    for name in ("expected_calibration_error", "log_loss", "mean_confidence", "accuracy"):
        assert getattr(once, name) == pytest.approx(getattr(again, name))


def test_equal_confidence_stays_together_whatever_the_order():
    rng = np.random.default_rng(0)
    top = rng.choice([0.6, 0.7, 0.95], size=200)
    shares, codes = np.column_stack([top, 1 - top]), rng.integers(0, 2, 200)
    found, order = reliability(shares, codes), rng.permutation(200)
    assert found.confidence == pytest.approx([0.6, 0.7, 0.95])
    again = reliability(shares[order], codes[order])
    np.testing.assert_array_equal(again.counts, found.counts)
    np.testing.assert_allclose(again.right, found.right)


def test_true_probabilities_err_as_much_as_chance_says():
    rng = np.random.default_rng(3)
    found = []
    for _ in range(200):
        p = rng.uniform(0.5, 1.0, 300)
        codes = (rng.random(300) > p).astype(int)
        found.append(reliability(np.column_stack([p, 1 - p]), codes))
    errors = np.array([each.expected_calibration_error for each in found])
    assert errors.mean() == pytest.approx(np.mean([each.chance for each in found]), rel=0.05)


def test_shown_and_refused():
    found = reliability([[0.9, 0.1], [0.2, 0.8]], [0, 0])
    assert list(found.frame()) == ["low", "high", "confidence", "right", "counts"]
    assert "expected calibration error" in str(found)
    assert found._repr_html_().startswith("<pre>")
    ax = found.plot()
    assert ax.get_xlabel() == "confidence"
    with pytest.raises(DataError, match="NaN"):
        reliability([[np.nan, np.nan]], [0])
    with pytest.raises(DataError, match="one line of probabilities"):
        reliability([[0.5, 0.5]], [0, 1])
    with pytest.raises(ParameterError, match="n_bins"):
        reliability([[0.5, 0.5]], [0], n_bins=0)
