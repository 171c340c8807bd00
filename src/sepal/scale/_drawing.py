"""Rows drawn from partitions: of each class its share, by a number that follows from the seed and what is in the row.

Every row gets a number between 0 and 1, and of each class those with the smallest are taken. The number is made of the
cells of the row, of how many equal rows stand before it in its partition, and of what the partition holds as a whole:
a seed draws the same rows whatever the order of files, of rows in a file, and the number of workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import PartReading, Table, mixed_bits
from sepal.distances import FittedDistance
from sepal.neighbors import Extent, extent_of, joined_extent
from sepal.progress import Share
from sepal.scale._blocks import codes_of, row_keys
from sepal.scale._schema import Schema, load_like
from sepal.scale._sources import Partition
from sepal.scale._work import Workplace

_SPARE = 6.0  # standard deviations of rows more than are needed, so that one pass is enough


@dataclass(frozen=True, eq=False)
class Drawn:
    """Rows of a sample.

    Attributes
    ----------
    rows : array of int64
        Their numbers among all rows, ascending.
    codes : array
        Their classes.
    values : (n, n_columns) array
        Their cells.
    extent : Extent or None
        Of the coordinates of all rows that were passed, where a distance was given.
    number : array
        By which they were drawn, smallest first.
    """

    rows: NDArray[np.int64]
    codes: NDArray[np.int32]
    values: NDArray[np.float64]
    extent: Extent | None
    number: NDArray[np.float64]

    def first(self, wanted: NDArray[np.int64]) -> Drawn:
        """So many of each class: those that the same seed draws where no more are asked for."""
        order = np.lexsort((self.rows, self.number, self.codes))
        start = np.searchsorted(self.codes[order], np.arange(len(wanted)))
        taken = np.concatenate([order[s : s + n] for s, n in zip(start, wanted, strict=True)])
        taken = taken[np.argsort(self.rows[taken])]
        return Drawn(self.rows[taken], self.codes[taken], self.values[taken], self.extent, self.number[taken])


def draw_part(
    part: Partition,
    reading: PartReading,
    like: Table,
    complete: bool,
    classes: NDArray[Any],
    below: NDArray[np.float64],
    seed: int,
    fitted: FittedDistance | None,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], Extent | None]:
    """The rows of a partition whose number is below that of their class: numbers, places, classes and cells."""
    table = load_like(part, reading, like, complete)
    codes = codes_of(np.asarray(table.y), classes)
    number = _drawn_numbers(table.values, codes, seed)
    taken = np.flatnonzero(number < below[codes])
    extent = None if fitted is None else extent_of(fitted.embed(table))
    return number[taken], taken, codes[taken], table.values[taken], extent


def _drawn_numbers(values: NDArray[np.float64], codes: NDArray[np.int32], seed: int) -> NDArray[np.float64]:
    keys = mixed_bits(row_keys(values)[:, 0] ^ mixed_bits(codes.astype(np.uint64)))
    order = np.argsort(keys, kind="stable")
    opens = np.ones(len(keys), dtype=bool)
    opens[1:] = keys[order][1:] != keys[order][:-1]
    first = np.flatnonzero(opens)[np.cumsum(opens) - 1]
    before = np.empty(len(keys), dtype=np.uint64)
    before[order] = (np.arange(len(keys)) - first).astype(np.uint64)
    whole = mixed_bits(keys.sum(keepdims=True, dtype=np.uint64) + np.uint64(seed % 2**63))
    mixed = mixed_bits(keys ^ mixed_bits(before + whole))
    return np.asarray((mixed >> np.uint64(11)) / 2.0**53)


def shares_of(class_counts: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
    """How many rows of each class a sample of so many has: its share, two at least where there are two."""
    exact = class_counts * (n_rows / class_counts.sum())
    found = np.floor(exact).astype(np.int64)
    rest = np.argsort(found - exact, kind="stable")[: max(0, n_rows - int(found.sum()))]
    found[rest] += 1
    return np.asarray(np.minimum(class_counts, np.maximum(found, 2)), dtype=np.int64)


def draw_rows(
    schema: Schema,
    work: Workplace,
    n_rows: int,
    seed: int,
    fitted: FittedDistance | None = None,
    progress: Share | None = None,
) -> Drawn:
    """A stratified sample of so many rows, in one pass; of all rows if there are no more."""
    wanted = shares_of(schema.class_counts, min(n_rows, schema.n_rows))
    below = np.minimum(1.0, (wanted + _SPARE * np.sqrt(wanted) + 10.0) / schema.class_counts)
    below = np.where(wanted >= schema.class_counts, 1.1, below)
    while True:
        found = _passed(schema, work, below, seed, fitted, progress)
        short = np.bincount(found.codes, minlength=len(wanted)) < wanted
        if not short.any():
            return found.first(wanted)
        below = np.where(short, 1.1, below)


def _passed(
    schema: Schema,
    work: Workplace,
    below: NDArray[np.float64],
    seed: int,
    fitted: FittedDistance | None,
    progress: Share | None,
) -> Drawn:
    source, offsets = schema.source, schema.offsets
    fixed = (source.reading, schema.like, schema.missing == "drop", schema.classes, below, seed, fitted)
    jobs = [(part, *fixed) for part in source.parts]
    parts = dict(work.run("draw rows", draw_part, jobs, progress))
    each = [parts[at] for at in range(len(jobs))]
    extents = [one[4] for one in each if one[4] is not None]
    return Drawn(
        np.concatenate([one[1] + offsets[at] for at, one in enumerate(each)]),
        np.concatenate([one[2] for one in each]),
        np.concatenate([one[3] for one in each]),
        joined_extent(extents) if extents else None,
        np.concatenate([one[0] for one in each]),
    )
