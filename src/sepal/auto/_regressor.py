"""The regressor without choices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sepal.auto._affordable import InTime, solve_in_time
from sepal.auto._answering import answers_in_blocks
from sepal.auto._canonical_order import canonical_columns, canonical_order
from sepal.auto._claim import r_squared_claim
from sepal.auto._explaining import explain_regressor
from sepal.auto._explanation import Explanation
from sepal.auto._judging import NumberJudge
from sepal.auto._parameters import SEPAL_REGRESSOR
from sepal.auto._ridge_loo import mean_of
from sepal.auto._shell import AutoEstimator
from sepal.auto._solve import SEARCH_ROWS, Problem
from sepal.data import left_out_together, numbered_by_first_row, refuse_texts, shown, unit_of
from sepal.estimators import TableRegressorMixin, tells_callbacks
from sepal.exceptions import DataError
from sepal.neighbors import thread_count
from sepal.progress import Progress

Array = NDArray[np.float64]


class SepalRegressor(TableRegressorMixin, AutoEstimator):
    """A regressor for any table, without a choice to make: the parts of :class:`SepalClassifier`, squared error.

    Parameters
    ----------
    time_limit, n_jobs, random_state
        As in :class:`SepalClassifier`.

    Attributes
    ----------
    leave_one_out_score_, leave_one_out_standard_error_ : float
        R squared of the averaged predictions, each row predicted without knowing its number (up to 400 rows by choices
        in which it took no part); and its standard error.
    leave_one_out_interval_ : tuple of float
        A 95 % interval for R squared on further rows: the score plus and minus 1.96 standard errors, at most 1. No
        sample tells of rare, far larger numbers that are not in it: with heavy tails there is no promise.
    left_out_, copies_share_
        As in :class:`SepalClassifier`.
    left_out_predictions_ : ndarray
        These predictions; NaN for rows that ``time_limit`` left no time for.
    residual_std_ : float
        The root of their mean squared error.
    worst_share_ : float
        The share of the squared error that is in the worst twentieth of the rows.
    trace_ : Trace

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0.0, 3.0, 40)[:, None]
    >>> model = SepalRegressor().fit(x, np.sin(x.ravel()))
    >>> float(model.predict([[1.0]]).round(2)[0])
    0.84
    """

    parameter_table = SEPAL_REGRESSOR

    def __init__(self, *, time_limit: float | None = 600.0, n_jobs: int | None = None, random_state: Any = 0) -> None:
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    @tells_callbacks
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from rows and their numbers.

        Parameters
        ----------
        X : Table, ndarray or data frame
            The training rows.
        y : array-like, optional
            The number of each row; left out, the target of the Table.
        sample_weight : array-like, optional
            How many rows each row counts as: a weight of 3 is three copies that leave together with their row, half a
            row is half its mass in every mean, sum and draw. Weights count rows, so that twice the weights are twice
            the evidence; a row of weight 0 takes no part.
        groups : array-like, "rows", "copies" or None
            Which rows are left out together wherever a row is judged without itself: those with the same label in
            an array; "rows": each alone; "copies": all that are equal in every column. None decides by the numbers of
            copies: where these show that records were repeated, copies go together (see the notes of the class).
        progress : callable, optional
            Called now and then with a few words and the share of the work that is done. What it raises ends the work.
        """
        clock = self._clock(progress)
        table = self._training_table(X, y)
        refuse_texts(table, "numbers are learned from numbers and names")
        answers = _target_numbers(table.y)
        together = left_out_together(table, groups)
        part, mass = self._masses(sample_weight, table, together)
        n_given, table, answers = table.n_rows, table.take(part), answers[part]
        self.column_order_ = canonical_columns(table.values, np.unique(answers, return_inverse=True)[1])
        table = table.select(self.column_order_.tolist())
        groups = None if together.groups is None else together.groups[part]
        rows = canonical_order(table.values, answers, mass, groups=groups)
        table, answers = table.take(rows), answers[rows]
        mass = None if mass is None else mass[rows]
        self._mean, self._unit = _moments(answers, mass)
        targets = _standardized(answers, self._mean, self._unit)
        judge = NumberJudge(targets, numbered_by_first_row(groups, rows), mass)
        random = check_random_state(self.random_state)
        problem = Problem(table, targets[:, None], targets, judge, random.permutation(len(targets)))
        seed, threads = int(random.randint(1 << 30)), thread_count(self.n_jobs)
        done = solve_in_time(problem, clock=clock, seed=seed, threads=threads)
        claim = r_squared_claim(done.problem.judge, done.solution.honest)
        self._keep(done, part[rows[done.rows]], answers[done.rows], n_given)
        self.trace_ = replace(done.solution.trace, standard_error=claim.error, seconds=clock.elapsed)
        self.leave_one_out_score_ = self.trace_.score
        self.leave_one_out_standard_error_, self.leave_one_out_interval_ = claim.error, claim.interval
        self._tell_copies(together, n_given)
        clock.step(1.0)
        return self

    def _keep(self, done: InTime, used: NDArray[np.intp], answers: Array, n_given: int) -> None:
        """What a fit leaves behind; ``used`` says which of the given rows took part, ``answers`` are theirs."""
        judge, predictions = done.problem.judge, self._mean + self._unit * done.solution.honest[:, 0]
        self.average_ = done.solution.average
        self.n_rows_ = len(used)
        self.total_weight_ = float(len(used) if judge.mass is None else judge.mass.sum())
        self.left_out_predictions_ = np.full(n_given, np.nan)
        self.left_out_predictions_[used] = predictions
        power = unit_of(answers)
        squares = (predictions * power - answers * power) ** 2
        self.residual_std_ = float(np.sqrt(mean_of(squares, judge.mass))) / power
        self.worst_share_ = _worst_share(squares, judge.mass)
        sample = done.problem.sample(SEARCH_ROWS)
        self.sample_groups_, self.sample_mass_ = sample.judge.groups, sample.judge.mass
        self.sample_ = sample.table.select(np.argsort(self.column_order_).tolist())

    def explain(self) -> Explanation:
        """Compare with the mean, the nearest neighbour and a linear rule, and say what follows."""
        check_is_fitted(self)
        return explain_regressor(self)

    def predict(self, X: Any) -> Array:
        """The number of each row."""
        table = self._new_table(X).select(self.column_order_.tolist())
        return np.asarray(self._mean + self._unit * answers_in_blocks(self.average_, table, self.n_jobs)[:, 0])


