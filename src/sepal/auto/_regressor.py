"""The regressor without choices."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state

from sepal.auto._judging import NumberJudge
from sepal.auto._order import canonical_order
from sepal.auto._shell import AutoEstimator
from sepal.auto._solve import Problem, solve
from sepal.auto._threads import one_thread
from sepal.exceptions import DataError
from sepal.neighbors import thread_count

Array = NDArray[np.float64]


class SepalRegressor(RegressorMixin, AutoEstimator):  # type: ignore[misc]
    """A regressor for any table, without a choice to make: the parts of :class:`SepalClassifier`, squared error.

    Parameters
    ----------
    time_limit, n_jobs, random_state
        As in :class:`SepalClassifier`.

    Attributes
    ----------
    leave_one_out_score_, leave_one_out_error_ : float
        R squared of the averaged predictions, each row predicted without knowing its number; and its standard error.
    left_out_predictions_ : ndarray
        These predictions.
    residual_std_ : float
        The root of their mean squared error.
    trace_ : Trace

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0.0, 3.0, 40)[:, None]
    >>> model = SepalRegressor().fit(x, np.sin(x.ravel()))
    >>> float(model.predict([[1.0]]).round(2)[0])
    0.84
    """

    def __init__(
        self, *, time_limit: float | None = 600.0, n_jobs: int | None = None, random_state: Any = None
    ) -> None:
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from rows and their numbers.

        Parameters
        ----------
        X : Table, ndarray or data frame
            The training rows.
        y : array-like, optional
            The number of each row; left out, the target of the Table.
        """
        clock = self._clock()
        table = self._training_table(X, y)
        answers = _numbers(table.y)
        rows = canonical_order(table.values, answers)
        table, answers = table.take(rows), answers[rows]
        self._mean = float(answers.mean())
        self._unit = float(answers.std()) or 1.0
        targets = (answers - self._mean) / self._unit
        random = check_random_state(0 if self.random_state is None else self.random_state)
        problem = Problem(table, targets[:, None], targets, NumberJudge(targets), random.permutation(len(targets)))
        threads = thread_count(self.n_jobs)
        with one_thread():
            solution = solve(problem, clock=clock, seed=int(random.randint(1 << 30)), threads=threads)
        self.average_, self.trace_ = solution.average, solution.trace
        self.leave_one_out_score_ = solution.trace.score
        self.leave_one_out_error_ = solution.trace.standard_error
        self.left_out_predictions_ = np.empty(len(answers))
        self.left_out_predictions_[rows] = self._mean + self._unit * solution.left_out[:, 0]
        self.residual_std_ = float(np.sqrt(np.mean((self.left_out_predictions_[rows] - answers) ** 2)))
        return self

    def predict(self, X: Any) -> Array:
        """The number of each row."""
        table = self._query_table(X)
        return np.asarray(self._mean + self._unit * self.average_.answers(table, thread_count(self.n_jobs))[:, 0])


def _numbers(y: Any) -> Array:
    if y is None:
        raise DataError("requires y to be passed, but the target y is None: a regressor needs a number for every row")
    if np.asarray(y).dtype.kind not in "biuf":
        try:
            return np.asarray(y, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"y: expected numbers, found {np.asarray(y).ravel()[0]!r}") from error
    return np.asarray(y, dtype=np.float64)
