"""What rounding does to distances: which are exact, which count as equal, and coordinates that would overflow."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, isnan

import numpy as np
from numpy.typing import NDArray

from sepal.data import ranges_and_gaps

# Values are equal, and so tied, when they differ by less than rounding can explain. Scaled integers keep their ties
# with this, whatever the order of the columns; unscaled integers are exact and need none.
TIE_TOLERANCE = 2.0**-40


@dataclass(frozen=True, eq=False)
class Extent:
    """What rounding has to know of some coordinates; of training rows it is found once."""

    values: NDArray[np.float64]
    low: NDArray[np.float64]  # of each column
    high: NDArray[np.float64]
    whole: bool  # integers only
    missing: bool  # a cell is NaN
    largest: float  # of all absolute values; NaN if there is none

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Extent:
        """Look at all of them."""
        low, high, missing = ranges_and_gaps(values)
        largest = float(max(np.fmax.reduce(high, axis=None), -np.fmin.reduce(low, axis=None)))
        whole = not missing and _are_whole(values[:64]) and (len(values) <= 64 or _are_whole(values))
        return cls(values, low, high, whole, missing, largest)

    def typical(self) -> float:
        """The median of the absolute values that are neither 0 nor infinite."""
        return float(np.median(np.abs(self.values[np.isfinite(self.values) & (self.values != 0.0)])))


def _are_whole(values: NDArray[np.float64]) -> bool:
    return bool(np.all(values == np.floor(values)))


def is_exact(*extents: Extent) -> bool:
    """Whether sums of squared differences of these values have no rounding error."""
    if not all(each.whole for each in extents):
        return False
    high = np.max([each.high for each in extents], axis=0)
    low = np.min([each.low for each in extents], axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.sum((high - low) ** 2) <= 2.0**53)


def _widest(extents: tuple[Extent, ...]) -> float:
    """The range of the column with the largest one; 1 if no column has any."""
    high = np.fmax.reduce([each.high for each in extents])
    low = np.fmin.reduce([each.low for each in extents])
    return float(np.fmax.reduce(high - low, axis=None)) or 1.0


def exponent_for(power: float, *extents: Extent) -> int:
    """The power of two that brings the coordinates into a range where their powers neither overflow nor vanish."""
    largest = max(each.largest for each in extents)
    if largest == 0.0 or isnan(largest):
        return 0
    top, room = frexp(largest)[1], int(1000 / power)
    if top <= room:
        exponent = 0 if top > -room else -top
        # Rows that hardly differ, far from 0: filters tell apart what powers that vanish do not.
        wide = frexp(_widest(extents))[1]
        return exponent if wide + exponent > -0.8 * room else min(-wide, room - top)
    typical = max(each.typical() for each in extents)
    # One huge row must not cost all others their digits: then it is infinitely far, and that is near enough.
    return room - top if frexp(typical)[1] + room - top > -room else 0


def are_tame(exponent: int, *extents: Extent) -> bool:
    """Whether squares of differences neither overflow nor vanish, times 2**``exponent``: filters see what they do."""
    largest = max(each.largest for each in extents)
    if largest == 0.0 or isnan(largest):
        return True
    return frexp(largest)[1] + exponent <= 500 and frexp(_widest(extents))[1] + exponent > -400
