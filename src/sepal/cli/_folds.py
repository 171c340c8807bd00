"""How many folds a small table allows, and what is said where it allows none."""

from __future__ import annotations

from typing import Any

import numpy as np
import typer

from sepal.cli._output import printable
from sepal.data import Table, left_out_together, plural
from sepal.exceptions import DataError

_FEW = 1_000  # rows above which there is no need to count: there are folds enough


def folds_there(folds: Any, said: bool, table: Table, groups: Any, classes: bool) -> Any:
    """The folds, or fewer where nobody ``said`` how many and the rows allow fewer; this is noted on stderr.

    Where rows of classes cannot be held out at all an error says why, whoever said how many.
    """
    if not (folds == "loo" or isinstance(folds, int)) or folds == 0:
        return folds
    alone = groups is None and table.n_rows > _FEW
    found = None if alone else left_out_together(table, groups).groups
    units = np.arange(table.n_rows) if found is None else found
    what, n_units = "row" if found is None else "group", len(np.unique(units))
    if n_units < 2:
        raise DataError(f"there is 1 {what} only, and none can be held out", hint="collect more rows")
    if classes:
        _check_classes(np.asarray(table.y), units, what)
    if said or folds == "loo" or folds <= n_units:
        return folds
    typer.echo(
        f"note: {n_units} folds in place of {folds}, since there are {n_units} {plural(n_units, what)}", err=True
    )
    return n_units


def _check_classes(y: Any, units: Any, what: str) -> None:
    """Refuse two classes one of which is in one unit: held out, it leaves a single class to learn from."""
    labels = np.unique(y)
    if len(labels) != 2:
        return
    counts = [len(np.unique(units[y == label])) for label in labels]
    if min(counts) > 1:
        return
    rare, other = labels[np.argsort(counts, kind="stable")]
    few = "1 row" if what == "row" else "rows of 1 group"
    raise DataError(
        f'too few rows: the class "{printable(str(rare))}" has {few} only, and while that is held out nothing but the '
        f'class "{printable(str(other))}" is left to learn from',
        hint="collect more rows of it",
    )
