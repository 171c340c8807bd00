"""Sums of products over rows in partitions, the same to the last bit however the rows are cut and shared out.

Every coordinate is a whole number, its place in the range of its column in 2**54 steps, in three limbs of 18 bits.
Products of limbs, added up over 2**16 rows, are whole numbers below 2**53: matrix products of float64 give them
exactly. What follows is arithmetic of whole numbers of any length, up to a triangle whose Gram matrix is that of the
rows: condition numbers are not squared, though the rows were only ever added up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import PartReading, Table
from sepal.exceptions import DataError
from sepal.measures import ClassScatter
from sepal.progress import Share
from sepal.scale._blocks import codes_of
from sepal.scale._parts import Partition
from sepal.scale._schema import Schema, load_like
from sepal.scale._work import Workplace

Array = NDArray[np.float64]
Whole = NDArray[Any]  # of Python's whole numbers
Coordinates = Callable[[Table], Array]  # rows as numbers, none of them missing; can be sent anywhere

_LIMB, _LIMBS = 18, 3
_ROWS = 1 << 16  # added up at a time
_FINER = 64  # bits more, for the triangle
_NOTHING = 100  # bits below a sum of squares: what is left there is no spread
MOST_ADDED = 400  # of a triangle: it takes some seconds


@dataclass(frozen=True, eq=False)
class RangePlaces:
    """Where coordinates lie: ``(x - shift) / unit`` is between -1 and 1. Units are powers of two."""

    shift: Array
    unit: Array

    @classmethod
    def between(cls, low: Array, high: Array) -> RangePlaces:
        """For columns of these ranges."""
        shift = low + (high - low) / 2
        reach = np.maximum(high - shift, shift - low)
        unit = np.ldexp(1.0, np.where(reach > 0, np.frexp(reach)[1], 0))
        return cls(shift, unit)


@dataclass(frozen=True, eq=False)
class Products:
    """Of the rows of one class with a 1 before their places: the whole numbers of A'A, and the range of each column."""

    sums: Whole
    low: Array
    high: Array

    def __add__(self, other: Products) -> Products:
        return Products(self.sums + other.sums, np.fmin(self.low, other.low), np.fmax(self.high, other.high))


def products_of(rows: Array, places: RangePlaces) -> Products:
    """The products of some rows."""
    p = rows.shape[1]
    total: Whole = np.zeros((p + 1, p + 1), dtype=object)
    for begin in range(0, len(rows), _ROWS):
        part = rows[begin : begin + _ROWS]
        rest = np.hstack([np.ones((len(part), 1)), (part - places.shift) / places.unit])
        limbs = np.empty((len(part), _LIMBS, p + 1))
        for at in range(_LIMBS):
            rest = np.ldexp(rest, _LIMB)
            limbs[:, at] = np.rint(rest)
            rest = rest - limbs[:, at]
        flat = limbs.reshape(len(part), -1)
        found = (flat.T @ flat).astype(np.int64).astype(object).reshape(_LIMBS, p + 1, _LIMBS, p + 1)
        for i in range(_LIMBS):
            for j in range(_LIMBS):
                total = total + found[i, :, j] * (1 << _LIMB * (2 * _LIMBS - 2 - i - j))
    nobody = np.full(p, np.nan)
    return Products(total, rows.min(axis=0) if len(rows) else nobody, rows.max(axis=0) if len(rows) else nobody)


def scatter_of(found: Products, places: RangePlaces) -> ClassScatter:
    """What the products tell of a class, ``places.shift`` taken off: rows, mean, and a triangle of its scatter."""
    if len(found.sums) - 1 > MOST_ADDED:
        raise DataError(
            f"{len(found.sums) - 1} columns are too many for sums over partitions; at most {MOST_ADDED} are added up",
            hint="ask a sample of the rows: sepal.scale.sample_table",
        )
    step = _LIMB * _LIMBS
    count = int(found.sums[0, 0]) >> 2 * step
    sums = np.array([int(each) >> step for each in found.sums[0, 1:]], dtype=object)
    mean = np.array([float(each / (count << step)) for each in sums]) * places.unit
    constant = found.low == found.high
    mean = np.where(constant, found.low - places.shift, mean)
    around = count * found.sums[1:, 1:] - np.multiply.outer(sums, sums)
    around[constant] = 0
    around[:, constant] = 0
    rest = _triangle(around) / np.ldexp(np.sqrt(float(count)), step) * places.unit
    return ClassScatter(count, mean, rest, found.low - places.shift, found.high - places.shift)


def _triangle(matrix: Whole) -> Array:
    """R with R'R = matrix, by Cholesky's way in whole numbers; a row of zeros where nothing is left."""
    left = matrix * (1 << 2 * _FINER)
    size = len(left)
    least = [int(left[k, k]) >> _NOTHING for k in range(size)]
    found = np.zeros((size, size))
    for k in range(size):
        if left[k, k] <= least[k]:
            continue
        root = isqrt(int(left[k, k]))
        row = left[k, k:] // root
        found[k, k:] = [float(each) for each in row]
        left[k:, k:] -= np.multiply.outer(row, row)
    return np.ldexp(found, -_FINER)


def part_products(
    part: Partition,
    reading: PartReading,
    like: Table,
    complete: bool,
    classes: NDArray[Any],
    coordinates: Coordinates,
    places: RangePlaces,
) -> list[Products]:
    """Of each class the products of its rows in a partition."""
    table = load_like(part, reading, like, complete)
    codes, rows = codes_of(np.asarray(table.y), classes), coordinates(table)
    return [products_of(rows[codes == code], places) for code in range(len(classes))]


def class_scatters(
    schema: Schema, work: Workplace, coordinates: Coordinates, places: RangePlaces, progress: Share | None = None
) -> list[ClassScatter]:
    """Of each class what sums over all partitions tell, in one pass."""
    source = schema.source
    fixed = (source.reading, schema.like, schema.missing == "drop", schema.classes, coordinates, places)
    total: list[Products] = []
    jobs = [(part, *fixed) for part in source.parts]
    for _, found in work.run("add up products", part_products, jobs, progress, schema.sent):
        total = [a + b for a, b in zip(total, found, strict=True)] if total else found
    return [scatter_of(each, places) for each in total]


def places_of(like: Table, coordinates: Coordinates) -> RangePlaces:
    """Where the coordinates of all rows lie: the rows of ``like`` hold the ends of every column."""
    ends = coordinates(like)
    return RangePlaces.between(np.nanmin(ends, axis=0), np.nanmax(ends, axis=0))
