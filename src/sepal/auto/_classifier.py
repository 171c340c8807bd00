"""The classifier without choices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sepal.auto._affordable import InTime, solve_in_time
from sepal.auto._answering import answers_in_blocks
from sepal.auto._calibration import calibrate, calibration_rows
from sepal.auto._canonical_order import canonical_classes, canonical_columns, canonical_order, spread_order
from sepal.auto._claim import accuracy_claim
from sepal.auto._clock import StageClock
from sepal.auto._explaining import explain_classifier
from sepal.auto._explanation import Explanation
from sepal.auto._judging import ClassJudge, class_judge
from sepal.auto._parameters import SEPAL_CLASSIFIER
from sepal.auto._row_explanation import RowExplanation, explain_rows
from sepal.auto._shell import AutoEstimator
from sepal.auto._solve import SEARCH_ROWS, Problem
from sepal.auto._text_scores import TextScores, fit_text_scores
from sepal.auto._threads import one_thread
from sepal.data import Table, class_codes, left_out_together, numbered_by_first_row
from sepal.estimators import TableClassifierMixin, tells_callbacks
from sepal.evaluation import reliability
from sepal.exceptions import DataError
from sepal.neighbors import thread_count
from sepal.parameters import check_number
from sepal.progress import Progress

Array = NDArray[np.float64]
_LEAST = 1e-9  # probabilities below this have no logarithm worth keeping


class SepalClassifier(TableClassifierMixin, AutoEstimator):
    """A classifier for any table, without a choice to make.

    Gaussian kernel ridge on three scalings of the same rows, widths and ridges chosen by exact leave-one-out; Fisher's
    discriminant; bagged trees. They are averaged, with weights and a calibration that are learned from answers to each
    row without itself. Texts become numbers first, by a linear support vector machine on their words; those of the
    training rows come from machines that did not see the row.

    Parameters
    ----------
    time_limit : float or None
        Seconds; None for as long as it takes. A fit always returns: members that no longer fit are left out, and where
        a table has more rows than there is time for, the fit is to a random part of them; ``trace_.notes`` says so.
    balanced : bool
        False: errors count alike, so that a rare class is answered when it is more likely than the others. True: every
        class counts alike, however few its rows.
    n_jobs : int, optional
        Threads. The answer does not depend on it.
    random_state : int, RandomState or None
        For the samples that large tables need and for the draws of the trees. None draws anew each time.

    Attributes
    ----------
    classes_ : ndarray
    left_out_ : {"rows", "copies", "groups"}
        Which rows were left out together: each alone, all copies of a row, or the given groups.
    copies_share_ : float
        The share of the rows that have a copy, equal in all columns.
    leave_one_out_score_, leave_one_out_standard_error_ : float
        Accuracy of the averaged decisions, each row decided without knowing its label; and its standard error. Up to
        400 rows widths, ridges, weights and calibration are chosen anew for each tenth of the rows, without it; with
        more rows such choices no longer flatter.
    leave_one_out_interval_ : tuple of float
        A 95 % interval for the accuracy on further rows: the score plus and minus 1.96 standard errors, from 0 to 1.
        How often it covers is in ``docs/guide/how-sure.md``.
    temperature_, offsets_ : float, ndarray
        The calibration: what the logarithms of the averaged probabilities are multiplied by, and what is added per
        class.
    total_weight_ : float
        The sum of the weights; the number of rows where there are none.
    left_out_proba_ : ndarray, shape (n_rows, n_classes)
        The probabilities for each training row, decided without knowing its label. NaN for rows that took no part.
    reliability_ : Reliability
        Whether these probabilities mean what they say, with their log-loss.
    trace_ : Trace
        What was tried and what was chosen.
    texts_ : object or None
        What was learned from columns of texts: the words, and a linear machine on them.

    Notes
    -----
    Leaving one row out says how new rows will fare if rows were drawn independently. A copy among the others then is
    evidence like any other: a new row finds copies as often. Where records were repeated a new row does not, and a row
    that is judged beside its copy is judged by its own answer. How many rows occur once, twice, three times tells: no
    distribution gives, say, every row twice. All copies of a row are left out together where these numbers contradict
    independent rows, and wherever there are copies :meth:`explain` gives both figures. Rows copied at random
    (oversampling, bootstrap) cannot be told from coarse columns: give ``groups="copies"`` for these.

    Examples
    --------
    >>> import sepal.datasets
    >>> athletes = sepal.datasets.load("athletes")
    >>> model = SepalClassifier().fit(athletes)
    >>> model.predict(athletes)[:3].tolist()
    ['no', 'no', 'no']
    """

    parameter_table = SEPAL_CLASSIFIER
    sample_: Table
    scored_: Table | None
    texts_: TextScores | None

    def __init__(
        self,
        *,
        time_limit: float | None = 600.0,
        balanced: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.time_limit = time_limit
        self.balanced = balanced
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
        """Learn from rows and their classes.

        Parameters
        ----------
        X : Table, ndarray or data frame
            The training rows; numbers, ordered levels, names, missing cells.
        y : array-like, optional
            The class of each row; left out, the target of the Table.
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
        class_codes(table)
        together = left_out_together(table, groups)
        self.classes_, given = np.unique(np.asarray(table.y), return_inverse=True)
        part, mass = self._masses(sample_weight, table, together)
        if len(np.unique(given[part])) < len(self.classes_):
            raise DataError("sample_weight: every class needs a row of positive weight")
        n_given, table, given = table.n_rows, table.take(part), given[part]
        self.column_order_ = canonical_columns(table.values, given)
        table = table.select(self.column_order_.tolist())
        named = canonical_classes(table.values, given)
        groups = None if together.groups is None else together.groups[part]
        rows = canonical_order(table.values, named, mass, groups=groups)
        table, codes = table.take(rows), given[rows].astype(np.int32)
        mass = None if mass is None else mass[rows]
        judge = class_judge(codes, self.balanced, numbered_by_first_row(groups, rows), mass)
        random = check_random_state(self.random_state)
        order = spread_order(codes, random)
        table, shown = self._read_texts(table, judge, order, clock)
        scores_only = self.texts_ is not None and table.n_columns == len(self.texts_.names)
        problem = Problem(table, np.eye(len(self.classes_))[codes], codes, judge, order, scores_only=scores_only)
        seed, threads = int(random.randint(1 << 30)), thread_count(self.n_jobs)
        done = solve_in_time(problem, clock=clock, seed=seed, threads=threads)
        self._keep(done, part[rows[done.rows]], n_given, clock)
        self._keep_texts(shown, part[rows], n_given)
        self._tell_copies(together, n_given)
        return self

    def _read_texts(
        self, table: Table, judge: ClassJudge, order: NDArray[np.intp], clock: StageClock
    ) -> tuple[Table, Table | None]:
        """The rows with numbers in place of texts, and the rows as they were; None where there are no texts."""
        self.texts_ = None
        if "text" not in table.kinds:
            return table, None
        with one_thread():
            self.texts_, scored = fit_text_scores(table, judge, order, self.classes_, lambda share: clock.step(0.0))
        return scored, table

    def _keep_texts(self, shown: Table | None, given: NDArray[np.intp], n_given: int) -> None:
        """Remember the sample with its texts, beside what the members saw of it."""
        self.scored_ = None
        if shown is None:
            return
        self.scored_ = self.sample_
        place = np.empty(n_given, dtype=np.intp)
        place[given] = np.arange(len(given))
        self.sample_ = shown.take(place[self.sample_rows_]).select(np.argsort(self.column_order_).tolist())

    def _keep(self, done: InTime, used: NDArray[np.intp], n_given: int, clock: StageClock) -> None:
        """What a fit leaves behind; ``used`` says which of the given rows took part."""
        codes, solution = np.asarray(done.problem.answers, dtype=np.int32), done.solution
        judge = class_judge(codes, self.balanced, done.problem.judge.groups, done.problem.judge.mass)
        self.average_ = solution.average
        self.n_rows_ = len(codes)
        self.total_weight_ = float(len(codes) if judge.mass is None else judge.mass.sum())
        self.class_shares_ = np.bincount(codes, judge.mass, minlength=len(self.classes_)) / self.total_weight_
        logarithms = self._logarithms(solution.left_out)
        some = np.sort(done.problem.order[: calibration_rows(*logarithms.shape)])
        with one_thread():
            self.temperature_, self.offsets_ = _calibrated(logarithms, codes, judge, some)
        decisions = self.temperature_ * logarithms + self.offsets_
        for fold in solution.folds:
            logarithms, rest = self._logarithms(fold.mixed), fold.rest
            with one_thread():
                temperature, offsets = _calibrated(logarithms, codes, judge, rest)
            decisions[fold.aside] = temperature * logarithms[fold.aside] + offsets
        left_out = self._probabilities(decisions)
        claim = accuracy_claim(judge, decisions, left_out)
        self.leave_one_out_score_ = float(judge.scores(decisions[None])[0, 0])
        self.leave_one_out_standard_error_, self.leave_one_out_interval_ = claim.error, claim.interval
        self.trace_ = replace(
            solution.trace, score=self.leave_one_out_score_, standard_error=claim.error, seconds=clock.elapsed
        )
        sample = done.problem.sample(SEARCH_ROWS)
        self.sample_groups_, self.sample_mass_ = sample.judge.groups, sample.judge.mass
        self.sample_rows_ = used if sample is done.problem else used[np.sort(done.problem.order[:SEARCH_ROWS])]
        back = np.argsort(self.column_order_) if self.texts_ is None else np.arange(sample.table.n_columns)
        self.sample_ = sample.table.select(back.tolist())
        self.left_out_proba_ = np.full((n_given, len(self.classes_)), np.nan)
        self.left_out_proba_[used] = left_out
        self.reliability_ = reliability(left_out, codes, weights=judge.weights)
        clock.step(1.0)

    @overload
    def explain(self, X: None = None, *, time_limit: float = 10.0) -> Explanation: ...

    @overload
    def explain(self, X: Any, *, time_limit: float = 10.0) -> RowExplanation: ...

    def explain(self, X: Any = None, *, time_limit: float = 10.0) -> Explanation | RowExplanation:
        """Say why the model is what it is, or why given rows are answered as they are.

        Parameters
        ----------
        X : Table, ndarray or data frame, optional
            Rows to explain: what each member says, what each column does to the answer, and the nearest training rows.
            Without it the model is compared with simple rules, a small subset of the columns is looked for, and
            sentences say what follows.
        time_limit : float
            Seconds for the search of subsets, which is advice and changes nothing.

        Returns
        -------
        Explanation or RowExplanation
        """
        check_is_fitted(self)
        check_number("time_limit", time_limit, above=0.0, infinite=True)
        return explain_classifier(self, time_limit) if X is None else explain_rows(self, self._new_table(X))

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
        return self._decisions_of(self._new_table(X))

    def _decisions_of(self, rows: Table) -> Array:
        """The decisions for rows that were read as the training rows were."""
        table = self._members_rows(rows)
        logarithms = self._logarithms(answers_in_blocks(self.average_, table, self.n_jobs))
        return self.temperature_ * logarithms + self.offsets_

    def _members_rows(self, rows: Table) -> Table:
        """Rows as the members see them: columns in their order, numbers in place of texts."""
        table = rows.select(self.column_order_.tolist())
        return table if self.texts_ is None else self.texts_.numbers(table)

    def _probabilities(self, decisions: Array) -> Array:
        """Softmax, mixed with the uniform distribution by the rule of succession, 1 / (n + 1).

        n rows without an error do not show that errors are rarer than one in n.
        """
        uniform = 1.0 / (self.total_weight_ + 1.0)
        return np.asarray((1.0 - uniform) * softmax(decisions, axis=1) + uniform / len(self.classes_))

    def _logarithms(self, probabilities: Array) -> Array:
        """Logarithms of the probabilities, for classes of equal size where that was asked for."""
        logarithms = np.log(np.maximum(probabilities, _LEAST))
        return logarithms - np.log(self.class_shares_) if self.balanced else logarithms


def _calibrated(
    logarithms: Array, codes: NDArray[np.int32], judge: ClassJudge, rows: NDArray[np.intp]
) -> tuple[float, Array]:
    """Temperature and offsets by some rows."""
    part = judge.take(rows)
    return calibrate(logarithms[rows], codes[rows], part.weights, None if part.mass is None else part.mass.sum())
