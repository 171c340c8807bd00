"""DATA on the command line: a bundled set by name, or a file."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from sepal.data import Table, load, names, read_table
from sepal.exceptions import DataError, ParameterError


def given_table(data: str, target: str | None) -> Table:
    """The table a user means. A bundled name wins over a file of that name; ``./name`` is the file."""
    if data in names():
        return _bundled(data, target)
    if not Path(data).exists() and not _looks_like_path(data):
        near = difflib.get_close_matches(data, [*names(), *(file.name for file in Path().iterdir())], n=3, cutoff=0.5)
        suggestion = f"did you mean {' or '.join(near)}? " if near else ""
        raise DataError(
            f"{data}: there is no such file here, and no such bundled set",
            hint=f"{suggestion}'sepal datasets' lists the bundled sets",
        )
    return _file(data, target)


def _looks_like_path(data: str) -> bool:
    return os.sep in data or "." in data


def _bundled(name: str, target: str | None) -> Table:
    table = load(name)
    if target is not None and target != table.target:
        raise ParameterError(
            f"--target {target}: the bundled set {name} has its target already, {table.target}",
            hint="--target is for files",
        )
    return table


def _file(path: str, target: str | None) -> Table:
    try:
        return read_table(path, target=target)
    except ParameterError:
        # No column of that name: a number may be meant as a position.
        if target is None or not target.removeprefix("-").isdecimal():
            raise
    return read_table(path, target=int(target))
