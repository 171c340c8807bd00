"""How labels are held: texts of one width where that is small, else as objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# numpy gives every text the room of the longest, four bytes a character. Texts up to the first length always get it,
# longer ones up to the second while all of them together need no more than this.
ALWAYS_FIXED, LONGEST_FIXED, LARGEST_FIXED = 32, 256, 1 << 26


def fixed_width(longest: int, count: int) -> bool:
    """Whether so many texts, the longest of this length, are kept in an array of one width."""
    return longest <= ALWAYS_FIXED or (longest <= LONGEST_FIXED and 4 * longest * count <= LARGEST_FIXED)


def level_array(levels: Sequence[Any], n_rows: int) -> NDArray[Any]:
    """Levels as an array to be indexed by the codes of so many rows."""
    texts = [len(level) for level in levels if isinstance(level, str)]
    if not texts or fixed_width(max(texts), max(n_rows, len(levels))):
        return np.array(levels)
    array = np.empty(len(levels), dtype=object)
    array[:] = levels
    return array
