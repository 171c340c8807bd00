"""Coordinates and a distance as native code gets them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from sepal.distances import FittedDistance
from sepal.neighbors._planner import effective_metric
from sepal.neighbors._rounding import TIE_TOLERANCE, Extent, are_tame, exponent_for, is_exact

_ROUNDING = 2.0**-52
_EXACT_METRICS = frozenset({"l2", "l1", "linf"})
_SCALE_FREE = frozenset({"canberra", "bray_curtis"})  # a factor common to all coordinates changes nothing


class NativeMetric(TypedDict):
    """What native code must know of a distance: its name, the exponent, the columns that are numbers, the weights."""

    metric: str
    p: float
    n_numeric: int
    weights: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Given:
    """Coordinates as native code gets them: brought into a range where nothing overflows, with what goes beside them.

    ``arrays`` are the coordinates times 2**``exponent``; values up to (1 + ``tie``) times the smallest are tied with
    it, and values up to ``zero`` are rounding noise. Where they are not ``tame``, squares overflow or vanish.
    """

    fitted: FittedDistance
    arrays: tuple[NDArray[np.float64], ...]
    exponent: int
    metric: NativeMetric
    tie: float
    zero: float
    tame: bool

    @classmethod
    def of(cls, fitted: FittedDistance, *extents: Extent) -> Given:
        name = effective_metric(fitted, *extents)
        exponent = _exponent(fitted, name, *extents)
        arrays = tuple(each.values for each in extents)
        weights = np.ldexp(fitted.mismatch, 2 * exponent) if name == "mixed" else fitted.mismatch
        return cls(
            fitted,
            arrays if exponent == 0 else tuple(np.ldexp(a, exponent) for a in arrays),
            exponent,
            {"metric": name, "p": fitted.p, "n_numeric": fitted.n_numeric, "weights": weights},
            tie_tolerance(name, *extents),
            # Unit vectors of one direction differ by rounding: that is no distance.
            rounding_noise(fitted) * _ROUNDING**2,
            name != "l2" or are_tame(exponent, *extents),
        )

    def distances(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Native values as distances between the rows as they were."""
        found = self.fitted.distances(values)
        return found if self.exponent == 0 or self.fitted.metric in _SCALE_FREE else np.ldexp(found, -self.exponent)

    def values(self, radius: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distances between the rows as they were as native values."""
        free = self.exponent == 0 or self.fitted.metric in _SCALE_FREE
        with np.errstate(over="ignore", under="ignore"):
            # The square of a root may be smaller than the number: a row at the radius must not be lost over that.
            found = self.fitted.values(radius if free else np.ldexp(radius, self.exponent)) * (1 + 2.0**-50)
        return np.ascontiguousarray(found)


def rounding_noise(fitted: FittedDistance) -> float:
    """Squares of so many units of rounding are no distance."""
    if fitted.metric == "haversine":
        return 16.0
    return (64.0 if fitted.centred else 4.0) * len(fitted.mismatch) if fitted.unit_length else 0.0


def tie_tolerance(metric: str, *extents: Extent) -> float:
    """How far a value may be above another and still be tied with it: not at all where all values are exact."""
    return 0.0 if metric in _EXACT_METRICS and is_exact(*extents) else TIE_TOLERANCE


def _exponent(fitted: FittedDistance, metric: str, *extents: Extent) -> int:
    if fitted.value_is not in ("square", "distance", "power") or metric in ("gower", "tanimoto"):
        return 0  # bounded, or not proportional to the coordinates
    power = {"square": 2.0, "distance": 1.0}.get(fitted.value_is, fitted.p)
    exponent = exponent_for(power, *extents)
    return min(exponent, 0) if metric == "mixed" else exponent
