"""``sepal evaluate``, ``sepal train`` and ``sepal predict``: learners, held to account, kept in files, and asked."""

from __future__ import annotations

import sys
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sepal.cli._answer_table import TABLES, AllColumns, answers_text, beside, identifiers_among, shares
from sepal.cli._given import given_rows, given_table, given_test, without_groups
from sepal.cli._learners import (
    CLASSIFIERS,
    FOR_NUMBERS,
    LEARNERS,
    REGRESSORS,
    default_learner,
    learner_named,
    make_learner,
    neighbors,
    numeric_target,
)
from sepal.cli._leaving import leaving_cleanly
from sepal.cli._options import DISTANCE_HELP, AsJson, Data, GroupColumn, Scale, Target, seconds
from sepal.cli._output import (
    as_json_text,
    check_name,
    check_out,
    print_text,
    printable,
    rows_text,
    table_width,
    write_out,
)
from sepal.cli._progress import watching
from sepal.cli._reading import Reading, caution_facts, tell_cautions, with_reading
from sepal.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from sepal.data import Table

QUICK_FOLDS, QUICK_SECONDS = 5, 10.0

LearnerName = Annotated[
    str | None,
    typer.Option("--learner", "-l", metavar="NAME", help=f"One of {', '.join(LEARNERS)}.", show_default=False),
]
Neighbors = Annotated[
    str | None,
    typer.Option(
        "--k", "-k", "-K", metavar="K", help="Neighbours that vote: a number, auto or all.", show_default=False
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Votes by distance: uniform, distance, similarity, rank, dudani, gaussian, exponential or tricube.",
        show_default=False,
    ),
]
Inverse = Annotated[
    bool, typer.Option("-I", help="As Weka's IBk has it: votes by 1 / distance, the same as --weights distance.")
]
Distance = Annotated[str | None, typer.Option(metavar="NAME", help=f"{DISTANCE_HELP}.", show_default=False)]
ScaleOfLearner = Annotated[
    Scale | None, typer.Option(help="How numeric columns are scaled, by the training rows.", show_default=False)
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other parameter of the learner, as in Python. May be given several times.",
        show_default=False,
    ),
]

EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="Put an apostrophe before texts that begin with =, +, - or @, which a spreadsheet would run as formulas. "
        "Without it texts are written as they are.",
    ),
]


@with_reading
def evaluate(
    *,
    reading: Reading,
    data: Data,
    target: Target = None,
    groups: GroupColumn = None,
    learner: LearnerName = None,
    k: Neighbors = None,
    weights: Weights = None,
    inverse: Inverse = False,
    distance: Distance = None,
    scale: ScaleOfLearner = None,
    settings: Settings = None,
    cv: Annotated[
        str | None,
        typer.Option(metavar="FOLDS", help="How many folds, or loo for leave-one-out; 10.", show_default=False),
    ] = None,
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
            metavar="FILE", help="Train on all rows of DATA, and answer those of this file.", show_default=False
        ),
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="For all learners together: 60s, 2m or 1.5h. Each has an equal part of what is left; one that needs "
            "more is left out, and said.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Five folds and ten seconds, where these are not given.")] = (
        False
    ),
    seed: Annotated[int, typer.Option(help="For the folds.")] = 1,
    predictions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write the answer for each row (.csv or .json) beside its identifiers; row 0 is the first.",
            show_default=False,
        ),
    ] = None,
    all_columns: AllColumns = False,
    show_wrong: Annotated[
        int, typer.Option(metavar="N", help="Show N wrongly answered rows with their values.", min=0)
    ] = 0,
    escape_formulas: EscapeFormulas = False,
    as_json: AsJson = False,
) -> None:
    """Say how well rows are answered that were not seen in training.

    Without --learner the classifier that needs no choices is compared, on the same folds, with a support vector
    machine, k-NN, Fisher's discriminant and the majority, in one table. With it, or with an option of k-NN, prints what
    Weka's users know, and beside it a confidence interval, the balanced accuracy and the majority rate.

    Example:  sepal evaluate sonar
    """
    with leaving_cleanly():
        if predictions is not None:
            check_out(predictions, data, "--predictions", "predictions.csv")
            check_name(predictions, TABLES, "--predictions", "a table of predictions")
        folds = _folds(cv, split, test, quick)
        options = _options(k, weights, inverse, distance, scale)
        limit = QUICK_SECONDS if quick else None
        limit = limit if time_limit is None else seconds(time_limit, "--time-limit")
        with watching("reading") as progress:
            table, together = without_groups(given_table(data, target, reading), groups)
            tell_cautions(table, reading.task, numeric_target(table))
            answered = table if test is None else given_test(test, table, reading)
            from sepal.cli._contest import alone_in, contest

            name = learner_named(learner) or default_learner(options, table, reading.task)
            alone = learner is not None or bool(settings) or any(value is not None for value in options.values())
            how: dict[str, Any] = {
                "cv": folds,
                "groups": together,
                "random_state": seed,
                "test": None if test is None else answered,
            }
            if alone:
                name = _for_target(name, table, reading.task)
                found = alone_in(name, make_learner(name, options, settings or [], table), table, how, progress, limit)
                facts, text = found.to_dict(), found.summary().rstrip("\n") + "\n"
            else:
                names = CLASSIFIERS if name == "auto" else REGRESSORS
                result = contest(names, table, how, progress, limit)
                found, facts, text = result.first, result.to_dict(), result.to_text(table_width())
        if show_wrong:
            from sepal.cli._wrong_rows import wrong_rows, wrong_rows_text

            wrong = wrong_rows(found, answered, show_wrong)
            facts, text = {**facts, "wrong_rows": wrong}, text + wrong_rows_text(wrong, found, table_width())
        if predictions is not None:
            write_out(
                predictions, answers_text(found, answered, predictions, all_columns, escape_formulas), "--predictions"
            )
            typer.echo(f"The predictions are in {predictions}.", err=True)
        facts = {"cautions": caution_facts(table), **facts}
        print_text(as_json_text("evaluation" if alone else "comparison", facts) if as_json else printable(text))


