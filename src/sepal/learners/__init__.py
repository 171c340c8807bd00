"""Neighbours vote.

In: labelled rows (a Table, or X and y). Out: scikit-learn estimators whose answers come from the rows nearby, and the
leave-one-out curve that chooses k.

May be imported by evaluation and everything after it on the road.
"""

from __future__ import annotations

from sepal.learners._explain import NeighborExplanation
from sepal.learners._knn_classifier import KNNClassifier
from sepal.learners._knn_regressor import KNNRegressor
from sepal.learners._leave_one_out import LeaveOneOutCurve

__all__ = ["KNNClassifier", "KNNRegressor", "LeaveOneOutCurve", "NeighborExplanation"]
