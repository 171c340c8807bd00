"""The native dual solver by itself: kernels, blocks, shrinking, cache, warm starts, leave-one-out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_moons
from sklearn.svm import SVC

from sepal.machines._dual._calibration import agree, couple, fit_slopes
from sepal.machines._dual._solvers import NativeKernel, expansion, kernel_matrix, leave_one_out, solve_pairs
from sepal.machines._equal_rows import merge_rows
from tests.oracles import svm as oracle

KERNELS = [
    (NativeKernel("rbf", 0.7), oracle.rbf(0.7)),
    (NativeKernel("rbf", 60.0), oracle.rbf(60.0)),
    (NativeKernel("linear"), oracle.linear()),
    (NativeKernel("poly", 0.5, 1.0, 3), oracle.poly(0.5, 1.0, 3)),
    (NativeKernel("sigmoid", 0.2, -0.1, 1), oracle.sigmoid(0.2, -0.1)),
]


@pytest.mark.parametrize(("native", "plain"), KERNELS)
@pytest.mark.parametrize("shape", [(1, 1, 1), (6, 8, 2), (7, 17, 5), (50, 300, 3)])
def test_kernel_matrix_equals_the_loops(native, plain, shape):
    rng = np.random.default_rng(sum(shape))
    A, B = rng.normal(size=(shape[0], shape[2])), rng.normal(size=(shape[1], shape[2]))
    K = oracle.gram(A, B, plain)
    for threads in (1, 2):
        np.testing.assert_allclose(kernel_matrix(A, B, native, threads), K, rtol=1e-12, atol=1e-13)


def test_kernel_far_from_the_origin_and_far_apart():
    A = np.array([[1e4, 1e4], [1e4, 1e4 + 1.0], [1e4 + 400.0, 1e4]])
    expected = oracle.gram(A, A, oracle.rbf(1.0))
    found = kernel_matrix(A, A, NativeKernel("rbf", 1.0), 1)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert found[0, 2] == 0.0  # exp(-160000) is none at all


@pytest.mark.parametrize(("native", "plain"), KERNELS)
def test_expansion_equals_the_loops_group_by_group(native, plain):
    rng = np.random.default_rng(1)
    support, queries, coef = rng.normal(size=(43, 3)), rng.normal(size=(31, 3)), rng.normal(size=(2, 43))
    start = [0, 5, 5, 30, 43]
    K = oracle.gram(queries, support, plain)
    found = expansion(support, start, coef, queries, native, 2)
    for g in range(4):
        part = slice(start[g], start[g + 1])
        np.testing.assert_allclose(found[:, g, :], K[:, part] @ coef[:, part].T, rtol=1e-10, atol=1e-12)


def _two_classes(n, p, seed):
    X, y = make_classification(
        n, p, n_informative=p // 2, n_redundant=0, n_clusters_per_class=2, class_sep=0.8, random_state=seed
    )
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    return merge_rows(X, y, np.ones(n), 2)


def _solve(rows, C, kernel, *, source=None, tol=1e-3, cache=500.0, threads=1, warm=None):
    return solve_pairs(
        rows.x if source is None else source,
        rows.start,
        C * rows.weight,
        kernel,
        tol=tol,
        cache_size=cache,
        time_limit=None,
        threads=threads,
        warm=warm,
    )


@pytest.mark.parametrize("kernel", [NativeKernel("rbf", 8.0), NativeKernel("poly", 1.0, 1.0, 2)])
def test_blocks_shrinking_and_a_small_cache_reach_the_optimum_of_svc(kernel):
    rows = _two_classes(2600, 6, 0)
    K = oracle.fast_gram(rows.x, kernel.name, kernel.gamma, kernel.coef0, kernel.degree)
    peer = SVC(C=5.0, kernel="precomputed", tol=1e-10).fit(K, rows.codes)  # keeps its kernel rows in float32
    reached = np.zeros(len(K))
    reached[peer.support_] = np.abs(peer.dual_coef_[0])
    sign, box = np.where(rows.codes == 1, 1.0, -1.0), np.full(len(K), 5.0)
    value = oracle.dual_value(reached, K, sign)
    for cache in (500.0, 1e-3):
        (found,) = _solve(rows, 5.0, kernel, tol=1e-10, cache=cache, threads=2)
        alpha = np.abs(found.beta)
        assert found.status == 0
        assert found.violation < 1e-10
        assert abs(found.beta.sum()) < 1e-8
        assert np.all(alpha <= 5.0)
        # The certificate in float64: no other solution is better by more than the gap, and SVC's is not better at all.
        dual = oracle.dual_value(alpha, K, sign)
        assert found.objective == pytest.approx(dual, rel=1e-12)
        assert oracle.primal_value(alpha, found.bias, K, sign, box) == pytest.approx(dual, rel=1e-11)
        assert abs(found.gap) < 1e-11 * dual
        assert dual == pytest.approx(value, rel=1e-9)
        assert dual > value * (1 - 1e-12)
        # The bias is the one at which every free row lies on its margin; SVC's is off by 5e-4.
        free = (alpha > 0) & (alpha < 5.0)
        np.testing.assert_allclose(sign[free] * (K @ found.beta + found.bias)[free], 1.0, rtol=0, atol=1e-9)
    (loose,) = _solve(rows, 5.0, kernel, tol=1e-3)  # kernel rows in float32
    assert loose.objective == pytest.approx(value, rel=1e-4)


def test_conditions_hold_for_every_row_after_shrinking():
    rows = _two_classes(2600, 6, 1)
    kernel = NativeKernel("rbf", 20.0)
    (found,) = _solve(rows, 2.0, kernel, tol=1e-10)
    F = oracle.fast_gram(rows.x, "rbf", 20.0, 0.0, 1) @ found.beta
    np.testing.assert_allclose(found.product, F, rtol=0, atol=1e-11)
    margin = found.sign * (F + found.bias)
    alpha = np.abs(found.beta)
    assert np.all(margin[alpha == 0] > 1 - 2e-10)
    assert np.all(margin[alpha == 2.0] < 1 + 2e-10)
    inside = (alpha > 0) & (alpha < 2.0)
    assert inside.sum() > 50
    np.testing.assert_allclose(margin[inside], 1.0, rtol=0, atol=2e-10)


def test_threads_do_not_change_a_bit():
    rows = _two_classes(2600, 6, 2)
    one, two = (_solve(rows, 1.0, NativeKernel("rbf", 8.0), threads=threads)[0] for threads in (1, 2))
    assert np.array_equal(one.beta, two.beta)
    assert one.bias == two.bias


def test_a_kernel_matrix_and_a_warm_start_give_the_same_solution():
    rows = _two_classes(300, 4, 3)
    kernel = NativeKernel("rbf", 4.0)
    K = kernel_matrix(rows.x, rows.x, kernel, 1)
    given = NativeKernel("precomputed")
    (cold,) = _solve(rows, 4.0, kernel, tol=1e-9)
    (half,) = _solve(rows, 2.0, given, source=K, tol=1e-9)
    (warm,) = _solve(rows, 4.0, given, source=K, tol=1e-9, warm=[half.beta * 2.0])
    assert warm.objective == pytest.approx(cold.objective, rel=1e-10)
    (again,) = _solve(rows, 4.0, kernel, tol=1e-9, warm=[cold.beta])
    assert again.n_iter <= 2
    assert np.allclose(again.beta, cold.beta)


def _left_out(source, kernel, whole, left, tol=1e-9, threads=1):
    every = np.arange(len(whole.rows))
    found, solved = leave_one_out(source, kernel, whole, left, every, most=10**6, tol=tol, threads=threads)
    assert solved.all()
    return found


@pytest.mark.parametrize("C", [0.5, 5.0])
def test_leave_one_out_equals_training_without_each_row(C):
    X, y = make_moons(40, noise=0.35, random_state=3)
    rows = merge_rows(X, y, np.ones(40), 2)
    kernel = NativeKernel("rbf", 1.0)
    (whole,) = _solve(rows, C, kernel, tol=1e-9)
    K = kernel_matrix(rows.x, rows.x, kernel, 1)
    t = np.where(rows.codes == 1, 1.0, -1.0)
    expected = np.array([oracle.leave_one_out(K, t, C, i) for i in range(40)])
    found = _left_out(rows.x, kernel, whole, np.zeros(40), threads=2)
    np.testing.assert_allclose(found, expected, atol=1e-4)
    by_matrix = _left_out(K, NativeKernel("precomputed"), whole, np.zeros(40))
    np.testing.assert_allclose(by_matrix, found, atol=1e-7)
    assert np.any(expected * t < 0)
    # What the leave-one-out error rests on: nobody who is wrong becomes right by leaving.
    assert np.all(t * expected <= np.maximum(t * (whole.product + whole.bias), 1.0) + 1e-4)
    assert np.all(t[t * (whole.product + whole.bias) < 0] * expected[t * (whole.product + whole.bias) < 0] < 0)


def test_leave_one_out_of_a_copy_leaves_the_other_copies():
    X, y = make_moons(30, noise=0.35, random_state=5)
    kernel = NativeKernel("rbf", 1.0)
    copied = merge_rows(np.concatenate([X, X[:6]]), np.concatenate([y, y[:6]]), np.ones(36), 2)
    (whole,) = _solve(copied, 1.0, kernel, tol=1e-9)
    found = _left_out(copied.x, kernel, whole, whole.box * (1 - 1 / copied.n_copies))
    place = copied.member_of[0]
    less = copied.weight.copy()
    less[place] -= 1
    (without,) = solve_pairs(
        copied.x, copied.start, less, kernel, tol=1e-9, cache_size=10.0, time_limit=None, threads=1
    )
    assert found[place] == pytest.approx(without.product[place] + without.bias, abs=1e-6)


def test_leave_one_out_of_the_only_row_of_a_class_is_wrong():
    rows = merge_rows(np.array([[0.0], [1.0], [2.0]]), np.array([0, 0, 1]), np.ones(3), 2)
    kernel = NativeKernel("rbf", 1.0)
    (whole,) = _solve(rows, 1.0, kernel)
    assert _left_out(rows.x, kernel, whole, np.zeros(3), tol=1e-3)[2] < 0


def test_merged_rows():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -0.0], [1.0, 0.0], [5.0, 5.0]])
    rows = merge_rows(X, np.array([1, 0, 1, 0, 0]), np.array([1.0, 2.0, 3.0, 1.0, 0.0]), 2)
    assert rows.start == [0, 2, 3]
    assert rows.member_of[0] == rows.member_of[2] == 2
    assert rows.member_of[4] == -1
    assert rows.weight[2] == 4.0
    assert rows.share.tolist() == [0.25, 1.0, 0.75, 1.0, 0.0]
    assert rows.n_copies.tolist() == [1, 1, 2]


def test_merging_survives_different_rows_with_one_sum():
    # sqrt(2) - 1 + 0.1 and sqrt(3) - 1 + 0.1 are the factors of the sum: rows made to meet in it.
    a, b = np.sqrt(2.0) - 1 + 0.1, np.sqrt(3.0) - 1 + 0.1
    X = np.array([[b * 1e9, 0.0], [0.0, a * 1e9], [b * 1e9, 0.0]])
    rows = merge_rows(X, np.zeros(3, dtype=np.intp), np.ones(3), 1)
    assert sorted(rows.weight.tolist()) == [1.0, 2.0]


def test_coupling_recovers_consistent_probabilities_and_agreement_only_moves_what_it_must():
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    pairs = np.stack([p[:, b] / (p[:, a] + p[:, b]) for a, b in ((0, 1), (0, 2), (1, 2))], axis=1)
    np.testing.assert_allclose(couple(pairs, 3), p, atol=1e-9)
    kept = agree(p, np.array([0, 2]))
    np.testing.assert_allclose(kept, p, atol=1e-8)
    moved = agree(p, np.array([1, 0]))
    np.testing.assert_allclose(moved, [[0.4, 0.4, 0.2], [0.4, 0.2, 0.4]], atol=1e-8)
    assert np.argmax(moved, axis=1).tolist() == [1, 0]


def test_slopes_are_those_of_the_sigmoid_that_made_the_labels():
    rng = np.random.default_rng(0)
    decision = rng.normal(size=40000)
    slope = np.where(decision < 0, 3.0, 1.0)
    positive = rng.uniform(size=40000) < 1 / (1 + np.exp(-slope * decision))
    below, above = fit_slopes(decision, positive, np.ones(40000))
    assert below == pytest.approx(3.0, rel=0.05)
    assert above == pytest.approx(1.0, rel=0.05)
    assert fit_slopes(np.array([1.0, 2.0]), np.array([True, True]), np.ones(2))[0] > 0
