"""The verbs of the command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sepal.cli._again import report_again
from sepal.cli._evaluate import evaluate
from sepal.cli._explore import do, explore, run
from sepal.cli._given import classes_given, saying_task, without_groups
from sepal.cli._interrupts import command_begins
from sepal.cli._leaving import leaving_cleanly
from sepal.cli._models import predict, train
from sepal.cli._options import (
    DATA_HELP,
    AsJson,
    ClusterAddress,
    Data,
    DistanceName,
    Exactly,
    GroupColumn,
    Jobs,
    MissingCells,
    MissingChoice,
    Out,
    SampleSize,
    Scale,
    ScaleOption,
    SearchChoice,
    SearchMethod,
    Seed,
    TargetColumn,
    TimeLimit,
    Verb,
    WorkerCount,
    seconds,
    size,
)
from sepal.cli._output import check_out, check_text_name, give, look_of, print_text, to_page, wants_json
from sepal.cli._partitions import asked, in_partitions, partitions_given, refuse_for_one_file
from sepal.cli._progress import watching
from sepal.cli._reading import Reading, with_reading
from sepal.cli._reproduce import reproduce
from sepal.cli._select import select
from sepal.cli._since_start import left_of
from sepal.exceptions import ParameterError

if TYPE_CHECKING:
    from sepal.report import MeasureFacts, SeparabilityReport

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="How separable are the classes of a table, how sure is that, and which rows look mislabelled?\n\n"
    "Example:  sepal report mydata.csv --target species",
)


def _version(wanted: bool) -> None:
    if wanted:
        from sepal import __version__

        print_text(f"sepal {__version__}\n")
        raise typer.Exit


@app.callback()
def _sepal(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    command_begins()


@app.command(cls=Verb)
@with_reading
def report(
    *,
    ctx: typer.Context,
    reading: Reading,
    data: Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP)] = "breast-cancer",
    target: TargetColumn = None,
    groups: GroupColumn = None,
    missing: MissingCells = MissingChoice.DISTANCE,
    distance: DistanceName = "auto",
    scale: ScaleOption = Scale.MINMAX,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Out = None,
    as_json: AsJson = False,
    exact: Exactly = None,
    sample: SampleSize = None,
    cluster: ClusterAddress = None,
    workers: WorkerCount = None,
    method: SearchMethod = None,
) -> None:
    """Say how separable the classes of a table are.

    Shows class counts, Thornton's index with its test, the accuracy to expect for every training size, the rows whose
    neighbours contradict their class, pairs of classes, features, planes and complexity. Text, JSON and HTML carry the
    same facts; a page also has pictures.

    Example:  sepal report mydata.csv --target species --out report.html
    """
    with leaving_cleanly():
        if out is not None:
            check_out(out, data)
            check_text_name(out, "a report")
            if as_json and to_page(out):
                raise ParameterError(
                    f"--out {out}: a page is no JSON; leave out --json, or give the file another ending",
                    hint=f"--out {out.with_suffix('.json')}",
                )
        limit = None if time_limit is None else seconds(time_limit, "--time-limit")
        how = _how(missing, distance, scale, method, seed, jobs)
        if in_partitions(data):
            from sepal.report import partitions_report

            wishes = asked(exact, sample, cluster, workers)
            source = partitions_given(data, target, reading)
            with watching("reading") as progress:
                found = partitions_report(
                    source, groups=groups, time_limit=left_of(limit), progress=progress, **how, **wishes
                )
        else:
            refuse_for_one_file(exact, sample, cluster, workers)
            with watching("reading", limit) as progress:
                table, apart = without_groups(classes_given(data, target, reading.keeping(groups), "a report"), groups)
                reading = saying_task(reading, table)
                from sepal.report import separability  # after reading: whoever mistyped a name need not wait for it

                left = left_of(limit)  # loading and reading count
                found = separability(table, groups=apart, time_limit=left, progress=progress, **how)
        again = report_again(ctx, found.table.target, reading, groups, {**how, "time_limit": limit})
        if to_page(out):
            give(found.to_html(source=again), out, "The report is")
        else:
            _show(found, as_json, out, "The report is", source=again)


@app.command(cls=Verb)
@with_reading
def measure(
    *,
    reading: Reading,
    data: Data,
    target: TargetColumn = None,
    groups: GroupColumn = None,
    train_size: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIZE",
            help="Training part of a split, as a share (0.5) or a number of rows (100). May be given several times. "
            "Without it 0.5 and 0.9.",
            show_default=False,
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("--k", "-k", "-K", metavar="K", help="How many rows vote: odd; 1 beyond two classes.")
    ] = 1,
    permutations: Annotated[
        int, typer.Option(metavar="N", help="Also shuffle the classes N times; the exact test needs none.")
    ] = 0,
    missing: MissingCells = MissingChoice.DISTANCE,
    distance: DistanceName = "auto",
    scale: ScaleOption = Scale.MINMAX,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Out = None,
    as_json: AsJson = False,
    exact: Exactly = None,
    sample: SampleSize = None,
    cluster: ClusterAddress = None,
    workers: WorkerCount = None,
    method: SearchMethod = None,
) -> None:
    """Print the measures of separability, and nothing else.

    Thornton's index with its test, the expected accuracy at the training sizes you name, and the margins.

    Example:  sepal measure sonar --train-size 0.5 --train-size 0.9
    """
    with leaving_cleanly():
        if out is not None:
            check_out(out, data, example="measures.txt")
            check_text_name(out, "a list of measures")
        limit = None if time_limit is None else seconds(time_limit, "--time-limit")
        sizes = [size(text) for text in train_size or ("0.5", "0.9")]
        said = {"train_sizes": sizes, "n_neighbors": k, "n_permutations": permutations}
        how = {**said, **_how(missing, distance, scale, method, seed, jobs)}
        if in_partitions(data):
            from sepal.report import measure_facts, partitions_measures

            wishes = {**asked(exact, sample, cluster, workers), "time_limit": left_of(limit)}
            source = partitions_given(data, target, reading)
            with watching("reading") as progress:
                facts = partitions_measures(source, measure_facts, groups=groups, progress=progress, **how, **wishes)
        else:
            refuse_for_one_file(exact, sample, cluster, workers)
            with watching("reading", limit) as progress:
                table, apart = without_groups(
                    classes_given(data, target, reading.keeping(groups), "sepal measure"), groups
                )
                from sepal.report import measure_facts

                facts = measure_facts(table, groups=apart, time_limit=left_of(limit), progress=progress, **how)
        _show(facts, as_json, out, "The measures are")


for verb in (select, evaluate, train, predict, explore, do, run, reproduce):
    app.command(cls=Verb)(verb)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []})
def mail(ctx: typer.Context) -> None:
    """Filter mail: learn, classify, filter, explain and more; see sepal mail --help.

    Example:  sepal mail learn --spam junk.mbox
    """
    from sepal.cli._mail import main_mail

    raise typer.Exit(main_mail(ctx.args))


@app.command(cls=Verb)
def datasets(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The set to describe; without it all are listed.", show_default=False),
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """List the data sets that come with sepal, or describe one.

    Example:  sepal datasets liver
    """
    with leaving_cleanly():
        if out is not None:
            check_out(out, example="datasets.txt")
            check_text_name(out, "a list of data sets")
        from sepal.cli._datasets import datasets_json, describe_text, list_text

        look = look_of(out)
        if wants_json(as_json, out):
            text = datasets_json(name)
        else:
            text = list_text(look) if name is None else describe_text(name, look)
        give(text, out, "The list is" if name is None else "The description is")


def _how(
    missing: MissingChoice, distance: str, scale: Scale, method: SearchChoice | None, seed: int, jobs: int | None
) -> dict[str, Any]:
    return {
        "missing": missing.value,
        "distance": distance,
        "scale": scale.parameter,
        "method": "auto" if method is None else method.value,
        "random_state": seed,
        "n_jobs": jobs,
    }


def _show(facts: SeparabilityReport | MeasureFacts, as_json: bool, out: Path | None, what: str, **more: Any) -> None:
    look = look_of(out)
    style: dict[str, Any] = {"width": look.width, "color": look.color, "unicode": look.unicode, **more}
    give(facts.to_json() + "\n" if wants_json(as_json, out) else facts.to_text(**style), out, what)
