"""What users of scikit-learn's SVC look for: sparse rows, planes, pairwise values, log probabilities, a step limit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from sepal.exceptions import ParameterError, SepalWarning
from sepal.machines import KernelAdatronClassifier, SVMClassifier

IRIS = load_iris()


def _wide(seed: int = 0) -> tuple[sparse.csr_array, np.ndarray]:
    """More columns than rows, three classes, five rows twice, and one row of zeros."""
    rng = np.random.default_rng(seed)
    rows = sparse.random_array((40, 150), density=0.08, random_state=rng, format="lil")
    rows[7] = 0.0
    codes = rng.integers(0, 3, 40)
    return sparse.csr_array(sparse.vstack([rows, rows[:5]])), np.r_[codes, codes[:5]]


@pytest.mark.filterwarnings("ignore:the kernel is not positive semidefinite", "ignore:.*for every training row")
@pytest.mark.parametrize("scale", [None, "minmax", "standard"])
@pytest.mark.parametrize(
    ("kernel", "params"),
    [
        ("linear", {}),
        ("rbf", {}),
        ("rbf", {"gamma": "scale"}),
        ("rbf", {"width": 2.0}),
        ("poly", {"degree": 2, "coef0": 1.0}),
        ("poly", {"gamma": "auto"}),
        ("sigmoid", {"gamma": 0.01}),
        ("cosine", {}),
    ],
)
def test_sparse_rows_give_the_machine_of_the_rows_written_out(kernel, params, scale):
    X, y = _wide()
    machine = SVMClassifier(kernel=kernel, scale=scale, tol=1e-9, **params)
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    sparse_fit = machine.fit(X, y, weights)
    support, vectors, values = sparse_fit.support_, sparse_fit.support_vectors_, sparse_fit.decision_function(X)
    from_dense = sparse_fit.decision_function(X.toarray())
    dense_fit = machine.fit(X.toarray(), y, weights)
    np.testing.assert_array_equal(support, dense_fit.support_)
    np.testing.assert_array_equal(vectors.toarray(), dense_fit.support_vectors_)
    np.testing.assert_allclose(values, dense_fit.decision_function(X.toarray()), atol=1e-6)
    np.testing.assert_allclose(from_dense, dense_fit.decision_function(X), atol=1e-6)


def test_sparse_rows_in_another_order_and_form_give_the_same_machine_to_the_last_bit():
    X, y = _wide(3)
    order = np.random.default_rng(0).permutation(len(y))
    one = SVMClassifier().fit(X, y).decision_function(X)
    for form in (sparse.coo_array, sparse.lil_array, sparse.csc_matrix):
        assert np.array_equal(SVMClassifier().fit(form(X[order]), y[order]).decision_function(form(X)), one)
    cells = X.tocoo()
    stored_zero = sparse.coo_array((np.r_[cells.data, 0.0], (np.r_[cells.row, 7], np.r_[cells.col, 3])), X.shape)
    assert np.array_equal(SVMClassifier().fit(stored_zero, y).decision_function(stored_zero), one)


@pytest.mark.parametrize("n_columns", [6, 60])
def test_the_choice_of_c_is_that_of_the_rows_written_out(n_columns):
    rng = np.random.default_rng(1)
    X = rng.random((30, n_columns)) * (rng.random((30, n_columns)) < 0.4)
    half = n_columns // 2
    y = (X[:, :half].sum(axis=1) > X[:, half:].sum(axis=1)).astype(int)
    rows = sparse.csr_array(X)
    thin, dense = (SVMClassifier(C="auto", kernel="linear", class_weight="balanced").fit(each, y) for each in (rows, X))
    assert thin.C_ == dense.C_
    np.testing.assert_allclose(thin.C_search_.error, dense.C_search_.error, atol=1e-12)
    assert np.array_equal(thin.predict(rows), dense.predict(X))


def test_narrow_sparse_rows_and_other_kernels_are_written_out():
    X, y = sparse.csr_array(IRIS.data), IRIS.target
    for kernel in ("rbf", "laplacian"):
        one, two = SVMClassifier(kernel=kernel).fit(X, y), SVMClassifier(kernel=kernel).fit(IRIS.data, y)
        assert np.array_equal(one.decision_function(X), two.decision_function(IRIS.data))
        assert sparse.issparse(one.support_vectors_)


@pytest.mark.filterwarnings("ignore:.*for every training row")
@pytest.mark.parametrize("scale", [None, "minmax", "standard"])
@pytest.mark.parametrize("target", [IRIS.target, IRIS.target == 1])
def test_planes_are_in_the_units_given(target, scale):
    for machine in (
        SVMClassifier(kernel="linear", scale=scale, decision_function_shape="ovo"),
        KernelAdatronClassifier(
            kernel="linear", scale=scale, decision_function_shape="ovo", bias=False, C=0.1, tol=0.1
        ),
    ):
        machine.fit(IRIS.data, target)
        values = IRIS.data @ machine.coef_.T + machine.intercept_
        found = machine.decision_function(IRIS.data)
        np.testing.assert_allclose(values.ravel() if found.ndim == 1 else values, found, atol=1e-9)
    assert not hasattr(SVMClassifier().fit(IRIS.data, target), "coef_")


def test_planes_of_wide_sparse_rows():
    X, y = _wide()
    machine = SVMClassifier(kernel="linear", decision_function_shape="ovo").fit(X, y)
    np.testing.assert_allclose(X @ machine.coef_.T + machine.intercept_, machine.decision_function(X), atol=1e-9)


def test_pairwise_values_planes_and_signs_are_those_of_sklearn():
    ours = SVMClassifier(kernel="linear", scale=None, tol=1e-9, decision_function_shape="ovo")
    theirs = SVC(kernel="linear", tol=1e-9, decision_function_shape="ovo").fit(IRIS.data, IRIS.target)
    ours.fit(IRIS.data, IRIS.target)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.decision_function(IRIS.data), theirs.decision_function(IRIS.data), atol=1e-3)
    with pytest.raises(ParameterError, match=r"decision_function_shape must be 'ovr' or 'ovo'; got 'all'"):
        ours.set_params(decision_function_shape="all").fit(IRIS.data, IRIS.target)


def test_log_probabilities():
    machine = SVMClassifier(probability=True).fit(IRIS.data, IRIS.target)
    np.testing.assert_allclose(np.exp(machine.predict_log_proba(IRIS.data)), machine.predict_proba(IRIS.data))
    assert not hasattr(SVMClassifier(), "predict_log_proba")


@pytest.mark.parametrize("weight", [0.0, -0.5])
def test_rows_of_no_or_negative_weight_are_absent(weight):
    weights = np.where(np.arange(150) % 3 == 0, weight, 1.0)
    kept = weights > 0
    one = SVMClassifier().fit(IRIS.data, IRIS.target, weights).decision_function(IRIS.data)
    two = SVMClassifier().fit(IRIS.data[kept], IRIS.target[kept]).decision_function(IRIS.data)
    assert np.array_equal(one, two)


def test_a_step_limit_is_kept_and_told():
    machine = SVMClassifier(max_iter=5)
    with pytest.warns(SepalWarning, match="used up max_iter=5 steps"):
        machine.fit(IRIS.data, IRIS.target)
    assert machine.n_iter_.max() == 5
    assert machine.violation_.max() > machine.tol
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        enough = SVMClassifier(max_iter=100_000).fit(IRIS.data, IRIS.target)
    free = SVMClassifier().fit(IRIS.data, IRIS.target)
    assert np.array_equal(enough.dual_coef_, free.dual_coef_)
    for bad in (0, -2, 2.5, True, "many"):
        with pytest.raises(ParameterError, match="max_iter must be an integer"):
            SVMClassifier(max_iter=bad).fit(IRIS.data, IRIS.target)


@pytest.mark.parametrize("machine", [SVMClassifier, KernelAdatronClassifier])
def test_parameters_go_by_keyword(machine):
    with pytest.raises(TypeError):
        machine(1.0)
