"""A table on a plane: two of its columns, or its two principal axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data._columns import column_position
from sepal.data._convert import as_table
from sepal.data._equal_rows import equal_groups
from sepal.data._scaling import ScaleName, fit_scaling
from sepal.data._summary import coded_target
from sepal.data._table import Table
from sepal.exceptions import DataError, ParameterError
from sepal.parameters import Parameter, check_whole, checked

MARGIN = 0.06  # of the range, around the points
AXES = ("axis 1", "axis 2")


@dataclass(frozen=True, eq=False)
class Plane:
    """Rows of a table as points. Made by :func:`plane`.

    Attributes
    ----------
    table : Table
        The rows with two numeric columns, and their target.
    rows : (n,) array
        Their positions in the table that was given: rows without a cell in one of the columns are left out.
    levels : tuple
        Of each axis the levels whose positions 0, 1, ... stand there; None for numbers.
    low, high : (2,) arrays
        The ends of a picture: the points with six percent of their range around them.
    group : (n,) array
        The number of the place where a point lies: coincident points have the same one.
    group_size : (n_places,) array
    shares : (2,) array or None
        The share of all variance on each principal axis.
    notes : tuple of str

    Examples
    --------
    >>> import sepal
    >>> found = plane(sepal.datasets.load("athletes"), ("speed", "agility"))
    >>> found.table.names, found.low.round(3).tolist(), int(found.group_size.max())
    (('speed', 'agility'), [1.625, 1.55], 1)
    """

    table: Table
    rows: NDArray[np.intp]
    levels: tuple[tuple[Any, ...] | None, ...]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    group: NDArray[np.intp]
    group_size: NDArray[np.intp]
    shares: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()

    @property
    def points(self) -> NDArray[np.float64]:
        """(n, 2) where each row lies."""
        return self.table.values

    @property
    def names(self) -> tuple[str, ...]:
        """The two axes."""
        return self.table.names

    @property
    def codes(self) -> NDArray[np.intp]:
        """(n,) the class of each row, as a position in ``classes``; zeros where the target is a number."""
        return coded_target(self.table)[1]

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The classes; None where the target is a number."""
        return coded_target(self.table)[0]

    @cached_property
    def place(self) -> dict[int, int]:
        """From the position of a row in the table that was given to its position among the points."""
        return {row: at for at, row in enumerate(self.rows.tolist())}

    def at(self, x: float, y: float) -> Table:
        """One point of the plane, as a table of one row."""
        return replace(self.table, values=np.array([[float(x), float(y)]]), y=None, weights=None, apart=())

    def grid(self, n: int = 100) -> tuple[NDArray[np.float64], NDArray[np.float64], Table]:
        """The ticks of both axes, and n x n points as a table: the first axis runs fastest."""
        check_whole("n", n, at_least=1)
        xs, ys = (np.linspace(self.low[j], self.high[j], n) for j in (0, 1))
        points = np.column_stack([np.tile(xs, n), np.repeat(ys, n)])
        return xs, ys, replace(self.table, values=points, y=None, weights=None, apart=())


@checked(
    Parameter("columns", "other", "the two columns, or None for principal axes", optional=True, also=("sequence",))
)
def plane(table: Any, columns: Sequence[str | int] | None = None, *, scale: ScaleName | None = "minmax") -> Plane:
    """A table on a plane.

    Parameters
    ----------
    table : Table, ndarray, data frame, or what :func:`sepal.prepare` made of them
        The rows.
    columns : two names or positions, optional
        Levels of an ordinal or nominal column stand at 0, 1, ... Without it the two principal axes: the directions in
        which the rows vary most, of scaled numbers and, for each level of a nominal column, of whether a row has it.
    scale : {"minmax", "standard"} or None
        Of the numbers behind principal axes.

    Returns
    -------
    Plane

    Examples
    --------
    >>> import sepal
    >>> plane(sepal.datasets.load("iris")).shares.round(2).tolist()
    [0.84, 0.12]
    """
    table = as_table(table)
    return _principal(table, scale) if columns is None else _two(table, columns)


