"""From rows to coordinates on selected vectors, and linear models on these: the pure part of the machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table
from sepal.exceptions import DataError
from sepal.machines._kernel_rows import Array, RowKernel, check_symmetric
from sepal.machines._vectors._models import PathRows, RidgePath, ridge_path
from sepal.machines._vectors._selection import VectorSelection, lowest_row, project, select_vectors

_BLOCK_NUMBERS = 4_000_000


@dataclass(frozen=True)
class VectorChoice:
    """How vectors are selected, as the user gave it."""

    n_vectors: int
    fitness: float
    criterion: Any
    n_candidates: int | None
    tol: float
    random_state: Any

    def select(
        self, kernel: RowKernel, coordinates: Array, columns: NDArray[np.intp], weights: Array, keys: Array | None
    ) -> VectorSelection:
        """Run the selection on training rows."""
        return select_vectors(
            lambda rows: kernel.columns(coordinates, kernel.pick(coordinates, rows, columns)),
            kernel.diagonal(coordinates, columns),
            n_vectors=self.n_vectors,
            fitness=self.fitness,
            criterion=self.criterion,
            n_candidates=self.n_candidates,
            weights=weights,
            tol=self.tol,
            random_state=self.random_state,
            # By their keys, so that the order of rows and columns does not matter; a ready matrix has none.
            decide=lowest_row if keys is None else lambda rows: int(rows[np.argmin(keys[rows])]),
            keys=keys,
            block=lambda rows, of: kernel.columns(coordinates[rows], kernel.pick(coordinates, of, columns)),
        )


@dataclass(frozen=True, eq=False)
class VectorMap:
    """From rows to coordinates: what a fitted machine needs of its training rows."""

    kernel: RowKernel
    picked: NDArray[Any]
    factor: Array

    def first(self, n_vectors: int) -> VectorMap:
        """The map to the first coordinates only; its own arrays, so that a copy of it has the same layout and bits."""
        factor = np.ascontiguousarray(self.factor[:n_vectors, :n_vectors])
        return VectorMap(self.kernel, np.ascontiguousarray(self.picked[:n_vectors]), factor)

    def transform(self, table: Table) -> Array:
        """Coordinates of rows, block by block."""
        out = np.empty((table.n_rows, len(self.factor)))
        step = max(64, _BLOCK_NUMBERS // max(1, len(self.factor)))
        coordinates = self.kernel.coordinates(table)
        for start in range(0, table.n_rows, step):
            part = slice(start, start + step)
            with np.errstate(over="ignore", invalid="ignore"):
                columns = self.kernel.columns(coordinates[part], self.picked)
            if not np.isfinite(columns).all():
                row = start + int(np.flatnonzero(~np.isfinite(columns).all(axis=1))[0])
                raise DataError(
                    f"X, row {row}: its kernel values are too large for float64",
                    hint="this row lies far from all training rows; check its cells",
                )
            out[part] = project(self.factor, columns)
        return out


def vectors_solve(
    table: Table,
    kernel: RowKernel,
    choice: VectorChoice,
    weights: Array,
    keep: NDArray[np.intp],
    codes: NDArray[np.int32] | None = None,
) -> tuple[VectorMap, VectorSelection]:
    """Select vectors among training rows; ``keep`` are their places among the user's rows."""
    coordinates = kernel.coordinates(table)
    if kernel.fitted is None:
        check_symmetric(coordinates[:, keep], keep)
    selection = choice.select(kernel, coordinates, keep, weights, kernel.keys(table, codes))
    if len(selection.rows) == 0:
        raise DataError(f"every row has k(x, x) = 0: the kernel sees nothing in {table.n_rows} sample(s)")
    return VectorMap(kernel, kernel.pick(coordinates, selection.rows, keep), selection.factor), selection


@dataclass(frozen=True, eq=False)
class VectorModel:
    """A fitted linear model on vectors, with the leave-one-out errors it was chosen by."""

    mapping: VectorMap
    selection: VectorSelection
    path: RidgePath
    n_vectors: int

    @property
    def coordinates(self) -> Array:
        """Training coordinates in use."""
        return self.selection.coordinates[:, : self.n_vectors]


def chosen_number(path: RidgePath, n_vectors: Any) -> int:
    """The asked number of vectors (no more than there are), or that of the smallest leave-one-out error."""
    if isinstance(n_vectors, str):
        return 1 + int(np.argmin(path.squared[1:]))
    return min(int(n_vectors), len(path.squared) - 1)


def model_solve(
    table: Table,
    kernel: RowKernel,
    choice: VectorChoice,
    keep: NDArray[np.intp],
    targets: Array,
    *,
    n_vectors: Any,
    alpha: float,
    copies: Array,
    taken: Array,
    factors: Array,
    codes: NDArray[np.int32] | None,
    groups: NDArray[np.intp] | None = None,
) -> VectorModel:
    """Vectors, the models on the first L of them for every L, and the number of vectors.

    ``copies`` are sample weights, ``taken`` what of them leaves with a row, ``factors`` those of the classes.
    """
    mapping, selection = vectors_solve(table, kernel, choice, copies, keep, codes)
    rows = PathRows(selection.coordinates, targets, copies * factors, taken * factors, codes, groups)
    path = ridge_path(rows, selection.coordinates.shape[1], alpha)
    return VectorModel(mapping, selection, path, chosen_number(path, n_vectors))
