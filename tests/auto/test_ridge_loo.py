"""Closed-form leave-one-out against n refits."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.auto._judging import ClassJudge, NumberJudge
from sepal.auto._kernel_member import gaussian, median_distance
from sepal.auto._ridge_loo import kernel_fit, kernel_spectrum, vector_spectrum
from sepal.kernels import squared_distances
from tests.drawn import normal
from tests.oracles import ridge

X = normal(0, 17, 3)[[*range(5), 4, *range(6, 17)]]  # two equal rows
Y = np.column_stack([normal(1, 17), (X[:, 0] > 0).astype(float)])
K = np.array([[ridge.gaussian(a, b, 1.3) for b in X] for a in X])
RIDGES = np.array([1e-4, 0.1, 3.0])


@pytest.fixture
def rng():
    return np.random.RandomState(0)


def test_the_gaussian_kernel_is_the_formula():
    squares = squared_distances(X, X)
    np.testing.assert_allclose(gaussian(squares, 1.3), K, atol=1e-14)
    distances = [np.linalg.norm(X[i] - X[j]) for i in range(17) for j in range(i)]
    np.testing.assert_allclose(median_distance(squares), np.sqrt(np.median(np.square(distances))))


def test_the_unit_of_width_survives_copies():
    copies = np.vstack([np.zeros((9, 2)), [[3.0, 4.0]]])
    assert median_distance(squared_distances(copies, copies)) == pytest.approx(np.sqrt(25 * 9 / 45))
    assert median_distance(np.zeros((4, 4))) == 1.0


def test_leave_one_out_equals_n_refits():
    spectrum = kernel_spectrum(K.copy())
    fast = spectrum.left_out(Y, RIDGES)
    for k, relative in enumerate(RIDGES):
        for output in range(2):
            slow = ridge.left_out(K, Y[:, output], relative * spectrum.scale)
            np.testing.assert_allclose(fast[k, :, output], slow, rtol=1e-6, atol=1e-9)


def test_one_ridge_without_a_decomposition_is_the_same():
    scale = kernel_spectrum(K.copy()).scale
    for relative in RIDGES:
        fast = kernel_fit(K.copy(), Y, float(relative))
        for output in range(2):
            slow_a, slow_b = ridge.fit(K, Y[:, output], relative * scale)
            slow_fit = K @ slow_a + slow_b
            answers = K @ fast.a[:, output] + fast.b[output]
            np.testing.assert_allclose(answers, slow_fit, rtol=1e-8, atol=1e-9)
            np.testing.assert_allclose(fast.fit[:, output], slow_fit, rtol=1e-8, atol=1e-9)
            slow = ridge.left_out(K, Y[:, output], relative * scale)
            np.testing.assert_allclose(fast.left_out[:, output], slow, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("n", "ridges"), [(50, (1e-5, 1e-2, 10.0)), (400, (1e-5, 1e-3)), (1000, (1e-5,))])
@pytest.mark.parametrize("width", [0.25, 2.0, 8.0])
def test_answers_to_new_rows_are_those_of_the_optimum_whatever_size_width_and_ridge(n, ridges, width):
    """Coefficients of wide kernels at small ridges are millions, did not add up to 0, and answers were wrong."""
    rng = np.random.RandomState(n)
    rows, new = rng.randn(n, 3), rng.randn(100, 3)
    targets = rows @ [[1.0], [-0.5], [2.0]] + 0.5 * rng.randn(n, 1)
    squares = ((rows**2).sum(axis=1)[:, None] - 2.0 * rows @ rows.T + (rows**2).sum(axis=1)).clip(0.0)
    own = np.exp(-squares / (2.0 * (width * 2.4) ** 2))
    asked = np.exp(-((new[:, None] - rows) ** 2).sum(axis=2) / (2.0 * (width * 2.4) ** 2))
    centring = np.eye(n) - 1.0 / n
    scale = np.einsum("ij,ji->", centring, own) / n
    for relative in ridges:
        fast = kernel_fit(own.copy(), targets, relative)
        slow_a, slow_b = ridge.fit(own, targets[:, 0], relative * scale)
        np.testing.assert_allclose(asked @ fast.a[:, 0] + fast.b[0], asked @ slow_a + slow_b, atol=2e-4)
        np.testing.assert_allclose(own @ fast.a[:, 0] + fast.b[0], fast.fit[:, 0], atol=1e-5)
        assert abs(fast.a.sum()) < 1e-12 * np.abs(fast.a).sum()


def test_rows_that_repeat_each_other_are_left_out_one_at_a_time_too():
    rows = np.arange(17).repeat(2)  # half of the rank is missing: decomposed in two steps
    copies, answers = K[np.ix_(rows, rows)], Y[rows] + 0.1 * np.random.RandomState(1).randn(34, 2)
    spectrum = kernel_spectrum(copies.copy())
    assert spectrum.vectors.shape[1] < 17
    fast = spectrum.left_out(answers, RIDGES)
    whole = kernel_fit(copies.copy(), answers, 0.1)
    for output in range(2):
        for k, relative in enumerate(RIDGES):
            slow = ridge.left_out(copies, answers[:, output], relative * spectrum.scale)
            np.testing.assert_allclose(fast[k, :, output], slow, rtol=1e-6, atol=1e-9)
        slow_a, slow_b = ridge.fit(copies, answers[:, output], 0.1 * spectrum.scale)
        answered = copies @ whole.a[:, output] + whole.b[output]
        np.testing.assert_allclose(answered, copies @ slow_a + slow_b, rtol=1e-8)


def test_rows_that_are_all_equal_get_the_mean_of_the_others():
    left_out = kernel_spectrum(np.ones((4, 4))).left_out(np.array([[1.0], [2.0], [3.0], [6.0]]), RIDGES)
    np.testing.assert_allclose(left_out[0, :, 0], [11 / 3, 10 / 3, 3.0, 2.0])


def test_leave_one_out_on_feature_vectors_equals_n_refits():
    vectors = np.array([0, 3, 7, 11])
    spectrum = vector_spectrum(K[:, vectors], K[np.ix_(vectors, vectors)])
    nystrom = K[:, vectors] @ np.linalg.inv(K[np.ix_(vectors, vectors)]) @ K[vectors]
    fast = spectrum.left_out(Y, RIDGES)
    for k, relative in enumerate(RIDGES):
        slow = ridge.left_out(nystrom, Y[:, 0], relative * spectrum.scale)
        np.testing.assert_allclose(fast[k, :, 0], slow, rtol=1e-6, atol=1e-7)
    found = spectrum.fit(Y, 0.1)
    slow_a, slow_b = ridge.fit(nystrom, Y[:, 0], 0.1 * spectrum.scale)
    np.testing.assert_allclose(K[:, vectors] @ found.a[:, 0] + found.b[0], nystrom @ slow_a + slow_b, rtol=1e-6)
    np.testing.assert_allclose(found.fit[:, 0], nystrom @ slow_a + slow_b, rtol=1e-6)
    np.testing.assert_allclose(found.left_out, spectrum.left_out(Y, np.array([0.1]))[0])


def test_feature_vectors_that_repeat_each_other_do_no_harm():
    vectors = np.array([4, 5, 0])
    spectrum = vector_spectrum(K[:, vectors], K[np.ix_(vectors, vectors)])
    once = vector_spectrum(K[:, [4, 0]], K[np.ix_([4, 0], [4, 0])])
    np.testing.assert_allclose(spectrum.left_out(Y, np.array([0.1])), once.left_out(Y, np.array([0.1])), atol=1e-6)


def test_criteria_are_those_of_the_loops(rng):
    codes = np.array([0, 1, 2, 1, 0, 2], dtype=np.int32)
    decisions = rng.randn(6, 3) * 0.3 + np.eye(3)[codes] * 0.4
    judge = ClassJudge(codes, np.full(6, 1 / 6))
    squared, log_loss, error = judge.criteria(decisions[None])[0]
    wrong = np.mean([row.argmax() != code for row, code in zip(decisions, codes, strict=True)])
    assert squared == pytest.approx(np.mean(np.sum((decisions - np.eye(3)[codes]) ** 2, axis=1)))
    assert error == pytest.approx(wrong + 1e-6 * squared)
    best = min(ridge.log_loss(decisions, codes, factor) for factor in np.exp(np.linspace(0, np.log(100), 4000)))
    assert log_loss == pytest.approx(best, abs=1e-6)
    assert ridge.log_loss(decisions, codes, judge.temperature(decisions)) == pytest.approx(log_loss, abs=1e-12)
    score, standard_error = judge.scores(decisions[None])[0]
    assert score == pytest.approx(1 - wrong)
    assert standard_error == pytest.approx(np.sqrt(wrong * (1 - wrong) / 6))


def test_a_balanced_judge_gives_every_class_the_same_say():
    codes = np.array([0, 0, 0, 1], dtype=np.int32)
    judge = ClassJudge(codes, 1.0 / (2 * np.bincount(codes)[codes]))
    decisions = np.array([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.6, 0.4]])
    assert judge.scores(decisions[None])[0, 0] == pytest.approx(0.5)


def test_the_score_of_numbers_is_r_squared_against_the_mean_of_the_others():
    y = np.array([1.0, 2.0, 4.0, 9.0])
    judge = NumberJudge(y)
    others = np.array([[np.delete(y, i).mean()] for i in range(4)])
    assert judge.scores(others[None])[0, 0] == pytest.approx(0.0)
    assert judge.scores(y[None, :, None])[0].tolist() == [1.0, 0.0]
