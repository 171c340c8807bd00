"""Suspects among the rows of a sample that asked all rows: each is judged by its nearest of all, wherever these are.

The lists of the sample tell who is contradicted. Two passes more, for these only: the first fetches their neighbours,
and the nearest of their own class where no list has one; in the second the neighbours that contradict them ask.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table
from sepal.measures import NEAR, ROUNDING, NearDuplicate, SuspectRow, Suspects, margin_solve
from sepal.neighbors import PartLists, PartSearch, lists_in_order
from sepal.progress import Progress, stage
from sepal.scale._blocks import RowBlock, block_table, codes_of
from sepal.scale._drawing import Drawn
from sepal.scale._sampled import Listed, SampleAsked, ask_sample
from sepal.scale._schema import Schema
from sepal.scale._work import Workplace

Array = NDArray[np.float64]
RowNumbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AskedSuspects:
    """Suspects of a sample, and the cells of these and of their neighbours.

    ``rows`` are the numbers of the rows of ``cells`` among all rows, ascending.
    """

    found: Suspects
    rows: RowNumbers
    cells: Table


@dataclass(frozen=True, eq=False)
class _Votes:
    """Of each row of the sample its k nearest, those tied at the k-th place included: shares of classes, and reach."""

    inside: NDArray[np.bool_]  # of the entries of the lists
    shares: Array
    reach: Array  # distance of the k-th
    distance: Array  # of the entries


def _votes(search: PartSearch, listed: Listed, k: int) -> _Votes:
    lists = listed.lists
    query, distance = lists.query, search.distances(lists)
    n = len(lists.start) - 1
    before = np.concatenate([[0], np.cumsum(listed.count)])
    seen = before[1:] - before[lists.start[:-1]][query]  # rows up to each entry
    at = np.minimum(lists.start[:-1] + np.bincount(query[seen < k], minlength=n), lists.start[1:] - 1)
    last = lists.value[at]
    inside, tied = lists.value <= last[query], lists.value == last[query]
    n_tied = np.bincount(query, np.where(tied, listed.count, 0), n)
    n_nearer = np.bincount(query, np.where(inside & ~tied, listed.count, 0), n)
    weight = np.where(tied, ((k - n_nearer) / n_tied)[query], 1.0) * listed.count / k * inside
    flat = query * listed.n_classes + listed.code
    shares = np.bincount(flat, weight, n * listed.n_classes).astype(np.float64).reshape(n, listed.n_classes)
    return _Votes(inside, shares, distance[at], distance)


def fetch_and_own(
    search: PartSearch,
    block: RowBlock,
    classes: NDArray[Any],
    wanted: RowNumbers,
    queries: Array,
    codes: NDArray[np.int32],
    rows: RowNumbers,
    threads: int,
) -> tuple[Array, PartLists]:
    """The cells of some rows of a block, and for each query its nearest rows of the own class there."""
    table = block_table(block)
    points, of_row = search.fitted.embed(table), codes_of(np.asarray(table.y), classes)
    pieces, search = [], replace(search, method="auto")  # few rows ask, for whom no index is made
    for code in range(len(classes)):
        asking, among = np.flatnonzero(codes == code), np.flatnonzero(of_row == code)
        lists = search.lists(queries[asking], points[among], 2, among + block.first_row, threads)
        pieces.append((lists.without(rows[asking]), asking))
    return table.values[wanted - block.first_row], lists_in_order(pieces, len(queries))


def suspects_asked(
    schema: Schema,
    work: Workplace,
    asked: SampleAsked,
    k: int,
    notes: tuple[str, ...],
    progress: Progress | None = None,
) -> AskedSuspects:
    """The rows of a sample that their k nearest of all rows contradict, worst first."""
    search, drawn, listed = asked.search, asked.drawn, asked.listed
    lists, codes = listed.lists, drawn.codes
    votes, query = _votes(search, listed, k), listed.lists.query
    own = votes.shares[np.arange(len(codes)), codes]
    others = votes.shares.copy()
    others[np.arange(len(codes)), codes] = -1.0
    voted, share = others.argmax(axis=1), others.max(axis=1)
    against = listed.code != codes[query]
    hit, miss = (_nearest(votes.distance, lists, each) for each in (~against, against))
    maybe = np.flatnonzero(share > own + ROUNDING)
    listing = np.flatnonzero(votes.inside & np.isin(query, maybe))
    flat = listing[against[listing]]
    listing, near = np.unique(lists.number[listing]), np.unique(lists.number[flat])  # entries; those that contradict
    fetched, far = _fetched(schema, work, asked, listing, maybe[np.isinf(hit[maybe])], progress)
    margin = margin_solve(np.fmin(hit, far), miss, normalized=True)
    at = maybe[~(margin[maybe] > ROUNDING)]
    reach = np.zeros(0)
    if len(near):
        values = fetched[np.searchsorted(listing, near)]
        asking = Drawn(near // listed.n_classes, (near % listed.n_classes).astype(np.int32), values, None, np.zeros(0))
        ask = ask_sample(schema, search, asked.blocks, asking, k, work, stage(progress, "asking those near suspects"))
        reach = _votes(search, ask, k).reach
    flat = flat[votes.distance[flat] <= reach[np.searchsorted(near, lists.number[flat])] * (1 + 1e-12)]
    mutual = np.bincount(query[flat], listed.count[flat], len(codes))
    order = at[np.lexsort((drawn.rows[at], np.nan_to_num(margin[at]), -mutual[at], own[at]))]
    labels = schema.classes.tolist()

    def told(q: int) -> SuspectRow:
        part = np.arange(lists.start[q], lists.start[q + 1])[votes.inside[lists.start[q] : lists.start[q + 1]]]
        return SuspectRow(
            row=int(drawn.rows[q]),
            label=labels[codes[q]],
            voted=labels[voted[q]],
            own_share=float(own[q]),
            voted_share=float(share[q]),
            margin=float(margin[q]),
            mutual=int(mutual[q]),
            neighbors=tuple((lists.number[part] // listed.n_classes).tolist()),
            neighbor_labels=tuple(labels[code] for code in listed.code[part]),
            neighbor_distances=tuple(votes.distance[part].tolist()),
        )

    first = votes.distance[lists.start[:-1]]
    usual = float(np.median(first[first > 0])) if (first > 0).any() else 0.0
    found = Suspects(
        rows=tuple(told(q) for q in order.tolist()),
        conflicts=(),
        duplicates=(),
        near_duplicates=_near_duplicates(asked, votes, usual, labels),
        usual_distance=usual,
        n_rows=schema.n_rows,
        n_checked=len(codes),
        k=k,
        distance=search.fitted.name,
        notes=notes,
    )
    rows = np.concatenate([drawn.rows[at], listing // listed.n_classes])
    rows, which = np.unique(rows, return_index=True)
    return AskedSuspects(found, rows, _cells(schema.like, np.concatenate([drawn.values[at], fetched])[which]))


def _nearest(distance: Array, lists: PartLists, which: NDArray[np.bool_]) -> Array:
    """The distance of the first entry of each list that is such a one; infinite where none is."""
    found = np.full(len(lists.start) - 1, np.inf)
    np.minimum.at(found, lists.query[which], distance[which])
    return found


def _fetched(
    schema: Schema,
    work: Workplace,
    asked: SampleAsked,
    near: RowNumbers,
    alone: NDArray[np.intp],
    progress: Progress | None,
) -> tuple[Array, Array]:
    """The cells of entries, and of rows of the sample the distance to the nearest of their class; else infinite."""
    search, drawn, blocks = asked.search, asked.drawn, asked.blocks
    rows, codes = near // asked.listed.n_classes, drawn.codes[alone]
    queries = search.fitted.embed(_cells(schema.like, drawn.values[alone]))
    cells, lists = np.empty((len(rows), schema.like.n_columns)), PartLists.empty(len(alone))
    jobs, places = [], []
    for block in blocks:
        places.append(np.flatnonzero((rows >= block.first_row) & (rows < block.first_row + block.n_rows)))
        given = (rows[places[-1]], queries, codes, drawn.rows[alone], work.threads)
        jobs.append((search, block, schema.classes, *given))
    tell = stage(progress, "looking at suspects")
    for at, (values, found) in work.run("look at suspects", fetch_and_own, jobs, tell, schema.sent):
        cells[places[at]] = values
        lists = search.joined([lists, found], 1)
    far, settled = np.full(len(drawn.codes), np.inf), search.settled(lists, 1)
    own = np.diff(settled.start) > 0
    far[alone[own]] = search.distances(settled)[settled.start[:-1][own]]
    return cells, far


def _cells(like: Table, values: Array) -> Table:
    return Table(values, like.names, like.kinds, like.levels, target=like.target, name=like.name)


def _near_duplicates(asked: SampleAsked, votes: _Votes, usual: float, labels: list[Any]) -> tuple[NearDuplicate, ...]:
    lists, n_classes, drawn = asked.listed.lists, asked.listed.n_classes, asked.drawn
    query, code, distance = lists.query, asked.listed.code, votes.distance
    close = votes.inside & (code != drawn.codes[query]) & (distance > 0) & (distance <= NEAR * usual)
    pairs = {}
    for at in np.flatnonzero(close).tolist():
        one = (int(drawn.rows[query[at]]), labels[drawn.codes[query[at]]])
        two = (int(lists.number[at] // n_classes), labels[code[at]])
        first, second = sorted((one, two), key=lambda each: each[0])
        pairs[first[0], second[0]] = NearDuplicate((first[0], second[0]), (first[1], second[1]), float(distance[at]))
    return tuple(sorted(pairs.values(), key=lambda each: (each.distance, each.rows)))
