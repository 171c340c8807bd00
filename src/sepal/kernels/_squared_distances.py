"""Squared distances between all pairs of plain rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Block = NDArray[np.float64]


def squared_distances(A: Block, B: Block) -> Block:
    """|a - b|^2 = |a|^2 + |b|^2 - 2 a.b for all pairs, never negative; rows far from 0 are best centred first.

    Examples
    --------
    >>> squared_distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [[25.0, 1.0]]
    """
    out = A @ B.T
    out *= -2.0
    out += np.einsum("ij,ij->i", A, A)[:, None]
    out += np.einsum("ij,ij->i", B, B)[None, :]
    return np.maximum(out, 0.0, out=out)
