"""Every kernel against its formula in loops, and what a Gram matrix must be whatever the kernel."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest

from sepal.data import as_table
from sepal.distances import fit_distance
from sepal.exceptions import DataError, ParameterError
from sepal.kernels import KERNELS, fit_kernel, gamma_from_width, gram, gram_blocks, width_from_gamma
from tests.drawn import normal
from tests.oracles import kernels as oracle

X, Z = normal(0, 30, 4), normal(1, 17, 4)
SHARES, OTHER_SHARES = np.abs(X), np.abs(Z)
BITS, OTHER_BITS = (X > 0.3).astype(float), (Z > 0.3).astype(float)
BITS[3] = BITS[7] = OTHER_BITS[2] = 0.0

CASES = {
    "rbf": (X, Z, {"gamma": 0.7}, partial(oracle.rbf, gamma=0.7)),
    "linear": (X, Z, {}, oracle.linear),
    "polynomial": (
        X,
        Z,
        {"gamma": 0.5, "degree": 3, "coef0": 2.0},
        partial(oracle.polynomial, gamma=0.5, degree=3, coef0=2.0),
    ),
    "laplacian": (X, Z, {"gamma": 0.4}, partial(oracle.laplacian, gamma=0.4)),
    "cosine": (BITS, OTHER_BITS, {}, oracle.cosine),
    "chi2": (SHARES, OTHER_SHARES, {"gamma": 0.3}, partial(oracle.chi2, gamma=0.3)),
    "tanimoto": (BITS, OTHER_BITS, {}, oracle.tanimoto),
    "correlation": (X, Z, {"degree": 5}, partial(oracle.correlation, degree=5, center=True)),
}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_every_named_kernel_has_a_case() -> None:
    assert set(CASES) | {"mixed"} == set(KERNELS)


@pytest.mark.parametrize("name", CASES)
def test_formula(name: str) -> None:
    A, B, params, formula = CASES[name]
    np.testing.assert_allclose(gram(A, B, name, **params), oracle.matrix(formula, A, B), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(gram(A, kernel=name, **params), oracle.matrix(formula, A, A), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("name", CASES)
def test_symmetric_semidefinite_and_equal_in_blocks(name: str) -> None:
    A, _, params, _ = CASES[name]
    K = gram(A, kernel=name, **params)
    assert np.array_equal(K, K.T)
    assert np.linalg.eigvalsh(K)[0] > -1e-10 * np.trace(K)
    np.testing.assert_allclose(gram(A, kernel=name, block_rows=7, **params), K, rtol=1e-13, atol=1e-15)
    fitted = fit_kernel(A, name, **params)
    rows = fitted.coordinates(A)
    np.testing.assert_allclose(fitted.diagonal(rows), np.diag(K), rtol=1e-14)
    for part, block in gram_blocks(fitted, rows, rows, block_rows=11):
        np.testing.assert_allclose(block, K[part], rtol=1e-11, atol=1e-13)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).block(rows, rows), fitted.block(rows, rows))  # noqa: S301


def test_width_and_gamma_are_one_convention() -> None:
    assert gamma_from_width(0.5) == 2.0
    assert width_from_gamma(gamma_from_width(0.3)) == pytest.approx(0.3)
    np.testing.assert_array_equal(gram(X, kernel="rbf", width=0.5), gram(X, kernel="rbf", gamma=2.0))
    np.testing.assert_array_equal(gram(X, kernel="laplacian", width=0.5), gram(X, kernel="laplacian", gamma=2.0))
    np.testing.assert_array_equal(gram(X), gram(X, kernel="rbf", gamma=1 / 4))
    np.testing.assert_array_equal(gram(X, kernel="poly"), gram(X, kernel="polynomial"))


def test_square_of_a_dot_product_is_a_map() -> None:
    """In two dimensions (x.z)^2 is the inner product of (x1^2, x2^2, sqrt2 x1 x2)."""
    x, z = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
    assert gram(x, z, "polynomial", gamma=1.0, degree=2, coef0=0.0).item() == 1 * 9 + 4 * 1 + 2 * (1 * 2) * (3 * -1)


def test_uncentered_correlation_and_constant_rows() -> None:
    rows = np.vstack([X, np.full(4, 0.1)])
    expected = oracle.matrix(partial(oracle.correlation, degree=2, center=False), rows, rows)
    np.testing.assert_allclose(gram(rows, kernel="correlation", degree=2, center=False), expected, rtol=1e-12)
    # A constant row correlates with nothing, itself included.
    np.testing.assert_allclose(gram(rows, kernel="correlation", degree=2)[-1], 0.25, rtol=1e-12)


def _mixed_rows(rng) -> tuple[np.ndarray, pd.DataFrame]:
    values = np.column_stack([rng.random(25), rng.integers(0, 3, 25), rng.random(25)])
    values[4, 0] = values[5, 1] = values[6, 2] = values[4, 1] = np.nan
    frame = pd.DataFrame({"a": values[:, 0], "b": values[:, 1], "c": values[:, 2]})
    frame["b"] = frame["b"].map({0.0: "red", 1.0: "green", 2.0: "blue"}).astype("category")
    return values, frame


def test_mixed_kinds_with_missing_cells(rng) -> None:
    values, frame = _mixed_rows(rng)
    K = gram(frame, kernel="mixed", gamma=0.8)
    formula = partial(oracle.mixed, gamma=0.8, nominal=[False, True, False], training=values.tolist())
    np.testing.assert_allclose(K, oracle.matrix(formula, values.tolist(), values.tolist()), rtol=1e-12)
    assert np.linalg.eigvalsh(K)[0] > -1e-12
    assert K[4, 4] < 1.0
    assert K[0, 0] == 1.0


def test_mixed_levels_are_matched_by_name(rng) -> None:
    _, frame = _mixed_rows(rng)
    fitted = fit_kernel(frame, "mixed", gamma=1.0)
    query = pd.DataFrame({"a": [0.5, 0.5], "b": ["green", "violet"], "c": [0.5, 0.5]})
    train = pd.DataFrame({"a": [0.5, 0.5], "b": ["green", "red"], "c": [0.5, 0.5]})
    K = fitted.block(fitted.coordinates(query), fitted.coordinates(train))
    np.testing.assert_allclose(K, [[1.0, np.exp(-1)], [np.exp(-1), np.exp(-1)]])


def test_mixed_column_with_many_distinct_cells_keeps_the_mean_embedding(rng) -> None:
    column = rng.normal(size=(5000, 1))
    rows = np.vstack([column, [[np.nan]]])
    K = gram(rows, rows[-1:], "mixed", gamma=0.5)
    assert K[0, 0] == pytest.approx(np.exp(-0.5 * (column - column[0]) ** 2).mean(), abs=1e-3)


def test_callable_and_precomputed() -> None:
    np.testing.assert_array_equal(gram(X, Z, lambda a, b: a @ b.T), X @ Z.T)
    np.testing.assert_allclose(gram(X, kernel=lambda a, b: a @ b.T), X @ X.T, rtol=1e-13)
    K = X @ X.T
    copy = gram(K, kernel="precomputed")
    assert np.array_equal(copy, K)
    assert copy is not K


def _frame(values: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(values, columns=list("abcd"))


@pytest.mark.parametrize("container", [as_table, _frame, np.ndarray.tolist])
def test_containers(container: object) -> None:
    np.testing.assert_array_equal(gram(container(X), kernel="rbf", width=1.0), gram(X, kernel="rbf", width=1.0))  # type: ignore[operator]


def test_translation_does_not_cost_digits() -> None:
    """|x|^2 + |z|^2 - 2 x.z cancels far from 0: of float32 rows with mean 1000, 54 % had a wrong nearest row."""
    np.testing.assert_allclose(gram(X + 1000.0, kernel="rbf", gamma=1.0), gram(X, kernel="rbf", gamma=1.0), atol=1e-10)


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        ({"kernel": "rfb"}, "did you mean 'rbf'"),
        ({"kernel": "rbf", "degree": 2}, "degree is not known"),
        ({"kernel": "rbf", "gamma": 1.0, "width": 1.0}, "not both"),
        ({"kernel": "rbf", "width": 0.0}, "above 0"),
        ({"kernel": "rbf", "gamma": np.nan}, "finite number above 0"),
        ({"kernel": "polynomial", "degree": 2.5}, "integer of at least 1"),
        ({"kernel": "polynomial", "coef0": -1.0}, "coef0"),
        ({"kernel": "correlation", "center": "yes"}, "True or False"),
        ({"kernel": "precomputed", "gamma": 1.0}, "no parameters"),
        ({"block_rows": 0}, "block_rows"),
    ],
)
def test_wrong_parameters(kwargs: dict[str, object], text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        gram(X, **kwargs)  # type: ignore[arg-type]


def test_wrong_rows() -> None:
    with pytest.raises(DataError, match="not negative"):
        gram(X, kernel="chi2")
    with pytest.raises(DataError, match="missing value"):
        gram([[1.0, np.nan], [1.0, 2.0]], kernel="laplacian")
    with pytest.raises(DataError, match="compares numbers only"):
        gram([["a"], ["b"]], kernel="rbf")
    with pytest.raises(DataError, match="columns"):
        gram(X, X[:, :2], "linear")
    with pytest.raises(DataError, match="must give a matrix"):
        gram(X, Z, lambda a, b: a)
    with pytest.raises(DataError, match="at least two columns"):
        gram(X[:, :1], kernel="correlation")


def test_columns_are_compared_by_name_in_any_order() -> None:
    """Rows of a data frame whose columns came in another order were compared across columns, without a word."""
    frame = pd.DataFrame({"length": [0.0, 10.0, 3.0], "width": [5.0, 90.0, 7.0]})
    for rows in (frame, as_table(frame), frame[["width", "length"]]):
        for others in (frame, frame[["width", "length"]], as_table(frame)):
            np.testing.assert_array_equal(gram(rows, others, width=20.0), gram(frame, frame, width=20.0))
    fitted = fit_distance(as_table(frame))
    np.testing.assert_array_equal(fitted.embed(as_table(frame[["width", "length"]])), frame.to_numpy())