def _two(table: Table, columns: Sequence[str | int]) -> Plane:
    if isinstance(columns, str) or len(columns) != 2:
        raise ParameterError(f"columns: a plane has two columns; got {columns!r}")
    at = [column_position(column, table.names, "columns") for column in columns]
    text = next((table.names[j] for j in at if table.kinds[j] == "text"), None)
    if text is not None:
        raise ParameterError(f"columns: {text!r} holds texts, which have no place on an axis")
    if at[0] == at[1]:
        raise ParameterError(f"columns: a plane has two different columns; got {table.names[at[0]]!r} twice")
    rows = np.flatnonzero(~np.isnan(table.values[:, at]).any(axis=1))
    if len(rows) == 0:
        raise DataError("columns: no row has a cell in both of these columns")
    notes = []
    if len(rows) < table.n_rows:
        notes.append(f"{table.n_rows - len(rows)} of {table.n_rows} rows have no cell in one of these columns")
    return _made(
        table.take(rows),
        np.ascontiguousarray(table.values[rows][:, at]),
        (table.names[at[0]], table.names[at[1]]),
        tuple(table.levels[j] for j in at),
        rows,
        None,
        notes,
    )


def _principal(table: Table, scale: ScaleName | None) -> Plane:
    """The first two principal axes; each points to where the column that weighs most in it grows."""
    cells = _scaled_numbers(table, scale)
    cells = cells - cells.mean(axis=0)
    left, length, axes = np.linalg.svd(cells, full_matrices=False)
    if len(length) < 2:
        left = np.hstack([left, np.zeros((len(left), 2))])[:, :2]
        length, axes = np.append(length, [0.0, 0.0])[:2], np.vstack([axes, np.zeros((2, axes.shape[1]))])[:2]
    heaviest = np.abs(axes[:2]).argmax(axis=1)
    sign = np.where(axes[[0, 1], heaviest] < 0, -1.0, 1.0)
    points = left[:, :2] * length[:2] * sign
    total = float((length**2).sum())
    shares = length[:2] ** 2 / total if total > 0 else np.zeros(2)
    return _made(table, points, AXES, (None, None), np.arange(table.n_rows), shares, [])


def _scaled_numbers(table: Table, scale: ScaleName | None) -> NDArray[np.float64]:
    """Scaled numbers and indicators of levels; the mean of its column where a cell is missing."""
    scaled = fit_scaling(table.values, table.kinds, scale, levels=table.levels).apply(table.values)
    parts = []
    for j, levels in enumerate(table.levels):
        if table.kinds[j] == "text":
            continue
        if table.kinds[j] == "nominal" and levels is not None:
            # A half each: two rows of different levels are at distance 1, as in HEOM.
            parts.append(np.sqrt(0.5) * (table.values[:, j, None] == np.arange(len(levels))))
        else:
            cells = scaled[:, j, None]
            present = ~np.isnan(cells)
            parts.append(np.where(present, cells, cells[present].mean() if present.any() else 0.0))
    if not parts:
        raise DataError("texts have no principal axes; there are no other columns")
    return np.hstack(parts)


def _made(
    table: Table,
    points: NDArray[np.float64],
    names: tuple[str, ...],
    levels: tuple[tuple[Any, ...] | None, ...],
    rows: NDArray[np.intp],
    shares: NDArray[np.float64] | None,
    notes: list[str],
) -> Plane:
    low, high = points.min(axis=0), points.max(axis=0)
    pad = MARGIN * np.where(high > low, high - low, 1.0)
    group = equal_groups(points)  # places are counted in the order of their first rows
    flat = replace(table, values=points, names=names, kinds=("numeric", "numeric"), levels=(None, None), notes=())
    notes += [
        f"the levels of {name} stand at 0, 1, ... in their order"
        for name, each in zip(names, levels, strict=True)
        if each is not None
    ]
    return Plane(flat, rows, levels, low - pad, high + pad, group, np.bincount(group), shares, tuple(notes))
