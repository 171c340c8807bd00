"""``sepal train`` and ``sepal predict``: fit a learner and write it to a file; predict with the model of a file."""

from __future__ import annotations

import sys
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from sepal.cli._answer_table import TABLES, AllColumns, beside, identifiers_among, shares
from sepal.cli._answers import as_json_text
from sepal.cli._given import given_rows, learning_rows
from sepal.cli._known_rows import remember_rows, tell_known_rows
from sepal.cli._learners import (
    Chosen,
    LearnerName,
    Settings,
    default_learner,
    for_target,
    learner_named,
    make_learner,
    set_threads,
)
from sepal.cli._leaving import leaving_cleanly
from sepal.cli._new_rows import tell_notes
from sepal.cli._options import (
    DATA_HELP,
    AsJson,
    ClusterAddress,
    Data,
    DistanceOfLearner,
    EscapeFormulas,
    GroupColumn,
    Inverse,
    Jobs,
    MissingCells,
    MissingChoice,
    ModelOut,
    NeighborCount,
    Out,
    ScaleOfLearner,
    Seed,
    TargetColumn,
    Weights,
    WorkerCount,
)
from sepal.cli._output import (
    check_name,
    check_out,
    give,
    print_text,
    printable,
    rows_text,
    table_width,
    wants_json,
)
from sepal.cli._partitions import in_partitions, place_asked, plan_facts, refuse_for_one_file
from sepal.cli._predict_parts import PartWriter, predict_parts
from sepal.cli._progress import watching
from sepal.cli._reading import Reading, caution_facts, with_reading
from sepal.cli._score import answers_to
from sepal.cli._train_parts import fitted_to_parts, refuse_constant
from sepal.data import shown
from sepal.exceptions import DataError, ParameterError
from sepal.explore import LEARNERS
from sepal.progress import Progress

if TYPE_CHECKING:
    from sepal.auto import Explanation
    from sepal.data import Table


@with_reading
def train(
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
    seed: Seed = 0,
    jobs: Jobs = None,
    out: ModelOut,
    as_json: AsJson = False,
    cluster: ClusterAddress = None,
    workers: WorkerCount = None,
) -> None:
    """Fit a learner and keep it in a file.

    Without --learner it is the one that needs no choices, for classes or for numbers, and what it found is printed. To
    rows in partitions fisher, feature-vectors and auto are fitted by sums over all; every other learner to a sample.
    The file holds numbers and texts only: loading it runs no code, so that models may be taken from strangers.

    Example:  sepal train mydata.csv --target species -o model.sepal
    """
    with leaving_cleanly():
        check_out(out, data, example="model.sepal")
        from sepal.estimators import check_model_name, save_model

        check_model_name(out, f"--out {out}")
        chosen = Chosen.said(k, weights, inverse, distance, scale, settings, seed, jobs, learner)
        where = place_asked(cluster, workers)
        with watching("reading") as progress:
            found_parts = None
            if in_partitions(data) and groups is None:
                name, found_parts = fitted_to_parts(
                    data, target, reading, learner, chosen, missing, {**where, "n_jobs": jobs, "progress": progress}
                )
                model, table, n_rows = found_parts.model, found_parts.table, found_parts.n_rows
            else:
                table, together = learning_rows(data, target, reading, groups, missing, where)
                progress("training", 0.1)
                name = learner_named(learner) or default_learner(chosen.options, table, reading.task)
                name = for_target(name, table, reading.task)
                model, n_rows = _fitted(name, chosen, table, together, groups, progress), table.n_rows
            progress("writing", 0.9)
            if n_rows == table.n_rows:  # of partitions it may be a few rows only
                remember_rows(model, table)
            save_model(model, out)
        typer.echo(f"The model is in {out}: {_described(model, n_rows, table.name)}.", err=True)
        found = model.explain() if LEARNERS[name].home == "sepal.auto" else None
        if as_json:
            facts = {"file": str(out), "learner": name, "data": table.name, "n_rows": n_rows}
            told = {"cautions": caution_facts(table), "explanation": None if found is None else _told(found)}
            if found_parts is not None:
                told["partitions"] = plan_facts(found_parts)
            print_text(as_json_text("model", {**facts, "estimator": repr(_within(model)), **told}))
        elif found is not None:
            text = found if isinstance(found, str) else found.to_text(table_width())  # the chain tells a tree
            print_text(printable(text).rstrip("\n") + "\n")


def _fitted(name: str, chosen: Chosen, table: Table, together: Any, groups: str | None, progress: Progress) -> Any:
    """The learner, fitted to a table."""
    estimator = make_learner(name, chosen, table)
    refuse_constant(name)
    _refuse_one_class(estimator, table)
    # The learners without choices say how far they are; the others are quick or cannot tell.
    telling: dict[str, Any] = {"progress": lambda text, done: progress(text, 0.1 + 0.8 * done)}
    if together is not None:
        if not _takes(getattr(estimator, "machine", estimator), "groups"):
            raise ParameterError(
                f"--groups {groups}: the learner {name} leaves no rows out when it is trained",
                hint="sepal evaluate --groups holds them out together",
            )
        telling["groups"] = together
    return estimator.fit(table, **{word: value for word, value in telling.items() if _takes(estimator, word)})


