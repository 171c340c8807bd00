"""The reference: every public name, grouped by the question it answers; written anew by each build."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path

# A question, and the rooms whose names answer it.
QUESTIONS = {
    "How separable are my classes?": ("measures", "report"),
    "Which features?": ("selection",),
    "Which rows?": ("prototypes",),
    "What classifier, with no choice to make?": ("auto",),
    "Neighbours, and learners that ask them": ("neighbors", "learners", "distances"),
    "Kernels, and machines that use them": ("kernels", "machines"),
    "How far can I trust a score?": ("evaluation",),
    "Rows in partitions, and clusters": ("scale",),
    "Tables, files, models": ("data", "datasets", "estimators", "parameters", "progress"),
    "Pictures": ("plots",),
    "A mail filter": ("mail",),
    "The founding documents, computed again": ("reproduce",),
    "Errors": ("exceptions",),
}

# Names that are neither functions nor classes: what each is, a line to try, and what to look at beside it.
TABLES = {
    "selection.CRITERIA": ("Criteria of subsets by name.", 'CRITERIA["thornton"]()', "subset_sweep"),
    "selection.STRATEGIES": ("Ways to search subsets by name.", "sorted(STRATEGIES)", "search_subsets"),
    "prototypes.METHODS": ("Ways to choose rows by name.", 'METHODS["fcnn"]', "PrototypeSelector"),
    "distances.DISTANCES": ("Distances by name.", 'DISTANCES["heom"].summary', "neighbor_ranking"),
    "kernels.KERNELS": ("Kernels by name.", 'KERNELS["rbf"].summary', "gram"),
    "data.SCALES": ("How columns of numbers can be scaled.", "SCALES", "fit_scaling"),
    "data.SETS": ("The bundled data sets by name, with their source and licence.", 'SETS["sonar"].title', "load"),
    "data.Kind": ("What a column can be; a type.", "Kind.__args__", "Table"),
    "data.KindsSpec": ("How kinds of columns may be given; a type.", "KindsSpec.__args__", "as_table"),
    "data.ScaleName": ("A name among SCALES; a type.", "ScaleName.__args__", "fit_scaling"),
    "progress.Progress": ("A function of words and the share that is done; a type.", "Progress.__args__", "evaluate"),
    "reproduce.EXPERIMENTS": ("The experiments by id.", 'EXPERIMENTS["A1"].title', "reproduce"),
}


def write_reference(page: Path) -> None:
    """Write the page that names everything; pages of the names themselves come from their docstrings."""
    lines = ["# Reference", "", "Every public name, by the question it answers."]
    for question, rooms in QUESTIONS.items():
        lines += ["", f"## {question}"]
        for room in rooms:
            names = documented(room)
            if names:
                lines += ["", "```{eval-rst}", ".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
                lines += [*(f"   sepal.{room}.{name}" for name in names), "```"]
            lines += _table_lines(room)
    page.write_text("\n".join([*lines, ""]))
    told = {line.strip() for line in lines}
    for old in (page.parent / "generated").glob("*.rst"):  # pages of names that have gone, left by an earlier build
        if old.stem not in told:
            old.unlink()


def documented(room: str) -> list[str]:
    """Functions and classes, each in the room where it is at home."""
    module = import_module(f"sepal.{room}")
    return [name for name in module.__all__ if _has_page(module, name) and _home(getattr(module, name), room) == room]


def tables(room: str) -> list[str]:
    """Tables of names, and kinds of types."""
    module = import_module(f"sepal.{room}")
    return [name for name in module.__all__ if not _has_page(module, name)]


def _table_lines(room: str) -> list[str]:
    lines = [""] if tables(room) else []
    for name in tables(room):
        what, example, beside = TABLES[f"{room}.{name}"]
        tried = f"from sepal.{room} import {name}; print({example})"
        lines.append(f"- `sepal.{room}.{name}`: {what} Example: `{tried}`. See also: `{beside}`.")
    return lines


def _home(thing: object, room: str) -> str:
    """The room whose module defines it, if it is told of there."""
    home = (thing.__module__ or "").split(".")[1:2]
    rooms = [each for several in QUESTIONS.values() for each in several]
    listed = home and home[0] in rooms and thing.__name__ in import_module(f"sepal.{home[0]}").__all__
    return home[0] if listed else room


def _has_page(module: object, name: str) -> bool:
    return inspect.isroutine(getattr(module, name)) or inspect.isclass(getattr(module, name))
