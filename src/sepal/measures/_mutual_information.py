"""How much a column says about the class: mutual information, in nats."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from sepal.exceptions import DataError
from sepal.parameters import Parameter, checked

_ROUNDING = 2.0**-40  # differences of scaled numbers that agree but for this are tied


@checked(
    Parameter("k", "whole", "which neighbour's distance counts rows", at_least=1),
    Parameter("discrete", "flag", "the values are levels, not numbers"),
)
def mutual_information(
    x: NDArray[np.float64], codes: NDArray[np.integer[Any]], *, discrete: bool = False, k: int = 3
) -> float:
    """Mutual information of one column, without missing cells, and the classes.

    Parameters
    ----------
    x : (n,) array
        The column: numbers, or with ``discrete`` codes of levels.
    codes : (n,) array
        The class of each row, as whole numbers from 0.
    discrete : bool
        The plug-in value from how often level and class meet. Otherwise the estimate of Ross: around each row the
        smallest interval that holds k others of its class (all there are, if fewer) is compared with the number of
        rows of any class in it. Everyone tied at its end is inside, among the rows of the class as among all: no noise
        parts ties, and neither row order nor chance changes the value. Where nothing is tied it is the value of
        scikit-learn's ``mutual_info_classif``.
    k : int
        Other rows of the class.

    Returns
    -------
    float
        At least 0. Classes of a single row take no part, as in scikit-learn.

    References
    ----------
    B. C. Ross, "Mutual information between discrete and continuous data sets", PLoS ONE 9, 2014. W. Gao and others,
    "Estimating mutual information for discrete-continuous mixtures", NIPS 2017, count ties at distance 0 in this way.

    Examples
    --------
    >>> round(mutual_information(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]), discrete=True), 4)
    0.6931
    """
    try:
        x, codes = np.asarray(x, dtype=np.float64), np.asarray(codes)
    except (TypeError, ValueError) as error:
        raise DataError("x must be a column of numbers; code levels as whole numbers") from error
    if x.ndim != 1 or codes.shape != x.shape:
        raise DataError(f"x and codes: expected two columns of one length, found shapes {x.shape} and {codes.shape}")
    if codes.dtype.kind not in "iu" or np.any(codes < 0):
        raise DataError("codes: expected whole numbers from 0", hint="np.unique(y, return_inverse=True)[1]")
    if not np.all(np.isfinite(x)):
        raise DataError("x: some cells are missing or infinite", hint="leave those rows out")
    return _plug_in(x, codes) if discrete else _by_neighbors(x, codes, k)


def _plug_in(x: NDArray[np.float64], codes: NDArray[np.integer[Any]]) -> float:
    if len(x) == 0:
        return 0.0
    levels = np.unique(x, return_inverse=True)[1]
    joint = np.zeros((levels.max() + 1, codes.max() + 1))
    np.add.at(joint, (levels, codes), 1.0 / len(x))
    alone = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    met = joint > 0
    return max(0.0, float(np.sum(joint[met] * np.log(joint[met] / alone[met]))))


def _by_neighbors(x: NDArray[np.float64], codes: NDArray[np.integer[Any]], k: int) -> float:
    counts = np.bincount(codes)
    taking_part = counts[codes] > 1
    x, codes = x[taking_part], codes[taking_part]
    if len(np.unique(codes)) < 2 or len(np.unique(x)) < 2:
        return 0.0
    everyone = np.sort(x)
    total = 0.0
    for code in np.unique(codes):
        own = np.sort(x[codes == code])
        reach = _kth_nearest(own, min(k, len(own) - 1))
        slack = np.where(reach > 0, _ROUNDING * (reach + np.abs(own)), 0.0)
        low, high = own - reach - slack, own + reach + slack
        inside, near = (np.searchsorted(each, high, "right") - np.searchsorted(each, low) for each in (own, everyone))
        total += float(np.sum(digamma(inside - 1) - digamma(near - 1) - digamma(len(own))))
    return max(0.0, float(digamma(len(x)) + total / len(x)))


def _kth_nearest(ascending: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """How far the k-th nearest other number is: it is within k places."""
    n = len(ascending)
    steps = np.concatenate([np.arange(-k, 0), np.arange(1, k + 1)])
    at = np.arange(n)[:, None] + steps
    away = np.where((at >= 0) & (at < n), np.abs(ascending[np.clip(at, 0, n - 1)] - ascending[:, None]), np.inf)
    return np.asarray(np.partition(away, k - 1, axis=1)[:, k - 1])