@with_reading
def train(
    *,
    reading: Reading,
    data: Data,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The model file, by custom ending in .sepal.")
    ],
    target: Target = None,
    groups: GroupColumn = None,
    learner: LearnerName = None,
    k: Neighbors = None,
    weights: Weights = None,
    inverse: Inverse = False,
    distance: Distance = None,
    scale: ScaleOfLearner = None,
    settings: Settings = None,
) -> None:
    """Fit a learner and keep it in a file.

    Without --learner it is the one that needs no choices, for classes or for numbers, and what it found is printed.
    The file holds numbers and texts only: loading it runs no code, so that models may be taken from strangers.

    Example:  sepal train mydata.csv --target species -o model.sepal
    """
    with leaving_cleanly():
        check_out(out, data, "-o", "model.sepal")
        with watching("reading") as progress:
            table, together = without_groups(given_table(data, target, reading), groups)
            tell_cautions(table, reading.task, numeric_target(table))
            from sepal.estimators import save_model

            progress("training", 0.1)
            options = _options(k, weights, inverse, distance, scale)
            name = learner_named(learner) or default_learner(options, table, reading.task)
            name = _for_target(name, table, reading.task)
            estimator = make_learner(name, options, settings or [], table)
            if name in ("majority", "mean"):
                raise ParameterError(f"--learner {learner}: it always answers the same, and needs no model file")
            # The learners without choices say how far they are; the others are quick or cannot tell.
            telling: dict[str, Any] = {"progress": lambda done: progress("training", 0.1 + 0.8 * done)}
            if together is not None:
                if not _takes(getattr(estimator, "machine", estimator), "groups"):
                    raise ParameterError(
                        f"--groups {groups}: the learner {name} leaves no rows out when it is trained",
                        hint="sepal evaluate --groups holds them out together",
                    )
                telling["groups"] = together
            model = estimator.fit(table, **{word: value for word, value in telling.items() if _takes(estimator, word)})
            progress("writing", 0.9)
            save_model(model, out)
        typer.echo(f"The model is in {out}: {_described(model, table.n_rows, table.name)}.", err=True)
        if LEARNERS[name].home == "sepal.auto":
            print_text(printable(str(model.explain())).rstrip("\n") + "\n")


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file that 'sepal train' wrote.")],
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW", help="The rows to answer: a file with the columns of the training data, or a bundled set."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write here instead: .csv or .json.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of CSV.")] = False,
    all_columns: AllColumns = False,
    escape_formulas: EscapeFormulas = False,
) -> None:
    """Predict new rows with a model.

    For each row, counted from 0, its identifiers, the prediction and the probability of each class. Columns are found
    by name; where the target is among them, the share of right answers is told.

    Example:  sepal predict model.sepal new.csv -o out.csv
    """
    with leaving_cleanly():
        if out is not None:
            check_out(out, new, "-o", "out.csv", model)
            check_name(out, TABLES, "-o", "a table of predictions")
        from sepal.estimators import load_model

        with watching("reading") as progress:
            fitted = load_model(model)
            names = getattr(fitted, "feature_names_in_", None)
            if names is None or not hasattr(fitted, "predict"):
                raise DataError(
                    f"{model}: the file holds a {type(fitted).__name__} that cannot answer rows of a file",
                    hint="sepal train DATA -o model.sepal writes one that can",
                )
            training = getattr(fitted, "table_", None) or getattr(fitted, "columns_", None)
            given = given_rows(new, [str(name) for name in names], training)
            progress("predicting", 0.5)
            # A pipeline begins with a step of scikit-learn, which knows data frames and no Tables.
            rows = given.rows if type(fitted).__module__.startswith("sepal.") else given.rows.frame("pandas")
            answers: dict[str, list[Any]] = {"prediction": fitted.predict(rows).tolist()}
            if hasattr(fitted, "predict_proba"):
                answers |= shares(fitted.classes_.tolist(), fitted.predict_proba(rows))
        if given.truth is not None and hasattr(fitted, "classes_"):
            _tell_score(answers["prediction"], given.truth, given.target)
        if given.others:
            typer.echo(f"note: not looked at: {printable(', '.join(given.others))}", err=True)
        known = {each.name for each in getattr(getattr(fitted, "columns_", None), "apart", ())}
        identifiers = identifiers_among(given.table, given.others, known)
        answers = beside(answers, given.table, list(range(given.rows.n_rows)), identifiers, all_columns)
        json_wanted = as_json or (out is not None and out.suffix.lower() == ".json")
        text = rows_text("predictions", answers, json_wanted, escape_formulas)
        if out is None:
            print_text(printable(text) if sys.stdout.isatty() else text)  # a pipe gets the cells as they are
        else:
            write_out(out, text, "-o")
            typer.echo(f"The predictions are in {out}.", err=True)


