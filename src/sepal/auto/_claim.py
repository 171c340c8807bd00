"""How far the leave-one-out score may lie from that of further rows.

Rows that are left out one at a time are not independent trials: row i helps to answer row k as k helps to answer i, so
that both tend to be right or wrong together. As for the nearest neighbour (``measures/_thornton_interval.py``) this
adds the mean of d_ik d_ki, d_ik being what the answer to row i changes with row k, and answers change where two classes
are nearly tied. With c_i = 1 less the difference of the two largest left-out probabilities, the variance of the score
was measured to be some 1 + 2 mean(c_i^2) times that of independent trials: 1.3 to 1.5 where classes can be told
apart, 2.5 for noise. The farther end of Wilson's interval for so many trials gives the error, and the interval reaches
as far to both sides: near a sharp border the score falls below the truth more often than Wilson's nearer end allows
for. ``benchmarks/statistics`` measures how often it covers.

R squared strays for another reason too: what is claimed is the score of the one model that these rows gave, and with
few rows that differs between samples about as much as the left-out score does, without going with it. This part falls
with the number of rows, so that the variance of log(1 - R squared) was measured to be some 1.5 + 60 / n times that of
independent rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from sepal.auto._judging import ClassJudge, Judge
from sepal.measures import independent_trials, wilson_interval

Array = NDArray[np.float64]
_CONFIDENCE = 0.95
_Z = float(ndtri(0.5 + _CONFIDENCE / 2))
_BY_DOUBT = 2.0  # how much the variance grows with the share of answers that are nearly tied
_NUMBERS, _FEW_NUMBERS = 1.5, 60.0  # the same growth for numbers: of many, and more by so much over their number


@dataclass(frozen=True)
class Claim:
    """A 95 % interval for the score of further rows, and the error whose 1.96-fold it reaches to both sides."""

    interval: tuple[float, float]
    error: float


def _claim(score: float, least: float, farther: float) -> Claim:
    """From the distance to the farther end; no score is below the least or above 1."""
    return Claim((max(least, score - farther), min(1.0, score + farther)), farther / _Z)


def accuracy_claim(judge: ClassJudge, decisions: Array, probabilities: Array) -> Claim:
    """Of the accuracy, from Wilson's interval for as many independent trials as tell as much.

    Parameters
    ----------
    judge : ClassJudge
        Of the rows.
    decisions, probabilities : ndarray, shape (n, classes)
        Of each row without itself.
    """
    right = (decisions.argmax(axis=1) == judge.codes).astype(np.float64)
    score = min(1.0, float(judge.weights @ right))
    trials = independent_trials(right, judge.weights, judge.groups)
    top = np.partition(probabilities, -2, axis=1)[:, -2:]
    doubt = float(judge.weights @ (1.0 - (top[:, 1] - top[:, 0])) ** 2)
    low, high = wilson_interval(score, trials / (1.0 + _BY_DOUBT * doubt), _CONFIDENCE)
    return _claim(score, 0.0, max(score - low, high - score))


def r_squared_claim(judge: Judge, left_out: Array) -> Claim:
    """Of R squared, which is 1 less a ratio of mean squares: its logarithm is taken for symmetric."""
    score, error = judge.scores(left_out[None])[0].tolist()
    units = len(left_out) if judge.groups is None else len(np.unique(judge.groups))
    if score >= 1.0:
        return Claim((score, score), 0.0)
    growth = np.sqrt(_NUMBERS + _FEW_NUMBERS / units)
    reach = float(stdtrit(max(units - 1, 1), 0.5 + _CONFIDENCE / 2)) * growth * error / (1.0 - score)
    return _claim(score, -np.inf, float((1.0 - score) * np.expm1(reach)))  # down: the farther end
