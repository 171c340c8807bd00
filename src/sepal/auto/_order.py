"""An order of the rows that depends on what is in them and not on where they stood.

Rows are sorted by their cells and their answer before anything else happens, so that every sum, sample and tie comes
out the same however the table was shuffled.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


def canonical_order(values: Array, answers: Array) -> Rows:
    """Positions of the rows in the order of their cells, then of their answers."""
    keys = np.ascontiguousarray(np.column_stack([values, answers]) + 0.0)  # no negative zero
    keys[np.isnan(keys)] = np.nan  # one bit pattern for every missing cell
    return np.argsort(keys.view(np.dtype((np.void, keys.shape[1] * 8))).ravel(), kind="stable")


def spread_order(codes: NDArray[np.int32], random: np.random.RandomState) -> Rows:
    """A random order whose every beginning holds the classes nearly in their proportions.

    Classes draw in the order they first appear, so that their names do not matter.
    """
    place = np.empty(len(codes))
    first = np.unique(codes, return_index=True)[1]
    for code in codes[np.sort(first)]:
        rows = np.flatnonzero(codes == code)
        place[rows] = (random.permutation(len(rows)) + random.random_sample(len(rows))) / len(rows)
    return np.argsort(place, kind="stable")
