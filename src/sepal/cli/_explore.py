"""``sepal explore``, ``sepal do`` and ``sepal run``: the Explorer, one of its questions, and a session without it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sepal.cli._answers import as_json_text
from sepal.cli._given import refuse_unknown
from sepal.cli._learners import set_values
from sepal.cli._leaving import leaving_cleanly
from sepal.cli._options import (
    ONE_FILE_HELP,
    AsJson,
    DistanceName,
    Folds,
    GroupColumn,
    Jobs,
    MissingCells,
    MissingChoice,
    Out,
    Scale,
    ScaleOption,
    SeedOfAction,
    TargetColumn,
    at_most_threads,
    folds,
)
from sepal.cli._output import check_out, check_text_name, give, print_text, wants_json
from sepal.cli._partitions import in_partitions
from sepal.cli._progress import watching
from sepal.cli._reading import Reading, with_reading
from sepal.data import names, plural, write_whole
from sepal.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from sepal.explore import Session, Shelf

FOLDER = "sepal-run"


@with_reading
def explore(
    *,
    reading: Reading,
    data: Annotated[str | None, typer.Argument(metavar="DATA", help=ONE_FILE_HELP, show_default=False)] = None,
    target: TargetColumn = None,
    groups: GroupColumn = None,
    missing: MissingCells = MissingChoice.DISTANCE,
    distance: DistanceName = "auto",
    scale: ScaleOption = Scale.MINMAX,
    jobs: Jobs = None,
    port: Annotated[
        int | None,
        typer.Option(metavar="N", help="The port to begin with; the next free one is taken.", show_default=False),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the link.")] = False,
    session: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A session that was saved.", show_default=False)
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Take no uploads and save nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Open the workbench in the browser.

    Without DATA it begins with the bundled sets and a place to drop a file. It listens on this machine only.

    Example:  sepal explore mydata.csv --target species
    """
    with leaving_cleanly(), at_most_threads(jobs):
        from sepal.explore import needs_explore

        needs_explore()
        from sepal.explore import Server, Session, Shelf, TableView, serve

        shelf, opened = Shelf(), None
        view = None
        if session is not None:
            if data is not None:
                raise ParameterError("DATA and --session: a session names its data; leave one out")
            opened = Session.of(read_session(session))
            for_session(opened, session, shelf)
            view, actions = opened.placed(shelf)
            opened = Session(opened.source, opened.view, tuple(actions))
        elif data is not None:
            how = (missing, distance, scale)
            view = TableView.of(viewed(place(shelf, data), target, reading, groups, how))
            shelf.space(view)  # a mistake is told here, and not in the browser
        served = Server(shelf, view=view, session=opened, read_only=read_only)
        serve(
            served,
            port=port,
            browser=not no_browser,
            say=lambda text: typer.echo(text, err=as_json),
            greet=(lambda link: print_text(as_json_text("explorer", {"link": link}))) if as_json else None,
        )


@with_reading
def do(
    *,
    reading: Reading,
    action: Annotated[str, typer.Argument(metavar="ACTION", help="A question of the Explorer, as neighbors.curve.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help=ONE_FILE_HELP)],
    target: TargetColumn = None,
    groups: GroupColumn = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter of the action. May be given several times.",
            show_default=False,
        ),
    ] = None,
    missing: MissingCells = MissingChoice.DISTANCE,
    distance: DistanceName = "auto",
    scale: ScaleOption = Scale.MINMAX,
    cv: Folds = None,
    seed: SeedOfAction = None,
    jobs: Jobs = None,
    out: Out = None,
    as_json: AsJson = False,
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, help="Use N rows drawn at random in place of all.", show_default=False),
    ] = None,
) -> None:
    """Answer one question of the Explorer, as it is written under its button Code.

    Example:  sepal do neighbors.curve iris --set k_max=30 --json
    """
    with leaving_cleanly(), at_most_threads(jobs):
        if out is not None:
            check_out(out, data, example="answer.json")
            check_text_name(out, "an answer")
        with watching("reading") as progress:
            from sepal.explore import ACTIONS, Shelf, TableView, answer, plain_answer

            if action not in ACTIONS:
                raise ParameterError(f"{action}: there is no such action", hint=f"one of {', '.join(ACTIONS)}")
            shelf = Shelf()
            how = (missing, distance, scale)
            view = TableView.of(viewed(place(shelf, data), target, reading, groups, how) | {"sample": sample})
            known = [each.parameter.name for each in ACTIONS[action].fields]
            given = set_values(settings or [], action, known)
            given |= _options_of(action, known, given, {"cv": cv and folds(cv), "seed": seed})
            found = answer(shelf, action, view.to_dict(), with_places(shelf, ACTIONS[action], given), progress)
        facts = plain_answer(found)
        if wants_json(as_json, out):
            give(as_json_text(action, facts), out, "The answer is")
        else:
            give(json.dumps(facts["result"], indent=2, ensure_ascii=False) + "\n", out, "The answer is")


