"""How good an answer is, and how sure one can be of that.

In: an estimator and labelled rows. Out: leave-one-out curves, cross-validated evaluations with the summary Weka's users
know, comparisons between them, whether probabilities are true, and what errors cost.

May be imported by selection and everything after it on the road.
"""

from __future__ import annotations

from sepal.evaluation._compare import Comparison, compare
from sepal.evaluation._compare import PairTest as PairTest
from sepal.evaluation._cost_curve import CostCurve, cost_curve
from sepal.evaluation._cost_words import costs_said as costs_said
from sepal.evaluation._costs import (
    CostThreshold,
    bayes_threshold,
    best_threshold,
    cost_matrix,
    expected_costs,
    least_cost,
    matrix_threshold,
)
from sepal.evaluation._curve import leave_one_out_curve
from sepal.evaluation._evaluate import evaluate
from sepal.evaluation._evaluation import Evaluation
from sepal.evaluation._reliability import Reliability, reliability
from sepal.evaluation._summary import LINE_WIDTH as LINE_WIDTH
from sepal.learners import LeaveOneOutCurve

__all__ = [
    "Comparison",
    "CostCurve",
    "CostThreshold",
    "Evaluation",
    "LeaveOneOutCurve",
    "Reliability",
    "bayes_threshold",
    "best_threshold",
    "compare",
    "cost_curve",
    "cost_matrix",
    "evaluate",
    "expected_costs",
    "least_cost",
    "leave_one_out_curve",
    "matrix_threshold",
    "reliability",
]
