"""What is in each column, split by class: counts of levels, or a histogram of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data._cautions import Caution
from sepal.data._convert import as_table
from sepal.data._labels import is_continuous
from sepal.data._table import Table
from sepal.parameters import Parameter, checked

_MOST_CLASSES = 1_000  # of a target; one of more different numbers is a number


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """One feature column.

    Attributes
    ----------
    name, kind : str
    n_missing, n_distinct : int
        Missing cells, and different values.
    low, high, mean : float or None
        Of numbers, and of the ranks of an ordinal column.
    levels : tuple or None
        The levels in code order; None for a column of numbers or texts.
    edges : (n_bins + 1,) array or None
        Where the bins of a numeric column begin and end; a number on an edge belongs to the bin above, the highest
        to the last.
    counts : (n_bins or n_levels, n_classes) array
        Rows in each bin or of each level, by class; none for a column of texts.

    Examples
    --------
    >>> import sepal
    >>> column = summarize(sepal.datasets.load("weather")).columns[0]
    >>> column.levels, column.counts.tolist()
    (('overcast', 'rain', 'sunny'), [[0, 4], [2, 3], [3, 2]])
    """

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    low: float | None
    high: float | None
    mean: float | None
    levels: tuple[Any, ...] | None
    edges: NDArray[np.float64] | None
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TableSummary:
    """What is in a table. Made by :func:`summarize`.

    Attributes
    ----------
    name : str or None
    n_rows, n_columns, n_missing : int
    target : str or None
    classes : tuple or None
        The labels in order; None without a target, and for a target of numbers.
    class_counts : array
        Rows of each class; of all rows where there are no classes.
    columns : tuple of ColumnSummary
    apart : tuple of (name, why, distinct)
        Columns that were set apart.
    cautions : tuple of Caution
    notes : tuple of str

    Examples
    --------
    >>> import sepal
    >>> found = summarize(sepal.datasets.load("athletes"), bins=4)
    >>> found.classes, found.class_counts.tolist()
    (('no', 'yes'), [12, 8])
    """

    name: str | None
    n_rows: int
    n_columns: int
    n_missing: int
    target: str | None
    classes: tuple[Any, ...] | None
    class_counts: NDArray[np.int64]
    columns: tuple[ColumnSummary, ...]
    apart: tuple[tuple[str, str, int], ...]
    cautions: tuple[Caution, ...]
    notes: tuple[str, ...]


@checked(Parameter("bins", "whole", "how many bins a histogram has", at_least=1, at_most=1_000))
def summarize(table: Any, bins: int = 20) -> TableSummary:
    """What is in each column of a table, split by class.

    Parameters
    ----------
    table : Table, ndarray, data frame, or what :func:`sepal.prepare` made of them
        The rows.
    bins : int
        Bins of equal width between the lowest and the highest number of a column.

    Returns
    -------
    TableSummary

    Examples
    --------
    >>> import sepal
    >>> summarize(sepal.datasets.load("athletes"), bins=2).columns[0].counts.tolist()
    [[12, 1], [0, 7]]
    """
    table = as_table(table)
    classes, codes = coded_target(table)
    n_classes = 1 if classes is None else len(classes)
    columns = tuple(_column(table, j, codes, n_classes, bins) for j in range(table.n_columns))
    return TableSummary(
        table.name,
        table.n_rows,
        table.n_columns,
        table.n_missing,
        table.target,
        classes,
        np.bincount(codes, minlength=n_classes),
        columns,
        tuple((each.name, each.why, each.distinct) for each in table.apart),
        table.cautions,
        table.notes,
    )


def coded_target(table: Table) -> tuple[tuple[Any, ...] | None, NDArray[np.intp]]:
    """The classes and the code of each row; None and zeros where the target is no class."""
    nothing = None, np.zeros(table.n_rows, dtype=np.intp)
    if table.y is None or is_continuous(np.asarray(table.y)):
        return nothing
    labels, codes = np.unique(np.asarray(table.y), return_inverse=True)
    if labels.dtype.kind in "iuf" and len(labels) > _MOST_CLASSES:
        return nothing
    levels = table.target_levels or tuple(labels.tolist())
    place = {level: at for at, level in enumerate(levels)}
    order = np.array([place[label] for label in labels.tolist()], dtype=np.intp)
    return tuple(levels), order[codes]


def _column(table: Table, j: int, codes: NDArray[np.intp], n_classes: int, bins: int) -> ColumnSummary:
    values, levels, kind = table.values[:, j], table.levels[j], table.kinds[j]
    present = ~np.isnan(values)
    cells, of = values[present], codes[present]
    levels = None if kind == "text" else levels  # as many as rows
    ordered = kind in ("numeric", "ordinal") and cells.size > 0
    edges, place = _bins(cells, bins) if kind == "numeric" else (None, cells.astype(np.intp))
    n_places = len(levels) if levels is not None else 0 if edges is None else len(edges) - 1
    if kind == "text":
        place, of = place[:0], of[:0]
    counts = np.bincount(place * n_classes + of, minlength=n_places * n_classes).reshape(n_places, n_classes)
    return ColumnSummary(
        table.names[j],
        kind,
        int(values.size - cells.size),
        len(np.unique(cells)),
        float(cells.min()) if ordered else None,
        float(cells.max()) if ordered else None,
        float(cells.mean()) if ordered else None,
        levels,
        edges,
        counts,
    )


def _bins(cells: NDArray[np.float64], bins: int) -> tuple[NDArray[np.float64] | None, NDArray[np.intp]]:
    """Edges of equal width, and the bin of each cell; None where there is no cell."""
    if cells.size == 0:
        return None, np.zeros(0, dtype=np.intp)
    low, high = float(cells.min()), float(cells.max())
    if low == high:
        return np.array([low, high]), np.zeros(cells.size, dtype=np.intp)
    edges = np.linspace(low, high, bins + 1) if np.isfinite(high - low) else _wide(low, high, bins)
    edges = np.unique(edges)  # of two neighbouring floats there are not so many in between
    return edges, np.minimum(np.searchsorted(edges, cells, side="right") - 1, len(edges) - 2)


def _wide(low: float, high: float, bins: int) -> NDArray[np.float64]:
    """Edges over a range that no float can hold."""
    return np.asarray(2.0 * np.linspace(low / 2.0, high / 2.0, bins + 1))
