"""Distances of sparse rows as plain loops over {column: value}, and an index that is a dictionary of rows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tests.oracles.neighbors import TIE_TOLERANCE, tied_groups

SparseRow = dict[int, float]


def sparse_row(x: np.ndarray) -> SparseRow:
    """The cells of a dense row that are not 0."""
    return {j: float(value) for j, value in enumerate(x) if value != 0.0}


def squared_gap(x: SparseRow, z: SparseRow) -> float:
    """|x - z|^2, summed without rounding."""
    total = Fraction(0)
    for column in x.keys() | z.keys():
        gap = Fraction(x.get(column, 0.0)) - Fraction(z.get(column, 0.0))
        total += gap * gap
    return float(total)


def sparse_cosine(x: SparseRow, z: SparseRow) -> float:
    """1 - cos by Lagrange's identity: |x|^2 |z|^2 - (x.z)^2 without rounding; 1 where a row has no cell."""
    if not x or not z:
        return 1.0
    xx, zz = (sum(Fraction(v) ** 2 for v in row.values()) for row in (x, z))
    xz = sum((Fraction(x[column]) * Fraction(z[column]) for column in x.keys() & z.keys()), Fraction(0))
    lengths = math.sqrt(xx) * math.sqrt(zz)
    if xz <= 0:
        return 1.0 - float(xz) / lengths
    return float(xx * zz - xz * xz) / (lengths * (lengths + float(xz)))


def sparse_tanimoto(x: SparseRow, z: SparseRow) -> float:
    """1 - shared / all elements of two sets; two empty sets are equal."""
    either = len(x.keys() | z.keys())
    return 0.0 if either == 0 else float(1 - Fraction(len(x.keys() & z.keys()), either))


VALUES = {"cosine": sparse_cosine, "euclidean": squared_gap, "tanimoto": sparse_tanimoto}
"""What is compared: the square of a Euclidean distance, else the distance."""


def nearest(
    known: dict[int, SparseRow], query: SparseRow, k: int, distance: str, tolerance: float = TIE_TOLERANCE
) -> list[tuple[int, float]]:
    """(number, distance) of the k nearest known rows and those tied with the last, in order of group and number."""
    numbers = sorted(known)
    values = np.array([VALUES[distance](query, known[number]) for number in numbers])
    found: list[tuple[int, float]] = []
    for smallest, places in tied_groups(values, tolerance):
        far = math.sqrt(smallest) if distance == "euclidean" else smallest
        found.extend((numbers[place], far) for place in places)
        if len(found) >= k:
            break
    return found
