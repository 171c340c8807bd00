"""Answers without a row's whole group, where a fit is linear in the targets.

With fit = H y and residuals r = y - fit, the residuals of the rows of a group G in the model without them are
(I - H_GG)^-1 r_G. Groups of the same size are solved together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Groups = NDArray[np.intp]
_LEAST = 1e-12  # added to I - H_GG: a group that alone decides its own fit
_CELLS = 4_000_000  # numbers held at a time


def groups_by_size(groups: Groups) -> Iterator[NDArray[np.intp]]:
    """The rows of the groups, shape (groups of the same size, size)."""
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    start = np.cumsum(sizes) - sizes
    for size in np.unique(sizes[sizes > 0]).tolist():
        yield order[start[sizes == size][:, None] + np.arange(size)]


def left_out_by_group(targets: Array, fit: Array, roots: Array, groups: Groups) -> Array:
    """Predictions for every row by the model without its group, where H = B B'.

    Parameters
    ----------
    targets : ndarray, shape (n, outputs)
        What was fitted.
    fit : ndarray, shape (n, outputs)
        The answers of the model of all rows.
    roots : ndarray, shape (n, r)
        B, the intercept included.
    groups : ndarray of int, shape (n,)
        Numbers of the groups.
    """
    out, residuals = np.empty_like(fit), targets - fit
    for rows in groups_by_size(groups):
        size = rows.shape[1]
        step = max(1, _CELLS // (size * max(size, roots.shape[1])))
        for begin in range(0, len(rows), step):
            part = rows[begin : begin + step]
            B, r = roots[part], residuals[part]
            if size <= B.shape[2]:
                own = np.linalg.solve(_eye(size) - B @ B.transpose(0, 2, 1), r)
            else:  # (I - B B')^-1 = I + B (I - B'B)^-1 B'
                inner = _eye(B.shape[2]) - B.transpose(0, 2, 1) @ B
                own = r + B @ np.linalg.solve(inner, B.transpose(0, 2, 1) @ r)
            out[part] = targets[part] - own
    return out


def left_out_by_inverse(
    targets: Array,
    a: Array,
    inverse: Array,
    alpha: float,
    less: float,
    groups: Groups,
    root: Array | None = None,
) -> Array:
    """Where I - H = alpha P' P - less r r', P lower triangular, and the residuals are alpha a; r is 1 by default."""
    out = np.empty_like(a)
    columns = np.ascontiguousarray(inverse.T)
    for rows in groups_by_size(groups):
        step = max(1, _CELLS // (rows.shape[1] * len(a)))
        for begin in range(0, len(rows), step):
            part = rows[begin : begin + step]
            P = columns[part]
            constant = less if root is None else less * root[part][:, :, None] * root[part][:, None]
            left = alpha * (P @ P.transpose(0, 2, 1)) - constant + (_LEAST * np.eye(rows.shape[1]))
            out[part] = targets[part] - np.linalg.solve(left, alpha * a[part])
    return out


def _eye(size: int) -> Array:
    return np.asarray((1.0 + _LEAST) * np.eye(size))
