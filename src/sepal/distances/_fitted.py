"""A distance after it has seen the training rows: plain arrays, so that it can be saved and compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sepal.data import Scaling, Table
from sepal.exceptions import DataError

# What the native value is: a squared distance, the distance itself, its p-th power, or twice a cosine distance.
ValueIs = Literal["square", "distance", "power", "double"]


@dataclass(frozen=True, eq=False)
class FittedDistance:
    """Coordinates for rows, and the native metric that compares them.

    A row becomes ``scaling``, then the columns in ``order``, then ``factors`` per column, then ``whitening`` (a
    matrix), then, for the cosine, unit length.
    """

    name: str
    metric: str
    scaling: Scaling
    names: tuple[str, ...]
    order: NDArray[np.intp]
    factors: NDArray[np.float64]
    value_is: ValueIs = "square"
    p: float = 2.0
    n_numeric: int = 0
    whitening: NDArray[np.float64] | None = None
    unit_length: bool = False
    allows_missing: bool = False
    notes: tuple[str, ...] = ()

    def embed(self, table: Table) -> NDArray[np.float64]:
        """Coordinates of the rows of a table with the columns this distance was fitted on."""
        if table.n_columns != len(self.names):
            raise DataError(
                f"the distance was fitted on {len(self.names)} columns, the rows to compare have {table.n_columns}"
            )
        if not self.allows_missing and table.has_missing:
            row, column = (int(i) for i in np.argwhere(np.isnan(table.values))[0])
            raise DataError(
                f"row {row + 1}, column {table.names[column]!r}: a missing value, and the distance {self.name!r} "
                "does not define missing values",
                hint='use distance="heom" or "nan_euclidean", or missing="drop" to leave such rows out',
            )
        values = self.scaling.apply(table.values)[:, self.order]
        if not np.all(self.factors == 1.0):
            values = values * self._column_factors()
        if self.whitening is not None:
            values = values @ self.whitening
        if self.unit_length:
            length = np.linalg.norm(values, axis=1, keepdims=True)
            values = values / np.where(length == 0, np.nan, length)
        return np.ascontiguousarray(values, dtype=np.float64)

    def _column_factors(self) -> NDArray[np.float64]:
        # Level codes are compared for equality only and must stay as they are.
        factors = self.factors.copy()
        if self.metric == "mixed":
            factors[self.n_numeric :] = 1.0
        return factors

    @property
    def mismatch(self) -> NDArray[np.float64]:
        """What a mismatch or a missing cell adds to the native value, per embedded column."""
        n = len(self.order) if self.whitening is None else self.whitening.shape[1]
        return self.factors**2 if self.metric == "mixed" else np.ones(n)

    def distances(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Native values as distances."""
        match self.value_is:
            case "square":
                return np.sqrt(values)
            case "power":
                return values ** (1.0 / self.p)
            case "double":
                return values / 2.0
            case "distance":
                return values
