"""How noisy one random split is: the standard deviation of its accuracy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.measures._labelled import Labelled
from sepal.measures._stratified import stratified_counts

_MOST_SPLITS = 200
_ROWS_TIMES_SPLITS = 200_000  # fewer splits for more rows: each is less noisy there
_MOST_ROWS = 5000  # beyond this the binomial value is close, and small anyway
_RANKS_PER_SHARE = 7.0  # (1 - f)^(7/f) < 0.001: rows with no training row among these ranks are left out
_BATCH_CELLS = 4_000_000


def split_std(
    data: Labelled,
    sizes: NDArray[np.int64],
    accuracy: NDArray[np.float64],
    *,
    k: int,
    stratified: bool,
    seed: int,
) -> NDArray[np.float64]:
    """Standard deviation of the accuracy of one split, for each number of training rows.

    Simulated on up to 5,000 rows. Otherwise the binomial value sqrt(A (1-A) / test rows), which leaves out
    that test rows share their training rows; on small sets it is up to a quarter too large.
    """
    if data.n_rows > _MOST_ROWS:
        return np.sqrt(accuracy * (1 - accuracy) / (data.n_rows - sizes))
    n_splits = max(40, min(_MOST_SPLITS, _ROWS_TIMES_SPLITS // data.n_rows))
    draws = _draws(data, n_splits, np.random.default_rng(seed))
    return np.array([_simulated_std(data, draws, int(m), k, stratified) for m in sizes])


def _draws(data: Labelled, n_splits: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A random number per split and row; the smallest ones train. The same numbers serve every size.

    They are dealt to the rows sorted by what they are, so that they do not depend on the order the rows came in.
    """
    order = np.lexsort((data.codes, *data.search.table.values.T))
    draws = np.empty((n_splits, data.n_rows))
    draws[:, order] = rng.random((n_splits, data.n_rows))
    return draws


def _in_training(data: Labelled, draws: NDArray[np.float64], m: int, stratified: bool) -> NDArray[np.bool_]:
    """Which rows train in each split: the m smallest draws, or with strata so many of each class."""
    if not stratified:
        return np.asarray(draws <= np.partition(draws, m - 1, axis=1)[:, m - 1 : m])
    training = np.zeros(draws.shape, dtype=bool)
    for code, take in enumerate(stratified_counts(data.class_counts, m)):
        rows = np.flatnonzero(data.codes == code)
        if take:
            training[:, rows] = draws[:, rows] <= np.partition(draws[:, rows], take - 1, axis=1)[:, take - 1 : take]
    return training


def _simulated_std(data: Labelled, draws: NDArray[np.float64], m: int, k: int, stratified: bool) -> float:
    ranks = min(data.n_rows - 1, int(np.ceil((_RANKS_PER_SHARE + 2 * (k - 1)) * data.n_rows / m)))
    lists = data.search.distinct_ranking(ranks).per_row(ranks, "expected", np.arange(data.n_rows))
    start, neighbor, distance = lists["start"], lists["flat_rows"], lists["flat_distances"]
    row = np.repeat(np.arange(data.n_rows), np.diff(start))
    opens = np.concatenate([[True], (row[1:] != row[:-1]) | (distance[1:] != distance[:-1])])
    groups = np.flatnonzero(opens)  # tied groups, one row's after the other's
    first_group = np.searchsorted(groups, start[:-1])
    same = data.codes[neighbor] == data.codes[row]
    training = _in_training(data, draws, m, stratified)
    batch = max(1, _BATCH_CELLS // len(row))
    accuracies = [
        _accuracies(training[at : at + batch], neighbor, same, groups, first_group, k)
        for at in range(0, len(training), batch)
    ]
    return float(np.std(np.concatenate(accuracies), ddof=1))


def _accuracies(
    training: NDArray[np.bool_],
    neighbor: NDArray[np.intp],
    same: NDArray[np.bool_],
    groups: NDArray[np.intp],
    first_group: NDArray[np.intp],
    k: int,
) -> NDArray[np.float64]:
    """Accuracy of k-NN on the rows not in training, for each split: the group with the k-th training row decides."""
    trains = training[:, neighbor]
    found = np.add.reduceat(trains, groups, axis=1, dtype=np.int32)
    agree = np.add.reduceat(trains & same, groups, axis=1, dtype=np.int32)
    ahead, agree_ahead = _ahead(found, first_group), _ahead(agree, first_group)
    number = np.where(ahead + found >= k, np.arange(len(groups)), len(groups))
    deciding = np.minimum.reduceat(number, first_group, axis=1)
    known = (deciding < np.append(first_group[1:], len(groups))) & ~training
    at = np.minimum(deciding, len(groups) - 1)
    inside, inside_agree, before, before_agree = (
        np.take_along_axis(each, at, axis=1)[known] for each in (found, agree, ahead, agree_ahead)
    )
    win = np.zeros(known.shape)
    win[known] = _win(inside, inside_agree, before, before_agree, k)
    return np.asarray(win.sum(axis=1) / np.maximum(known.sum(axis=1), 1))


def _ahead(counts: NDArray[np.int32], first_group: NDArray[np.intp]) -> NDArray[np.int32]:
    """Sums over the groups ahead of each group, within the list of its row."""
    total = np.cumsum(counts, axis=1, dtype=np.int32) - counts
    lengths = np.diff(np.append(first_group, counts.shape[1]))
    return np.asarray(total - np.repeat(total[:, first_group], lengths, axis=1))


def _win(
    inside: NDArray[np.int32],
    inside_agree: NDArray[np.int32],
    before: NDArray[np.int32],
    before_agree: NDArray[np.int32],
    k: int,
) -> NDArray[np.float64]:
    """Chance that most of k agree, k - before of them drawn evenly from the tied group that decides."""
    if k == 1:
        return np.asarray(inside_agree / np.maximum(inside, 1))
    drawn, needed = k - before, k // 2 + 1 - before_agree
    win = (inside_agree >= needed).astype(np.float64)
    tied = np.flatnonzero(inside > drawn)
    if len(tied):
        from scipy.stats import hypergeom

        win[tied] = hypergeom.sf(needed[tied] - 1, inside[tied], inside_agree[tied], drawn[tied])
    return win
