"""Rows with missing cells: left to whoever compares rows, or dropped, with one check and one wording."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data._convert import as_table
from sepal.data._table import Table
from sepal.exceptions import ParameterError

Missing = Literal["distance", "drop"]


def complete_part(table: Table) -> tuple[Table, NDArray[np.intp], tuple[str, ...]]:
    """The rows without a missing cell, where they were, and a note if others were dropped."""
    dropped = table.drop_missing()
    return dropped, np.flatnonzero(table.complete_rows), dropped.notes[len(table.notes) :]


def as_labelled_table(X: Any, y: Any, missing: Missing) -> tuple[Table, NDArray[np.intp], tuple[str, ...]]:
    """The table, without incomplete rows if they are to be dropped, where its rows were, and notes."""
    if missing not in ("distance", "drop"):
        raise ParameterError(f"missing must be 'distance' or 'drop'; got {missing!r}")
    table = as_table(X, y)
    if missing == "distance":
        return table, np.arange(table.n_rows), ()
    return complete_part(table)
