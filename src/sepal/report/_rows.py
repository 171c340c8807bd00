"""Which rows take part: all, the complete ones, or a random sample of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName, Table, as_table, class_codes, fit_scaling, rows_by_content
from sepal.exceptions import ParameterError

# Up to this many rows every row asks about every other. Beyond it a sample asks, so that a million rows take a minute.
ALL_PAIRS_ROWS = 20_000
SAMPLE_ROWS = 5_000
PAIRS_PER_SECOND = 3e8  # pairs of rows times columns that all stages together get through: a careful estimate


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows that take part, their classes, and where they stood in what the user gave.

    Attributes
    ----------
    given, table : Table
        As given, and without the rows that were dropped.
    origin : array
        The position of each row of ``table`` in ``given``.
    sample : array or None
        The rows of ``table`` that ask, where these are not all.
    """

    given: Table
    table: Table
    origin: NDArray[np.intp]
    codes: NDArray[np.int32]
    classes: list[Any]
    sample: NDArray[np.intp] | None
    missing: str

    @property
    def n_dropped(self) -> int:
        """Rows left out because of missing cells."""
        return self.given.n_rows - self.table.n_rows

    def sampled_table(self, scale: ScaleName | None) -> tuple[Table, ScaleName | None]:
        """The rows that ask as a table of their own, and how it still has to be scaled.

        A sample is scaled by the ranges of all rows: its own would make other distances of it.
        """
        return (self.table, scale) if self.sample is None else self.scaled_part(self.sample, scale)

    def scaled_part(self, picked: NDArray[np.intp], scale: ScaleName | None) -> tuple[Table, ScaleName | None]:
        """Some rows, scaled by the ranges of all, and how they still have to be scaled: not at all."""
        table = self.table
        scaling = fit_scaling(table.values, table.kinds, scale, levels=table.levels)
        part = table.take(picked)
        return replace(part, values=scaling.apply(part.values)), None


def take_rows(X: Any, y: Any, missing: str, random_state: int, time_limit: float | None = None) -> Rows:
    """Drop incomplete rows if asked to, code the classes, and draw the sample of a large table.

    Large is what has many rows, or what a time limit does not allow to compare row by row.
    """
    if missing not in ("distance", "drop"):
        raise ParameterError(f"missing must be 'distance' or 'drop'; got {missing!r}")
    given = as_table(X, y)
    origin = np.arange(given.n_rows)
    table = given
    if missing == "drop" and given.has_missing:
        table = given.drop_missing()
        origin = np.flatnonzero(~np.isnan(given.values).any(axis=1))
    codes, classes = class_codes(table)
    sample = None
    most = ALL_PAIRS_ROWS
    if time_limit is not None:
        most = min(most, max(SAMPLE_ROWS, int(min((time_limit * PAIRS_PER_SECOND / table.n_columns) ** 0.5, most))))
    if table.n_rows > most:
        rng = np.random.default_rng(random_state)
        sample = np.sort(rows_by_content(table, codes)[rng.choice(table.n_rows, size=SAMPLE_ROWS, replace=False)])
    return Rows(given, table, origin, codes, classes.tolist(), sample, missing)
