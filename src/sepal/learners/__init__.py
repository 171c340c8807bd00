"""k nearest neighbours: learners in which the rows nearby vote.

In: labelled rows (a Table, or X and y). Out: scikit-learn estimators whose answers come from the rows nearby, and the
leave-one-out curve that chooses k.

May be imported by evaluation and everything after it on the road.
"""

from __future__ import annotations

from sepal.learners._dann import DANNClassifier
from sepal.learners._drift import ADWIN, DDM
from sepal.learners._explain import NeighborExplanation, NumberExplanation
from sepal.learners._feature_weights import LearnedWeights, learn_feature_weights
from sepal.learners._fit_elsewhere import fit_elsewhere as fit_elsewhere
from sepal.learners._kept_votes import KeptVotes as KeptVotes
from sepal.learners._knn_classifier import KNNClassifier
from sepal.learners._knn_regressor import KNNRegressor
from sepal.learners._leave_one_out import MOST_K as MOST_K
from sepal.learners._leave_one_out import LeaveOneOutCurve
from sepal.learners._leave_one_out import curve_of_search as curve_of_search
from sepal.learners._metric_clustering import MetricClusteringClassifier
from sepal.learners._prequential import PrequentialResult
from sepal.learners._window import WindowKNNClassifier

__all__ = [
    "ADWIN",
    "DDM",
    "DANNClassifier",
    "KNNClassifier",
    "KNNRegressor",
    "LearnedWeights",
    "LeaveOneOutCurve",
    "MetricClusteringClassifier",
    "NeighborExplanation",
    "NumberExplanation",
    "PrequentialResult",
    "WindowKNNClassifier",
    "learn_feature_weights",
]
