"""A kernel that is not positive semidefinite is warned of, whatever form it comes in, and no other."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from sepal.exceptions import DataError, SepalWarning
from sepal.machines import FeatureVectorClassifier, GeneralizedDiscriminant, KernelAdatronClassifier, SVMClassifier
from tests.drawn import normal

X, y = normal(0, 50, 2), np.arange(50) % 2


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def _squares(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return ((A[:, None] - B[None]) ** 2).sum(axis=2)


@pytest.mark.parametrize("machine", [SVMClassifier, KernelAdatronClassifier])
@pytest.mark.parametrize(
    ("kernel", "params", "rows"),
    [
        ("precomputed", {}, np.exp(-_squares(X, X)) - 0.5 * np.eye(50)),
        (lambda A, B: -_squares(A, B), {}, X),
        ("sigmoid", {}, X),
        ("poly", {"coef0": -1.0, "degree": 2}, X),
    ],
)
def test_an_indefinite_kernel_is_named(machine, kernel, params, rows) -> None:
    """A kernel that is not positive semidefinite ended in a local optimum without a word."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine(kernel=kernel, C=0.01, **params).fit(rows, y)
    (found,) = [str(w.message) for w in caught if "semidefinite" in str(w.message)]
    assert "not positive semidefinite: on 50 training rows its smallest eigenvalue is -" in found


@pytest.mark.parametrize("machine", [FeatureVectorClassifier, GeneralizedDiscriminant])
def test_feature_vectors_name_it_too(machine) -> None:
    K = np.exp(-_squares(X, X)) + np.where(y[:, None] == y, 1.0, -1.0) * (1 - np.eye(50))
    with pytest.warns(SepalWarning, match="not positive semidefinite"):
        machine(kernel="precomputed").fit(K, y)


@pytest.mark.parametrize("machine", [SVMClassifier, KernelAdatronClassifier])
@pytest.mark.parametrize(
    ("kernel", "rows"),
    [
        ("precomputed", np.exp(-_squares(X, X))),
        ("precomputed", (X @ X.T).astype(np.float32)),  # of rank 2: the others are rounding errors
        (lambda A, B: np.exp(-_squares(A, B)), X),
        ("rbf", X),
        ("laplacian", X),
    ],
)
def test_a_kernel_is_not(machine, kernel, rows) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*semidefinite")
        machine(kernel=kernel).fit(rows, y)


def test_of_many_rows_the_same_thousand_are_looked_at_in_any_order(rng) -> None:
    rows = rng.normal(size=(1300, 3))
    labels = np.arange(1300) % 2
    K = np.exp(-_squares(rows, rows)) - 0.2 * np.eye(1300)
    messages = []
    for order in (np.arange(1300), rng.permutation(1300)):
        with pytest.warns(SepalWarning, match="on 1000 training rows") as caught:
            SVMClassifier(kernel="precomputed", C=0.1).fit(K[np.ix_(order, order)], labels[order])
        messages.append(str(caught[0].message))
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    "machine", [SVMClassifier, KernelAdatronClassifier, FeatureVectorClassifier, GeneralizedDiscriminant]
)
def test_a_matrix_that_is_not_symmetric_is_refused(machine) -> None:
    """A kernel matrix that is not symmetric was taken as if it were."""
    K = np.eye(4)
    K[1, 2] = 0.5
    with pytest.raises(DataError, match=r"row 1, column 2 holds 0\.5, and row 2, column 1 holds 0"):
        machine(kernel="precomputed").fit(K, [0, 1, 0, 1])
