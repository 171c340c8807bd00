"""Search under Gower's distance, the one the complexity survey uses.

Gower: the mean over columns of |difference| / range, and 0 or 1 for a nominal column. Where no cell is missing,
half-weighted indicators of the levels turn the 0 or 1 into a sum of absolute differences, so that a Manhattan search
serves, which is faster than one that counts the cells present in both rows, unless levels are very many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import ScaleName, Table, as_table, constant_note
from sepal.measures._within import column_units
from sepal.neighbors import Search

GOWER = "gower"
MOST_INDICATORS = 4  # for each column of the table


def gower_search(
    table: Table,
    distance: str,
    distance_params: Mapping[str, Any] | None,
    scale: ScaleName | None,
    n_jobs: int | None,
) -> tuple[Search, Callable[[Table], Table], str, tuple[str, ...]]:
    """The search, how further rows become rows of its table, the distance's name, and notes."""
    if distance == GOWER and not distance_params and not table.has_missing and not _many_levels(table):
        notes: tuple[str, ...] = ()
        embed = _embedding(table)
        search = Search.prepare(embed(table), distance="manhattan", n_jobs=n_jobs)
        same = np.all(table.values == table.values[0], axis=0)
        constant = [name for name, is_one in zip(table.names, same, strict=True) if is_one]
        if constant:
            notes = (constant_note(constant),)
        return search, embed, GOWER, notes
    search = Search.prepare(table, distance=distance, distance_params=distance_params, scale=scale, n_jobs=n_jobs)
    return search, lambda rows: rows, search.fitted.name, search.fitted.notes


def _many_levels(table: Table) -> bool:
    """Whether indicators would be so many that counting cells is faster."""
    levels = sum(len(levels or ()) for levels, kind in zip(table.levels, table.kinds, strict=True) if kind == "nominal")
    return levels > MOST_INDICATORS * table.n_columns


def _embedding(table: Table) -> Callable[[Table], Table]:
    low, high = table.values.min(axis=0), table.values.max(axis=0)
    units = column_units(table.values)  # in which a range does not overflow

    def embed(rows: Table) -> Table:
        columns: list[NDArray[np.float64]] = []
        for j, kind in enumerate(table.kinds):
            if kind == "nominal":
                columns += [(rows.values[:, j] == level) * 0.5 for level in range(int(low[j]), int(high[j]) + 1)]
            else:
                least, most = low[j] * units[j], high[j] * units[j]
                columns.append((rows.values[:, j] * units[j] - least) / ((most - least) or 1.0))
        return as_table(np.column_stack(columns) / table.n_columns)

    return embed
