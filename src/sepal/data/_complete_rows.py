"""Rows with missing cells: left to the distance, or dropped, with one check and one wording."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data._convert import as_table
from sepal.data._error_words import shown
from sepal.data._level_order import levels_by_name
from sepal.data._table import Table
from sepal.exceptions import ParameterError

Missing = Literal["distance", "drop"]


def complete_part(table: Table) -> tuple[Table, NDArray[np.intp], tuple[str, ...]]:
    """The rows without a missing cell, where they were, and a note if others were dropped."""
    dropped = table.drop_missing()
    return dropped, np.flatnonzero(table.complete_rows), dropped.notes[len(table.notes) :]


def first_missing(table: Table) -> str:
    """Where the first missing cell is, in the words of messages; rows are counted from 0.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> first_missing(as_table([[1.0, 2.0], [3.0, float("nan")]]))
    'row 1, column "x2": a missing value (NaN)'
    """
    row, column = (int(i) for i in np.argwhere(np.isnan(table.values))[0])
    return f"row {row}, column {shown(table.names[column])}: a missing value (NaN)"


def as_labelled_table(X: Any, y: Any, missing: Missing) -> tuple[Table, NDArray[np.intp], tuple[str, ...]]:
    """The table, without incomplete rows if they are to be dropped, where its rows were, and notes.

    Its nominal levels stand by their names, so that ties of coordinates do not go by how they were declared.
    """
    if missing not in ("distance", "drop"):
        raise ParameterError(f"missing must be 'distance' or 'drop'; got {missing!r}")
    table = levels_by_name(as_table(X, y))
    if missing == "distance":
        return table, np.arange(table.n_rows), ()
    return complete_part(table)
