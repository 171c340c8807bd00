"""Probabilities from decision values, always on the side that the decision is on."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]

_STEEPEST = 12.0  # log of the largest slope; its inverse is the smallest
_SURE = 1e-7  # pairwise probabilities stay this far from 0 and 1
_LEAD = 1e-9  # by this factor the predicted class leads where it would only tie


def fit_slopes(decision: Floats, positive: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
    """Slopes (below, above 0) of p = 1 / (1 + exp(-slope * decision)), each by weighted likelihood.

    Platt's sigmoid (1999) with his softened targets, but through 1/2 at 0, so that the probability of the predicted
    class is never below that of the other; one slope for each side makes up for the missing offset.
    """
    n_positive, n_negative = float(weight[positive].sum()), float(weight[~positive].sum())
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    sides = [_fit_slope(decision[mask], target[mask], weight[mask]) for mask in (decision < 0, decision > 0)]
    below, above = sides
    if below is None or above is None:  # nothing was seen on one side
        known = below if above is None else above
        return (1.0, 1.0) if known is None else (known, known)
    return below, above


def _fit_slope(decision: Floats, target: Floats, weight: Floats) -> float | None:
    if len(decision) == 0:
        return None
    from scipy.optimize import minimize_scalar  # late: slow to import

    def loss(log_slope: float) -> float:
        z = np.exp(log_slope) * decision
        return float(weight @ (np.logaddexp(0.0, z) - target * z))

    return float(np.exp(minimize_scalar(loss, bounds=(-_STEEPEST, _STEEPEST), method="bounded").x))


def pair_probabilities(decisions: Floats, slopes: Floats) -> Floats:
    """The probability of the later class of each pair."""
    return expit(np.where(decisions < 0, slopes[:, 0], slopes[:, 1]) * decisions)


def couple(pairs: Floats, n_classes: int) -> Floats:
    """Class probabilities from those of all pairs (Wu, Lin, Weng 2004, their second method).

    Minimises the sum over pairs of (r_ts p_s - r_st p_t)^2, where r_st is the probability of s in the pair s, t.
    """
    n = len(pairs)
    r = np.zeros((n, n_classes, n_classes))
    for k, (a, b) in enumerate(combinations(range(n_classes), 2)):
        r[:, b, a] = np.clip(pairs[:, k], _SURE, 1 - _SURE)
        r[:, a, b] = 1.0 - r[:, b, a]
    system = np.zeros((n, n_classes + 1, n_classes + 1))
    system[:, :n_classes, :n_classes] = -np.swapaxes(r, 1, 2) * r
    diagonal = np.arange(n_classes)
    system[:, diagonal, diagonal] = (r**2).sum(axis=1)
    system[:, :n_classes, n_classes] = system[:, n_classes, :n_classes] = 1.0
    wanted = np.zeros((n, n_classes + 1, 1))
    wanted[:, n_classes] = 1.0
    p = np.maximum(np.linalg.solve(system, wanted)[:, :n_classes, 0], 0.0)
    return p / p.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


def agree(probabilities: Floats, predicted: NDArray[np.intp]) -> Floats:
    """The nearest probabilities in which no class is ahead of the predicted one."""
    out = probabilities.copy()
    rows = np.arange(len(out))
    for i in np.flatnonzero(out.max(axis=1) > out[rows, predicted]):
        c = predicted[i]
        others = [k for k in np.argsort(-out[i], kind="stable") if k != c]
        level = out[i, c]
        for count, k in enumerate(others, start=1):  # pool with those above the pooled level
            if out[i, k] <= level:
                break
            level = (out[i, c] + out[i, others[:count]].sum()) / (count + 1)
        out[i] = np.minimum(out[i], level)
        out[i, c] = level
    out[rows, predicted] *= 1.0 + _LEAD
    return out / out.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]
