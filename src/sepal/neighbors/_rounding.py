"""What rounding does to distances: which are exact, which count as equal, and coordinates that would overflow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Values are equal, and so tied, when they differ by less than rounding can explain. Scaled integers keep their ties
# with this, whatever the order of the columns; unscaled integers are exact and need none.
TIE_TOLERANCE = 2.0**-40


def is_exact(*arrays: NDArray[np.float64]) -> bool:
    """Whether sums of squared differences of these values have no rounding error."""
    if not all(np.all(a == np.floor(a)) for a in arrays):  # NaN is no whole number
        return False
    high = np.max([a.max(axis=0) for a in arrays], axis=0)
    low = np.min([a.min(axis=0) for a in arrays], axis=0)
    with np.errstate(over="ignore"):
        return bool(np.sum((high - low) ** 2) <= 2.0**53)


def exponent_for(power: float, *arrays: NDArray[np.float64]) -> int:
    """The power of two that brings the coordinates into a range where their powers neither overflow nor vanish."""
    largest = max(float(np.fmax.reduce(np.abs(a), axis=None)) for a in arrays)
    if largest == 0.0 or np.isnan(largest):
        return 0
    top, room = int(np.frexp(largest)[1]), int(1000 / power)
    if -room < top <= room:
        return 0
    if top < 0:
        return -top
    typical = max(float(np.median(np.abs(a[np.isfinite(a) & (a != 0.0)]))) for a in arrays)
    # One huge row must not cost all others their digits: then it is infinitely far, and that is near enough.
    return room - top if np.frexp(typical)[1] + room - top > -room else 0
