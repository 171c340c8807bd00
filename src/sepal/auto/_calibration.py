"""From the logarithms of mixed probabilities to calibrated ones: one temperature, and one offset per class.

Shrunken members lean towards the large classes, mixtures towards the uniform distribution. Both show in answers
that were made without the row, so a factor t and offsets b are fitted to these by

    minimize  - sum_i w_i log softmax(t s_i + b)_{y_i}  +  (1/2) A ((t - 1)^2 + |b|^2),

a convex problem. The prior of weight A keeps few rows from saying much.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

Array = NDArray[np.float64]
CALIBRATION_PRIOR = 10.0
_STEPS = 50
_MOST_ROWS = 50_000
_MOST_WORK = 2e9  # rows times classes squared, per step


def calibrate(
    logarithms: Array, codes: NDArray[np.int32], weights: Array, total: float | None = None
) -> tuple[float, Array]:
    """The temperature and the offsets.

    Parameters
    ----------
    logarithms : ndarray, shape (n, classes)
        s, of probabilities that were given to each row without knowing its class.
    codes : ndarray of int
        The classes.
    weights : ndarray
        Of the rows; together 1 (the prior is told apart from n rows).
    total : float, optional
        How many rows they count as together; as many as they are by default.
    """
    n_classes = logarithms.shape[1]
    n = len(logarithms) if total is None else total
    w = n * weights
    indicators = np.eye(n_classes)[codes]
    z = np.concatenate([[1.0], np.zeros(n_classes)])
    loss = _loss(logarithms, indicators, w, z)
    for _ in range(_STEPS):
        step = _newton_step(logarithms, indicators, w, z)
        for size in (1.0, 0.5, 0.25, 0.1, 0.01):
            moved = z - size * step
            after = _loss(logarithms, indicators, w, moved)
            if after <= loss:
                break
        else:
            break
        z, gain, loss = moved, loss - after, after
        if gain <= 1e-12 * n:
            break
    return float(z[0]), z[1:]


def calibration_rows(n: int, n_classes: int) -> int:
    """So many rows are enough, and no more than this can be afforded."""
    return int(min(n, _MOST_ROWS, max(1000.0, _MOST_WORK / n_classes**2)))


def _loss(s: Array, indicators: Array, w: Array, z: Array) -> float:
    scaled = z[0] * s + z[1:]
    top = scaled.max(axis=1)
    total = np.log(np.exp(scaled - top[:, None]).sum(axis=1)) + top
    return float(
        w @ (total - (scaled * indicators).sum(axis=1)) + 0.5 * CALIBRATION_PRIOR * ((z[0] - 1.0) ** 2 + z[1:] @ z[1:])
    )


def _newton_step(s: Array, indicators: Array, w: Array, z: Array) -> Array:
    p = softmax(z[0] * s + z[1:], axis=1)
    off = w[:, None] * (p - indicators)
    gradient = np.concatenate([[(off * s).sum()], off.sum(axis=0)])
    gradient += CALIBRATION_PRIOR * (z - np.eye(len(z))[0])
    weighted = w[:, None] * p
    about = s - (p * s).sum(axis=1, keepdims=True)
    hessian = np.empty((len(z), len(z)))
    hessian[0, 0] = (weighted * about**2).sum()
    hessian[0, 1:] = hessian[1:, 0] = (weighted * about).sum(axis=0)
    hessian[1:, 1:] = np.diag(weighted.sum(axis=0)) - weighted.T @ p
    hessian[np.diag_indices(len(z))] += CALIBRATION_PRIOR
    return np.asarray(np.linalg.solve(hessian, gradient))
