"""Answers of a machine that gives every class a score on one scale, as a log of a probability is."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from sepal.estimators import TableClassifierMixin


class ClassScores(TableClassifierMixin):
    """Decisions, classes and probabilities from ``_scores``, one number for each row and class."""

    classes_: NDArray[Any]

    @abstractmethod
    def _scores(self, X: Any) -> NDArray[np.float64]:
        """(n_rows, n_classes): the higher, the more probable the class."""

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The difference of the two scores for two classes (positive: the second), else one score per class."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the highest score."""
        best = self._scores(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The softmax of the scores: probabilities, largest for the predicted class."""
        return np.asarray(softmax(self._scores(X), axis=1))
