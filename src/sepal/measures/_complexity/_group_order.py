"""An order of groups by what they hold, so that neither their names nor where rows stood decide anything."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def groups_by_content(
    rank: NDArray[np.intp], copy: NDArray[np.integer], codes: NDArray[np.int32], groups: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The place of each row, which equal ones share, and the place of each group.

    ``rank`` is that of the rows by their values, in any order among equal ones; ``copy`` is the same number for equal
    rows. Groups of the same rows and classes are alike in everything, so that any order of them will do.
    """
    least = np.full(int(copy.max()) + 1, len(rank))
    np.minimum.at(least, copy, rank)
    place = least[copy]
    rows = np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])
    content = [sorted(zip(place[inside].tolist(), codes[inside].tolist(), strict=True)) for inside in rows]
    of_group = np.empty(len(rows), dtype=np.intp)
    of_group[sorted(range(len(rows)), key=content.__getitem__)] = np.arange(len(rows))
    return place, of_group
