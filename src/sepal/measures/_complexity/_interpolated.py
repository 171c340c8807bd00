"""Made-up rows between two of a class: what N4 and L3 ask about."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, content_order


@dataclass(frozen=True, eq=False)
class Interpolated:
    """Rows on the way from ``first`` to ``second``, a share ``at`` of it, as a table; ``codes`` is their class."""

    table: Table
    codes: NDArray[np.int32]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    at: NDArray[np.float64]


def interpolate(table: Table, codes: NDArray[np.int32], n_rows: int, rng: np.random.Generator) -> Interpolated:
    """As many rows of each class as its share of ``n_rows``, each between two different random rows of the class.

    A nominal cell, or one that is missing in one of both, is taken from one of them, whichever is nearer.
    """
    counts = np.bincount(codes)
    wanted = np.maximum(1, np.round(counts * (n_rows / len(codes)))).astype(int)
    first, second = [], []
    order = content_order(table.values, codes)  # what chance does must not depend on where a row stood
    for c, k in enumerate(wanted):
        inside = order[codes[order] == c]
        one = rng.integers(len(inside), size=k)
        other = (one + rng.integers(1, max(2, len(inside)), size=k)) % len(inside)  # itself only if it is alone
        first.append(inside[one])
        second.append(inside[other])
    a, b = np.concatenate(first), np.concatenate(second)
    at = rng.random(len(a))
    x, z = table.values[a], table.values[b]
    made = x + at[:, None] * (z - x)
    nearer = np.where(at[:, None] < 0.5, x, z)
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    made = np.where(nominal, nearer, made)
    made = np.where(np.isnan(made), np.where(np.isnan(nearer), np.where(np.isnan(x), z, x), nearer), made)
    labels = np.repeat(np.arange(len(counts), dtype=np.int32), wanted)
    return Interpolated(replace(table, values=made, y=None, weights=None, class_order=None), labels, a, b, at)
