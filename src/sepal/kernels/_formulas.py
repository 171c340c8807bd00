"""The kernels as formulas on plain arrays: coordinates of two sets of rows in, a block of the Gram matrix out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Block = NDArray[np.float64]
State = Mapping[str, Any]


def _lifted_distances(A: Block, B: Block) -> Block:
    """|a|^2 + |b|^2 - 2 a.b, never negative, in one product: rows carry their squared length and a 1 at the end."""
    turned = np.hstack([-2.0 * B[:, :-2], B[:, -1:], B[:, -2:-1]])
    D = A @ turned.T
    return np.asarray(np.maximum(D, 0.0, out=D))


def _exp_in_place(D: Block, gamma: float) -> Block:
    D *= -gamma
    return np.exp(D, out=D)


def rbf(A: Block, B: Block, state: State) -> Block:
    """exp(-gamma |a - b|^2)."""
    return _exp_in_place(_lifted_distances(A, B), state["gamma"])


def linear_kernel(A: Block, B: Block, state: State) -> Block:
    """a.b"""
    return np.asarray(A @ B.T)


def linear_diagonal(A: Block, state: State) -> Block:
    """|a|^2"""
    return np.asarray(np.einsum("ij,ij->i", A, A))


def polynomial(A: Block, B: Block, state: State) -> Block:
    """(gamma a.b + coef0)^degree."""
    return _power(A @ B.T, state)


def polynomial_diagonal(A: Block, state: State) -> Block:
    """(gamma |a|^2 + coef0)^degree."""
    return _power(linear_diagonal(A, state), state)


def _power(dots: Block, state: State) -> Block:
    dots *= state["gamma"]
    dots += state["coef0"]
    return np.asarray(dots ** state["degree"])


def laplacian(A: Block, B: Block, state: State) -> Block:
    """exp(-gamma sum |a - b|)."""
    from scipy.spatial.distance import cdist  # late: slow to import, and most kernels need none of it

    return _exp_in_place(cdist(A, B, "cityblock"), state["gamma"])


def chi2(A: Block, B: Block, state: State) -> Block:
    """exp(-gamma sum (a - b)^2 / (a + b)), empty terms left out."""
    from sklearn.metrics.pairwise import additive_chi2_kernel  # late: it imports whatever else is installed

    A, B = (np.require(each, requirements="W") for each in (A, B))  # its signature does not take read-only arrays
    return _exp_in_place(-additive_chi2_kernel(A, B), state["gamma"])


def tanimoto_kernel(A: Block, B: Block, state: State) -> Block:
    """a.b / (|a|^2 + |b|^2 - a.b); two zero rows are equal, so 1."""
    dots = A @ B.T
    union = linear_diagonal(A, state)[:, None] + linear_diagonal(B, state)[None, :] - dots
    empty = union <= 0.0
    return np.where(empty, 1.0, dots / np.where(empty, 1.0, union))


def correlation(A: Block, B: Block, state: State) -> Block:
    """((1 + r) / 2)^degree for rows that are already centred and of unit length."""
    r = A @ B.T
    r += 1.0
    r *= 0.5
    return np.asarray(np.maximum(r, 0.0) ** state["degree"])


def correlation_diagonal(A: Block, state: State) -> Block:
    """1, but 2^-degree for a row without direction."""
    return np.asarray((0.5 * (1.0 + linear_diagonal(A, state))) ** state["degree"])


def unit_diagonal(A: Block, state: State) -> Block:
    """1 for every row."""
    return np.ones(len(A))


def unit_rows(values: Block) -> Block:
    """Rows brought to length 1; a zero row stays zero."""
    length = np.linalg.norm(values, axis=1, keepdims=True)
    return np.asarray(values / np.where(length == 0.0, 1.0, length))


def unchanged(values: Block, state: State) -> Block:
    """The values are their own coordinates."""
    return values


def with_lengths(values: Block, state: State) -> Block:
    """Training column means subtracted (distances stay, digits are saved), then squared length and 1 appended."""
    centered = values - state["center"]
    return np.hstack([centered, np.einsum("ij,ij->i", centered, centered)[:, None], np.ones((len(values), 1))])


def cosine_rows(values: Block, state: State) -> Block:
    """Unit length."""
    return unit_rows(values)


def correlation_rows(values: Block, state: State) -> Block:
    """Each row less its own mean (if ``center``), at unit length; a constant row has no direction."""
    if not state["center_rows"]:
        return unit_rows(values)
    centered = values - values.mean(axis=1, keepdims=True)
    noise = np.abs(values).max(axis=1, initial=0.0) * values.shape[1] * np.finfo(np.float64).eps
    centered[np.linalg.norm(centered, axis=1) <= noise] = 0.0
    return unit_rows(centered)
