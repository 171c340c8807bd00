"""The leave-one-out error of large problems, against refitting without each row."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_moons
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.svm import SVC

from sepal.machines import SVMClassifier, _leave_one_out


@pytest.fixture
def large(monkeypatch):
    """Small problems are treated as large ones, with work for this many rows at most."""

    def limit(rows: int, steps: int = 10**6) -> None:
        monkeypatch.setattr(_leave_one_out, "MOST_ROWS", 0)
        monkeypatch.setattr(_leave_one_out, "_MOST_WORK", 0)
        monkeypatch.setattr(_leave_one_out, "_FEWEST", rows)
        monkeypatch.setattr(_leave_one_out, "_MOST_STEPS", steps)

    return limit


def _found(X, y, C, gamma):
    machine = SVMClassifier(gamma=gamma, scale=None, tol=1e-8)
    training, unit_box, _ = machine._training(X, y, None, 1)
    return _leave_one_out.left_out(training, machine._solve(training, C * unit_box, 1), tol=1e-8, threads=2)


def _refitted(X, y, C, gamma):
    peer = SVC(C=C, gamma=gamma, tol=1e-8, break_ties=True, decision_function_shape="ovr")
    return float(np.mean(cross_val_predict(peer, X, y, cv=LeaveOneOut()) != y))


MOONS = make_moons(90, noise=0.35, random_state=7)


@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
def test_it_is_exact_where_every_row_in_question_is_solved_again(large, C):
    X, y = MOONS
    large(rows=90)
    found = _found(X, y, C, 2.0)
    assert found.error == pytest.approx(_refitted(X, y, C, 2.0), abs=1e-12)
    assert found.lower == found.upper == found.error
    assert found.standard_error == 0


def test_several_classes_are_exact_too(large):
    X, y = load_wine(return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0))[:, :4]
    large(rows=178)
    found = _found(X, y, 1.0, 0.3)
    assert found.error == pytest.approx(_refitted(X, y, 1.0, 0.3), abs=1e-12)
    assert found.lower == found.upper


@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
@pytest.mark.parametrize("limits", [(12, 10**6), (90, 3)])
def test_the_bounds_hold_the_error_of_refitting(large, C, limits):
    X, y = MOONS
    large(*limits)
    found, true = _found(X, y, C, 2.0), _refitted(X, y, C, 2.0)
    assert found.lower < found.upper
    assert found.lower - 1e-12 <= true <= found.upper + 1e-12
    assert found.lower - 1e-12 <= found.error <= found.upper + 1e-12
    if limits[0] < 90:
        assert abs(found.error - true) <= 3 * found.standard_error


def test_the_choice_of_c_depends_neither_on_row_order_nor_on_threads():
    X, y = make_moons(1200, noise=0.3, random_state=0)
    one = SVMClassifier(C="auto", n_jobs=1).fit(X, y).C_search_
    order = np.random.default_rng(1).permutation(1200)
    two = SVMClassifier(C="auto", n_jobs=2).fit(X[order], y[order]).C_search_
    assert one.frame().equals(two.frame())
    assert np.all(one.lower <= one.error)
    assert np.all(one.error <= one.upper)
    assert list(one.frame().columns) == ["C", "error", "lower", "upper", "standard_error"]
