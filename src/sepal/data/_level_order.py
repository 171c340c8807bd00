"""Levels in the order of their names, where the order they were declared in means nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sepal.data._columns import sorted_levels
from sepal.data._table import Table


def levels_by_name(table: Table) -> Table:
    """The table with the levels of each nominal column in the order of their names.

    A dictionary of Arrow holds them as they first appeared, so that the row that came first would have a say wherever
    codes are sorted or drawn.

    Examples
    --------
    >>> from sepal.data import as_table
    >>> table = as_table([["b"], ["a"]]).with_kinds({0: ["b", "a"]}).with_kinds({0: "nominal"})
    >>> table.levels, levels_by_name(table).levels
    ((('b', 'a'),), (('a', 'b'),))
    """
    values, levels = table.values, list(table.levels)
    for j, (kind, held) in enumerate(zip(table.kinds, table.levels, strict=True)):
        if kind != "nominal" or held is None or (ordered := _by_name(held)) == held:
            continue
        values = values.copy() if values is table.values else values
        place = {level: i for i, level in enumerate(ordered)}
        new = np.array([*(place[level] for level in held), np.nan])
        codes = values[:, j]
        values[:, j] = new[np.where(np.isnan(codes), len(held), codes).astype(np.intp)]
        levels[j] = ordered
    return table if values is table.values else replace(table, values=values, levels=tuple(levels))


def _by_name(levels: tuple[Any, ...]) -> tuple[Any, ...]:
    try:
        return sorted_levels(levels)
    except TypeError:  # of several types, which have no order
        return tuple(sorted(levels, key=lambda level: (type(level).__name__, str(level))))
