"""Centring, normalising, induced distances and the check for semidefiniteness."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.preprocessing import KernelCenterer

from sepal.exceptions import DataError, SepalWarning
from sepal.kernels import center_gram, check_psd, gram, kernel_distance, normalize_gram, smallest_eigenvalue
from tests.drawn import normal
from tests.oracles import kernels as oracle

X, Z = normal(1, 25, 3), normal(2, 9, 3)
K = gram(X, kernel="polynomial", degree=2)
KZ = gram(Z, X, "polynomial", degree=2)


def test_centering() -> None:
    np.testing.assert_allclose(center_gram(K), oracle.centered(K), atol=1e-12)
    np.testing.assert_allclose(center_gram(KZ, K), KernelCenterer().fit(K).transform(KZ), atol=1e-12)
    np.testing.assert_allclose(center_gram(K, K), center_gram(K), atol=1e-12)


def test_normalizing() -> None:
    cosines = normalize_gram(gram(X, kernel="linear"))
    np.testing.assert_allclose(cosines, gram(X, kernel="cosine"), atol=1e-14)
    zero = normalize_gram([[0.0, 0.0], [0.0, 4.0]])
    assert zero.tolist() == [[0.0, 0.0], [0.0, 1.0]]
    d = (X**2).sum(axis=1), (Z**2).sum(axis=1)
    np.testing.assert_allclose(normalize_gram(X @ Z.T, *d), gram(X, Z, "cosine"), atol=1e-14)


def test_linear_kernel_induces_euclidean_distance() -> None:
    expected = np.sqrt(((X[:, None] - Z[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(kernel_distance(X @ Z.T, (X**2).sum(axis=1), (Z**2).sum(axis=1)), expected, atol=1e-12)
    assert np.all(np.diag(kernel_distance(K)) == 0)


def test_semidefinite_or_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_psd(K)
        assert check_psd(np.ones((40, 40)))
        assert check_psd(np.zeros((3, 3)))
    sigmoid = np.tanh(X @ X.T - 1.0)
    assert smallest_eigenvalue(sigmoid) == pytest.approx(np.linalg.eigvalsh(sigmoid)[0])
    with pytest.warns(SepalWarning, match="not positive semidefinite: its smallest eigenvalue is -"):
        assert not check_psd(sigmoid)


def test_large_matrix_goes_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sepal.kernels._definite._DENSE_ROWS", 200)
    values = np.linspace(-1.0, 5.0, 210)
    assert smallest_eigenvalue(np.diag(values)) == pytest.approx(-1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: center_gram(KZ), "square"),
        (lambda: center_gram(np.triu(K)), "symmetric"),
        (lambda: center_gram([[np.nan]]), "finite"),
        (lambda: center_gram(KZ[:, :3], K), "agree"),
        (lambda: normalize_gram(K, np.ones(25)), "both"),
        (lambda: normalize_gram(K, np.ones(3), np.ones(25)), "do not fit"),
        (lambda: normalize_gram([[-1.0, 0.0], [0.0, 1.0]]), "negative"),
        (lambda: kernel_distance(KZ, np.ones(9)), "both"),
        (lambda: kernel_distance([1.0, 2.0]), "matrix"),
    ],
)
def test_wrong_matrices(call: object, text: str) -> None:
    with pytest.raises(DataError, match=text):
        call()  # type: ignore[operator]
