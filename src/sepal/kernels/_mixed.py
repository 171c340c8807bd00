"""The kernel for columns of different kinds: a product over the columns.

A numeric or ordinal column gives exp(-gamma (x - z)^2), a nominal one 1 for equal levels and exp(-gamma) for different
ones. A missing cell stands for the training distribution of its column: the factor is the expected value of the
column's kernel when the cell is drawn from the training cells, which keeps the product positive semidefinite (it is an
inner product of mean embeddings). A row with missing cells is therefore less than 1 similar to itself; normalise the
Gram matrix where that is unwanted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table

# A numeric column with more distinct cells is represented by this many of its order statistics.
MOST_MARKS = 1000


@dataclass(frozen=True, eq=False)
class ColumnCells:
    """The training cells of one column: its distinct values, how often each occurs, and whether they are levels."""

    nominal: bool
    cells: NDArray[np.float64]
    shares: NDArray[np.float64]

    def factor(self, a: NDArray[np.float64], b: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        """The column's kernel between present cells, as a block."""
        if self.nominal:
            return np.where(a[:, None] == b[None, :], 1.0, np.exp(-gamma))
        D = a[:, None] - b[None, :]
        D *= D
        D *= -gamma
        return np.exp(D, out=D)

    def expected(self, a: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        """The mean kernel of present cells with the training cells."""
        distinct, inverse = np.unique(a, return_inverse=True)
        return np.asarray((self.factor(distinct, self.cells, gamma) @ self.shares)[inverse])

    def self_expected(self, gamma: float) -> float:
        """The mean kernel of two independent training cells."""
        return float(self.shares @ self.factor(self.cells, self.cells, gamma) @ self.shares)


def cells_by_column(table: Table) -> tuple[ColumnCells, ...]:
    """What each column holds in the training rows, weighted rows as often as their weight says.

    An empty column counts as one constant cell.
    """
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    columns = []
    for column, kind in zip(table.values.T, table.kinds, strict=True):
        present = ~np.isnan(column) & (weights > 0)
        cells: NDArray[np.float64] = np.zeros(1)
        shares: NDArray[np.float64] = np.ones(1)
        if present.any():
            cells, place = np.unique(column[present], return_inverse=True)
            shares = np.bincount(place, weights=weights[present]) / weights[present].sum()
        if kind != "nominal" and cells.size > MOST_MARKS:
            places = (np.arange(MOST_MARKS) + 0.5) / MOST_MARKS
            cells, counts = np.unique(cells[np.searchsorted(np.cumsum(shares), places)], return_counts=True)
            shares = counts / MOST_MARKS
        columns.append(ColumnCells(kind == "nominal", cells, shares))
    return tuple(columns)


def mixed(A: NDArray[np.float64], B: NDArray[np.float64], state: Mapping[str, Any]) -> NDArray[np.float64]:
    """The product over the columns."""
    gamma = state["gamma"]
    K = np.ones((len(A), len(B)))
    for j, column in enumerate(state["columns"]):
        a, b = A[:, j], B[:, j]
        a_gap, b_gap = np.isnan(a), np.isnan(b)
        if not a_gap.any() and not b_gap.any():
            K *= column.factor(a, b, gamma)
            continue
        factor = np.empty_like(K)
        factor[np.ix_(~a_gap, ~b_gap)] = column.factor(a[~a_gap], b[~b_gap], gamma)
        factor[np.ix_(~a_gap, b_gap)] = column.expected(a[~a_gap], gamma)[:, None]
        factor[np.ix_(a_gap, ~b_gap)] = column.expected(b[~b_gap], gamma)[None, :]
        factor[np.ix_(a_gap, b_gap)] = column.self_expected(gamma)
        K *= factor
    return K


def mixed_diagonal(A: NDArray[np.float64], state: Mapping[str, Any]) -> NDArray[np.float64]:
    """1, times what each missing cell costs."""
    diagonal = np.ones(len(A))
    for j, column in enumerate(state["columns"]):
        gaps = np.isnan(A[:, j])
        if gaps.any():
            diagonal[gaps] *= column.self_expected(state["gamma"])
    return diagonal
