"""Rows of a stream as coordinates: kinds are fixed by the first rows, levels may be added by any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data import ScaleName, Table, as_table, refuse_texts
from sepal.distances import DISTANCES
from sepal.exceptions import DataError, ParameterError

# Distances whose terms stand column by column, so that the scaling may follow the window: name -> (metric, value).
_METRICS = {
    "euclidean": ("l2", "square"),
    "weighted_euclidean": ("l2", "square"),
    "manhattan": ("l1", "distance"),
    "chebyshev": ("linf", "distance"),
    "minkowski": ("lp", "power"),
    "nan_euclidean": ("nan_l2", "square"),
    "heom": ("mixed", "square"),
    "cosine": ("unit_l2", "double"),
}


def check_distance(distance: str, params: Mapping[str, Any], scale: ScaleName | None) -> None:
    """Whether a window can use this distance."""
    if distance != "auto" and distance not in _METRICS:
        raise ParameterError(
            f"distance must be one of auto, {', '.join(_METRICS)} in a moving window; got {distance!r}",
            hint="a Mahalanobis distance would need the covariance of every window" if distance in DISTANCES else None,
        )
    if scale not in (None, "minmax"):
        raise ParameterError(
            f"scale must be 'minmax' (over the window) or None; got {scale!r}",
            hint="standardize the columns before with fixed statistics, for instance those of the first rows, and "
            "use scale=None",
        )
    if distance == "cosine" and scale is not None:
        raise ParameterError(
            "distance='cosine' needs scale=None: angles change with the ranges, which move with the window"
        )
    unknown = sorted(set(params) - {"p", "weights"})
    if unknown:
        raise ParameterError(f"distance_params[{unknown[0]!r}] is not known in a moving window; it takes: p, weights")


@dataclass
class StreamColumns:
    """What the columns of a stream are."""

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    distance: str
    p: float
    weights: NDArray[np.float64]
    codes: list[dict[Any, int]] = field(repr=False)  # per column, the number of each level seen
    has_gaps: bool = False

    def fits_together(self) -> bool:
        """Whether there is a name, a weight and a list of levels for each column."""
        n = len(self.kinds)
        return (
            len(self.names) == len(self.codes) == n
            and self.weights.shape == (n,)
            and bool(np.all(np.isfinite(self.weights) & (self.weights >= 0)))
            and 1.0 <= self.p < np.inf
            and (self.distance == "auto" or self.distance in _METRICS)
        )

    @classmethod
    def of(cls, table: Table, distance: str, params: Mapping[str, Any]) -> StreamColumns:
        """From the first rows."""
        weights = np.asarray(params.get("weights", np.ones(table.n_columns)), dtype=np.float64)
        if weights.shape != (table.n_columns,) or not np.all(np.isfinite(weights)) or np.any(weights < 0):
            raise ParameterError(
                f"distance_params['weights'] must hold one finite number of at least 0 per column, {table.n_columns}"
            )
        p = float(params.get("p", 2.0))
        if not 1.0 <= p < np.inf:
            raise ParameterError(f"distance_params['p'] must be a finite number of at least 1; got {p!r}")
        refuse_texts(table, "a window holds numbers and names")
        codes: list[dict[Any, int]] = [
            {} if levels is None else {level: i for i, level in enumerate(levels)} for levels in table.levels
        ]
        columns = cls(tuple(table.kinds), table.names, distance, p, weights, codes)
        if columns.nominal.any() and distance not in ("auto", "heom"):
            name = columns.names[int(np.argmax(columns.nominal))]
            raise DataError(
                f"column {name!r} is nominal, and the distance {distance!r} compares numbers only",
                hint='use distance="auto" or "heom"',
            )
        return columns

    @cached_property
    def nominal(self) -> NDArray[np.bool_]:
        """Which columns are compared as equal or not."""
        return np.array([kind == "nominal" for kind in self.kinds])

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Numbers first, as the native metric for mixed kinds wants them."""
        return np.concatenate([np.flatnonzero(~self.nominal), np.flatnonzero(self.nominal)])

    @property
    def metric(self) -> tuple[str, str]:
        """The native metric, and what its values are. HEOM equals Euclid while all cells are numbers and present."""
        if self.distance == "auto":
            return _METRICS["heom" if self.has_gaps or "nominal" in self.kinds else "euclidean"]
        return _METRICS[self.distance]

    def factors(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint8]]:
        """Per native column: what multiplies a coordinate, the cost of a mismatch, whether the range divides it."""
        root = {"l2": 0.5, "nan_l2": 0.5, "mixed": 0.5, "unit_l2": 0.5, "lp": 1.0 / self.p}.get(self.metric[0], 1.0)
        factors = np.where(self.nominal, 1.0, self.weights**root)
        is_number = ~self.nominal
        return factors[self.order], self.weights[self.order], is_number[self.order].astype(np.uint8)

    def read(self, X: Any, *, learn: bool) -> NDArray[np.float64]:
        """Rows as native coordinates. A level never seen before differs from all; rows to learn from bring it in."""
        simple = type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64 and "nominal" not in self.kinds
        if simple and X.shape[1] == len(self.kinds) and len(X) and np.isfinite(X).all():
            values = X
        else:
            values = self._read_table(as_table(X), learn)
        if self.distance == "cosine":
            largest = np.abs(values).max(axis=1, keepdims=True)  # first, so that no square overflows or vanishes
            values = values / np.where(largest == 0.0, np.nan, largest)
            length = np.linalg.norm(values * self.weights**0.5, axis=1, keepdims=True)
            values = values / np.where(length == 0.0, np.nan, length)
        return np.ascontiguousarray(values)

    def _read_table(self, table: Table, learn: bool) -> NDArray[np.float64]:
        if table.n_columns != len(self.kinds):
            raise DataError(
                f"X has {table.n_columns} features, but the window is expecting {len(self.kinds)} features as input"
            )
        values = table.values.copy()
        for j, kind in enumerate(self.kinds):
            present = ~np.isnan(values[:, j])
            levels = table.levels[j]
            if not present.any():
                continue
            if (kind == "numeric") != (levels is None):
                found = "numbers" if levels is None else "levels"
                raise DataError(f"column {self.names[j]!r} is {kind} since the first rows; now it holds {found}")
            if levels is not None:
                numbers = [self._code(j, level, kind, learn) for level in levels]
                values[present, j] = np.array(numbers, dtype=np.float64)[values[present, j].astype(np.intp)]
        if np.isnan(values).any():
            self._take_gaps()
        return values[:, self.order]

    def _code(self, column: int, level: Any, kind: str, learn: bool) -> int:
        codes = self.codes[column]
        if level not in codes and kind == "ordinal":
            raise DataError(f"column {self.names[column]!r} is ordinal, and the level {level!r} has no place in it")
        return codes.setdefault(level, len(codes)) if learn else codes.get(level, len(codes))

    def _take_gaps(self) -> None:
        if self.distance not in ("auto", "heom", "nan_euclidean"):
            raise DataError(
                f"X has missing values (NaN), and the distance {self.distance!r} does not define them",
                hint='use distance="auto", "heom" or "nan_euclidean"',
            )
        self.has_gaps = True
