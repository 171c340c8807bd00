"""How far Thornton's index may lie from the accuracy of 1-NN on further rows.

Rows are not independent trials: if two rows are each other's nearest neighbour, both agree or neither does. Write s_i
for the agreement of row i, and d_ik for what it changes if row k is taken away (0 unless k is nearest to i). Then::

    E (index - accuracy on further rows)^2 = 1/n Var(s_i) + (n-1)/n E(d_ik d_ki) + smaller terms

Only rows that are nearest to each other count. What rows with a common neighbour share is shared by further rows near
it, too, and cancels. It holds for the accuracy of *these* rows as training rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sepal.measures._class_groups import ClassGroups, class_table
from sepal.measures._nearest import NearestGraph

SEEN_BEFORE = 4.0  # errors and successes that count as seen before, so that few errors do not pass for no dependence


def wilson_interval(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Wilson's score interval for a share seen in n trials."""
    if np.isinf(n):
        return share, share
    z = float(ndtri(0.5 + confidence / 2))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


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


def effective_rows(
    graph: NearestGraph,
    groups: ClassGroups,
    samples: NDArray[np.float64],
    codes: NDArray[np.int32],
    n_classes: int,
) -> float:
    """How many independent trials tell as much about further rows as these rows do.

    ``groups`` are the tied groups around every row, at least the two nearest. Where errors are few the rows do not tell
    E(d_ik d_ki), and what it is where labels do not depend on places stands in for it: p (1 - p) for every row that has
    a mutual neighbour, since then d_ik = a - b and d_ki = a - c with a, b, c independent.
    """
    n, score = len(samples), float(np.mean(samples))
    single = score * (1.0 - score) * n  # what n independent trials would have
    change = change_without_nearest(groups, samples)
    pairs, mutual = _mutual_singles(graph, samples, change, codes)
    twins, in_twins = _twins(graph, change)
    cliques = _cliques(graph, codes, n_classes)
    own = float(np.sum((samples - score) ** 2))
    usual = 1.0 + (mutual + in_twins) / n
    spread = own + max(0.0, pairs + twins + cliques)
    return n * (single + SEEN_BEFORE) / (min(spread, 2.0 * single) + SEEN_BEFORE * usual)


def change_without_nearest(groups: ClassGroups, samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where one row alone is nearest: how far the agreement of each row with the next group differs. Else NaN."""
    first = groups.start[:-1]
    has_next = np.diff(groups.start) > 1
    after = np.where(has_next, first + 1, first)
    next_share = np.where(has_next, groups.same[after] / groups.size[after], np.mean(samples))
    found = np.where(groups.size[first] == 1, groups.same[first] - next_share, np.nan)
    return np.asarray(found[groups.case_of])


def _mutual_singles(
    graph: NearestGraph, samples: NDArray[np.float64], change: NDArray[np.float64], codes: NDArray[np.int32]
) -> tuple[float, int]:
    """Sum of d_ik d_ki over rows without copies nearest to each other, and how many are so with nobody tied."""
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
    other = np.empty_like(d)
    other[back] = d[there]
    only = (size == 1)[there] & (size == 1)[back]
    return float(np.sum(d * other)), int(np.count_nonzero(only))


def _twins(graph: NearestGraph, change: NDArray[np.float64]) -> tuple[float, int]:
    """The same for rows of which there are two."""
    rows = np.flatnonzero(graph.n_copies[graph.copies.of_row.number] == 2)
    paired = change[rows[np.argsort(graph.copies.of_row.number[rows], kind="stable")]]
    return float(2.0 * np.sum(paired[::2] * paired[1::2])), len(rows)


def _cliques(graph: NearestGraph, codes: NDArray[np.int32], n_classes: int) -> float:
    """The same for rows of which there are three or more: each changes the others' agreement by a small share."""
    many = graph.n_copies > 2
    if not many.any():
        return 0.0
    counts = class_table(graph.copies, codes, n_classes)[many].astype(np.float64)
    size = graph.n_copies[many].astype(np.float64)
    share = (counts - 1.0) / (size[:, None] - 1.0)
    alike = np.sum(counts * (counts - 1.0) * (1.0 - share) ** 2, axis=1)
    mixed = np.sum(counts * share, axis=1) ** 2 - np.sum((counts * share) ** 2, axis=1)
    return float(np.sum((alike + mixed) / (size - 2.0) ** 2))
