"""An order of columns that belongs to them and not to where they stand: by name, numbers in a name as numbers.

Where two columns are equally good this decides which is named first. Columns without names are called x1, x2, ..., so
that theirs is the order in which they stand, which is all there is to go by.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile("([0-9]+)")


def name_order(names: Sequence[str]) -> list[int]:
    """Positions of the names in their order.

    Examples
    --------
    >>> name_order(["x10", "width", "x9"])
    [1, 2, 0]
    """
    return sorted(range(len(names)), key=lambda j: name_key(names[j]))


def name_key(name: str) -> tuple[tuple[str | int, ...], str]:
    """What to sort a name by: its texts and numbers in turn, and the name itself where these are the same."""
    parts = _NUMBER.split(name)  # a text, a number, a text, ...
    return tuple(int(part) if i % 2 else part for i, part in enumerate(parts)), name
