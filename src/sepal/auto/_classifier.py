"""The classifier without choices."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state

from sepal.auto._judging import ClassJudge
from sepal.auto._order import canonical_order, spread_order
from sepal.auto._shell import AutoEstimator
from sepal.auto._solve import solve
from sepal.data import class_codes

Array = NDArray[np.float64]


class SepalClassifier(ClassifierMixin, AutoEstimator):  # type: ignore[misc]
    """A classifier for any table, without a choice to make.

    Gaussian kernel ridge on three scalings of the same rows. Widths and ridges are chosen by exact leave-one-out, and
    the decisions are averaged.

    Parameters
    ----------
    time_limit : float or None
        Seconds. Members that no longer fit are left out, and ``trace_.notes`` says so.
    balanced : bool
        False: errors count alike, so that a rare class is answered when it is more likely than the others. True: every
        class counts alike, however few its rows.
    n_jobs : int, optional
        Threads. The answer does not depend on it.
    random_state : int, RandomState or None
        For the samples that large tables need. None always draws the same ones.

    Attributes
    ----------
    classes_ : ndarray
    leave_one_out_score_, leave_one_out_error_ : float
        Accuracy of the averaged decisions, each row decided without knowing its label; and its standard error.
    trace_ : Trace
        What was tried and what was chosen.

    Examples
    --------
    >>> import sepal.datasets
    >>> athletes = sepal.datasets.load("athletes")
    >>> model = SepalClassifier().fit(athletes)
    >>> model.predict([[3.0, 8.0]]).tolist()
    ['no']
    """

    def __init__(
        self,
        *,
        time_limit: float | None = 600.0,
        balanced: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.time_limit = time_limit
        self.balanced = balanced
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from rows and their classes.

        Parameters
        ----------
        X : Table, ndarray or data frame
            The training rows; numbers, ordered levels, names, missing cells.
        y : array-like, optional
            The class of each row; left out, the target of the Table.
        """
        clock = self._clock()
        table = self._training_table(X, y)
        class_codes(table)
        self.classes_, given = np.unique(np.asarray(table.y), return_inverse=True)
        rows = canonical_order(table.values, given.astype(np.float64))
        table, codes = table.take(rows), given[rows].astype(np.int32)
        counts = np.bincount(codes)
        weights = 1.0 / (len(counts) * counts[codes]) if self.balanced else np.full(len(codes), 1.0 / len(codes))
        judge = ClassJudge(codes, weights)
        order = spread_order(codes, check_random_state(0 if self.random_state is None else self.random_state))
        solution = solve(table, np.eye(len(counts))[codes], judge, order, clock)
        self.members_, self.weights_, self.trace_ = solution.members, solution.weights, solution.trace
        self.temperature_ = judge.temperature(solution.left_out)[0]
        self.leave_one_out_score_ = solution.trace.score
        self.leave_one_out_error_ = solution.trace.standard_error
        left_out = np.empty_like(solution.left_out)
        left_out[rows] = solution.left_out
        self.left_out_decisions_ = left_out
        return self

    def decision_function(self, X: Any) -> Array:
        """Two classes: positive for ``classes_[1]``. More: one number per class, the largest wins."""
        decisions = self._decisions(X)
        return decisions[:, 1] - decisions[:, 0] if len(self.classes_) == 2 else decisions

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        decisions = self._decisions(X)
        return np.asarray(self.classes_[decisions.argmax(axis=1)])

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, in the order of ``classes_``; the predicted class has the largest."""
        decisions = self._decisions(X)
        return np.asarray(softmax(self.temperature_ * decisions, axis=1))

    def _decisions(self, X: Any) -> Array:
        table = self._query_table(X)
        return np.asarray(
            sum(w * member.decisions(table) for w, member in zip(self.weights_, self.members_, strict=True))
        )
