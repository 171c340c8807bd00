"""How noisy one random split is: the standard deviation of its accuracy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.data import copies_of, groups_in_order, rows_by_content, shared_places
from sepal.measures._class_groups import cases_of
from sepal.measures._prepared import Prepared
from sepal.measures._stratified import Strata
from sepal.neighbors import DistinctRows

_MOST_SPLITS = 200
_ROWS_TIMES_SPLITS = 200_000  # fewer splits for more rows: each is less noisy there
_MOST_ROWS = 5000  # beyond this the binomial value is close, and small anyway
_RANKS_PER_SHARE = 7.0  # (1 - f)^(7/f) < 0.001: rows with no training row among these ranks are left out


def split_std(
    data: Prepared,
    sizes: NDArray[np.int64],
    accuracy: NDArray[np.float64],
    *,
    k: int,
    stratified: bool,
    seed: int,
    groups: NDArray[np.intp] | None = None,
) -> NDArray[np.float64]:
    """Standard deviation of the accuracy of one split, for each number of training rows, or groups.

    Simulated on up to 5,000 rows. Otherwise the binomial value sqrt(A (1-A) / test rows), which leaves out
    that test rows share their training rows; on small sets it is up to a quarter too large. Of groups then the same
    with test groups, as if the rows of a group were one.
    """
    n_units = data.n_rows if groups is None else int(groups.max()) + 1
    if data.n_rows > _MOST_ROWS:
        return np.sqrt(accuracy * (1 - accuracy) / (n_units - sizes))
    n_splits = max(40, min(_MOST_SPLITS, _ROWS_TIMES_SPLITS // data.n_rows))
    rng = np.random.default_rng(seed)
    draws = _draws(data, n_splits, rng) if groups is None else _draws_of_groups(data, groups, n_splits, rng)
    units = np.ceil((_RANKS_PER_SHARE + 2 * (k - 1)) * n_units / sizes).astype(int)
    largest = 1 if groups is None else int(np.bincount(groups).max())
    ranks = np.minimum(data.n_rows - 1, units * largest + largest - 1)  # its own group, and as many others
    walks = _walks(data, int(ranks.max()))
    found = []
    for m, most in zip(sizes.tolist(), ranks.tolist(), strict=True):
        training = _in_training(data, draws, m, stratified, rng)
        accuracies = _accuracies(walks, training if groups is None else training[:, groups], most, k)
        found.append(float(np.std(accuracies, ddof=1)))
    return np.array(found)


def _draws(data: Prepared, n_splits: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A random number per split and row; the smallest ones train. The same numbers serve every size.

    They are dealt to the rows sorted by what they are, so that they do not depend on the order the rows came in.
    """
    order = rows_by_content(data.search.table, data.codes)
    draws = np.empty((n_splits, data.n_rows))
    draws[:, order] = rng.random((n_splits, data.n_rows))
    return draws


