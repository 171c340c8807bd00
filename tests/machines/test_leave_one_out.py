"""The leave-one-out error of support vector machines, against refitting without each row."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_moons
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.svm import SVC

from sepal.exceptions import SepalWarning
from sepal.machines import SVMClassifier
from sepal.machines._dual import _leave_one_out, _removal
from tests.oracles import svm as oracle

MOONS = make_moons(90, noise=0.35, random_state=7)
TOL = 1e-9


def _solved(X, y, C, *, tol=TOL, weights=None, **kernel):
    machine = SVMClassifier(scale=None, tol=tol, **kernel)
    training, unit_box, _ = machine._training(X, y, weights, 1)
    return training, machine._solve(training, C * unit_box, 1)


def _found(X, y, C, gamma, **how):
    training, solutions = _solved(X, y, C, gamma=gamma, **how)
    return _leave_one_out.left_out(training, solutions, tol=how.get("tol", TOL), threads=2)


def _refitted(X, y, C, gamma):
    peer = SVC(C=C, gamma=gamma, tol=1e-9, break_ties=True, decision_function_shape="ovr")
    return float(np.mean(cross_val_predict(peer, X, y, cv=LeaveOneOut()) != y))


def _without_each(training, solution, *, until_sign_change=False, tol=TOL, threads=1):
    """Of the support rows: places, decisions without them, whether these were found."""
    left = solution.box * (1.0 - 1.0 / training.rows.n_copies[solution.rows])
    which = np.flatnonzero(np.abs(solution.beta) > left)
    found, solved = _removal.removed(
        training, solution, left, which, until_sign_change=until_sign_change, tol=tol, threads=threads
    )
    return which, found, solved


def _given_units(X, rows):
    """The distinct rows in the units of X: a machine that does not scale takes them times a power of two."""
    return rows.x * (np.abs(X).max() / np.abs(rows.x).max())


def _expected(training, solution, C, which):
    K = _removal._kernel(training, solution.rows, solution.rows, 1)
    return np.array([oracle.exact_leave_one_out(K, solution.sign, C, int(i)) for i in which])


@pytest.fixture
def no_pair_steps(monkeypatch):
    """The path alone must find every decision."""

    def refuse(*_args, **_kwargs):
        raise AssertionError("a row had no path")

    monkeypatch.setattr(_leave_one_out, "leave_one_out", refuse)


@pytest.fixture
def only_free_rows_are_near(monkeypatch):
    monkeypatch.setattr(_removal, "_FEWEST_NEAR", 2)
    monkeypatch.setattr(_removal, "_NEAR_PER_FREE", 1)


@pytest.mark.parametrize("C", [0.02, 0.5, 5.0, 200.0])
@pytest.mark.parametrize(
    "kernel",
    [{"gamma": 2.0}, {"gamma": 0.2}, {"kernel": "linear"}, {"kernel": "poly", "gamma": 1.0, "coef0": 1.0, "degree": 2}],
    ids=["narrow", "wide", "linear", "poly"],
)
def test_decisions_without_each_support_row_are_those_of_refitting(C, kernel):
    X, y = MOONS
    training, (solution,) = _solved(X[:60], y[:60], C, **kernel)
    which, found, solved = _without_each(training, solution, threads=2)
    assert solved.all()
    assert len(which) > 5
    np.testing.assert_allclose(found, _expected(training, solution, C, which), atol=1e-6)


@pytest.mark.parametrize("C", [0.02, 1.0, 50.0])
def test_rows_far_from_the_margin_join_when_they_matter(only_free_rows_are_near, C):
    X, y = MOONS
    training, (solution,) = _solved(X, y, C, gamma=1.0)
    which, found, solved = _without_each(training, solution)
    assert solved.all()
    np.testing.assert_allclose(found, _expected(training, solution, C, which), atol=1e-6)


@pytest.mark.parametrize("C", [0.1, 5.0, 500.0])
def test_a_path_that_ends_where_the_decision_turns_has_the_same_signs(C):
    X, y = MOONS
    training, (solution,) = _solved(X, y, C, gamma=2.0)
    right = solution.sign * (solution.product + solution.bias) > 0
    which, found, _ = _without_each(training, solution)
    _, signs, solved = _without_each(training, solution, until_sign_change=True)
    assert solved.all()
    assert np.array_equal(np.sign(signs[right[which]]), np.sign(found[right[which]]))
    assert np.any(solution.sign[which] * found < 0)


def test_a_copy_leaves_and_the_others_stay():
    X, y = MOONS
    X, y = np.concatenate([X[:40], X[:8]]), np.concatenate([y[:40], y[:8]])
    training, (solution,) = _solved(X, y, 1.0, gamma=1.0)
    which, found, solved = _without_each(training, solution)
    assert solved.all()
    twice = np.flatnonzero(training.rows.n_copies[solution.rows[which]] == 2)
    assert len(twice) >= 2
    for k in twice:
        i = solution.rows[which[k]]
        weight = training.rows.weight.copy()
        weight[i] = 1.0
        x = _given_units(X, training.rows)
        peer = SVC(C=1.0, gamma=1.0, tol=1e-9).fit(x, training.rows.codes, sample_weight=weight)
        assert found[k] == pytest.approx(float(peer.decision_function(x[[i]])[0]), abs=2e-5)


def test_rows_of_several_weights():
    X, y = MOONS
    weights = np.random.default_rng(3).uniform(0.2, 3.0, len(y))
    training, (solution,) = _solved(X, y, 2.0, weights=weights, gamma=1.0)
    which, found, solved = _without_each(training, solution)
    assert solved.all()
    for k in range(0, len(which), 5):
        kept = np.arange(len(y)) != solution.rows[which[k]]
        rows = training.rows
        x = _given_units(X, rows)
        peer = SVC(C=2.0, gamma=1.0, tol=1e-9).fit(x[kept], rows.codes[kept], sample_weight=rows.weight[kept])
        assert found[k] == pytest.approx(float(peer.decision_function(x[~kept])[0]), abs=2e-5)


def test_the_only_row_of_a_class_is_wrong_without_itself():
    X, y = np.array([[0.0], [0.8], [2.0]]), np.array([0, 0, 1])
    found = _found(X, y, 1.0, 1.0)
    assert found.error == pytest.approx(1 / 3)


def test_a_kernel_that_is_not_positive_semidefinite_has_pair_steps():
    X, y = MOONS
    training, solutions = _solved(X, y, 1.0, kernel="sigmoid", gamma=1.0, coef0=-0.5, tol=1e-6)
    found = _leave_one_out.left_out(training, solutions, tol=1e-6, threads=1)
    assert 0.0 < found.error < 0.5
    assert found.lower <= found.error <= found.upper


@pytest.mark.parametrize(
    ("C", "tol", "n"), [(0.05, TOL, 90), (1.0, TOL, 90), (50.0, TOL, 90), (1e3, TOL, 90), (1e5, 1e-5, 80)]
)
def test_the_error_is_that_of_refitting(no_pair_steps, C, tol, n):
    X, y = (part[:n] for part in MOONS)
    found = _found(X, y, C, 2.0, tol=tol)
    assert found.error == pytest.approx(_refitted(X, y, C, 2.0), abs=1e-12)
    assert found.lower == found.upper == found.error
    assert found.standard_error == 0


def test_several_classes_are_exact_too(no_pair_steps):
    X, y = load_wine(return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0))[:, :4]
    found = _found(X, y, 1.0, 0.3)
    assert found.error == pytest.approx(_refitted(X, y, 1.0, 0.3), abs=1e-12)
    assert found.lower == found.upper


@pytest.mark.parametrize("C", [0.5, 64.0])
def test_large_problems_are_exact_up_to_the_tolerance(no_pair_steps, C):
    X, y = make_moons(1600, noise=0.4, random_state=0)
    training, (solution,) = _solved(X, y, C, gamma=1.0, tol=1e-4)
    which, found, solved = _without_each(training, solution, tol=1e-4, threads=2)
    assert solved.all()
    asked = np.linspace(0, len(which) - 1, 6).astype(int)
    K = _removal._kernel(training, solution.rows, solution.rows, 2)
    expected = [oracle.leave_one_out(K, solution.sign, C, int(i)) for i in which[asked]]
    np.testing.assert_allclose(found[asked], expected, atol=2e-3)
    whole = _leave_one_out.left_out(training, [solution], tol=1e-4, threads=2)
    turned = int(np.sum(solution.sign[which] * found < 0) - np.sum(solution.sign[which] * _said(solution)[which] < 0))
    wrong = int(np.sum(solution.sign * _said(solution) < 0))
    assert whole.error == pytest.approx((wrong + turned) / 1600)


def _said(solution):
    return solution.product + solution.bias


@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
def test_the_bounds_of_a_sample_hold_the_error_of_refitting(monkeypatch, C):
    X, y = MOONS
    monkeypatch.setattr(_leave_one_out, "_affordable", lambda *_: 0.3)
    found, true = _found(X, y, C, 2.0), _refitted(X, y, C, 2.0)
    assert found.lower < found.upper
    assert found.lower - 1e-12 <= true <= found.upper + 1e-12
    assert abs(found.error - true) <= 3 * found.standard_error


def test_the_work_of_very_large_problems_is_bounded(monkeypatch):
    X, y = MOONS
    _, solutions = _solved(X, y, 1.0, gamma=2.0)
    carries = [np.abs(solutions[0].beta) > 0]
    monkeypatch.setattr(_leave_one_out, "_MOST_WORK", 1e4)
    n_free = int(np.sum(carries[0] & (np.abs(solutions[0].beta) < solutions[0].box)))
    expected = 1e4 / (carries[0].sum() * 90 * (100 + n_free))
    assert _leave_one_out._affordable(solutions, carries, np.ones(90, dtype=bool)) == pytest.approx(expected)


def test_a_row_that_is_not_solved_in_time_is_between_the_bounds(monkeypatch):
    """Rows that were not solved in time kept their sign, and the error at a large C was wrong."""
    X, y = MOONS
    monkeypatch.setattr(_removal, "MOST_FREE", 0)
    monkeypatch.setattr(_leave_one_out, "WHOLE_GRAM_ROWS", 0)
    monkeypatch.setattr(_leave_one_out, "_MOST_STEPS", 3)
    found, true = _found(X, y, 50.0, 2.0), _refitted(X, y, 50.0, 2.0)
    assert found.lower < found.upper
    assert found.lower - 1e-12 <= true <= found.upper + 1e-12


def test_the_choice_of_c_depends_neither_on_row_order_nor_on_threads():
    X, y = make_moons(1200, noise=0.3, random_state=0)
    one = SVMClassifier(C="auto", n_jobs=1).fit(X, y).C_search_
    order = np.random.default_rng(1).permutation(1200)
    two = SVMClassifier(C="auto", n_jobs=2).fit(X[order], y[order]).C_search_
    assert one.frame().equals(two.frame())
    assert np.array_equal(one.lower, one.upper)
    assert np.array_equal(one.error, one.upper)
    assert np.all(one.standard_error == 0)
    assert list(one.frame().columns) == ["C", "error", "lower", "upper", "standard_error"]


def test_a_time_limit_ends_the_search_for_c_with_the_best_so_far():
    """The time limit held for each value of C, and not for the search."""
    X, y = make_moons(3000, noise=0.4, random_state=0)
    machine = SVMClassifier(C="auto", time_limit=1e-3)
    with (
        pytest.warns(SepalWarning, match="stopped after time_limit"),
        pytest.warns(SepalWarning, match="compared 1 of up to 15 values of C"),
    ):
        machine.fit(X, y)
    assert list(machine.C_search_.C) == [machine.C_]
    assert machine.C_search_.lower[0] < machine.C_search_.upper[0]
    assert machine.predict(X).shape == (3000,)


def test_the_machine_is_that_of_the_c_that_was_chosen():
    X, y = MOONS
    chosen = SVMClassifier(C="auto", tol=1e-8).fit(X, y)
    again = SVMClassifier(C=chosen.C_, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(chosen.decision_function(X), again.decision_function(X), atol=1e-6)


EQUAL_WEIGHTS = [
    # Boxes are equal: some row takes up exactly what the one that goes gave up, and none is free after it.
    ([[3.0], [-3.0], [-2.0], [-3.0], [1.5], [-2.5], [-0.5]], [0, 1, 0, 1, 0, 1, 0], 0.125, {"gamma": 2.0}),
    (
        [[0.3, 0.2], [-0.1, -0.1], [0.7, -0.1], [0, -1.4], [-0.9, -1], [-0.6, 1], [-0.4, 1.4], [1.3, 0.6], [1.2, -0.1]],
        [0, 1, 0, 1, 0, 1, 0, 1, 0],
        0.0625,
        {"kernel": "linear"},
    ),
]


@pytest.mark.parametrize(("X", "y", "C", "kernel"), EQUAL_WEIGHTS)
@pytest.mark.parametrize("tol", [1e-7, 1e-5, 1e-3])
def test_no_row_is_free_when_the_path_has_ended(X, y, C, kernel, tol):
    """Rounding moved the end of a path on which no row is free, and the error was not that of refitting."""
    X, y = np.array(X), np.array(y)
    training, solutions = _solved(X, y, C, tol=tol, **kernel)
    found = _leave_one_out.left_out(training, solutions, tol=tol, threads=1)
    peer = SVC(C=C, tol=1e-8, **kernel)  # at 1e-9 it takes 40 million steps for a digit that rounding has taken
    assert found.error == pytest.approx(np.mean(cross_val_predict(peer, X, y, cv=LeaveOneOut()) != y))


def test_copies_that_stay_at_their_bound_leave_the_bias_room():
    """Copies that stay were not asked where the bias takes the middle of what all bounds leave open."""
    # Without one copy of the first row all rows are at their bounds; the second class then decides by the middle.
    X = np.array([[1.0, -0.5], [-0.2, 0.4], [1.8, 2.4], [1.8, 2.4], [1.8, 2.4], [1.0, -0.5], [-0.2, 0.4]])
    y = np.array([0, 0, 1, 1, 1, 0, 0])
    training, (solution,) = _solved(X, y, 0.02, kernel="linear", tol=1e-7)
    found = _leave_one_out.left_out(training, [solution], tol=1e-7, threads=1)
    peer = SVC(C=0.02, kernel="linear", tol=1e-9)
    assert found.error == pytest.approx(np.mean(cross_val_predict(peer, X, y, cv=LeaveOneOut()) != y))


def test_a_search_for_c_is_gone_with_the_fit_it_belongs_to():
    """`C_search_` of an earlier fit stayed after a fit with a given C."""
    X, y = MOONS
    machine = SVMClassifier(C="auto").fit(X, y)
    assert hasattr(machine, "C_search_")
    assert not hasattr(machine.set_params(C=1.0).fit(X, y), "C_search_")
