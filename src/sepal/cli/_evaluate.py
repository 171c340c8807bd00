"""``sepal evaluate``: learners, judged on rows they were not trained on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sepal.cli._given import learning_rows
from sepal.cli._learners import (
    CLASSIFIERS,
    REGRESSORS,
    Chosen,
    LearnerName,
    Settings,
    default_learner,
    learner_named,
    made_for,
)
from sepal.cli._leaving import leaving_cleanly
from sepal.cli._options import (
    AsJson,
    Data,
    DistanceOfLearner,
    EscapeFormulas,
    Folds,
    GroupColumn,
    Jobs,
    MissingCells,
    MissingChoice,
    NeighborCount,
    Out,
    ScaleOfLearner,
    Seed,
    TargetColumn,
    TimeLimit,
    Weights,
    folds,
    seconds,
)
from sepal.cli._output import (
    TABLES,
    as_json_text,
    check_name,
    check_out,
    check_text_name,
    class_shares,
    give,
    printable,
    rows_text,
    table_width,
    wants_json,
    write_out,
)
from sepal.cli._progress import watching
from sepal.cli._reading import Reading, caution_facts, with_reading

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
    missing: MissingCells = MissingChoice.DISTANCE,
    distance: DistanceOfLearner = None,
    scale: ScaleOfLearner = None,
    cv: Folds = None,
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
            help="Also write the answer for each row (.csv or .json); row 0 is the first.",
            show_default=False,
        ),
    ] = None,
    escape_formulas: EscapeFormulas = False,
    as_json: AsJson = False,
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
        n_folds = folds(cv or (QUICK_FOLDS if quick else None), loo=True)
        limit = QUICK_SECONDS if quick else None
        limit = limit if time_limit is None else seconds(time_limit, "--time-limit")
        chosen = Chosen.said(k, weights, distance, scale, settings, seed, jobs)
        with watching("reading") as progress:
            table, together = learning_rows(data, target, reading, groups, missing)
            name = learner_named(learner) or default_learner(chosen.options, table, reading.task)
            how = {"cv": n_folds, "groups": together, "random_state": seed}
            if learner is not None or chosen.any:
                found = _alone(name, made_for(name, chosen, table, reading.task), table, how, limit, progress)
                kind, facts, text = "evaluation", found.to_dict(), printable(found.summary()).rstrip("\n") + "\n"
            else:
                from sepal.cli._contest import contest

                names = CLASSIFIERS if name == "auto" else REGRESSORS
                result = contest(names, chosen, table, how, progress, limit)
                found, kind, facts = result.first, "comparison", result.to_dict()
                text = result.to_text(table_width() if out is None else None)
        if predictions is not None:
            write_out(
                predictions, _answers(found, predictions, escape_formulas), "The predictions are", "--predictions"
            )
        if wants_json(as_json, out):
            text = as_json_text(kind, {"cautions": caution_facts(table), **facts})
        give(text, out, "The evaluation is")


def _check_files(data: str, out: Path | None, predictions: Path | None) -> None:
    if out is not None:
        check_out(out, data, example="evaluation.txt")
        check_text_name(out, "an evaluation")
    if predictions is not None:
        check_out(predictions, data, "--predictions", "predictions.csv")
        check_name(predictions, TABLES, "--predictions", "a table of predictions")


def _alone(
    name: str, learner: Any, table: Table, how: dict[str, Any], limit: float | None, progress: Any
) -> Evaluation:
    """One learner, within the time limit."""
    from sepal.cli._bounded import bounded, fold_progress, too_slow
    from sepal.evaluation import evaluate as cross_validate
    from sepal.report import Clock, TimeIsOverError, alarm

    clock = Clock(limit)
    told = fold_progress(name, how["cv"], clock, progress)
    try:
        with alarm(clock):
            return cross_validate(bounded(learner, limit, how["cv"]), table, progress=told, **how)
    except TimeIsOverError as error:
        raise too_slow(name, limit) from error


def _answers(found: Evaluation, path: Path, escape_formulas: bool) -> str:
    """One line per row, by its position in the data."""
    actual, predicted = found.actual, found.predicted
    columns: dict[str, list[Any]] = {"row": found.rows.tolist(), "fold": found.fold.tolist()}
    if found.classes is None:
        columns |= {"actual": actual.tolist(), "prediction": predicted.tolist()}
    else:
        columns |= {
            "actual": found.classes[actual].tolist(),
            "prediction": found.classes[predicted].tolist(),
            "right": (actual == predicted).tolist(),
        }
        if found.share is not None:
            columns |= class_shares(found.classes.tolist(), found.share)
    return rows_text("predictions", columns, path.suffix.lower() == ".json", escape_formulas)