def _draws_of_groups(
    data: Prepared, groups: NDArray[np.intp], n_splits: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """The same per split and group; dealt to the groups sorted by the rows in them."""
    order = rows_by_content(data.search.table, data.codes)
    alike = copies_of(data.search.table).astype(np.int64) * len(data.classes) + data.codes
    of_group = groups_in_order(shared_places(order, alike), groups)
    draws = np.empty((n_splits, len(of_group)))
    draws[:, np.argsort(of_group)] = rng.random(draws.shape)
    return draws


def _in_training(
    data: Prepared, draws: NDArray[np.float64], m: int, stratified: bool, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Which rows train in each split: the m smallest draws, or with strata so many of each class."""
    if not stratified:
        return np.asarray(draws <= np.partition(draws, m - 1, axis=1)[:, m - 1 : m])
    training = np.zeros(draws.shape, dtype=bool)
    taken = Strata.of(data.class_counts, m).drawn(len(draws), rng)
    for code in range(len(data.classes)):
        rows = np.flatnonzero(data.codes == code)
        limit = np.sort(np.hstack([np.full((len(draws), 1), -1.0), draws[:, rows]]), axis=1)
        training[:, rows] = draws[:, rows] <= np.take_along_axis(limit, taken[:, code : code + 1], axis=1)
    return training


@dataclass(frozen=True, eq=False)
class _Walks:
    """The neighbours that decide, nearest first, of every case: a distinct row together with a class.

    A row that is tested does not train, so that equal rows need no exception for themselves.

    Attributes
    ----------
    case_of : (n_rows,) array
        The case of each row; ``size`` counts the rows of a case, ``code`` is its class.
    start, end : (n_cases,) arrays
        Where the list of a case begins and ends in ``entries``, which are distinct rows.
    closes : array
        Whether an entry is the last of its tied group.
    first_case : (n_distinct,) array
        The first case of each distinct row; ``column[entry * n_classes + code]`` is any, or n_cases if there is none.
    """

    case_of: NDArray[np.intp]
    size: NDArray[np.int64]
    code: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    entries: DistinctRows
    closes: NDArray[np.bool_]
    first_case: NDArray[np.intp]
    column: NDArray[np.intp]
    n_classes: int

    def training_rows(self, training: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Training rows of each case by split, and a last column that stays empty."""
        width = len(self.size) + 1
        split, row = np.nonzero(training)
        flat = np.bincount(split * width + self.case_of[row], minlength=len(training) * width)
        return flat.reshape(-1, width)


def _walks(data: Prepared, ranks: int) -> _Walks:
    ranking, n_classes = data.ranking(ranks), len(data.classes)
    n_distinct = ranking.copies.n_distinct
    distinct, code, case_of = cases_of(ranking.copies, data.codes, n_classes, np.arange(data.n_rows))
    column = np.full(n_distinct * n_classes, len(code), dtype=np.intp)
    column[distinct.number.astype(np.int64) * n_classes + code] = np.arange(len(code))
    closes = np.append(ranking.distances[1:] != ranking.distances[:-1], True)
    closes[ranking.start[1:] - 1] = True
    return _Walks(
        case_of,
        np.bincount(case_of),
        code,
        ranking.start[distinct.number],
        ranking.start[distinct.number + 1],
        ranking.entries,
        closes,
        np.searchsorted(distinct.number, np.arange(n_distinct)),
        column,
        n_classes,
    )


def _accuracies(walks: _Walks, training: NDArray[np.bool_], ranks: int, k: int) -> NDArray[np.float64]:
    """Accuracy of k-NN on the rows not in training, for each split: the tied group with the k-th training row decides.

    All pairs of a split and a case walk down their lists at once, and leave when they are decided.
    """
    n_splits, n_cases, n_distinct = len(training), len(walks.size), len(walks.first_case)
    counts = walks.training_rows(training)
    total = np.add.reduceat(counts[:, :-1], walks.first_case, axis=1).ravel()
    tested, trained = walks.size - counts[:, :-1], counts.ravel()
    split, case = np.nonzero(tested)
    weight, at, cell = tested[split, case], walks.start[case], walks.code[case]
    before, before_agree, inside, inside_agree = (np.zeros(len(case), dtype=np.int64) for _ in range(4))
    right, known = np.zeros(n_splits), np.zeros(n_splits)
    step = 0
    while len(split):
        step += 1
        entry = walks.entries.number[at].astype(np.int64)
        inside += total[split * n_distinct + entry]
        inside_agree += trained[split * (n_cases + 1) + walks.column[entry * walks.n_classes + cell]]
        closes = walks.closes[at]
        decided = closes & (before + inside >= k)
        at += 1
        left = ~decided & (at < walks.end[case])
        if step >= ranks:
            left &= ~closes
        out = np.flatnonzero(decided)
        won = _win(inside[out], inside_agree[out], before[out], before_agree[out], k)
        right += np.bincount(split[out], weights=weight[out] * won, minlength=n_splits)
        known += np.bincount(split[out], weights=weight[out], minlength=n_splits)
        going = np.flatnonzero(left)
        state: tuple[NDArray[np.int64], ...]
        state = (split, case, cell, weight, at, before, before_agree, inside, inside_agree)
        split, case, cell, weight, at, before, before_agree, inside, inside_agree = (each[going] for each in state)
        closes = closes[going]
        before, before_agree = before + closes * inside, before_agree + closes * inside_agree
        inside, inside_agree = inside * ~closes, inside_agree * ~closes
    return np.asarray(right / np.maximum(known, 1))


def _win(
    inside: NDArray[np.int64],
    inside_agree: NDArray[np.int64],
    before: NDArray[np.int64],
    before_agree: NDArray[np.int64],
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
