"""The verbs of the command."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sepal.cli._given import classes_given, without_groups
from sepal.cli._leaving import leaving_cleanly
from sepal.cli._models import evaluate, predict, train
from sepal.cli._options import (
    DATA_HELP,
    AsJson,
    Data,
    DistanceName,
    GroupColumn,
    Missing,
    MissingCells,
    Scale,
    ScaleName,
    Target,
    seconds,
    size,
)
from sepal.cli._output import Look, check_out, check_text_name, print_text, stdout_look, write_out
from sepal.cli._progress import watching
from sepal.cli._reading import Reading, with_reading
from sepal.cli._select import select

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
    pass


@app.command()
@with_reading
def report(
    *,
    reading: Reading,
    data: Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP)] = "breast-cancer",
    target: Target = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the report to this file instead of the screen: .html gives a page with pictures, .json gives "
            "JSON.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    groups: GroupColumn = None,
    missing: MissingCells = Missing.DISTANCE,
    distance: DistanceName = "auto",
    scale: ScaleName = Scale.MINMAX,
    time_limit: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Leave out what is not done by then, and say so: seconds (60s or 60), minutes (2m), hours.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Say how separable the classes of a table are.

    Shows class counts, Thornton's index with its test, the accuracy to expect for every training size, the rows whose
    neighbours contradict their class, pairs of classes, features, planes and complexity. Text, JSON and HTML carry the
    same facts.

    Example:  sepal report mydata.csv --target species --out report.html
    """
    with leaving_cleanly():
        if out is not None:
            check_out(out, data)
            check_text_name(out, "a report")
        started = time.perf_counter()
        limit = None if time_limit is None else seconds(time_limit, "--time-limit")
        with watching("reading") as progress:
            table, apart = without_groups(classes_given(data, target, reading, "a report"), groups)
            from sepal.report import separability  # after reading: whoever mistyped a name need not wait for it

            if limit is not None:  # reading counts
                limit = max(1e-3, limit - (time.perf_counter() - started))
            how = _how(missing, distance, scale)
            found = separability(table, groups=apart, time_limit=limit, progress=progress, **how)
        ending = "" if out is None else out.suffix.lower()
        if ending in (".html", ".htm") and out is not None:
            _write(out, found.to_html(source=data))
        else:
            _show(found, as_json or ending == ".json", out, source=data)


@app.command()
@with_reading
def measure(
    *,
    reading: Reading,
    data: Data,
    target: Target = None,
    train_size: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIZE",
            help="Training part of a split, as a share (0.5) or a number of rows (100). May be given several times. "
            "Without it 0.5 and 0.9.",
            show_default=False,
        ),
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", help="How many neighbours vote: odd; 1 beyond two classes.")] = 1,
    permutations: Annotated[
        int, typer.Option(metavar="N", help="Also shuffle the classes N times; the exact test needs none.")
    ] = 0,
    as_json: AsJson = False,
    groups: GroupColumn = None,
    missing: MissingCells = Missing.DISTANCE,
    distance: DistanceName = "auto",
    scale: ScaleName = Scale.MINMAX,
) -> None:
    """Print the measures of separability, and nothing else.

    Thornton's index with its test, the expected accuracy at the training sizes you name, and the margins.

    Example:  sepal measure sonar --train-size 0.5 --train-size 0.9
    """
    with leaving_cleanly():
        sizes = [size(text) for text in train_size or ("0.5", "0.9")]
        with watching("reading") as progress:
            table, apart = without_groups(classes_given(data, target, reading, "sepal measure"), groups)
            from sepal.report import measure_facts

            facts = measure_facts(
                table,
                train_sizes=sizes,
                n_neighbors=k,
                n_permutations=permutations,
                groups=apart,
                progress=progress,
                **_how(missing, distance, scale),
            )
        _show(facts, as_json, None)


app.command()(select)
app.command()(evaluate)
app.command()(train)
app.command()(predict)


@app.command()
def datasets(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The set to describe; without it all are listed.", show_default=False),
    ] = None,
) -> None:
    """List the data sets that come with sepal, or describe one.

    Example:  sepal datasets liver
    """
    with leaving_cleanly():
        from sepal.cli._datasets import describe_text, list_text

        look = stdout_look()
        print_text(list_text(look) if name is None else describe_text(name, look))


def _how(missing: Missing, distance: str, scale: Scale) -> dict[str, Any]:
    return {"missing": missing.value, "distance": distance, "scale": scale.parameter}


def _show(facts: SeparabilityReport | MeasureFacts, as_json: bool, out: Path | None, **more: str) -> None:
    look = stdout_look() if out is None else Look()
    style: dict[str, Any] = {"width": look.width, "color": look.color, "unicode": look.unicode, **more}
    text = facts.to_json() + "\n" if as_json else facts.to_text(**style)
    if out is None:
        print_text(text)
    else:
        _write(out, text)


def _write(out: Path, text: str) -> None:
    write_out(out, text)
    typer.echo(f"The report is in {out}.", err=True)
