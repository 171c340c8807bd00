"""Neighbours vote.

In: labelled rows. Out: estimators after scikit-learn's conventions.

May be imported by evaluation and everything after it on the road.
"""

from __future__ import annotations

from sepal.learners._drift import ADWIN, DDM
from sepal.learners._prequential import PrequentialResult
from sepal.learners._window import WindowKNNClassifier

__all__ = ["ADWIN", "DDM", "PrequentialResult", "WindowKNNClassifier"]
