"""How far Thornton's index may lie from the accuracy of 1-NN on further rows.

Rows are not independent trials: if two rows are each other's nearest neighbour, both agree or neither does. Write s_i
for the agreement of row i, and d_ik for what it changes if row k is taken away (0 unless k is nearest to i). Then::

    E (index - accuracy on further rows)^2 = 1/n Var(s_i) + (n-1)/n E(d_ik d_ki) + smaller terms

Only rows that are nearest to each other count. What rows with a common neighbour share is shared by further rows near
it, too, and cancels. It holds for the accuracy of *these* rows as training rows. For the accuracy on further rows of
one class the sums go over rows of that class only: it is nearest rows of the same class that agree together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sepal.measures._class_groups import ClassGroups, class_table
from sepal.measures._nearest import NearestGraph

SEEN_BEFORE = 4.0  # errors and successes that count as seen before, so that few errors do not pass for no dependence


def wilson_interval(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Wilson's score interval for a share seen in n trials; without a trial it may be any."""
    if n <= 0:
        return 0.0, 1.0
    if np.isinf(n):
        return share, share
    z = float(ndtri(0.5 + confidence / 2))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def sampled_trials(asked: NDArray[np.integer[Any]], there: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """How many independent trials tell as much as rows asked of those that are there, none twice."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(asked < there, asked * (there - 1.0) / (there - asked), np.inf)


def independent_trials(
    right: NDArray[np.float64], weights: NDArray[np.float64], groups: NDArray[np.intp] | None = None
) -> float:
    """How many independent trials vary as much as a share of right answers does.

    Parameters
    ----------
    right : ndarray
        1 for each row answered rightly, else 0.
    weights : ndarray
        Of the rows; together 1.
    groups : ndarray of int, optional
        Rows of one number stand or fall together as far as their errors show it; where there are no errors, entirely.
    """
    score, trials = float(weights @ right), 1.0 / float(weights @ weights)
    off, size = (right - score) * weights, 1.0
    if groups is not None:
        off = np.asarray(np.bincount(groups, weights=off), dtype=np.float64)
        size = len(right) / len(np.unique(groups))
    alone = max(0.0, score * (1.0 - score)) * trials
    return trials * (alone + SEEN_BEFORE) / (float(off @ off) * trials**2 + SEEN_BEFORE * size)


@dataclass(frozen=True)
class Agreeing:
    """How far rows agree or disagree together.

    Attributes
    ----------
    alike : (n_classes,) array
        Sum of d_ik d_ki over ordered pairs of rows that are both of the class.
    mixed : float
        The same over pairs of rows of two classes.
    mutual : (n_classes,) array
        Rows of the class that have one row nearest to them, as they are to it.
    """

    alike: NDArray[np.float64]
    mixed: float
    mutual: NDArray[np.float64]


def effective_rows(samples: NDArray[np.float64], found: Agreeing) -> float:
    """How many independent trials tell as much about further rows as these rows do.

    Where errors are few the rows do not tell E(d_ik d_ki), and what it is where labels do not depend on places stands
    in for it: p (1 - p) for every row that has a mutual neighbour, since then d_ik = a - b and d_ki = a - c with a, b,
    c independent.
    """
    pairs = float(np.sum(found.alike)) + found.mixed
    one = np.zeros(len(samples), dtype=np.int32)
    return float(_trials(samples, one, np.array([pairs]), np.array([np.sum(found.mutual)]))[0])


def effective_rows_by_class(
    samples: NDArray[np.float64], codes: NDArray[np.int32], found: Agreeing
) -> NDArray[np.float64]:
    """The same about further rows of each class, of which only pairs within the class tell.

    A class of one row has no trial: without it nothing is left to be nearest to.
    """
    trials = _trials(samples, codes, found.alike, found.mutual)
    return np.where(np.bincount(codes, minlength=len(found.alike)) > 1, trials, 0.0)


def _trials(
    samples: NDArray[np.float64],
    part: NDArray[np.int32],
    pairs: NDArray[np.float64],
    mutual: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The trials of each part of the rows."""
    n = np.bincount(part, minlength=len(pairs)).astype(np.float64)
    score = np.bincount(part, samples, len(pairs)) / n
    single = score * (1.0 - score) * n  # what n independent trials would have
    own = np.bincount(part, (samples - score[part]) ** 2, len(pairs))
    spread = own + np.maximum(0.0, pairs)
    usual = 1.0 + mutual / n
    return np.asarray(n * (single + SEEN_BEFORE) / (np.minimum(spread, 2.0 * single) + SEEN_BEFORE * usual))


def agreeing(
    graph: NearestGraph,
    groups: ClassGroups,
    samples: NDArray[np.float64],
    codes: NDArray[np.int32],
    n_classes: int,
) -> Agreeing:
    """Of all rows; ``groups`` are the tied groups around every row, at least the two nearest."""
    change = change_without_nearest(groups, samples)
    parts = (
        _mutual_singles(graph, samples, change, codes, n_classes),
        _twins(graph, change, codes, n_classes),
        _cliques(graph, codes, n_classes),
    )
    return Agreeing(
        np.sum([each.alike for each in parts], axis=0),
        sum(each.mixed for each in parts),
        np.sum([each.mutual for each in parts], axis=0),
    )


def change_without_nearest(groups: ClassGroups, samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where one row alone is nearest: how far the agreement of each row with the next group differs. Else NaN."""
    first = groups.start[:-1]
    has_next = np.diff(groups.start) > 1
    after = np.where(has_next, first + 1, first)
    next_share = np.where(has_next, groups.same[after] / groups.size[after], np.mean(samples))
    found = np.where(groups.size[first] == 1, groups.same[first] - next_share, np.nan)
    return np.asarray(found[groups.case_of])


def _summed(
    products: NDArray[np.float64], i: NDArray[np.int32], k: NDArray[np.int32], mutual: NDArray[np.int32], n_classes: int
) -> Agreeing:
    """Products of pairs with the classes of their rows, and the classes of the rows that are mutual neighbours."""
    same = i == k
    return Agreeing(
        np.bincount(i[same], products[same], n_classes).astype(np.float64),
        float(np.sum(products[~same])),
        np.bincount(mutual, minlength=n_classes).astype(np.float64),
    )


def _mutual_singles(
    graph: NearestGraph,
    samples: NDArray[np.float64],
    change: NDArray[np.float64],
    codes: NDArray[np.int32],
    n_classes: int,
) -> Agreeing:
    """Of rows without copies nearest to each other; those are mutual neighbours that have nobody tied."""
    n = len(graph.n_copies)
    key = graph.source * n + graph.target
    both = np.isin(key, graph.target * n + graph.source)
    i, k = graph.copies.first[graph.source[both]], graph.copies.first[graph.target[both]]
    size = np.rint(1.0 / graph.weight[both])
    agree = codes[i] == codes[k]
    with np.errstate(divide="ignore", invalid="ignore"):
        d = np.where(size == 1, change[i], (agree - samples[i]) / (size - 1))
    # The edge back stands where source and target are exchanged.
    there, back = np.argsort(key[both]), np.argsort((graph.target * n + graph.source)[both])
    other, only = np.empty_like(d), np.empty(len(d), dtype=bool)
    other[back], only[back] = d[there], (size == 1)[there]
    return _summed(d * other, codes[i], codes[k], codes[i[only & (size == 1)]], n_classes)


def _twins(graph: NearestGraph, change: NDArray[np.float64], codes: NDArray[np.int32], n_classes: int) -> Agreeing:
    """The same for rows of which there are two."""
    rows = np.flatnonzero(graph.n_copies[graph.copies.of_row.number] == 2)
    rows = rows[np.argsort(graph.copies.of_row.number[rows], kind="stable")]
    one, other = rows[::2], rows[1::2]
    return _summed(2.0 * change[one] * change[other], codes[one], codes[other], codes[rows], n_classes)


def _cliques(graph: NearestGraph, codes: NDArray[np.int32], n_classes: int) -> Agreeing:
    """The same for rows of which there are three or more: each changes the others' agreement by a small share."""
    many = graph.n_copies > 2
    if not many.any():
        return Agreeing(np.zeros(n_classes), 0.0, np.zeros(n_classes))
    counts = class_table(graph.copies, codes, n_classes)[many].astype(np.float64)
    size = graph.n_copies[many].astype(np.float64)
    share = (counts - 1.0) / (size[:, None] - 1.0)
    few = (size - 2.0) ** 2
    alike = np.sum(counts * (counts - 1.0) * (1.0 - share) ** 2 / few[:, None], axis=0)
    mixed = np.sum(counts * share, axis=1) ** 2 - np.sum((counts * share) ** 2, axis=1)
    return Agreeing(alike, float(np.sum(mixed / few)), np.zeros(n_classes))
