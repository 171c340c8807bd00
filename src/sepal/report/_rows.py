"""Which rows take part: all, the complete ones, or a random sample of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Missing, ScaleName, Table, as_table, fit_scaling, without_empty
from sepal.measures import Prepared, groups_of, prepare, sample_rows
from sepal.neighbors import Method

# Up to this many rows every row asks about every other. Beyond it a sample asks, so that a million rows take a minute.
ALL_PAIRS_ROWS = 20_000
SAMPLE_ROWS = 5_000
LEAST_SAMPLE = 1_000  # where a time limit does not allow more
RANKED_PER_SECOND = 3e8  # pairs of rows times columns that all stages together get through: a careful estimate


@dataclass(frozen=True, eq=False)
class ReportRows:
    """The rows that take part, prepared once for all sections.

    Attributes
    ----------
    given : Table
        As given, but for columns without a single value, which are set apart.
    ready : Prepared
        Without the rows that were dropped; holds the searches that sections share.
    asked_distance, missing, n_jobs
        As they were asked for.
    groups : ndarray of int or None
        Of the rows that take part: those of one number are no neighbours of each other.
    """

    given: Table
    ready: Prepared
    asked_distance: str
    missing: Missing
    n_jobs: int | None
    groups: NDArray[np.intp] | None = None

    @property
    def table(self) -> Table:
        """The rows that take part."""
        table = self.ready.search.table
        assert isinstance(table, Table)  # noqa: S101 - take_rows reads a table
        return table

    @property
    def sample(self) -> NDArray[np.intp] | None:
        """The rows of ``table`` that ask, where these are not all."""
        return None if len(self.ready.asking) == self.ready.n_rows else self.ready.asking

    @property
    def distance(self) -> str:
        """The distance by name."""
        return self.ready.search.fitted.name

    @property
    def scale(self) -> ScaleName | None:
        """The scaling that was asked for."""
        return self.ready.scale

    @property
    def n_dropped(self) -> int:
        """Rows left out because of missing cells."""
        return self.given.n_rows - self.table.n_rows

    def part(self, picked: NDArray[np.intp] | None) -> tuple[Table, ScaleName | None]:
        """Some rows as a table of their own, and how it still has to be scaled; None stands for all.

        A part is scaled by the ranges of all rows: its own would make other distances of it.
        """
        table = self.table
        if picked is None:
            return table, self.scale
        scaling = fit_scaling(table.values, table.kinds, self.scale, levels=table.levels)
        part = table.take(picked)
        return replace(part, values=scaling.apply(part.values)), None


def take_rows(
    X: Any,
    y: Any,
    *,
    distance: str,
    scale: ScaleName | None,
    missing: Missing,
    random_state: int,
    n_jobs: int | None,
    time_limit: float | None = None,
    groups: Any = None,
    method: Method = "auto",
) -> ReportRows:
    """Drop incomplete rows if asked to, fit the distance, and draw the sample of a large table.

    Large is what has many rows, or what a time limit does not allow to compare row by row.
    """
    given = as_table(X.given) if isinstance(X, Prepared) else without_empty(as_table(X, y))
    rows = X if isinstance(X, Prepared) else given
    ready = prepare(rows, distance=distance, scale=scale, missing=missing, method=method, n_jobs=n_jobs)
    apart = groups_of(ready, groups, rows)
    most, sample = ALL_PAIRS_ROWS, SAMPLE_ROWS
    if time_limit is not None:
        pairs = min(time_limit * RANKED_PER_SECOND / given.n_columns, 1e18)  # no limit at all is infinite
        sample = min(SAMPLE_ROWS, max(LEAST_SAMPLE, int(pairs / ready.n_rows)))
        most = min(most, max(sample, int(pairs**0.5)))
    if len(ready.asking) > most:
        ready = replace(ready, asking=sample_rows(ready.search.table, ready.codes, sample, random_state))
    # How many rows were dropped is a fact of its own.
    told = replace(ready, notes=ready.search.fitted.notes)
    return ReportRows(given, told, ready.asked_distance, ready.missing, n_jobs, apart)
