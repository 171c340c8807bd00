"""Equal rows of one class become one row with their joint weight, in an order that depends on the values only.

The dual of repeated rows is that of one row with a larger box, so nothing is lost; the solver sees fewer rows, and the
answer depends neither on row order nor on whether a row was repeated or weighted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import equal_groups, telling_columns

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MergedRows:
    """Distinct rows, sorted by class.

    Attributes
    ----------
    x : ndarray, shape (n_distinct, n_columns)
    codes : ndarray of int
        The class of each distinct row.
    weight : ndarray
        The sum of the weights of its copies.
    n_copies : ndarray of int
    leaves : ndarray
        The share of its weight that goes when one row is left out: one unit of weight, as if a row of weight w were w
        copies, and a row lighter than that whole. Where copies differ in that, their mean by weight.
    member_of : ndarray of int
        For each given row its distinct row, -1 where its weight is 0.
    start : list of int
        Where each class begins, and the number of distinct rows.
    share : ndarray
        The share of each given row in the weight of its distinct row.
    """

    x: Floats
    codes: NDArray[np.intp]
    weight: Floats
    n_copies: NDArray[np.int64]
    leaves: Floats
    member_of: NDArray[np.intp]
    start: list[int]
    share: Floats

    @property
    def n_classes(self) -> int:
        """How many classes."""
        return len(self.start) - 1

    def take(self, mask: NDArray[np.bool_]) -> MergedRows:
        """The distinct rows of a mask; ``member_of`` and ``share`` are then those of the distinct rows themselves."""
        codes = self.codes[mask]
        n = len(codes)
        return MergedRows(
            np.ascontiguousarray(self.x[mask]),
            codes,
            self.weight[mask],
            self.n_copies[mask],
            self.leaves[mask],
            np.arange(n),
            _starts(codes, self.n_classes),
            np.ones(n),
        )


def merge_rows(x: Floats, codes: NDArray[np.intp], weight: Floats, n_classes: int, *, merge: bool = True) -> MergedRows:
    """Group equal rows of one class; rows of weight 0 are left out. Without ``merge`` rows are only sorted by class."""
    used = np.flatnonzero(weight > 0)
    x_used, codes_used = x[used] + 0.0, codes[used]  # + 0.0: there is only one zero
    if merge:
        order, first = _group(x_used, codes_used)
    else:
        order = np.argsort(codes_used, kind="stable")
        first = np.ones(len(order), dtype=bool)
    group = np.cumsum(first) - 1
    rows = order[first]
    n_groups = len(rows)
    member_of = np.full(len(x), -1, dtype=np.intp)
    member_of[used[order]] = group
    given = weight[used[order]]
    joint: Floats = np.bincount(group, weights=given, minlength=n_groups).astype(np.float64)
    share = np.zeros(len(x))
    share[used] = weight[used] / joint[member_of[used]]
    return MergedRows(
        np.ascontiguousarray(x_used[rows]),
        codes_used[rows],
        joint,
        np.bincount(group, minlength=n_groups),
        np.bincount(group, weights=(given * np.minimum(given, 1.0)), minlength=n_groups) / joint**2,
        member_of,
        _starts(codes_used[rows], n_classes),
        share,
    )


def distinct_rows(x: Floats, codes: NDArray[Any], weight: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The place of one row of each group of equal rows of one class, and their joint weight; none of weight 0.

    In an order by class and values, so that what is computed from them is the same to the last bit whatever the order
    of the rows, and whether rows are repeated or weighted.
    """
    used = np.flatnonzero(weight > 0)
    order, first = _group(x[used] + 0.0, codes[used])  # + 0.0: there is only one zero
    joint = np.bincount(np.cumsum(first) - 1, weights=weight[used[order]]).astype(np.float64)
    return used[order[first]], joint


def _starts(codes: NDArray[np.intp], n_classes: int) -> list[int]:
    return np.searchsorted(codes, np.arange(n_classes + 1)).tolist()  # type: ignore[no-any-return]


def order_keys(
    x: Floats, codes: NDArray[Any] | None = None, raw: Floats | None = None, *, spread: Any = np.sqrt
) -> Floats:
    """One number per row to sort rows by: a projection, the same for equal rows and nearly always another for others.

    No hash: hardly changed by rounding, it keeps the order of the rows in other units. Which rows are equal is asked of
    :func:`sepal.data.equal_groups`. Columns are taken in the order of their content, so that their places do not
    matter; where ``x`` is scaled it is that of ``raw``, which no rounding has touched. ``codes`` are the classes of the
    rows. ``spread`` makes numbers for the columns, of which the fractions count: whole roots are alike, so that rows of
    indicators may meet in one number.
    """
    columns = _column_order(x if raw is None else raw, codes)
    roots = spread(np.arange(2.0, 2.0 + x.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        key = (np.nan_to_num(x[:, columns], nan=0.618) * (roots - np.floor(roots) + 0.1)).sum(axis=1)
    return np.asarray(np.nan_to_num(key))


def _column_order(x: Floats, codes: NDArray[Any] | None) -> NDArray[np.intp]:
    groups = np.zeros(len(x), dtype=np.intp) if codes is None else codes
    return telling_columns(x, groups) if x.shape[1] > 1 else np.arange(x.shape[1])


def _group(x: Floats, codes: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """An order by class and values, and which of the ordered rows differ from the one before."""
    group, key = equal_groups(x), order_keys(x, codes)
    order = np.lexsort((key, codes))
    first, same_key = _changes(group, codes, order), ~_changes(key, codes, order)
    if np.any(first & same_key):  # different rows met in one number: sort by all columns
        order = np.lexsort((*x.T[_column_order(x, codes)[::-1]], codes))
        first = _changes(group, codes, order)
    return order, first


def _changes(marks: NDArray[Any], codes: NDArray[Any], order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which of the ordered rows have another mark or class than the one before."""
    first = np.ones(len(order), dtype=bool)
    first[1:] = (marks[order[1:]] != marks[order[:-1]]) | (codes[order[1:]] != codes[order[:-1]])
    return first
