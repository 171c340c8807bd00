"""How noisy one random split is: the standard deviation of its accuracy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.measures._groups import class_groups
from sepal.measures._labelled import Labelled
from sepal.measures._stratified import stratified_counts
from sepal.neighbors import DistinctRanking

_SPLITS = 200
_MOST_ROWS = 5000  # beyond this the binomial value is close, and small anyway
_RANKS_PER_SHARE = 7.0  # (1 - f)^(7/f) < 0.001: rows with no training row among these ranks count as the mean


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

    Simulated for 1-NN on up to 5,000 rows. Otherwise the binomial value sqrt(A (1-A) / test rows), which leaves out
    that test rows share their training rows; on small sets it is up to a quarter too large.
    """
    if k > 1 or data.n_rows > _MOST_ROWS:
        return np.sqrt(accuracy * (1 - accuracy) / (data.n_rows - sizes))
    rng = np.random.default_rng(seed)
    order = _canonical_order(data)
    return np.array([_simulate(data, int(m), stratified, order, rng) for m in sizes])


def _canonical_order(data: Labelled) -> NDArray[np.intp]:
    """Rows sorted by what they are, so that the draws do not depend on the order they came in."""
    return np.lexsort((data.codes, *data.search.table.values.T))


def _simulate(data: Labelled, m: int, stratified: bool, order: NDArray[np.intp], rng: np.random.Generator) -> float:
    ranks = min(data.n_rows - 1, int(np.ceil(_RANKS_PER_SHARE * data.n_rows / m)))
    ranking = data.search.distinct_ranking(ranks)
    accuracies = []
    for _ in range(_SPLITS):
        training = np.zeros(data.n_rows, dtype=bool)
        training[order[_draw(data, m, stratified, order, rng)]] = True
        accuracies.append(_accuracy(data, ranking, training))
    return float(np.std(accuracies, ddof=1))


def _draw(
    data: Labelled, m: int, stratified: bool, order: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    if not stratified:
        return rng.permutation(data.n_rows)[:m]
    codes = data.codes[order]
    counts = stratified_counts(data.class_counts, m)
    return np.concatenate([rng.permutation(np.flatnonzero(codes == c))[:take] for c, take in enumerate(counts)])


def _accuracy(data: Labelled, ranking: DistinctRanking, training: NDArray[np.bool_]) -> float:
    """Accuracy of 1-NN on the rows that are not in training, ties averaged."""
    groups = class_groups(ranking, data.codes, len(data.classes), np.flatnonzero(~training), training)
    # The first group with a training row decides.
    filled = np.flatnonzero(groups.size > 0)
    case, first = np.unique(groups.case[filled], return_index=True)
    share = np.full(len(groups.start) - 1, np.nan)
    share[case] = groups.same[filled[first]] / groups.size[filled[first]]
    return float(np.nanmean(share[groups.case_of]))
