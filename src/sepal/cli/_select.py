"""``sepal select``: which features separate the classes, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sepal.cli._answers import as_json_text
from sepal.cli._folds import folds_there
from sepal.cli._given import classes_given, without_groups
from sepal.cli._leaving import leaving_cleanly
from sepal.cli._options import (
    AsJson,
    ClusterAddress,
    Data,
    Folds,
    GroupColumn,
    Jobs,
    MissingCells,
    MissingChoice,
    Out,
    Scale,
    ScaleOption,
    Seed,
    TargetColumn,
    TimeLimit,
    WorkerCount,
    folds,
    seconds,
)
from sepal.cli._output import (
    Look,
    check_name,
    check_out,
    check_text_name,
    give,
    look_of,
    printable,
    wants_json,
    write_out,
)
from sepal.cli._partitions import in_partitions, place_asked, plan_facts, subsets_spread
from sepal.cli._progress import watching
from sepal.cli._reading import Reading, caution_facts, tell_cautions, with_reading
from sepal.cli._since_start import left_of
from sepal.data import without_empty
from sepal.exceptions import ParameterError

if TYPE_CHECKING:
    from sepal.data import Table
    from sepal.report import Page
    from sepal.selection import SelectionFacts, Subset

PICTURES = (".png", ".svg", ".pdf")
MOST_SUBSETS = 10
MOST_BARS = 20


@with_reading
def select(
    *,
    reading: Reading,
    data: Data,
    target: TargetColumn = None,
    groups: GroupColumn = None,
    strategy: Annotated[str, typer.Option(metavar="NAME")] = "auto",
    criterion: Annotated[str, typer.Option(metavar="NAME")] = "thornton",
    n_features: Annotated[int | None, typer.Option(metavar="N", show_default=False)] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="A column that is in every subset. May be given several times.", show_default=False
        ),
    ] = None,
    missing: MissingCells = MissingChoice.DISTANCE,
    scale: ScaleOption = Scale.MINMAX,
    cv: Folds = None,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Out = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the scores and the features: .png, .svg or .pdf; for a device PNG.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    cluster: ClusterAddress = None,
    workers: WorkerCount = None,
) -> None:
    """Find the features that separate the classes.

    Shows all subsets that the data cannot tell from the best one, how often each feature is in them, the smallest of
    them, and the accuracy on rows that took no part in the selection. The strategy auto scores every subset where 10
    seconds suffice for that, and else searches by floating. Of a time limit the search on all rows and its repetition
    in each fold get equal parts; where these are short a sample of the rows is searched, and it is said.

    Example:  sepal select breast-cancer --missing drop --out subset.json
    """
    with leaving_cleanly():
        _check_files(data, out, plot)
        n_folds = int(folds(cv, none=True))
        limit = _limit(time_limit, strategy)
        with watching("reading", limit) as progress:
            where = place_asked(cluster, workers)
            how_read = reading.keeping(groups)
            drawn: list[Any] = []  # of rows in partitions
            place = where if in_partitions(data) else None
            read = classes_given(data, target, how_read, "sepal select", place, drawn.append)
            table, together = without_groups(read, groups)
            table = without_empty(table)
            tell_cautions(table)
            cautions, table = caution_facts(table), _without_texts(table)
            used, of_used = table, together
            if missing is MissingChoice.DROP and table.has_missing:
                used, of_used = table.drop_missing(), None if together is None else together[table.complete_rows]
            n_folds = folds_there(n_folds, cv is not None, used, of_used, classes=True)
            from sepal.selection import select_facts

            with subsets_spread(where):
                facts = select_facts(
                    table,
                    honest=n_folds > 0,
                    cv=n_folds or 2,  # not used without folds
                    groups=together,
                    random_state=seed,
                    progress=progress,
                    strategy=strategy,
                    criterion=criterion,
                    n_features=n_features,
                    keep=_columns(keep or [], table),
                    missing=missing.value,
                    scale=scale.parameter,
                    n_jobs=jobs,
                    time_limit=left_of(limit),  # after loading and reading
                )
            picture = None if plot is None else _picture(facts, plot.suffix.lower())
        of_parts = {"partitions": plan_facts(drawn[0])} if drawn else {}
        said = {"data": table.name, "cautions": cautions, **of_parts, **facts.to_dict()}
        json_wanted = wants_json(as_json, out)
        text = as_json_text("selection", said) if json_wanted else select_text(facts, table.name, look_of(out))
        if plot is not None and picture is not None:
            write_out(plot, picture, "The picture is", "--plot")
        give(text, out, "The selection is")


def _check_files(data: str, out: Path | None, plot: Path | None) -> None:
    if out is not None:
        check_out(out, data, example="subset.json")
        check_text_name(out, "a selection")
    if plot is not None:
        check_out(plot, data, "--plot", "features.png")
        check_name(plot, PICTURES, "--plot", "a picture")


def _limit(text: str | None, strategy: str) -> float | None:
    """The seconds of the whole command."""
    if text is None:
        return None
    limit = seconds(text, "--time-limit")
    if strategy == "sweep":
        raise ParameterError(
            f"--time-limit {text}: a sweep scores every subset and does not stop early",
            hint="--strategy auto sweeps if there is time enough for it, and searches otherwise",
        )
    return limit


def _without_texts(table: Table) -> Table:
    """The table without its columns of texts, as long as others are left; a note on stderr says so."""
    texts = [name for name, kind in zip(table.names, table.kinds, strict=True) if kind == "text"]
    if not texts or len(texts) == table.n_columns:
        return table
    typer.echo(f"note: not selected from, since they hold texts: {printable(', '.join(texts))}", err=True)
    return table.drop(texts)


def _columns(given: list[str], table: Table) -> list[str | int]:
    """Names, or positions where there is no column of that name."""
    return [int(c) if c not in table.names and c.removeprefix("-").isdecimal() else c for c in given]


def _picture(facts: SelectionFacts, suffix: str) -> bytes:
    import io

    drawn = io.BytesIO()
    form = suffix if suffix in PICTURES else PICTURES[0]  # a device or a pipe may be called anything
    facts.plot()[0].figure.savefig(drawn, format=form[1:], dpi=130)
    return drawn.getvalue()


def select_text(facts: SelectionFacts, name: str | None, look: Look) -> str:
    """The answer as it stands on a terminal."""
    from sepal.report import Page

    page = Page.new(look.width, look.color, look.unicode)
    page.heading(f"Features that separate the classes: {name or 'a table without a name'}")
    rate = facts.n_evaluations / max(facts.seconds, 1e-9)
    page.pairs(
        [
            ("rows", f"{facts.n_rows:,}"),
            ("features", f"{facts.n_features:,}"),
            ("kept", ", ".join(facts.kept)),
            ("strategy", facts.strategy + ("" if facts.stopped == "finished" else f", ended by {facts.stopped}")),
            ("criterion", facts.criterion),
            ("scored", f"{facts.n_evaluations:,} subsets in {facts.seconds:.2f} s ({rate:,.0f} per second)"),
            *(("note", note) for note in facts.notes),
        ]
    )
    _near_best(page, facts)
    _bars(page, facts)
    page.heading("The smallest subset that is near the best")
    page.pairs([("features", _names(facts.smallest)), ("score", f"{facts.smallest.score:.4f}")])
    _honest(page, facts)
    page.heading("What the data can tell")
    page.paragraph(facts.sentence, style="bold")
    return page.text()


def _names(subset: Subset) -> str:
    return ", ".join(subset.features) or "none but the kept columns"


def _near_best(page: Page, facts: SelectionFacts) -> None:
    near = facts.near_best
    page.heading("Subsets near the best" if len(near) > 1 else "The best subset")
    page.table(
        ["score", "behind", "+-", "size", "features"],
        [
            [f"{s.score:.4f}", f"{s.difference:.4f}", f"{s.standard_error:.4f}", f"{s.size}", _names(s)]
            for s in near[:MOST_SUBSETS]
        ],
        right=(0, 1, 2, 3),
        wrap=(4,),
    )
    if len(near) > MOST_SUBSETS:
        page.paragraph(f"and {len(near) - MOST_SUBSETS:,} more within one standard error; --json lists them.")


def _bars(page: Page, facts: SelectionFacts) -> None:
    from sepal.report import inclusion_rows

    page.heading("How many of these hold each feature")
    rows = inclusion_rows(facts.inclusion, page, MOST_BARS)
    page.table(None, rows, right=(1,))
    if len(facts.inclusion) > len(rows):
        page.paragraph(f"and {len(facts.inclusion) - len(rows):,} features that are in fewer of them, or in none.")


def _honest(page: Page, facts: SelectionFacts) -> None:
    nested = facts.nested
    if nested is None:
        return
    low, high = nested.interval
    page.heading("Honest and optimistic")
    page.pairs(
        [
            ("honest", f"{nested.honest:.4f}   rows that took no part in selecting; 95 %: {low:.4f} to {high:.4f}"),
            ("optimistic", f"{nested.optimistic:.4f}   {facts.criterion} of the selected subset, on its own rows"),
            ("all features", f"{nested.all_features:.4f}   no selection, on the same folds"),
        ]
    )
