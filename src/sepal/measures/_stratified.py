"""Expected accuracy when splits keep the class shares: m_c of the n_c rows of each class train.

Classes are drawn independently. With N_c = n_c - [c = y_i] and s_c rows of class c among the groups ahead, no
training row is ahead with probability prod_c C(N_c - s_c, m_c) / C(N_c, m_c). Inside a group of several classes the
nearest training row agrees with probability E[u_own / sum u], u_c being hypergeometric: the plain share would be wrong,
since classes are drawn at different rates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from sepal.exceptions import ParameterError
from sepal.measures._groups import cases_of, class_table
from sepal.measures._labelled import Labelled, Progress
from sepal.neighbors import DistinctRanking

_CHUNK_CELLS = 20_000_000
_NEGLIGIBLE = 1e-12


def stratified_counts(class_counts: NDArray[np.int64], train_rows: int) -> NDArray[np.int64]:
    """Training rows per class: the same share of each, rounded half to even, whatever the order of the classes."""
    share = train_rows / class_counts.sum()
    return np.asarray(np.rint(class_counts * share), dtype=np.int64)


def check_stratified(class_counts: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
    """Every size must leave rows to train and rows to test."""
    for m in sizes.tolist():
        train = stratified_counts(class_counts, m)
        if not 0 < train.sum() < class_counts.sum():
            which = "training" if train.sum() == 0 else "test"
            raise ParameterError(
                f"train_size: the same share of each class, rounded, leaves no {which} rows at {m} of "
                f"{class_counts.sum()} rows"
            )


def _log_choose(n: NDArray[Any], k: NDArray[Any]) -> NDArray[np.float64]:
    """Ln C(n, k); minus infinity where k > n."""
    possible = k <= n
    n = np.where(possible, n, k)
    value = -np.log(n + 1.0) - betaln(n - k + 1.0, k + 1.0)
    return np.where(possible, value, -np.inf)


@lru_cache(maxsize=200_000)
def _own_share(left: tuple[int, ...], inside: tuple[int, ...], train: tuple[int, ...], own: int) -> float:
    """E[u_own / sum_c u_c], zero where all u_c are zero; u_c training rows among ``inside[c]`` of ``left[c]``."""
    from scipy.stats import hypergeom  # late: the slowest import of all, and needed for mixed tied groups only

    others = np.ones(1)
    for c, (n_left, n_inside, m) in enumerate(zip(left, inside, train, strict=True)):
        if c != own and n_inside:
            others = np.convolve(others, hypergeom.pmf(np.arange(n_inside + 1), n_left, n_inside, m))
    mine = hypergeom.pmf(np.arange(inside[own] + 1), left[own], inside[own], train[own])
    u, v = np.arange(len(mine))[:, None], np.arange(len(others))[None, :]
    return float(np.sum(mine[:, None] * others[None, :] * (u / np.maximum(u + v, 1))))


def _case_probability(counts: NDArray[np.int64], left: NDArray[np.int64], train: NDArray[np.int64], own: int) -> float:
    """Chance that the nearest training row of one case agrees; counts per group and class, nearest group first."""
    ahead = np.cumsum(counts, axis=0) - counts
    remaining = left - ahead
    log_none = _log_choose(remaining, train[None, :]).sum(axis=1) - _log_choose(left, train).sum()
    none_ahead = np.exp(log_none)
    inside = remaining - counts
    none_after = np.exp(_log_choose(inside, train[None, :]).sum(axis=1) - _log_choose(left, train).sum())
    pure = counts[:, own] == counts.sum(axis=1)
    chance = float(np.sum((none_ahead - none_after)[pure]))
    for g in np.flatnonzero(~pure & (counts[:, own] > 0) & (none_ahead > _NEGLIGIBLE)):
        key = (tuple(remaining[g].tolist()), tuple(counts[g].tolist()), tuple(train.tolist()), own)
        chance += float(none_ahead[g]) * _own_share(*key)
    return chance


def _rows_accuracy(
    data: Labelled, ranking: DistinctRanking, rows: NDArray[np.intp], train: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Chance that the nearest training row agrees, for each asking row."""
    n_classes = len(data.classes)
    table = class_table(ranking.copies, data.codes, n_classes)
    distinct, classes, case_of = cases_of(ranking.copies, data.codes, n_classes, rows)
    position = ranking.list_of_distinct(distinct)
    chance = np.empty(len(distinct))
    totals = data.class_counts
    for case, (at, number, own) in enumerate(zip(position, distinct.number, classes, strict=True)):
        begin, end = ranking.start[at], ranking.start[at + 1]
        entries, distances = ranking.entries.number[begin:end], ranking.distances[begin:end]
        counts = table[entries]
        counts[entries == number, own] -= 1
        opens = np.flatnonzero(np.concatenate([[True], distances[1:] != distances[:-1]]))
        left = totals.copy()
        left[own] -= 1
        if train[own] > left[own]:  # every row of this class trains: none is ever tested
            chance[case] = 0.0
            continue
        chance[case] = _case_probability(np.add.reduceat(counts, opens, axis=0), left, train, int(own))
    return chance[case_of]


def stratified_accuracy(data: Labelled, sizes: NDArray[np.int64], progress: Progress | None) -> NDArray[np.float64]:
    """A(m) over all stratified splits, for each number of training rows."""
    return np.array([_one_size(data, stratified_counts(data.class_counts, int(m)), progress) for m in sizes])


def _one_size(data: Labelled, train: NDArray[np.int64], progress: Progress | None) -> float:
    totals = data.class_counts
    weight = ((totals - train) / totals)[data.codes]
    # Until enough rows of every class are seen that a training row is among them.
    share = float(np.min(train / totals)) if np.any(train) else 1.0
    ranks = data.n_rows - 1 if share == 0 else min(data.n_rows - 1, int(np.ceil(-np.log(_NEGLIGIBLE) / share)) + 1)
    chunk = max(1, _CHUNK_CELLS // ranks)
    total = 0.0
    for at in range(0, data.n_rows, chunk):
        rows = np.arange(at, min(at + chunk, data.n_rows))
        asked = None if len(rows) == data.n_rows else rows
        ranking = data.search.distinct_ranking(ranks, rows=asked, progress=progress)
        total += float(np.sum(weight[rows] * _rows_accuracy(data, ranking, rows, train)))
    return total / float(np.sum(totals - train))
