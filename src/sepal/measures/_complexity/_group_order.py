"""An order of groups by what they hold, so that neither their names nor where rows stood decide anything."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.data import groups_in_order, shared_places


def groups_by_content(
    rank: NDArray[np.intp], copy: NDArray[np.integer], codes: NDArray[np.int32], groups: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The place of each row, which equal ones share, and the place of each group.

    ``rank`` is that of the rows by their values, in any order among equal ones; ``copy`` is the same number for equal
    rows.
    """
    place = shared_places(np.argsort(rank), copy)
    return place, groups_in_order(place * (int(codes.max()) + 1) + codes, groups)
