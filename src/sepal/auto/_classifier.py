"""The classifier without choices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sepal.auto._calibration import calibrate, calibration_rows
from sepal.auto._explaining import explain_classifier
from sepal.auto._explanation import Explanation
from sepal.auto._judging import class_judge
from sepal.auto._order import canonical_order, spread_order
from sepal.auto._shell import AutoEstimator
from sepal.auto._solve import SEARCH_ROWS, Problem, solve
from sepal.auto._threads import one_thread
from sepal.data import class_codes
from sepal.neighbors import thread_count

Array = NDArray[np.float64]
_LEAST = 1e-9  # probabilities below this have no logarithm worth keeping


class SepalClassifier(ClassifierMixin, AutoEstimator):  # type: ignore[misc]
    """A classifier for any table, without a choice to make.

    Gaussian kernel ridge on three scalings of the same rows, widths and ridges chosen by exact leave-one-out; Fisher's
    discriminant; bagged trees. They are averaged, with weights and a calibration that are learned from answers to each
    row without itself.

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
    left_out_proba_ : ndarray, shape (n, classes)
        The probabilities behind that score.
    temperature_, offsets_ : float, ndarray
        The calibration: what the logarithms of the averaged probabilities are multiplied by, and what is added per
        class.
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
        judge = class_judge(codes, self.balanced)
        random = check_random_state(0 if self.random_state is None else self.random_state)
        order = spread_order(codes, random)
        problem = Problem(table, np.eye(len(counts))[codes], codes, judge, order)
        threads = thread_count(self.n_jobs)
        self.class_shares_ = counts / len(codes)
        with one_thread():
            solution = solve(problem, clock=clock, seed=int(random.randint(1 << 30)), threads=threads)
            some = np.sort(order[: calibration_rows(len(codes), len(counts))])
            logarithms = self._logarithms(solution.left_out)
            self.temperature_, self.offsets_ = calibrate(logarithms[some], codes[some], judge.take(some).weights)
        self.average_ = solution.average
        decisions = self.temperature_ * logarithms + self.offsets_
        score, standard_error = judge.scores(decisions[None])[0].tolist()
        self.leave_one_out_score_, self.leave_one_out_error_ = score, standard_error
        self.trace_ = replace(solution.trace, score=score, standard_error=standard_error, seconds=clock.elapsed)
        self.n_rows_ = len(codes)
        self.sample_ = problem.sample(SEARCH_ROWS).table
        self.left_out_proba_ = np.empty_like(decisions)
        self.left_out_proba_[rows] = self._probabilities(decisions)
        return self

    def explain(self, *, time_limit: float = 10.0) -> Explanation:
        """Compare with simple rules, look for a small subset of the columns, and say what follows.

        Parameters
        ----------
        time_limit : float
            Seconds for the search of subsets, which is advice and changes nothing.
        """
        check_is_fitted(self)
        return explain_classifier(self, time_limit)

    def decision_function(self, X: Any) -> Array:
        """Two classes: positive for ``classes_[1]``. More: one number per class, the largest wins."""
        decisions = self._decisions(X)
        return decisions[:, 1] - decisions[:, 0] if len(self.classes_) == 2 else decisions

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        decisions = self._decisions(X)
        return np.asarray(self.classes_[decisions.argmax(axis=1)])

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, in the order of ``classes_``; the predicted class has the largest.

        With ``balanced`` these are the probabilities if all classes were equally frequent.
        """
        return self._probabilities(self._decisions(X))

    def _decisions(self, X: Any) -> Array:
        table = self._query_table(X)
        logarithms = self._logarithms(self.average_.answers(table, thread_count(self.n_jobs)))
        return self.temperature_ * logarithms + self.offsets_

    def _probabilities(self, decisions: Array) -> Array:
        """Softmax with a doubt: so many rows without an error do not show that errors are rarer than one in so many."""
        doubt = 1.0 / (self.n_rows_ + 1.0)
        return np.asarray((1.0 - doubt) * softmax(decisions, axis=1) + doubt / len(self.classes_))

    def _logarithms(self, probabilities: Array) -> Array:
        """Logarithms of the probabilities, for classes of equal size where that was asked for."""
        logarithms = np.log(np.maximum(probabilities, _LEAST))
        return logarithms - np.log(self.class_shares_) if self.balanced else logarithms
