"""Three views of one table: the same rows as coordinates, scaled by range, by standard deviation and by ranks.

No scaling is right for every table, so none is chosen: each view is a member of the average. Numbers and ordinal ranks
become one coordinate each, a nominal column one indicator per level, sized so that two different levels are as far
apart as the ends of a range ("minmax", "rank") or as two spreads ("standard"). A missing number stands in the middle of
its column and shows on an indicator of its own; a missing level is a level. Labels are never looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data import Scaling, Table, fit_scaling, refuse_texts

Array = NDArray[np.float64]
ViewName = Literal["minmax", "standard", "rank"]
VIEWS: tuple[ViewName, ...] = ("standard", "minmax", "rank")

# The distance between two different levels, in the unit of the view.
_LEVEL_DISTANCE = {"minmax": 1.0, "standard": 2.0, "rank": 1.0}
_MOST_KNOTS = 2000  # a column with more distinct cells is ranked between this many of its order statistics


@dataclass(frozen=True, eq=False)
class View:
    """How cells become coordinates; learned from training rows.

    Attributes
    ----------
    how : {"minmax", "standard", "rank"}
    numbers : ndarray of int
        The numeric and ordinal columns that vary.
    scaling : Scaling
        Of these columns; does nothing in the view "rank".
    knots, ranks : tuple of ndarray
        For "rank", per number column distinct training cells and the share of rows below them.
    middle : ndarray
        What stands for a missing number.
    gaps : ndarray of int
        The number columns with missing training cells; each has an indicator.
    nominal : ndarray of int
        The nominal columns that vary.
    levels : tuple of ndarray
        Per nominal column the codes that have an indicator, NaN for a missing one.
    """

    how: ViewName
    numbers: NDArray[np.intp]
    scaling: Scaling
    knots: tuple[Array, ...]
    ranks: tuple[Array, ...]
    middle: Array
    gaps: NDArray[np.intp]
    nominal: NDArray[np.intp]
    levels: tuple[Array, ...]

    @property
    def n_coordinates(self) -> int:
        """How many coordinates a row has."""
        return len(self.numbers) + len(self.gaps) + sum(len(codes) for codes in self.levels)

    def coordinates(self, table: Table) -> Array:
        """Rows as coordinates, shape (rows, n_coordinates), without missing values."""
        size = _LEVEL_DISTANCE[self.how] / np.sqrt(2.0)
        out = np.empty((table.n_rows, self.n_coordinates))
        end = len(self.numbers)
        scaled = self._scaled(table.values[:, self.numbers])
        out[:, :end] = np.where(np.isnan(scaled), self.middle, scaled)
        for j in self.gaps:
            out[:, end] = np.isnan(table.values[:, j]) * size
            end += 1
        for j, codes in zip(self.nominal, self.levels, strict=True):
            cells = table.values[:, j, None]
            out[:, end : end + len(codes)] = ((cells == codes) | (np.isnan(cells) & np.isnan(codes))) * size
            end += len(codes)
        return out

    def _scaled(self, numbers: Array) -> Array:
        if self.how != "rank":
            return self.scaling.apply(numbers)
        out = np.empty(numbers.shape)
        for j, (knots, ranks) in enumerate(zip(self.knots, self.ranks, strict=True)):
            out[:, j] = np.interp(numbers[:, j], knots, ranks)
        return np.where(np.isnan(numbers), np.nan, out)


def fit_view(table: Table, how: ViewName, mass: Array | None = None) -> View:
    """Learn a view from training rows; ``mass`` says how many rows each of them counts as."""
    refuse_texts(table, "this machine learns from numbers and names")
    values = table.values
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    gaps = np.isnan(values).any(axis=0)
    nominal_mask = np.array([kind == "nominal" for kind in table.kinds])
    numbers = np.flatnonzero(~nominal_mask & (low < high))
    nominal = np.flatnonzero(nominal_mask & ((low < high) | (gaps & ~np.isnan(low))))
    cells = values[:, numbers]
    scaling = fit_scaling(cells, ["numeric"] * len(numbers), None if how == "rank" else how, weights=mass)
    ranked = [_ranks(column, mass) for column in cells.T] if how == "rank" else []
    middle = np.full(len(numbers), 0.5)
    if how != "rank":
        middle = _means(scaling.apply(cells), mass) if len(numbers) else np.empty(0)
    return View(
        how=how,
        numbers=numbers,
        scaling=scaling,
        knots=tuple(knots for knots, _ in ranked),
        ranks=tuple(ranks for _, ranks in ranked),
        middle=middle,
        gaps=np.flatnonzero(gaps & ~nominal_mask & ~np.isnan(low)),
        nominal=nominal,
        levels=tuple(np.unique(values[:, j]) for j in nominal),
    )


def _means(cells: Array, mass: Array | None) -> Array:
    """Of each column, missing cells left out."""
    if mass is None:
        return np.asarray(np.nanmean(cells, axis=0))
    present = ~np.isnan(cells)
    return np.asarray((mass @ np.where(present, cells, 0.0)) / (mass @ present))


def _ranks(column: Array, mass: Array | None = None) -> tuple[Array, Array]:
    """Distinct cells and the share of training cells below each, ties counting half."""
    present = ~np.isnan(column)
    cells, places, counts = np.unique(column[present], return_inverse=True, return_counts=True)
    if mass is not None:
        counts = np.bincount(places, weights=mass[present])
    ranks = (np.cumsum(counts) - counts / 2) / counts.sum()
    if len(cells) > _MOST_KNOTS:
        at = np.unique(np.searchsorted(ranks, np.linspace(ranks[0], ranks[-1], _MOST_KNOTS)))
        cells, ranks = cells[at], ranks[at]
    return cells, ranks
