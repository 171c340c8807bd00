"""Made-up rows between two of a class: what N4 and L3 ask about."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, copies_of, rows_by_content
from sepal.measures._complexity._group_order import groups_by_content


@dataclass(frozen=True, eq=False)
class Interpolated:
    """Rows on the way from ``first`` to ``second``, a share ``at`` of it, as a table; ``codes`` is their class."""

    table: Table
    codes: NDArray[np.int32]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    at: NDArray[np.float64]


def interpolate(
    table: Table,
    codes: NDArray[np.int32],
    n_rows: int,
    rng: np.random.Generator,
    groups: NDArray[np.intp] | None = None,
) -> Interpolated:
    """As many rows of each class as its share of ``n_rows``, each between two different random rows of the class.

    With ``groups`` the two are of different groups, and one and the same where the class has no other. A nominal cell,
    or one that is missing in one of both, is taken from one of them, whichever is nearer.
    """
    counts = np.bincount(codes)
    wanted = np.maximum(1, np.round(counts * (n_rows / len(codes)))).astype(int)
    first, second = [], []
    order = rows_by_content(table, codes)  # what chance does must not depend on where a row stood
    if groups is not None:
        place, of_group = groups_by_content(np.argsort(order), copies_of(table), codes, groups)
        order = np.lexsort((place, of_group[groups]))  # the rows of a group stand together
    for c, k in enumerate(wanted):
        inside = order[codes[order] == c]
        one = rng.integers(len(inside), size=k)
        if groups is None:
            other = (one + rng.integers(1, max(2, len(inside)), size=k)) % len(inside)  # itself only if it is alone
        else:
            other = _of_other_groups(groups[inside], one, rng)
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


def _of_other_groups(groups: NDArray[np.intp], one: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    """A random row of another group for each of some rows; itself if there is none. Rows of a group stand together."""
    _, first, group, size = np.unique(groups, return_index=True, return_inverse=True, return_counts=True)
    left = len(groups) - size[group[one]]
    drawn = rng.integers(0, np.maximum(left, 1))
    begin = first[group[one]]
    return np.where(left == 0, one, np.where(drawn < begin, drawn, drawn + size[group[one]]))