def _moments(answers: Array, mass: Array | None) -> tuple[float, float]:
    """Mean and standard deviation; 1 for that of equal numbers."""
    power = unit_of(answers)  # squares of very large numbers overflow, of very small ones vanish
    scaled = answers * power
    mean = float(scaled.mean() if mass is None else np.average(scaled, weights=mass))
    spread = float(scaled.std() if mass is None else np.sqrt(np.average((scaled - mean) ** 2, weights=mass)))
    return mean / power, (spread / power) or 1.0


def _standardized(answers: Array, mean: float, spread: float) -> Array:
    """Numbers less their mean, in units of their spread; differences of the largest numbers overflow as they are."""
    power = unit_of(answers)
    return np.asarray((answers * power - mean * power) / (spread * power))


def _worst_share(squares: Array, mass: Array | None) -> float:
    """The share of the squared error in the worst twentieth of the rows, or of their mass."""
    order = np.argsort(-squares, kind="stable")
    if mass is None:
        worst = np.sort(squares)[::-1]
        n = -(-len(squares) // 20)
    else:
        worst, upto = (mass * squares)[order], np.cumsum(mass[order])
        n = 1 + int(np.searchsorted(upto, upto[-1] / 20.0))
    total = float(worst.sum())
    return float(worst[:n].sum()) / total if total > 0.0 else 0.0


def _target_numbers(y: Any) -> Array:
    if y is None:
        raise DataError("requires y to be passed, but the target y is None: a regressor needs a number for every row")
    if np.asarray(y).dtype.kind not in "biuf":
        try:
            return np.asarray(y, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(
                f"y: expected numbers, found {shown(np.asarray(y).ravel()[0])}", hint="SepalClassifier predicts classes"
            ) from error
    return np.asarray(y, dtype=np.float64)