def _options_of(action: str, known: list[str], given: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of an action that are options of the command, too; each is said once, and to an action that has it."""
    found = {name: value for name, value in said.items() if value is not None}
    for name, value in found.items():
        if name not in known:
            raise ParameterError(f"--{name} {value}: {action} has no parameter {name}", hint=f"leave --{name} out")
        if name in given:
            raise ParameterError(f"--{name} {value} and --set {name}={given[name]}: leave one out")
    return found


def run(
    session: Annotated[Path, typer.Argument(metavar="SESSION", help="A session that the Explorer saved.")],
    jobs: Jobs = None,
    folder: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FOLDER", help="Where the results go: JSON files and index.html."),
    ] = Path(FOLDER),
    as_json: AsJson = False,
) -> None:
    """Do everything a session of the Explorer holds, without a browser.

    Writes one JSON file for each action and one HTML page with all of them. The numbers are those that the Explorer
    shows. Files are looked for beside the session, and only taken if they are the same as when it was saved.

    Example:  sepal run session.json --out results
    """
    with leaving_cleanly(), at_most_threads(jobs):
        if folder.exists() and not folder.is_dir():
            raise ParameterError(f"--out {folder}: expected a folder, found a file", hint="--out results")
        with watching("reading") as progress:
            from sepal.explore import Session, Shelf, answer, plain_answer, session_page

            opened, shelf = Session.of(read_session(session)), Shelf()
            for_session(opened, session, shelf)
            view, actions = opened.placed(shelf)
            answers = []
            for number, each in enumerate(actions, start=1):
                begin, share = (number - 1) / len(actions), 1 / len(actions)
                told = f"{number} of {len(actions)}, {each['action']}"

                def tell(text: str, done: float, begin: float = begin, share: float = share, told: str = told) -> None:
                    progress(f"{told}: {text}", begin + share * done)

                progress(told, begin)
                answers.append((each, answer(shelf, each["action"], view.to_dict(), each["parameters"], tell)))
            page = session_page(shelf, view, answers)
        plain = [(each, plain_answer(found)) for each, found in answers]
        _write_all(folder, plain, page)
        if as_json:
            facts = {"folder": str(folder), "results": [facts for _, facts in plain]}
            print_text(as_json_text("session", facts))


def _write_all(out: Path, answers: list[tuple[dict[str, Any], dict[str, Any]]], page: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for number, (each, facts) in enumerate(answers, start=1):
        name = f"{number:02d}-{each['action']}.json"
        write_whole(out / name, as_json_text(each["action"], facts), f"--out {out / name}")
    write_whole(out / "index.html", page, f"--out {out / 'index.html'}")
    results = f"{len(answers)} {plural(len(answers), 'result is', 'results are')}"
    typer.echo(f"{results} in {out}; {out / 'index.html'} shows all.", err=True)


def place(shelf: Shelf, data: str) -> str:
    """DATA of the command line on the shelf: a bundled set by its name, or a file."""
    if data in names():
        return data
    if data == "-":
        raise ParameterError("-: the Explorer needs a file, since its code and its sessions name it")
    if in_partitions(data):
        raise ParameterError(
            f"{data}: the Explorer reads one file", hint="sepal report and sepal measure take a folder or a pattern"
        )
    refuse_unknown(data)
    return shelf.read(data).data


def viewed(
    data: str,
    target: str | None,
    reading: Reading,
    groups: str | None,
    how: tuple[MissingChoice, str, Scale],
) -> dict[str, Any]:
    """A view from the options that every verb has."""
    said, (missing, distance, scale) = reading.arguments(), how
    return {
        "missing": missing.value,
        "distance": distance,
        "scale": scale.value,
        "data": data,
        "target": target,
        "kinds": said["kinds"],
        "left_out": said["drop"],
        "columns": said["columns"],
        "task": reading.task and reading.task.value,
        "groups": groups,
        **{name: said[name] for name in ("ids", "na", "encoding", "missing_target")},
    }


def with_places(shelf: Shelf, action: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with files of the shelf in place of their paths."""
    found = dict(given)
    for each in action.fields:
        name = each.parameter.name
        if each.role == "data" and isinstance(found.get(name), str):
            found[name] = place(shelf, found[name])
        elif each.role == "runs" and isinstance(found.get(name), list):
            found[name] = [
                {**item, "test": place(shelf, item["test"])} if isinstance(item, dict) and item.get("test") else item
                for item in found[name]
            ]
    return found


def read_session(path: Path) -> Any:
    """The JSON of a session."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise DataError(f"{path}: the session cannot be read: {reason}") from error
    try:
        return json.loads(text)
    except ValueError as error:
        raise DataError(f"{path}: this is no session of the Explorer: {error}") from error


def for_session(session: Session, path: Path, shelf: Shelf) -> None:
    """Put the files of a session on the shelf: as they are named, or beside the session."""
    for source in session.sources():
        if "file" not in source:
            continue
        named = Path(source["file"])
        found = next((each for each in (named, path.parent / named, path.parent / named.name) if each.is_file()), None)
        if found is None:
            raise DataError(
                f"{path}: the session is about {source['file']}, which is not here", hint="put the file beside it"
            )
        shelf.read(str(found))
