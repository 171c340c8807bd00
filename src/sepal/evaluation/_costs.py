"""What errors cost, and the answers that follow: Bayes' rule for probabilities, past thresholds for scores.

References
----------
C. Elkan, "The foundations of cost-sensitive learning", IJCAI 2001.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.exceptions import DataError, ParameterError
from sepal.parameters import check_cells, check_number

Array = NDArray[np.float64]
_EQUAL = 1e-12  # expected costs that differ by less than this share of the largest cost are equal: sums round


def cost_matrix(costs: Any, classes: ArrayLike) -> Array:
    """What each answer (across) costs for rows of each class (down).

    Parameters
    ----------
    costs : mapping or square array
        ``{"ham": 9}``: a row of that class that is taken for any other costs so much; classes that are not named cost
        1. ``{("ham", "spam"): 9}``: a row of the first class that is taken for the second. Or the whole matrix, rows
        of ``classes`` down and answers across.
    classes : array-like
        The labels, in the order of the matrix.

    Returns
    -------
    ndarray, shape (n_classes, n_classes)
        Costs of rows of each class (down) by the answer (across); 0 for right answers unless given.

    Examples
    --------
    >>> cost_matrix({"ham": 9}, ["ham", "spam"]).tolist()
    [[0.0, 9.0], [1.0, 0.0]]
    """
    if np.ndim(classes) != 1:
        raise ParameterError(f"classes must be a list of the classes; got {classes!r}")
    labels = np.asarray(classes).tolist()
    n = len(labels)
    if isinstance(costs, Mapping):
        return _from_mapping(costs, labels)
    try:
        matrix = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"costs must be a mapping or a square array of numbers; {error}") from error
    if matrix.shape != (n, n):
        raise ParameterError(
            f"costs: expected {n} lines of {n} numbers, one line for each class and one number for each answer; "
            f"found an array of shape {matrix.shape}"
        )
    if not np.all(np.isfinite(matrix)) or np.any(matrix < 0):
        raise ParameterError("costs must be finite and at least 0")
    return matrix


def _from_mapping(costs: Mapping[Any, Any], labels: list[Any]) -> Array:
    matrix = 1.0 - np.eye(len(labels))
    # Whole classes first, so that a pair counts whatever the order in which they were given.
    for key in sorted(costs, key=lambda each: isinstance(each, tuple) and each not in labels):
        value = check_number(f"costs[{key!r}]", costs[key], at_least=0.0)
        pair = isinstance(key, tuple) and key not in labels
        names = key if pair else (key,)
        unknown = [name for name in names if name not in labels]
        if unknown or len(names) > 2:
            raise ParameterError(
                f"costs: there is no class {(unknown or [key])[0]!r}; there are {', '.join(map(repr, labels[:10]))}"
            )
        places = [labels.index(name) for name in names]
        if pair:
            matrix[places[0], places[1]] = value
        else:
            others = np.arange(len(labels)) != places[0]
            matrix[places[0], others] = value
    return matrix


def expected_costs(shares: ArrayLike, costs: ArrayLike) -> Array:
    """(n, n_classes): what each answer is expected to cost, given the probability of each class.

    Parameters
    ----------
    shares : array-like, shape (n, n_classes)
        What ``predict_proba`` gives.
    costs : array-like, shape (n_classes, n_classes)
        What :func:`cost_matrix` gives.

    Returns
    -------
    ndarray, shape (n, n_classes)
        The mean cost of each answer under the probabilities of the row.

    Examples
    --------
    >>> expected_costs([[0.25, 0.75]], [[0, 9], [1, 0]]).tolist()
    [[0.75, 2.25]]
    """
    given, matrix = check_cells("shares", shares), check_cells("costs", costs)
    if given.ndim != 2 or matrix.shape != (given.shape[1], given.shape[1]):
        raise DataError(f"shares: probabilities of shape {given.shape} do not fit costs of shape {matrix.shape}")
    if not np.all(np.isfinite(given)):
        raise DataError("probabilities: some are missing or infinite")
    return np.asarray(given @ matrix)


def least_cost(shares: ArrayLike, costs: ArrayLike) -> NDArray[np.intp]:
    """The answer of least expected cost for each row: Bayes' decision, as the position of the class.

    Of equally cheap answers the more probable class. It serves every classifier with ``predict_proba``, and is as good
    as the probabilities are true.

    Parameters
    ----------
    shares, costs
        As in :func:`expected_costs`.

    Returns
    -------
    ndarray of int, shape (n,)
        Positions of the classes to answer.

    Examples
    --------
    >>> import sepal
    >>> athletes = sepal.datasets.load("athletes")
    >>> model = sepal.KNNClassifier(9).fit(athletes)
    >>> dear = cost_matrix({"yes": 20}, model.classes_)
    >>> plain = model.predict(athletes)
    >>> careful = model.classes_[least_cost(model.predict_proba(athletes), dear)]
    >>> int((plain == "yes").sum()), int((careful == "yes").sum())
    (7, 17)
    """
    given, matrix = check_cells("shares", shares), check_cells("costs", costs)
    wanted = expected_costs(given, matrix)
    cheap = wanted <= wanted.min(axis=1, keepdims=True) + _EQUAL * float(matrix.max(initial=0.0))
    return np.asarray(np.where(cheap, given, -np.inf).argmax(axis=1))


def bayes_threshold(false_alarm: float, miss: float) -> float:
    """The probability above which "yes" is the cheaper answer: false_alarm / (false_alarm + miss).

    Parameters
    ----------
    false_alarm : float
        What "yes" costs where "no" is true.
    miss : float
        What "no" costs where "yes" is true.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> bayes_threshold(9, 1)
    0.9
    """
    check_number("false_alarm", false_alarm, at_least=0.0)
    check_number("miss", miss, at_least=0.0)
    if false_alarm + miss <= 0.0:
        raise ParameterError("false_alarm and miss are both 0: then every answer costs the same")
    return false_alarm / (false_alarm + miss)


def matrix_threshold(costs: ArrayLike) -> float | None:
    """The probability of the second of two classes above which it is the cheaper answer, from the whole matrix.

    Parameters
    ----------
    costs : array-like, shape (2, 2)
        What :func:`cost_matrix` gives; right answers may cost something, too.

    Returns
    -------
    float or None
        Between 0 and 1; None where one answer is the cheaper one whatever the probability.

    Examples
    --------
    >>> matrix_threshold([[0, 9], [1, 0]]), matrix_threshold([[5, 1], [1, 0]])
    (0.9, None)
    """
    matrix = cost_matrix(costs, [0, 1])
    false_alarm, miss = matrix[0, 1] - matrix[0, 0], matrix[1, 0] - matrix[1, 1]
    if min(false_alarm, miss) < 0.0 or false_alarm + miss <= 0.0:
        return None
    return bayes_threshold(float(false_alarm), float(miss))


@dataclass(frozen=True)
class CostThreshold:
    """A threshold that was cheapest on rows whose class is known.

    Attributes
    ----------
    threshold : float
        "Yes" is answered above it; minus infinity: always, infinity: never.
    cost : float
        What the answers would have cost, per row.
    false_alarms, misses, n_rows : int

    Examples
    --------
    >>> best_threshold([0.1, 0.4, 0.6, 0.9], [False, True, False, True], false_alarm=9)
    CostThreshold(threshold=0.75, cost=0.25, false_alarms=0, misses=1, n_rows=4)
    """

    threshold: float
    cost: float
    false_alarms: int
    misses: int
    n_rows: int


def best_threshold(
    scores: ArrayLike, positive: ArrayLike, *, false_alarm: float = 1.0, miss: float = 1.0
) -> CostThreshold:
    """The threshold that would have cost least on past rows, half-way between two scores.

    For scores that are no probabilities (``decision_function``), or whose probabilities are not trusted. Of equally
    cheap thresholds the highest, which has the fewest false alarms. The cost that it reports is that on these very
    rows: on further rows it is higher.

    Parameters
    ----------
    scores : array-like, shape (n,)
        The higher the more likely "yes".
    positive : array-like of bool, shape (n,)
        Whether "yes" was true.
    false_alarm, miss : float
        What the two errors cost.

    Returns
    -------
    CostThreshold
        The threshold, what it cost, and the two errors.

    Examples
    --------
    >>> best_threshold([-1.0, 0.5, 2.0], [False, False, True]).threshold
    1.25
    """
    bayes_threshold(false_alarm, miss)
    points = threshold_points(scores, positive)
    n = points.n_yes + points.n_no
    total = false_alarm * points.false_alarms + miss * points.misses
    at = int(np.flatnonzero(total <= total.min() * (1.0 + _EQUAL))[0])  # the highest threshold comes first
    alarms, misses = int(points.false_alarms[at]), int(points.misses[at])
    cost = (false_alarm * alarms + miss * misses) / n
    return CostThreshold(float(points.threshold[at]), float(cost), alarms, misses, n)


@dataclass(frozen=True, eq=False)
class ThresholdPoints:
    """The errors at every threshold, the highest first."""

    threshold: Array
    false_alarms: NDArray[np.int64]
    misses: NDArray[np.int64]
    n_yes: int
    n_no: int


def threshold_points(scores: ArrayLike, positive: ArrayLike) -> ThresholdPoints:
    """Both errors at every threshold that tells the scores apart differently."""
    try:
        score = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"scores must be numbers: {error}") from error
    yes = np.asarray(positive)
    if score.ndim != 1 or yes.shape != score.shape or not len(score):
        raise DataError(f"one score and one truth for each row are needed; got {score.shape} and {yes.shape}")
    if yes.dtype.kind != "b":
        raise DataError("positive must be True or False for each row", hint='y == "spam" gives that')
    if np.isnan(score).any():
        raise DataError("scores: some are missing (NaN)", hint="leave out the rows without a score")
    values, place = np.unique(-score, return_inverse=True)
    hits = np.concatenate([[0], np.cumsum(np.bincount(place, weights=yes, minlength=len(values)))]).astype(np.int64)
    asked = np.concatenate([[0], np.cumsum(np.bincount(place, minlength=len(values)))]).astype(np.int64)
    high, low = -values[:-1], -values[1:]
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.where(np.isfinite(high) & np.isfinite(low), low + (high - low) / 2.0, low)
    threshold = np.concatenate([[np.inf], np.where(np.isfinite(middle), middle, low), [-np.inf]])
    n_yes = int(yes.sum())
    return ThresholdPoints(threshold, asked - hits, n_yes - hits, n_yes, len(yes) - n_yes)