def _refuse_one_class(estimator: Any, table: Table) -> None:
    """A classifier has nothing to tell apart where the target is the same in all rows."""
    from sklearn.base import is_classifier

    found = np.unique(np.asarray(table.y))
    if len(found) != 1 or not is_classifier(_within(estimator)):
        return
    one = found.tolist()[0]
    what = "class" if isinstance(one, str) else "number"
    where = f"all {table.n_rows:,} rows" if table.n_rows > 1 else "the only row"
    raise DataError(
        f"the target {shown(table.target)} is {shown(one)} in {where}: only one distinct {what}, and nothing to learn",
        hint="check that this is the right column (--target), and that the rows of the other classes are in the file",
    )


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file that 'sepal train' wrote.")],
    new: Annotated[
        str,
        typer.Argument(metavar="NEW", help=f"The rows to answer, with the columns of the training data. {DATA_HELP}"),
    ],
    jobs: Jobs = None,
    out: Out = None,
    all_columns: AllColumns = False,
    escape_formulas: EscapeFormulas = False,
    as_json: AsJson = False,
    cluster: ClusterAddress = None,
    workers: WorkerCount = None,
) -> None:
    """Predict new rows with a model.

    For each row, counted from 0, its identifiers, the prediction and the probability of each class, as CSV or JSON.
    Columns are found by name; where the target is among them, the share of right answers or R squared is told, unless
    none of its labels is a class of the model. Classes that are dates are called so (2020-01-31, 08:30:00). Of a
    folder or a pattern in quotes one partition after the other is answered, and all answers are in one CSV file.

    Example:  sepal predict model.sepal new.csv -o out.csv
    """
    with leaving_cleanly():
        if out is not None:
            check_out(out, new, example="out.csv", model=model)
            check_name(out, TABLES, "--out", "a table of predictions")
        from sepal.estimators import load_answering

        with watching("reading") as progress:
            fitted, names, training = load_answering(model)
            score = answers_to(fitted, None if training is None else training.target)
            if in_partitions(new):
                known = () if training is None else training.notes
                writer = PartWriter(fitted, score, all_columns, escape_formulas, known=known)
                where = {**place_asked(cluster, workers), "n_jobs": jobs, "progress": progress}
                predict_parts(model, new, out, as_json, writer, where)
                score.tell()
                _tell_others(writer.others)
                return
            refuse_for_one_file(cluster=cluster, workers=workers)
            if jobs is not None:
                set_threads(fitted, jobs)
            given = given_rows(new, names, training, score.like)
            tell_notes(given.notes)
            progress("predicting", 0.5)
            # A pipeline begins with a step of scikit-learn, which knows data frames and no Tables.
            rows = given.rows if type(fitted).__module__.startswith("sepal.") else given.rows.frame("pandas")
            answers: dict[str, list[Any]] = {"prediction": fitted.predict(rows).tolist()}
            if hasattr(fitted, "predict_proba"):
                answers |= shares(fitted.classes_.tolist(), fitted.predict_proba(rows))
        known = {each.name for each in getattr(getattr(fitted, "columns_", None), "apart", ())}
        identifiers = identifiers_among(given.table, given.others, known)
        answers = beside(answers, given.table, list(range(given.rows.n_rows)), identifiers, all_columns)
        text = rows_text("predictions", answers, wants_json(as_json, out), escape_formulas)
        if out is None and sys.stdout.isatty():
            text = printable(text)  # a pipe gets the cells as they are
        give(text, out, "The predictions are")
        if given.truth is not None:
            score.count(answers["prediction"], given.truth)
            score.tell()
            tell_known_rows(fitted, given.rows)
        _tell_others(given.others)


def _tell_others(names: list[str]) -> None:
    if names:
        typer.echo(f"note: not looked at: {printable(', '.join(names))}", err=True)


def _takes(estimator: Any, word: str) -> bool:
    return word in signature(estimator.fit).parameters


def _told(found: Explanation | str) -> dict[str, Any]:
    """What the learner without choices found, for JSON; the chain tells its steps in lines of text."""
    if isinstance(found, str):
        return {"lines": found.splitlines()}
    return {
        "task": found.task,
        "score": found.score,
        "standard_error": found.standard_error,
        "interval": found.interval,
        "members": [
            {"name": m.name, "weight": m.weight, "score": m.score, "standard_error": m.standard_error}
            for m in found.trace.members
        ],
        "baselines": found.baselines,
        "inclusion": found.inclusion,
        "subset": found.subset,
        "findings": found.findings,
    }


def _within(model: Any) -> Any:
    """The machine inside, where there is one."""
    return getattr(model, "machine", model)


def _described(model: Any, n_rows: int, name: str | None) -> str:
    chosen = getattr(model, "n_neighbors_", None)
    k = "" if chosen is None else f" with k = {chosen:g}"
    return f"{type(_within(model)).__name__}{k}, {n_rows:,} rows of {name or 'a table'}"
