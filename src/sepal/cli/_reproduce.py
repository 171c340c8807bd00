"""``sepal reproduce``: the experiments of the founding documents, and the page that shows them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sepal.cli._answers import as_json_text
from sepal.cli._interrupts import will_write
from sepal.cli._leaving import leaving_cleanly
from sepal.cli._options import AsJson, Jobs, at_most_threads
from sepal.cli._output import Look, print_text, stdout_look
from sepal.cli._progress import watching

if TYPE_CHECKING:
    from sepal.reproduce import Experiment, Reproduction


def reproduce(
    only: Annotated[
        str | None,
        typer.Option(
            metavar="IDS",
            help="Experiments with commas between, as A1,B2; a letter alone is a whole group. Without it all.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Smaller sizes: the same figures, coarser.")] = False,
    jobs: Jobs = None,
    folder: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FOLDER", help="Where the page and its files go; made if it is not there."),
    ] = Path("reproduce"),
    listed: Annotated[bool, typer.Option("--list", help="Name the experiments, and leave.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compute the figures of the founding documents again, ours beside theirs.

    Writes index.html, one page with everything in it, and for each experiment its numbers as JSON and its picture as
    PNG and SVG. A second run makes only what is missing or outdated; after Ctrl-C what is done is there.

    Example:  sepal reproduce --only A1,B2 --out figures
    """
    with leaving_cleanly(), at_most_threads(jobs):
        from sepal.reproduce import wanted

        chosen = wanted(only)
        if listed:
            print_text(_list_json(chosen) if as_json else _list_text(chosen, stdout_look()))
            return
        will_write(str(folder / "index.html"))
        with watching("reading") as progress:
            from sepal.reproduce import reproduce as make

            done = make(only, folder, quick=quick, progress=progress)
        shown = {each.id for each in chosen}
        print_text(_done_json(done) if as_json else _done_text(done, shown, stdout_look()))
        typer.echo(f"The page is in {done.folder / 'index.html'}.", err=True)


def _list_text(chosen: tuple[Experiment, ...], look: Look) -> str:
    from sepal.report import Page
    from sepal.reproduce import GROUPS

    page = Page.new(look.width, look.color, look.unicode)
    for letter, source in GROUPS.items():
        rows = [[each.id, each.title] for each in chosen if each.id.startswith(letter)]
        if rows:
            page.heading(source)
            page.table(None, rows, wrap=(1,))
    return page.text()


def _list_json(chosen: tuple[Experiment, ...]) -> str:
    return as_json_text("experiments", {"experiments": [{"id": each.id, "title": each.title} for each in chosen]})


def _done_text(done: Reproduction, shown: set[str], look: Look) -> str:
    from sepal.report import Page

    page = Page.new(look.width, look.color, look.unicode)
    for each in done.found:
        if each.id in shown:
            page.heading(f"{each.id} ({'there already' if each.id in done.kept else f'{each.seconds:.1f} s'})")
            page.paragraph(each.result.sentence)
            rows = [
                [fact.name, fact.shown(fact.ours), fact.shown(fact.published), fact.unit] for fact in each.result.facts
            ]
            page.table(["figure", "ours", "published", "unit"], rows, right=(1, 2), wrap=(0,))
    page.heading(f"{len(done.made)} made, {len(done.kept)} there already, {done.seconds:.0f} s")
    return page.text()


def _done_json(done: Reproduction) -> str:
    experiments: list[dict[str, Any]] = [
        {"id": each.id, "quick": each.quick, "seconds": each.seconds, "facts": list(each.result.facts)}
        for each in done.found
    ]
    return as_json_text(
        "reproduction",
        {
            "made": list(done.made),
            "kept": list(done.kept),
            "seconds": done.seconds,
            "folder": str(done.folder),
            "experiments": experiments,
        },
    )
