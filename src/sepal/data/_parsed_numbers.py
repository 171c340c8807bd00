"""Cells as float() reads them, but for marks of missing ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MISSING = frozenset(
    ("", "?", "na", "nan", "null", "n/a", "#n/a", "<na>", "nat", "#div/0!", "#value!", "#ref!", "#name?", "#num!")
)


def parsed_numbers(cells: Sequence[str], decimal: str) -> NDArray[np.float64] | None:
    """The cells as numbers, NaN where one is missing; None if some cell is no number."""
    if decimal == ",":
        # A point has no place next to decimal commas; the underscore makes the cell a text.
        cells = [cell.replace(".", "_").replace(",", ".", 1) for cell in cells]
    numbers = []
    for cell in cells:
        try:
            numbers.append(float(cell))
        except ValueError:
            bare = cell.strip()  # also of the separators \x1c to \x1f, which float() leaves in place
            if bare.lower() in MISSING:
                numbers.append(math.nan)
                continue
            try:
                numbers.append(float(bare))
            except ValueError:
                return None
    # Python reads 1_000 as a number; a data file hardly means one.
    return None if "_" in "".join(cells) else np.array(numbers, dtype=np.float64)
