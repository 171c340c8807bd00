"""Which rows are left out together: those of a given group, all copies of a row, or each row alone.

Leaving one row out answers how new rows will fare if rows were drawn independently of each other, copies or not: where
the columns are coarse, a new row finds its copies among the old ones as often as these find each other. It does not
where records were repeated, since a new row then meets no copy of itself.

Repeated records show in how many rows occur once, twice, three times. Let f_k be the number of distinct rows that
occur k times. If rows are drawn independently, from whatever distribution, then k! E f_k is close to the integral of
x^k over a measure (exp(-x) dm(x), x the expected number of copies), and moments of a measure are log-convex:

    k (E f_k)^2  <=  (k + 1) (E f_(k-1)) (E f_(k+1)).

Every row twice, or many rows twice and hardly any three times, is impossible then. Counts are about Poisson, so
bounds of the three counts at a level of 0.005 each decide; where they contradict the inequality all copies of a row
are left out together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from sepal.data._content_order import rows_by_content
from sepal.data._equal_rows import copies_of, equal_rows, places, row_groups
from sepal.data._sparse_reading import Rows
from sepal.exceptions import DataError, ParameterError

Groups = NDArray[np.intp]
Together = Literal["rows", "copies", "groups"]
_LEVEL = 0.005


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Which rows are left out together, and why.

    Attributes
    ----------
    together : {"rows", "copies", "groups"}
        Each row alone, all copies of a row, or the rows of a given group.
    groups : ndarray of int or None
        A number from 0 for each row; rows of the same number are left out together. None: each row alone.
    n_copies : int
        Rows that have a copy, equal in all columns.
    repeated : bool
        Whether the numbers of copies show that records were repeated.
    """

    together: Together
    groups: Groups | None
    n_copies: int
    repeated: bool

    def note(self, n_rows: int) -> str | None:
        """What the reader of a score should know: that there are copies, and what became of them."""
        if not self.n_copies or self.together == "groups":
            return None
        fate = {"rows": "which stayed when they were left out", "copies": "and were left out together with it"}
        return f"copies: {self.n_copies / n_rows:.1%} of the rows have a copy, {fate[self.together]}"


def groups_by_class(
    codes: NDArray[np.integer[Any]], groups: NDArray[np.integer[Any]], n_classes: int
) -> NDArray[np.intp]:
    """In how many groups each class has rows.

    Examples
    --------
    >>> groups_by_class(np.array([0, 0, 0, 1]), np.array([4, 4, 7, 7]), 2).tolist()
    [2, 1]
    """
    return np.bincount(codes[row_groups(np.column_stack([codes, groups]))[1]], minlength=n_classes)


def left_out_together(rows: Rows, groups: Any = None, weights: NDArray[np.float64] | None = None) -> LeftOut:
    """Which rows are left out together.

    Parameters
    ----------
    rows : Table or SparseRows
        The rows; their answers are not looked at.
    groups : array-like, "rows", "copies" or None
        One label per row; each row alone; all copies of a row. None: copies where these show that records were
        repeated, else each row alone.
    weights : array, optional
        Where a weight of 3 is the same as the row three times, weights that are whole numbers count copies.

    Examples
    --------
    >>> import numpy as np
    >>> from sepal.data import as_table
    >>> once = np.random.RandomState(0).randn(40, 2)
    >>> left_out_together(as_table(once)).together
    'rows'
    >>> left_out_together(as_table(np.repeat(once, 2, axis=0))).together
    'copies'
    """
    copies = copies_of(rows)
    times = np.ones(rows.n_rows) if weights is None or np.any(weights != np.floor(weights)) else weights
    counts = np.bincount(copies, weights=times).astype(np.intp)
    n_copies = int((counts[copies] > 1).sum())
    repeated = records_repeated(counts)
    if isinstance(groups, str):
        if groups not in ("rows", "copies"):
            raise ParameterError(f"groups must be one label per row, 'rows', 'copies' or None; got {groups!r}")
        alone = groups == "rows"
    elif groups is not None:
        return LeftOut("groups", group_codes(groups, rows.n_rows), n_copies, repeated)
    else:
        alone = not repeated
    if alone or n_copies == 0:
        return LeftOut("rows", None, n_copies, repeated)
    if len(counts) < 2:
        raise DataError("groups: all rows are copies of one; nothing remains when it is left out")
    return LeftOut("copies", copies, n_copies, repeated)


