"""Models answer as their solvers say: over sizes, by a larger ridge where rounding wins, or not at all."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.auto import SepalClassifier, SepalRegressor, _kernel_member
from sepal.auto._ridge_loo import RidgeFit, kernel_fit
from sepal.exceptions import DataError


def _linear_rows(n, seed):
    rng = np.random.RandomState(seed)
    slopes = rng.randn(3)

    def draw(count):
        rows = rng.randn(count, 3)
        return rows, rows @ slopes + 0.5 * rng.randn(count)

    return draw(n), draw(2000), float(slopes @ slopes) / (float(slopes @ slopes) + 0.25)


@pytest.mark.parametrize("n", [50, 800, 1500, 5000])
def test_what_leave_one_out_claims_is_what_predictions_reach(n):
    """On 600 to 2,500 rows answers were wrong while the score was right; ``most`` is the variance that is no noise."""
    (rows, y), (new, new_y), most = _linear_rows(n, n + 2)
    model = SepalRegressor().fit(rows, y)
    assert model.score(rows, y) > model.leave_one_out_score_ - 1e-6
    slack = 0.03 + 1.5 / n
    assert model.score(new, new_y) == pytest.approx(most, abs=slack)
    assert model.score(new, new_y) == pytest.approx(
        model.leave_one_out_score_, abs=slack + 2 * model.leave_one_out_standard_error_
    )


def _broken_below(ridge_that_holds):
    """A solver that rounding has ruined below some ridge, as it did before coefficients were centred."""

    def fit(K, targets, ridge, *rows):
        found = kernel_fit(K, targets, ridge, *rows)
        return found if ridge >= ridge_that_holds else RidgeFit(found.a + 0.01, found.b, found.fit, found.left_out)

    return fit


def test_a_larger_ridge_is_taken_where_a_model_does_not_answer_as_its_solver_says(monkeypatch):
    """Where rounding won, a model answered otherwise than its solver said, and nobody compared the two."""
    (rows, y), _, _ = _linear_rows(60, 0)
    monkeypatch.setattr(_kernel_member, "kernel_fit", _broken_below(0.5))
    model = SepalRegressor().fit(rows, y)
    assert any("ridges below 1 could not be solved exactly" in note for note in model.trace_.notes)
    assert model.score(rows, y) > model.leave_one_out_score_
    assert "time_limit" not in {finding.code for finding in model.explain().findings}
    assert "raised_ridge" in {finding.code for finding in model.explain().findings}


def test_a_model_that_never_answers_as_its_solver_says_is_refused(monkeypatch):
    """A model that answers otherwise than its solver says was kept without a word."""
    (rows, y), _, _ = _linear_rows(60, 0)
    monkeypatch.setattr(_kernel_member, "kernel_fit", _broken_below(100.0))
    with pytest.raises(DataError, match="these 60 rows cannot be solved"):
        SepalClassifier().fit(rows, y > 0)
