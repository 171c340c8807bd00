"""``sepal evaluate``: learners, judged on rows they were not trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sepal.cli._answer_table import TABLES, AllColumns, answers_text
from sepal.cli._answers import as_json_text
from sepal.cli._folds import folds_there
from sepal.cli._given import given_test, learning_rows
from sepal.cli._learners import (
    CLASSIFIERS,
    REGRESSORS,
    Chosen,
    LearnerName,
    Settings,
    default_learner,
    for_target,
    learner_named,
    make_learner,
)
from sepal.cli._leaving import leaving_cleanly
from sepal.cli._new_rows import tell_notes
from sepal.cli._options import (
    AsJson,
    ClusterAddress,
    Data,
    DistanceOfLearner,
    EscapeFormulas,
    Folds,
    GroupColumn,
    Inverse,
    Jobs,
    MissingCells,
    MissingChoice,
    NeighborCount,
    Out,
    ScaleOfLearner,
    SearchMethod,
    Seed,
    TargetColumn,
    TimeLimit,
    Weights,
    WorkerCount,
    folds,
    seconds,
)
from sepal.cli._output import (
    check_name,
    check_out,
    check_text_name,
    give,
    printable,
    table_width,
    wants_json,
    write_out,
)
from sepal.cli._partitions import place_asked, plan_facts
from sepal.cli._progress import watching
from sepal.cli._reading import Reading, caution_facts, with_reading
from sepal.cli._since_start import left_of
from sepal.cli._train_parts import tell_evaluating
from sepal.exceptions import ParameterError
from sepal.explore import LEARNERS, number_to_predict
from sepal.progress import Progress

if TYPE_CHECKING:
    from sepal.data import Table
    from sepal.evaluation import Evaluation

QUICK_FOLDS, QUICK_SECONDS = "5", 10.0


@with_reading
def evaluate(
    *,
    reading: Reading,
    data: Data,
    target: TargetColumn = None,
    groups: GroupColumn = None,
    learner: LearnerName = None,
    settings: Settings = None,
    k: NeighborCount = None,
    weights: Weights = None,
    inverse: Inverse = False,
    missing: MissingCells = MissingChoice.DISTANCE,
    distance: DistanceOfLearner = None,
    scale: ScaleOfLearner = None,
    cv: Folds = None,
    split: Annotated[
        float | None,
        typer.Option(
            metavar="PERCENT",
            help="Train once on so many percent of the rows (66), and answer the others.",
            show_default=False,
        ),
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="Train on all rows of DATA, and answer these: a file, or the name of a bundled set.",
            show_default=False,
        ),
    ] = None,
    costs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLASS=COST",
            help="What it costs to take a row of this class for another (1 if not said), or CLASS:ANSWER=COST for one "
            "answer; may be given several times. Rows are then answered so that the expected cost is least.",
            show_default=False,
        ),
    ] = None,
    time_limit: TimeLimit = None,
    quick: Annotated[bool, typer.Option("--quick", help="Five folds and ten seconds, where these are not given.")] = (
        False
    ),
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Out = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write the answer for each row (.csv or .json) beside its identifiers; row 0 is the first.",
            show_default=False,
        ),
    ] = None,
    show_wrong: Annotated[
        int, typer.Option(metavar="N", help="Show N wrongly answered rows with their values.", min=0)
    ] = 0,
    all_columns: AllColumns = False,
    escape_formulas: EscapeFormulas = False,
    as_json: AsJson = False,
    cluster: ClusterAddress = None,
    workers: WorkerCount = None,
    method: SearchMethod = None,
) -> None:
    """Say how well rows are answered that were not seen in training.

    Without --learner the classifier that needs no choices is compared, on the same folds, with a support vector
    machine, k-NN, Fisher's discriminant and the majority, in one table. With it, or with an option of k-NN, prints what
    Weka's users know, and beside it a confidence interval, the balanced accuracy and the majority rate.

    Of a time limit each learner has an equal part of what is left; one that needs more is left out, and said.

    Example:  sepal evaluate sonar
    """
    with leaving_cleanly():
        _check_files(data, out, predictions)
        held_out = _held_out(cv, split, test, quick)
        limit = None if time_limit is None else seconds(time_limit, "--time-limit")
        chosen = Chosen.said(k, weights, inverse, distance, scale, settings, seed, jobs, learner)
        chosen = replace(chosen, method=None if method is None else method.value)
        with watching("reading", limit) as progress:
            drawn: list[Any] = []  # of rows in partitions
            where = place_asked(cluster, workers)
            table, together = learning_rows(data, target, reading, groups, missing, where, drawn.append)
            answered, of_test = (table, ()) if test is None else given_test(test, table, reading)
            tell_notes(of_test)
            numbers = number_to_predict(table) if reading.task is None else reading.task == "regress"
            constant = learner_named(learner) in ("majority", "mean")
            if test is None:
                held_out = folds_there(held_out, cv is not None, table, together, not (numbers or constant))
            name = learner_named(learner) or default_learner(chosen.options, table, reading.task)
            how = {
                "cv": held_out,
                "groups": together,
                "random_state": seed,
                "test": None if test is None else answered,
            }
            alone = learner is not None or chosen.any
            if method is not None and alone:
                _check_searches(for_target(name, table, reading.task))
            weighed = None if costs is None else _costs_of(costs, table)
            names = (for_target(name, table, reading.task),) if alone else CLASSIFIERS if name == "auto" else REGRESSORS
            from sepal.cli import _contest as _contest  # loading and reading count for a limit that was given

            if drawn and limit is None:
                tell_evaluating(names, chosen, table, held_out)
            left = QUICK_SECONDS if quick and limit is None else left_of(limit)
            found, kind, facts, text = _found(names, alone, chosen, table, how, left, progress, _width(out), weighed)
        if show_wrong:
            from sepal.cli._wrong_rows import wrong_rows, wrong_rows_text

            wrong = wrong_rows(found, answered, show_wrong)
            facts, text = {**facts, "wrong_rows": wrong}, text + wrong_rows_text(wrong, found, _width(out))
        if predictions is not None:
            answers = answers_text(found, answered, predictions, all_columns, escape_formulas)
            write_out(predictions, answers, "The predictions are", "--predictions")
        if wants_json(as_json, out):
            of_parts = {"partitions": plan_facts(drawn[0])} if drawn else {}
            text = as_json_text(kind, {"cautions": caution_facts(table, of_test), **of_parts, **facts})
        give(text if wants_json(as_json, out) else printable(text), out, "The evaluation is")


def _found(
    names: Sequence[str],
    alone: bool,
    chosen: Chosen,
    table: Table,
    how: Mapping[str, Any],
    limit: float | None,
    progress: Progress,
    width: int | None,
    costs: Mapping[Any, float] | None,
) -> tuple[Evaluation, str, dict[str, Any], str]:
    """One learner, or several on the same rows: the evaluation of the first, and all of it as facts and as text."""
    from sepal.cli._contest import alone_in, contest

    if alone:
        found = alone_in(names[0], make_learner(names[0], chosen, table), table, how, progress, limit, costs)
        return found, "evaluation", found.to_dict(), found.summary(width).rstrip("\n") + "\n"
    result = contest(names, chosen, table, how, progress, limit, costs)
    return result.first, "comparison", result.to_dict(), result.to_text(width)


def _check_searches(name: str) -> None:
    """Refuse --method for one learner that searches no neighbours."""
    entry = LEARNERS.get(name)
    if entry is not None and "method" not in entry.make().get_params(deep=False):
        raise ParameterError(
            f"--method: the learner {name} searches no neighbours", hint="--learner knn does; or leave --method out"
        )


def _width(out: Path | None) -> int | None:
    return table_width() if out is None else None


def _held_out(cv: str | None, split: float | None, test: str | None, quick: bool) -> int | float | str:
    """The folds that were asked for, a share to train on, or ``loo``."""
    given = [word for word, value in (("--cv", cv), ("--split", split), ("--test", test)) if value is not None]
    if len(given) > 1:
        raise ParameterError(f"{' and '.join(given)}: rows are held out in one way; leave one out")
    if split is not None:
        if not 0.0 < split < 100.0:
            raise ParameterError(f"--split {split:g}: expected percent of the rows, above 0 and below 100", hint="66")
        return split / 100.0
    return folds(cv or (QUICK_FOLDS if quick else None), loo=True)


def _check_files(data: str, out: Path | None, predictions: Path | None) -> None:
    if out is not None:
        check_out(out, data, example="evaluation.txt")
        check_text_name(out, "an evaluation")
    if predictions is not None:
        check_out(predictions, data, "--predictions", "predictions.csv")
        check_name(predictions, TABLES, "--predictions", "a table of predictions")


def _costs_of(texts: list[str], table: Table) -> dict[Any, float]:
    from sepal.evaluation import costs_said

    return costs_said(texts, [] if table.y is None else table.y.tolist())
