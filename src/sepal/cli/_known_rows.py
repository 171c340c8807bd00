"""Rows that a model was trained on, known again when it is asked about them."""

from __future__ import annotations

from typing import Any

import numpy as np
import typer

from sepal.data import Table, plural, row_marks

_MOST_ROWS = 200_000  # of which a model file keeps a number of eight bytes each
REMEMBERED = "trained_rows_"


def remember_rows(model: Any, table: Table) -> None:
    """Let the model keep a mark of each row it was trained on; no cell can be read from it."""
    if table.n_rows <= _MOST_ROWS:
        names = [str(name) for name in model.feature_names_in_]
        setattr(model, REMEMBERED, np.unique(row_marks(table.select(names))))


def tell_known_rows(model: Any, rows: Table) -> None:
    """Say on stderr how many of the rows are equal to training rows, if any: a score on these promises nothing."""
    marks = getattr(model, REMEMBERED, None)
    if not isinstance(marks, np.ndarray) or marks.dtype != np.uint64:
        return
    known = int(np.isin(row_marks(rows), marks).sum())
    if known:
        of = "all" if known == rows.n_rows else f"{known:,} of"
        text = f"{of} {rows.n_rows:,} {plural(rows.n_rows, 'row')} are equal to rows the model was trained on"
        typer.echo(f"note: {text}: the score says little about new rows; see sepal evaluate", err=True)
