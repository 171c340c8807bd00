"""A table as a matrix of numbers, for the measures that are linear algebra and not neighbourhoods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, complete_part, refuse_texts
from sepal.exceptions import DataError, ParameterError

MissingNumbers = Literal["drop", "mean", "keep"]


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numeric columns of labelled rows, and what was done to get them.

    ``column_of`` is the table's column each number comes from; ``rows`` are the positions of the rows in the table.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    column_of: NDArray[np.intp]
    rows: NDArray[np.intp]
    notes: tuple[str, ...]


def _indicators(
    name: str, levels: tuple[Any, ...], column: NDArray[np.float64], *, in_use: bool
) -> dict[str, NDArray[np.float64]]:
    """Nominal levels as 0/1 columns: one column for two levels, else one for each level."""
    missing = np.isnan(column)
    codes = np.unique(column[~missing]).astype(np.intp) if in_use else np.arange(len(levels))
    wanted = codes[1:] if len(codes) <= 2 else codes
    return {f"{name}={levels[code]}": np.where(missing, np.nan, (column == code) * 1.0) for code in wanted}


def numbers_of(
    table: Table, missing: MissingNumbers, fill: NDArray[np.float64] | None = None, *, in_use: bool = False
) -> Numbers:
    """Numbers stay, ranks are numbers, nominal columns become 0/1; missing cells go by ``missing``.

    ``"keep"`` leaves them NaN; ``"mean"`` puts ``fill`` there, or the mean of the column. Of a nominal column all
    levels count, or those that are ``in_use`` in the rows that are left.
    """
    if missing not in ("drop", "mean", "keep"):
        raise ParameterError(f"missing must be 'drop' or 'mean'; got {missing!r}")
    refuse_texts(table, "this measure is of numbers and names")
    names: list[str] = []
    columns: list[NDArray[np.float64]] = []
    column_of: list[int] = []
    rows, notes = np.arange(table.n_rows), list[str]()
    if missing == "drop":
        table, rows, dropped = complete_part(table)
        notes += dropped
    for j, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True)):
        levels = table.levels[j]
        made = {name: table.values[:, j]}
        if kind == "nominal" and levels is not None:
            made = _indicators(name, levels, table.values[:, j], in_use=in_use)
        names += made
        columns += made.values()
        column_of += [j] * len(made)
    nominal = table.kinds.count("nominal")
    if nominal:
        notes.append(f"{nominal} nominal columns were coded as 0 and 1, one column per level")
    if not columns:
        raise DataError("no column varies: every nominal column has one level only")
    values = np.column_stack(columns)
    if table.has_missing and missing == "mean":
        values, note = _filled(values, fill)
        notes.append(note)
    return Numbers(values, tuple(names), np.array(column_of, dtype=np.intp), rows, tuple(notes))


def _filled(values: NDArray[np.float64], fill: NDArray[np.float64] | None) -> tuple[NDArray[np.float64], str]:
    holes = np.isnan(values)
    if fill is None:
        if holes.all(axis=0).any():
            raise DataError("a column without a single value has no mean", hint="leave that column out")
        fill = np.nanmean(values, axis=0)
    told = (
        f"{int(holes.any(axis=1).sum())} of {len(values)} rows have missing cells, filled with the mean of the column"
    )
    return np.where(holes, fill, values), told
