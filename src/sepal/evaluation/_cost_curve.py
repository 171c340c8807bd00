"""Cost curves: what a classifier's best threshold costs, for every weight of the two errors.

References
----------
C. Drummond, R. C. Holte, "Cost curves: an improved method for visualizing classifier performance", Machine Learning 65,
2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sepal.data import data_frame
from sepal.evaluation._costs import bayes_threshold, threshold_points
from sepal.exceptions import DataError
from sepal.parameters import check_number

Array = NDArray[np.float64]
_GRID = 101


@dataclass(frozen=True, eq=False)
class CostCurve:
    """The least cost over all thresholds, for every weight of the two errors.

    The weight of misses w is ``miss p / (miss p + false_alarm (1 - p))`` with the share p of "yes": the cost is w times
    the rate of misses plus 1 - w times the rate of false alarms, which is 1 where everything is wrong.

    Attributes
    ----------
    weight, cost, threshold : (101,) arrays
        Weights from 0 to 1, the least cost at each, and the threshold that has it.
    trivial : (101,) array
        What always or never answering "yes" costs, whichever is cheaper.
    area, trivial_area : float
        Under both lines: the mean cost where any weight is as likely as another.
    false_alarm_rates, miss_rates, thresholds : arrays
        The corners of the curve: thresholds that are cheapest for some weight.
    share : float
        The share of "yes" among the rows.

    Examples
    --------
    >>> curve = cost_curve([0.1, 0.4, 0.6, 0.9], [False, True, False, True])
    >>> curve.area, curve.trivial_area, curve.at(1, 1)
    (0.125, 0.25, 0.25)
    """

    weight: Array
    cost: Array
    threshold: Array
    trivial: Array
    area: float
    trivial_area: float
    false_alarm_rates: Array
    miss_rates: Array
    thresholds: Array
    share: float

    def at(self, false_alarm: float, miss: float, share: float | None = None) -> float:
        """The least cost per row where the two errors cost so much; ``share`` of "yes" as here, or another."""
        bayes_threshold(false_alarm, miss)
        p = self.share if share is None else check_number("share", share, at_least=0.0, at_most=1.0)
        return float(np.min(miss * p * self.miss_rates + false_alarm * (1.0 - p) * self.false_alarm_rates))

    def frame(self) -> Any:
        """One line per weight."""
        return data_frame({name: getattr(self, name) for name in ("weight", "cost", "trivial", "threshold")})

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values, for JSON; thresholds beyond all scores are null."""
        lines = {name: getattr(self, name).tolist() for name in ("weight", "cost", "trivial")}
        plain = [value if np.isfinite(value) else None for value in self.threshold.tolist()]
        return {**lines, "threshold": plain, "area": self.area, "trivial_area": self.trivial_area, "share": self.share}

    def plot(self, ax: Any = None) -> Any:
        """The cost over the weight of misses, and the line that needs no classifier."""
        from sepal.plots import draw_cost_curve

        return draw_cost_curve(self.weight, self.cost, self.trivial, ax)

    def __str__(self) -> str:
        return f"cost curve: mean cost {self.area:.4f}, {self.trivial_area:.4f} without a classifier"


def cost_curve(scores: ArrayLike, positive: ArrayLike) -> CostCurve:
    """What the best threshold costs for every weight of the two errors, on rows that took no part in training.

    Parameters
    ----------
    scores : array-like, shape (n,)
        The higher the more likely "yes": a column of ``predict_proba``, or a ``decision_function``.
    positive : array-like of bool, shape (n,)
        Whether "yes" is true.

    Returns
    -------
    CostCurve
        Weights, costs and thresholds, with the areas under the curve and under that of no classifier.

    Examples
    --------
    >>> import sepal
    >>> found = sepal.evaluate(sepal.KNNClassifier(5), sepal.datasets.load("sonar"))
    >>> curve = cost_curve(found.share[:, 0], found.actual == 0)
    >>> curve.area < curve.trivial_area
    True
    """
    points = threshold_points(scores, positive)
    if not points.n_yes or not points.n_no:
        raise DataError("a cost curve needs rows of both kinds; all are alike")
    alarms, misses = points.false_alarms / points.n_no, points.misses / points.n_yes
    kept = _lower_hull(alarms, misses)
    alarms, misses, thresholds = alarms[kept], misses[kept], points.threshold[kept]
    weight = np.linspace(0.0, 1.0, _GRID)
    lines = weight[:, None] * misses + (1.0 - weight)[:, None] * alarms
    best = lines.argmin(axis=1)
    return CostCurve(
        weight=weight,
        cost=lines[np.arange(_GRID), best],
        threshold=thresholds[best],
        trivial=np.minimum(weight, 1.0 - weight),
        area=_area(alarms, misses),
        trivial_area=0.25,
        false_alarm_rates=alarms,
        miss_rates=misses,
        thresholds=thresholds,
        share=points.n_yes / (points.n_yes + points.n_no),
    )


def _lower_hull(x: Array, y: Array) -> list[int]:
    """Corners of the lower left hull, from no false alarm to no miss; x ascends and y descends."""
    hull: list[int] = []
    for i in range(len(x)):
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            if (x[b] - x[a]) * (y[i] - y[a]) - (y[b] - y[a]) * (x[i] - x[a]) > 0.0:
                break
            hull.pop()
        if hull and x[hull[-1]] == x[i]:
            hull.pop()  # a lower threshold that catches more at no further alarm
        hull.append(i)
    while len(hull) > 1 and y[hull[-1]] == y[hull[-2]]:
        hull.pop()  # further alarms that catch no more
    return hull


def _area(alarms: Array, misses: Array) -> float:
    """Under the lowest of the lines w m + (1 - w) a: they take turns where neighbours are equal."""
    da, dm = np.diff(alarms), -np.diff(misses)
    turns = np.concatenate([[0.0], da / (da + dm), [1.0]])
    low, high = turns[:-1], turns[1:]

    def line(w: Array) -> Array:
        return w * misses + (1.0 - w) * alarms

    return float(np.sum((high - low) * (line(low) + line(high)) / 2.0))
