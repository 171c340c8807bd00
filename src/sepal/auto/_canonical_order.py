"""An order of the rows and columns that depends on what is in them and not on where they stood.

Columns are put in the order of a hash of their cells, rows are sorted by their cells and their answer, before anything
else happens: so every sum, sample and tie comes out the same however the table was shuffled.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.data import bit_order, equal_groups, in_group_order, mixed_bits, places, plain_cells, row_hash

Array = NDArray[np.float64]
Positions = NDArray[np.intp]


def canonical_columns(values: Array, groups: Positions) -> Positions:
    """Positions of the columns in the order of a hash of which cells each group of rows holds.

    Neither the order of the rows nor the names of the groups change it. Columns that hold the same cells in every group
    keep the order they came in.
    """
    by_group = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[by_group], prepend=-1))
    cells = mixed_bits(plain_cells(values[by_group]).view(np.uint64))
    return np.argsort(mixed_bits(np.add.reduceat(cells, starts, axis=0)).sum(axis=0), kind="stable")


def canonical_classes(values: Array, codes: Positions) -> Array:
    """The place of the class of each row in an order of the classes by the cells of their rows, and not by their names.

    >>> rows = np.array([[1.0], [2.0], [2.0]])
    >>> bool(np.all(canonical_classes(rows, np.array([0, 0, 1])) == canonical_classes(rows, np.array([1, 1, 0]))))
    True
    """
    marks = np.zeros(int(codes.max()) + 1, dtype=np.uint64)
    np.add.at(marks, codes, mixed_bits(row_hash(plain_cells(values))))
    return places(np.argsort(marks, kind="stable"))[codes].astype(np.float64)


def canonical_order(values: Array, *answers: Array | None, groups: Positions | None = None) -> Positions:
    """Positions of the rows in the order of their cells, then of their answers (and of what else is given).

    Rows that are equal in all of it stand by what else is in their groups.
    """
    cells = np.column_stack([values, *(each for each in answers if each is not None)])
    order = bit_order(cells)
    return order if groups is None else in_group_order(order, equal_groups(cells), groups)


def spread_order(codes: NDArray[np.int32], random: np.random.RandomState) -> Positions:
    """A random order whose every beginning holds the classes nearly in their proportions.

    Classes draw in the order they first appear, so that their names do not matter.
    """
    place = np.empty(len(codes))
    first = np.unique(codes, return_index=True)[1]
    for code in codes[np.sort(first)]:
        rows = np.flatnonzero(codes == code)
        place[rows] = (random.permutation(len(rows)) + random.random_sample(len(rows))) / len(rows)
    return np.argsort(place, kind="stable")