def _tell_score(predicted: list[Any], truth: list[Any], target: str | None) -> None:
    """How many rows were answered as the file itself says."""
    told = [(_spelled(a), _spelled(b)) for a, b in zip(predicted, truth, strict=True) if b is not None]
    right = sum(answer == label for answer, label in told)
    if told:
        share = f'{right:,} of {len(told):,} rows as the column "{target}" says ({right / len(told):.1%})'
        typer.echo(f"score: {printable(share)}", err=True)


def _spelled(label: Any) -> str:
    """A label as a text: 1, 1.0 and "1" are the same class."""
    return str(label).removesuffix(".0")


def _options(
    k: str | None, weights: str | None, inverse: bool, distance: str | None, scale: Scale | None
) -> dict[str, Any]:
    """The options that were given, as the learners take them; the others are None."""
    if inverse and weights not in (None, "distance"):
        raise ParameterError(f"-I and --weights {weights}: -I is the same as --weights distance; leave one out")
    return {
        "k": neighbors(k),
        "weights": "distance" if inverse else weights,
        "distance": distance,
        "scale": None if scale is None else scale.value,
    }


def _for_target(learner: str, table: Table, task: str | None) -> str:
    """The learner of that name for numbers, where the target holds numbers."""
    numeric = numeric_target(table) if task is None else task == "regress"
    return FOR_NUMBERS.get(learner, learner) if numeric else learner


def _takes(estimator: Any, word: str) -> bool:
    return word in signature(estimator.fit).parameters


def _folds(cv: str | None, split: float | None, test: str | None, quick: bool) -> int | float | str:
    """The folds that were asked for, a share to train on, or ``loo``."""
    given = [word for word, value in (("--cv", cv), ("--split", split), ("--test", test)) if value is not None]
    if len(given) > 1:
        raise ParameterError(f"{' and '.join(given)}: rows are held out in one way; leave one out")
    if split is not None:
        if not 0.0 < split < 100.0:
            raise ParameterError(f"--split {split:g}: expected percent of the rows, above 0 and below 100", hint="66")
        return split / 100.0
    text = cv or (str(QUICK_FOLDS) if quick else "10")
    if text == "loo":
        return text
    try:
        return int(text)
    except ValueError as error:
        raise ParameterError(f"--cv {text}: expected a number of folds, or loo", hint="--cv 10") from error


def _described(model: Any, n_rows: int, name: str | None) -> str:
    chosen = getattr(model, "n_neighbors_", None)
    k = "" if chosen is None else f" with k = {chosen:g}"
    return f"{type(model).__name__}{k}, {n_rows:,} rows of {name or 'a table'}"
