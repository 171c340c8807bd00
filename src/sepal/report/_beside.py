"""The values of a suspect row beside those of its neighbours, where they differ most."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from sepal.data import Table, cell_of, row_identifiers
from sepal.measures import SuspectRow
from sepal.report._facts import ColumnBeside, RowBeside

MOST_BESIDE = 6


def rows_beside(table: Table, suspects: tuple[SuspectRow, ...]) -> tuple[RowBeside, ...]:
    """Each suspect with the columns in which it is farthest from its neighbours, farthest first."""
    half, known = table.values / 2, ~np.isnan(table.values)  # two numbers can be farther apart than any number is large
    spread = np.max(half, axis=0, initial=-np.inf, where=known) - np.min(half, axis=0, initial=np.inf, where=known)
    return tuple(_beside(table, each, np.where(np.isfinite(spread) & (spread > 0), spread, 1.0)) for each in suspects)


def _beside(table: Table, suspect: SuspectRow, spread: Any) -> RowBeside:
    """``spread``: half the range of each column."""
    rows = np.array([suspect.row, *suspect.neighbors])
    part = table.take(rows)
    own, others = part.values[0], part.values[1:]
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    apart = np.where(nominal, (others != own).astype(float), np.abs(others / 2 - own / 2) / spread)
    away = np.nan_to_num(apart, nan=1.0).mean(axis=0)
    order = np.argsort(-away, kind="stable")[:MOST_BESIDE]
    columns = []
    for j in (int(j) for j in order if away[j] > 0 or table.n_columns <= MOST_BESIDE):
        numeric = table.kinds[j] == "numeric"
        codes = np.sort(others[:, j]) if numeric else others[:, j]  # a range of dates, too, goes from first to last
        cells = [cell_of(table, j, code) for code in codes.tolist()]
        columns.append(ColumnBeside(table.names[j], cell_of(table, j, own[j]), _told(cells, numeric)))
    return RowBeside(suspect.row, row_identifiers(table, suspect.row), tuple(columns))


def _told(cells: list[Any], numeric: bool) -> str:
    """The cells of the neighbours: a range of numbers, which come in order, or levels with their counts."""
    known = [cell for cell in cells if cell is not None]
    gaps = len(cells) - len(known)
    missing = f"{gaps} missing" if gaps else ""
    if numeric and known:
        low, high = known[0], known[-1]
        told = cell_text(low) if low == high else f"{cell_text(low)} to {cell_text(high)}"
    else:
        counts = Counter(map(str, known)).most_common()
        told = counts[0][0] if len(counts) == 1 else ", ".join(f"{count} {level}" for level, count in counts)
    return ", ".join(part for part in (told, missing) if part)


def cell_text(cell: Any) -> str:
    """A cell in a sentence."""
    if cell is None:
        return "missing"
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:.0f}" if 1e4 <= abs(cell) < 1e9 else f"{cell:.4g}"  # 20817 and not 2.082e+04


def told_beside(beside: RowBeside) -> str:
    """The columns as a sentence: ``age 63 (41 to 57), thal fixed (normal)``."""
    return ", ".join(f"{each.name} {cell_text(each.own)} ({each.neighbors})" for each in beside.columns)


def row_name(beside: RowBeside | None, row: int) -> str:
    """The number of a row, and what says which one it is."""
    named = (
        "" if beside is None else "".join(f", {name} {cell_text(cell)}" for name, cell in beside.identifiers.items())
    )
    return f"{row:,}{named}"
