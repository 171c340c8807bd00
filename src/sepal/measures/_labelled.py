"""Labelled rows made ready for neighbour questions: one entrance for all measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Missing, Rows, ScaleName, Table, as_labelled_table, as_rows, class_codes
from sepal.exceptions import DataError
from sepal.neighbors import AnySearch, Method, Search, prepare_search

Progress = Callable[[float], object]


@dataclass(frozen=True, eq=False)
class Labelled:
    """A searchable table with class codes.

    ``rows`` are the positions of its rows in what the user gave; they differ when rows with missing cells were dropped.
    """

    search: AnySearch
    codes: NDArray[np.int32]
    classes: NDArray[Any]
    rows: NDArray[np.intp]
    notes: tuple[str, ...]

    @property
    def dense(self) -> Search:
        """The search, where a question needs the coordinates of the rows."""
        if not isinstance(self.search, Search):
            raise DataError(
                "X is a sparse matrix, and this needs a dense table", hint="use X.toarray() if it fits into memory"
            )
        return self.search

    @property
    def n_rows(self) -> int:
        """How many rows take part."""
        return len(self.codes)

    @property
    def class_counts(self) -> NDArray[np.int64]:
        """Rows per class."""
        return np.bincount(self.codes, minlength=len(self.classes))


def label(
    X: Any,
    y: Any,
    *,
    distance: str,
    distance_params: Mapping[str, Any] | None,
    scale: ScaleName | None,
    missing: Missing,
    n_jobs: int | None,
    method: Method = "auto",
) -> Labelled:
    """Check rows and labels, fit the distance, group equal rows."""
    table: Rows = as_rows(X, y)
    rows = np.arange(table.n_rows)
    notes: tuple[str, ...] = ()
    if isinstance(table, Table):  # in sparse rows no cell is missing
        table, rows, notes = as_labelled_table(table, None, missing)
    codes, classes = class_codes(table)
    search = prepare_search(
        table, distance=distance, distance_params=distance_params, scale=scale, method=method, n_jobs=n_jobs
    )
    return Labelled(search, codes, classes, rows, (*notes, *search.fitted.notes))
