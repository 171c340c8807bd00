"""Thornton's index from a sample of rows that ask all rows: unbiased, with an interval for the index of all.

The sample holds of each class its share, so that the score is a weighted mean of the scores of the classes, and its
variance that of a stratified sample drawn without replacement. Equal rows of one class are one entry with a count, so
that a million copies cost no more than one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, key_groups
from sepal.distances import FittedDistance
from sepal.measures import ThorntonTest, sampled_trials, wilson_interval
from sepal.neighbors import Copies, PartLists, PartSearch, lists_in_order
from sepal.progress import Share
from sepal.scale._blocks import RowBlock, block_table, codes_of, row_keys
from sepal.scale._drawing import Drawn
from sepal.scale._schema import Schema
from sepal.scale._work import Here, Workplace

_SEEN = 4.0  # errors and successes that count as seen before: few errors are not no spread


@dataclass(frozen=True, eq=False)
class Listed:
    """What a sample found: lists of entries, each of which stands for equal rows of one class.

    ``number`` in the lists is that of a row times the number of classes, plus its class. ``count`` says for how many
    rows an entry stands, the asking row itself not counted.
    """

    lists: PartLists
    count: NDArray[np.int64]
    n_classes: int

    @property
    def code(self) -> NDArray[np.int64]:
        """The class of each entry."""
        return self.lists.number % self.n_classes


@dataclass(frozen=True, eq=False)
class SampleAsked:
    """A sample of rows that asked all rows: how they were drawn, which they are, and the neighbours they found."""

    search: PartSearch
    blocks: list[RowBlock]
    drawn: Drawn
    listed: Listed
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class BlockAnswer:
    """The lists of the sample in one block, entries that stand for several rows, and who of the sample is which."""

    lists: PartLists
    several: NDArray[np.int64]
    count: NDArray[np.int64]
    own: tuple[NDArray[np.int64], NDArray[np.int64]]  # places in the sample, and the entries these rows are in


def ask_block(
    search: PartSearch,
    block: RowBlock,
    classes: NDArray[Any],
    queries: NDArray[np.float64],
    rows: NDArray[np.int64],
    k: int,
    threads: int,
) -> BlockAnswer:
    """Whom the rows of a sample find in a block; ``rows`` are their numbers."""
    table = block_table(block)
    codes = codes_of(np.asarray(table.y), classes)
    return ask_rows(search, table, codes, block.first_row, len(classes), queries, rows, k, threads)


def ask_rows(
    search: PartSearch,
    table: Table,
    codes: NDArray[np.int32],
    first_row: int,
    n_classes: int,
    queries: NDArray[np.float64],
    rows: NDArray[np.int64],
    k: int,
    threads: int,
) -> BlockAnswer:
    """The same of rows that are loaded, the first of which has this number."""
    points = search.fitted.embed(table)
    entry, first, count = _entries(search.fitted, points, codes)
    numbers = (first + first_row) * n_classes + codes[first]
    lists = search.lists(queries, points[first] if len(first) < len(points) else points, k, numbers, threads)
    inside = np.flatnonzero((rows >= first_row) & (rows < first_row + len(codes)))
    several = np.flatnonzero(count > 1)
    several = several[np.isin(numbers[several], lists.number)] if len(several) else several
    return BlockAnswer(lists, numbers[several], count[several], (inside, numbers[entry[rows[inside] - first_row]]))


def _entries(
    fitted: FittedDistance, points: NDArray[np.float64], codes: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Rows with equal points and one class as one: the entry of each row, its first row, and how many there are."""
    keys = row_keys(points)
    keys[:, 1] ^= codes.astype(np.uint64)
    group = key_groups(keys)
    alone = fitted.compares_nothing(points)  # not even near its own copies
    if alone.any():
        group = np.where(alone, len(group) + np.arange(len(group)), group)
    copies = Copies.by_key(group)  # numbered by their first rows
    return copies.of_row.number, copies.first.astype(np.int64), copies.count


