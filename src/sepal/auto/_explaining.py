"""From a fitted classifier or regressor to its explanation: simple rules and the subset, on the rows it keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal.auto._baselines import Baseline, linear_number, linear_rule, majority, mean, nearest, nearest_number
from sepal.auto._explanation import Explanation
from sepal.auto._findings import CopyScores, Facts, find
from sepal.auto._judging import ClassJudge, NumberJudge, class_judge
from sepal.auto._narrow import NARROW_FOLDS, narrow_model
from sepal.auto._threads import one_thread
from sepal.data import Table, copies_of, unit_of
from sepal.estimators import fit_view
from sepal.exceptions import SepalError
from sepal.selection import Procedure

if TYPE_CHECKING:
    from sepal.auto._classifier import SepalClassifier
    from sepal.auto._regressor import SepalRegressor


Array = NDArray[np.float64]
_LEAST_SECONDS = 2.0  # for a fit to few columns
_COPY_ROWS = 1000  # more do not change what copies do to the figure


def _sample(model: Any) -> Table:
    """Some training rows as the members saw them: with numbers in place of texts."""
    scored: Table | None = getattr(model, "scored_", None)
    return model.sample_ if scored is None else scored


def explain_classifier(model: SepalClassifier, time_limit: float, advice: bool = True) -> Explanation:
    """See :meth:`SepalClassifier.explain`."""
    table = _sample(model)
    codes = np.searchsorted(model.classes_, np.asarray(table.y)).astype(np.int32)
    judge = class_judge(codes, model.balanced, model.sample_groups_, model.sample_mass_)
    near = [nearest(table, judge, model.n_jobs)] if advice else []
    baselines = (majority(judge), *near, _one_linear_rule(model, table, judge))
    narrow = None
    if judge.mass is None and not model.balanced:
        quick = _silent(model).set_params(time_limit=max(time_limit / NARROW_FOLDS, _LEAST_SECONDS))
        narrow = narrow_model(table, quick, model.sample_groups_)
    if model.left_out_ == "copies":  # a copy would be everyone's nearest neighbour, whatever the columns
        table = table.take(np.sort(np.unique(copies_of(table), return_index=True)[1]))
    inclusion, subset, subset_score = (
        ({}, None, None) if narrow is not None or not advice else _subset(table, time_limit, model.n_jobs)
    )
    counts = np.rint(model.class_shares_ * model.total_weight_).astype(int)
    return _told(
        model,
        baselines,
        class_counts=dict(zip(model.classes_.tolist(), counts.tolist(), strict=True)),
        balanced=model.balanced,
        reliability=model.reliability_,
        subset=subset,
        subset_score=subset_score,
        inclusion=inclusion,
        n_ties=_ties(model.left_out_proba_),
        narrow=narrow,
        copies=_copies(model) if advice else None,
    )


def _one_linear_rule(model: SepalClassifier, table: Table, judge: ClassJudge) -> Baseline:
    """The linear member where there is one, so that there is one figure of a linear rule; else one on these rows."""
    for member in model.trace_.members:
        if member.name == "linear" and not model.balanced:
            return Baseline("linear", member.score, member.standard_error)
    with one_thread():
        return linear_rule(table, judge, model.class_shares_ if model.balanced else None)


def explain_briefly(model: SepalClassifier, time_limit: float) -> Explanation:
    """The same without advice on subsets, the nearest neighbour, and fits that show what copies do.

    For those who have looked at neighbours already.
    """
    return explain_classifier(model, time_limit, advice=False)


def explain_regressor(model: SepalRegressor) -> Explanation:
    """See :meth:`SepalRegressor.explain`."""
    table = _sample(model)
    answers = np.asarray(table.y, dtype=np.float64)
    judge = NumberJudge(answers * unit_of(answers), model.sample_groups_, model.sample_mass_)  # R squared has no unit
    with one_thread():
        rule = linear_number(table, judge)
    baselines = (mean(judge), nearest_number(table, judge, model.n_jobs), rule)
    return _told(model, baselines, worst_share=model.worst_share_, copies=_copies(model))


def _told(model: SepalClassifier | SepalRegressor, baselines: tuple[Baseline, ...], **own: Any) -> Explanation:
    """The explanation, from what both have and from what only classes or only numbers have."""
    facts = Facts(
        trace=model.trace_,
        baselines={baseline.name: baseline for baseline in baselines},
        n_rows=model.n_rows_,
        n_searched=max(trial.rows for trial in model.trace_.trials),
        n_features=_sample(model).n_columns,
        **own,
    )
    return Explanation(
        task=facts.task,
        score=model.leave_one_out_score_,
        standard_error=model.leave_one_out_standard_error_,
        interval=model.leave_one_out_interval_,
        baselines=baselines,
        trace=model.trace_,
        reliability=facts.reliability,
        inclusion=dict(facts.inclusion),
        subset=facts.subset,
        findings=find(facts),
    )


def _copies(model: SepalClassifier | SepalRegressor) -> CopyScores | None:
    """The score with each row left out alone, and with all its copies, on the same rows (a sample of large tables)."""
    if not model.copies_share_ or model.left_out_ == "groups":
        return None
    table, groups, mass = _sample(model), copies_of(_sample(model)), model.sample_mass_
    if table.n_rows > _COPY_ROWS:  # whole groups, in an order that has nothing to do with the answers
        shuffled = np.random.RandomState(0).permutation(groups.max() + 1)[groups]
        order = np.argsort(shuffled, kind="stable")[:_COPY_ROWS]
        table, mass = table.take(np.sort(order)), None if mass is None else mass[np.sort(order)]
    both = dict.fromkeys(("rows", "copies"), model.leave_one_out_score_)
    for how in both:
        if how != model.left_out_ or table.n_rows < model.n_rows_:
            try:
                both[how] = float(_silent(model).fit(table, sample_weight=mass, groups=how).leave_one_out_score_)
            except SepalError:  # one distinct row, or one class among so few
                return None
    return CopyScores(model.copies_share_, model.left_out_, both["rows"], both["copies"], table.n_rows)


def _silent(model: SepalClassifier | SepalRegressor) -> Any:
    """An estimator with the same parameters, and without callbacks: nobody waits for a fit here."""
    return type(model)(**model.get_params(deep=False))


def _ties(probabilities: Array) -> int:
    """Rows whose two most probable classes are equal; rows that took no part are NaN, which equals nothing."""
    top = np.partition(probabilities, -2, axis=1)[:, -2:]
    return int((top[:, 0] == top[:, 1]).sum())


def _subset(
    table: Table, time_limit: float, n_jobs: int | None
) -> tuple[dict[str, float], tuple[str, ...] | None, float | None]:
    """The smallest subset of columns that the nearest neighbour cannot tell from the best, if there is one to find."""
    if table.n_columns < 2 or fit_view(table, "rank").n_coordinates == 0:
        return {}, None, None
    procedure = Procedure(prefer="smallest", time_limit=time_limit, n_jobs=n_jobs)
    try:
        result = procedure.run(procedure.prepare(table))
    except SepalError:
        return {}, None, None  # too few rows of some class, or nothing that varies: there is no advice
    best = procedure.choose(result)
    return dict(result.inclusion()), tuple(best.features), float(best.score)