def records_repeated(counts: NDArray[np.intp]) -> bool:
    """Whether distinct rows with these numbers of copies contradict rows drawn independently."""
    k, f = np.unique(counts, return_counts=True)
    low = gammaincinv(f, _LEVEL)  # bounds of the means of Poisson counts
    above, below = (gammaincinv(_at(j, k, f) + 1.0, 1.0 - _LEVEL) for j in (k + 1, k - 1))
    return bool(np.any((k * low**2 > (k + 1) * above * below) & (k > 1)))


def _at(wanted: NDArray[np.intp], k: NDArray[np.intp], f: NDArray[np.intp]) -> NDArray[np.float64]:
    """The numbers f that belong to the wanted k, 0 where there are none."""
    place = np.minimum(np.searchsorted(k, wanted), len(k) - 1)
    return np.where(k[place] == wanted, f[place], 0.0)


def group_codes(groups: Any, n_rows: int) -> Groups:
    """Numbers from 0 for given labels of rows."""
    labels = np.asarray(groups)
    if labels.shape != (n_rows,):
        raise DataError(f"groups: expected one label for each of {n_rows} rows, found shape {labels.shape}")
    unlabelled = [at for at, label in enumerate(labels.tolist()) if label is None or label != label]
    if unlabelled:
        raise DataError(f"groups: row {unlabelled[0]} has no label", hint="give such a row a group of its own")
    found, codes = np.unique(labels, return_inverse=True)
    if len(found) < 2:
        raise DataError("groups: all rows are in one group; nothing remains when it is left out")
    return np.asarray(codes, dtype=np.intp)


def rows_in_groups(rows: Rows, codes: NDArray[np.integer[Any]], groups: Groups | None) -> NDArray[np.intp]:
    """As :func:`rows_by_content`; equal rows of one class stand by what else is in their groups."""
    order = rows_by_content(rows, codes)
    if groups is None:
        return order
    return in_group_order(order, row_groups(np.column_stack([equal_rows(rows), codes]))[0], groups)


def in_group_order(order: NDArray[np.intp], alike: NDArray[np.integer[Any]], groups: Groups) -> NDArray[np.intp]:
    """An order of the rows, in which those that are ``alike`` stand by what else is in their groups.

    Where equal rows belong to several groups, the content of a row alone does not tell which comes first.

    Examples
    --------
    >>> one = in_group_order(np.arange(3), np.array([0, 0, 1]), np.array([0, 1, 1]))
    >>> other = in_group_order(np.arange(3), np.array([0, 0, 1]), np.array([1, 0, 1]))
    >>> sorted([one.tolist(), other.tolist()])  # one of two equal rows is in a group with the third
    [[0, 1, 2], [1, 0, 2]]
    """
    place = shared_places(order, alike)
    return np.lexsort((groups_in_order(place, groups)[groups], place))


def shared_places(order: NDArray[np.intp], alike: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """The place of each row in an order; rows that are ``alike`` share that of the first of them.

    >>> shared_places(np.array([2, 0, 1]), np.array([5, 7, 5])).tolist()
    [0, 2, 0]
    """
    _, first, number = np.unique(alike[order], return_index=True, return_inverse=True)
    place = np.empty(len(order), dtype=np.intp)
    place[order] = first[number]
    return place


def groups_in_order(place: NDArray[np.integer[Any]], groups: Groups) -> NDArray[np.intp]:
    """The place of each group, by the places of its rows: neither names nor where rows stood decide.

    Groups of the very same places are alike in everything, so that any order of them will do.

    >>> groups_in_order(np.array([3, 0, 1]), np.array([0, 0, 1])).tolist()
    [0, 1]
    """
    rows = np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])
    content = [sorted(place[inside].tolist()) for inside in rows]
    return places(np.array(sorted(range(len(rows)), key=content.__getitem__), dtype=np.intp))


def numbered_by_first_row(groups: Groups | None, rows: NDArray[np.intp]) -> Groups | None:
    """The groups of the rows in a new order, numbered as they first appear there: their names do not matter."""
    if groups is None:
        return None
    _, first, codes = np.unique(groups[rows], return_index=True, return_inverse=True)
    return np.asarray(places(np.argsort(first))[codes])
