"""What a model reaches on rows it has not seen: the classifier without choices beside simple rules."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import draw_by_class, rows_by_content
from sepal.exceptions import DataError
from sepal.measures import sample_rows
from sepal.progress import Progress
from sepal.report._facts import UNEQUAL, ModelFacts, Verdict
from sepal.report._rows import ReportRows
from sepal.report._time_limit import Clock

if TYPE_CHECKING:
    from sepal.auto import Explanation, SepalClassifier

MODEL_ROWS = 1_000  # of a larger table a sample, so that the report is a matter of seconds
FEWER_ROWS, COORDINATES = 500, 500_000  # of names with many levels fewer rows: each level is a coordinate
MOST_MODEL_CELLS = 4_000_000
FEWEST_MODEL_ROWS = 10
LOADING = 3.0  # seconds for the modules of the classifier, which nothing can interrupt
SHAPES = ("few_columns_win", "no_better_than_majority", "not_linear", "linear_is_enough")


def model_facts(rows: ReportRows, random_state: int, clock: Clock, progress: Progress) -> ModelFacts:
    """Fit the classifier to the rows, or to a sample of them, and say what leaving rows out shows."""
    table = rows.table
    if table.n_rows < FEWEST_MODEL_ROWS:
        raise DataError(f"{table.n_rows} rows are too few to hold any out")
    shares = np.bincount(rows.ready.codes) / len(rows.ready.codes)
    unequal = bool(shares.max() >= UNEQUAL)
    groups = rows.groups
    most = _most_rows(rows)
    if table.n_rows > most:
        drawn = _sample(rows, unequal, most, random_state)
        table, groups = table.take(drawn), None if groups is None else groups[drawn]
    if table.values.size > MOST_MODEL_CELLS:
        raise DataError(f"{table.n_columns:,} columns take long to learn from; see sepal evaluate")
    left = clock.left()
    if left is not None and left < LOADING and "sepal.auto" not in sys.modules:
        raise DataError("the time limit does not leave enough to load it")
    from sepal.auto import SepalClassifier, explain_briefly

    left = clock.left()
    model = SepalClassifier(
        time_limit=None if left is None else max(0.5 * left, 0.1),
        balanced=unequal,
        random_state=random_state,
        n_jobs=rows.n_jobs,
    )
    model.fit(table, groups=groups, progress=lambda what, done: progress(what, 0.6 * done))
    told = explain_briefly(model, 10.0 if left is None else max(0.2 * left, 0.1))
    progress("a model", 1.0)
    return _facts(model, told, np.asarray(table.y))


def _most_rows(rows: ReportRows) -> int:
    """How many rows the model is fitted to at most."""
    table = rows.table
    levels = (len(each) for each, kind in zip(table.levels, table.kinds, strict=True) if each and kind == "nominal")
    return min(MODEL_ROWS, max(FEWER_ROWS, COORDINATES // max(1, table.n_columns + sum(levels))))


def _sample(rows: ReportRows, unequal: bool, n_rows: int, random_state: int) -> NDArray[np.intp]:
    """Random rows; where classes count alike, as many of each as there are, so that the rare ones stay whole."""
    codes = rows.ready.codes
    if not unequal:
        return np.sort(sample_rows(rows.table, codes, n_rows, random_state))
    most = max(n_rows // len(rows.ready.classes), 2)
    order, large = rows_by_content(rows.table, codes), np.bincount(codes)[codes] > most
    drawn = draw_by_class(order[large[order]], codes, lambda _: most, np.random.default_rng(random_state))
    return np.union1d(np.flatnonzero(~large), drawn)


def _facts(model: SepalClassifier, told: Explanation, y: NDArray[Any]) -> ModelFacts:
    rules = {rule.name: rule.score for rule in told.baselines}
    right = np.asarray(model.classes_)[np.nan_to_num(model.left_out_proba_).argmax(axis=1)] == y
    found = {finding.code: finding for finding in told.findings}
    shape = next((found[code] for code in SHAPES if code in found), None)
    few = found.get("few_columns_win")
    return ModelFacts(
        name="SepalClassifier",
        n_rows=model.n_rows_,
        balanced=bool(model.balanced),
        score=model.leave_one_out_score_,
        interval=model.leave_one_out_interval_,
        accuracy=float(right.mean()),
        linear=rules["linear"],
        columns=() if few is None else tuple(few.facts["columns"]),
        columns_score=None if few is None else few.facts["score"],
        columns_interval=None if few is None else few.facts["interval"],
        shape=None if shape is None else Verdict(shape.code, shape.text),
    )
