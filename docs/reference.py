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


def write_reference(page: Path) -> None:
    """Write the page that names everything; pages of the names themselves come from their docstrings."""
    told: set[object] = set()
    lines = ["# Reference", "", "Every public name, by the question it answers."]
    for question, rooms in QUESTIONS.items():
        lines += ["", f"## {question}"]
        for room in rooms:
            names = [name for name in documented(room) if getattr(import_module(f"sepal.{room}"), name) not in told]
            told |= {getattr(import_module(f"sepal.{room}"), name) for name in names}
            if names:
                lines += ["", "```{eval-rst}", ".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
                lines += [*(f"   sepal.{room}.{name}" for name in names), "```"]
    page.write_text("\n".join([*lines, ""]))


def documented(room: str) -> list[str]:
    """Functions and classes; tables of names and kinds of types are told of where they are used."""
    module = import_module(f"sepal.{room}")
    return [name for name in module.__all__ if inspect.isroutine(getattr(module, name)) or _is_class(module, name)]


def _is_class(module: object, name: str) -> bool:
    return inspect.isclass(getattr(module, name))
