"""How far the accuracy of "select, then ask the nearest neighbour" may lie from that on further rows.

Rows of different folds are no independent trials. Row i is answered with the help of row k as k is with that of i, and
the features that answer one row were selected by the others. Both matter the more the less the features tell: the mean
squared error was measured to be 1.3 times that of independent rows where nine of ten answers are right, 1.8 to 2.2
times where two of three are, and 2.6 times for noise. With doubt = errors / errors of guessing by the shares of the
classes, 1 + 2 doubt keeps above that. The farther end of Wilson's interval for so many trials gives the error.
``benchmarks/statistics`` measures how often 1.96 of them cover.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sepal.measures import independent_trials, wilson_interval

_BY_DOUBT = 2.0  # how much the variance grows with the share of answers that are no better than guesses
_CONFIDENCE = 0.95


def nested_error(right: NDArray[np.float64], codes: NDArray[np.int32], units: NDArray[np.intp]) -> float:
    """Of the mean of ``right``; 1.96 of them to both sides reach the accuracy on further rows in 95 % of samples."""
    score = float(right.mean())
    trials = independent_trials(right, np.full(len(right), 1.0 / len(right)), units)
    low, high = wilson_interval(score, trials / _variance_factor(right, codes), _CONFIDENCE)
    return max(score - low, high - score) / float(ndtri(0.5 + _CONFIDENCE / 2))


def gain_error(
    right: NDArray[np.float64], others: NDArray[np.float64], codes: NDArray[np.int32], units: NDArray[np.intp]
) -> float:
    """Of the mean difference of two answers to each row."""
    gain = right - others
    naive = float(np.sum(np.bincount(units, gain - gain.mean()) ** 2)) / len(gain) ** 2
    return float(np.sqrt(naive * _variance_factor(right, codes)))


def _variance_factor(right: NDArray[np.float64], codes: NDArray[np.int32]) -> float:
    shares = np.bincount(codes) / len(codes)
    doubt = (1.0 - float(right.mean())) / (1.0 - float(np.sum(shares**2)))
    return 1.0 + _BY_DOUBT * min(1.0, doubt)