def ask_sample(
    schema: Schema,
    search: PartSearch,
    blocks: Iterable[RowBlock],
    drawn: Drawn,
    k: int,
    work: Workplace,
    progress: Share | None = None,
) -> Listed:
    """The k nearest entries of every row of the sample among all rows, everyone tied with the k-th included."""
    queries = search.fitted.embed(replace(schema.like, values=drawn.values))
    blocks, own = list(blocks), np.full(len(queries), -1, dtype=np.int64)
    several, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    each = len(queries) if isinstance(work, Here) else schema.sent // max(8 * (queries.shape[1] + 2), 16 * (k + 3))
    cuts = [slice(at, at + max(1, each)) for at in range(0, len(queries), max(1, each))]
    jobs = [
        (search, block, schema.classes, queries[cut], drawn.rows[cut], k + 1, work.threads)
        for cut in cuts
        for block in blocks
    ]
    pieces = [PartLists.empty(len(queries[cut])) for cut in cuts]
    for at, found in work.run("ask for neighbours", ask_block, jobs, progress, schema.sent):
        piece = at // len(blocks)
        pieces[piece] = search.joined([pieces[piece], found.lists], k + 1)
        several.append(found.several)
        counts.append(found.count)
        own[cuts[piece]][found.own[0]] = found.own[1]
    every = np.arange(len(queries))
    lists = lists_in_order([(piece, every[cut]) for piece, cut in zip(pieces, cuts, strict=True)], len(queries))
    settled = search.settled(lists, k + 1)
    named, first = np.unique(np.concatenate(several), return_index=True)
    count = np.ones(len(settled.number), dtype=np.int64)
    if len(named):
        place = np.minimum(np.searchsorted(named, settled.number), len(named) - 1)
        count = np.where(named[place] == settled.number, np.concatenate(counts)[first][place], 1)
    count = count - (settled.number == own[settled.query])
    return _without_nobody(settled, count, len(schema.classes))


def _without_nobody(lists: PartLists, count: NDArray[np.int64], n_classes: int) -> Listed:
    kept = count > 0
    start = np.concatenate([[0], np.cumsum(np.bincount(lists.query[kept], minlength=len(lists.start) - 1))])
    return Listed(PartLists(start, lists.number[kept], lists.value[kept]), count[kept], n_classes)


def agreement(listed: Listed, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """For each row of the sample the share of its nearest tied group that has its class."""
    lists = listed.lists
    query = lists.query
    nearest = lists.value == lists.value[lists.start[:-1]][query]
    weight = np.where(nearest, listed.count, 0)
    size = np.bincount(query, weights=weight, minlength=len(codes))
    same = np.bincount(query, weights=weight * (listed.code == codes[query]), minlength=len(codes))
    return np.asarray(same / size)


def stratified_interval(
    samples: NDArray[np.float64], codes: NDArray[np.int32], class_counts: NDArray[np.int64], confidence: float
) -> tuple[float, tuple[float, float]]:
    """The mean over all rows that a stratified sample estimates, and Wilson's interval for as many trials as it tells.

    The variance of the estimate is that of a stratified sample without replacement; where hardly any row disagrees
    the sample counts as one without strata, which errs on the safe side.
    """
    n, m = class_counts.sum(), np.bincount(codes, minlength=len(class_counts))
    weight = class_counts / n
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(codes, samples, len(m)) / m
        spread = np.bincount(codes, (samples - mean[codes]) ** 2, len(m)) / np.maximum(m - 1, 1)
        variance = np.nansum(weight**2 * (1 - m / class_counts) * spread / m)
    score = float(np.nansum(weight * mean))
    total = float(m.sum())
    if total >= n:
        return score, (score, score)
    trials = total * (n - 1) / (n - total)
    ratio = (score * (1 - score) * trials + _SEEN) / (variance * trials**2 + _SEEN)
    return score, wilson_interval(score, trials * ratio, confidence)


def sampled_test(
    schema: Schema, search: PartSearch, listed: Listed, drawn: Drawn, confidence: float, notes: tuple[str, ...]
) -> ThorntonTest:
    """Thornton's index of all rows as the sample tells it."""
    counts, n, labels = schema.class_counts, schema.n_rows, schema.classes.tolist()
    samples = agreement(listed, drawn.codes)
    score, interval = stratified_interval(samples, drawn.codes, counts, confidence)
    chance = float(np.sum(counts * (counts - 1.0)) / (n * (n - 1.0)))
    asked = np.bincount(drawn.codes, minlength=len(labels))
    with np.errstate(invalid="ignore"):
        per_class = np.bincount(drawn.codes, samples, len(labels)) / asked
    trials = sampled_trials(asked, counts)
    intervals = [wilson_interval(*each, confidence) for each in zip(per_class.tolist(), trials.tolist(), strict=True)]
    return ThorntonTest(
        score=score,
        chance=chance,
        corrected=(score - chance) / (1 - chance) if chance < 1 else 0.0,
        macro=float(np.nanmean(per_class)),
        per_class=dict(zip(labels, per_class.tolist(), strict=True)),
        class_chance=dict(zip(labels, ((counts - 1.0) / (n - 1.0)).tolist(), strict=True)),
        class_interval=dict(zip(labels, intervals, strict=True)),
        class_counts=dict(zip(labels, counts.tolist(), strict=True)),
        interval=interval,
        confidence=confidence,
        z=None,
        p_value=None,
        p_source=None,
        permutation_std=None,
        permutation_skewness=None,
        permutation_p=None,
        n_rows=n,
        n_queries=len(drawn.rows),
        n_permutations=0,
        n_groups=None,
        distance=search.fitted.name,
        method="approximate" if search.method == "approximate" else "blocks",
        notes=notes,
    )
