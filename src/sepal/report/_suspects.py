"""The rows whose neighbours contradict their class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table
from sepal.measures import hypothesis_margin
from sepal.neighbors import Search
from sepal.report._facts import ClassCount, MarginFacts, Suspect, SuspectsFacts
from sepal.report._rows import Rows

MOST_SHOWN = 10
NEIGHBORS = 5


def margins(rows: Rows, **settings: Any) -> NDArray[np.float64]:
    """The normalized margin of every row that asks; NaN for the only member of a class."""
    if rows.sample is None:
        return hypothesis_margin(rows.table, normalized=True, **settings)
    return _sample_margins(Search.prepare(rows.table, **settings), rows.codes, rows.sample)


def _sample_margins(search: Search, codes: NDArray[np.int32], asking: NDArray[np.intp]) -> NDArray[np.float64]:
    hit, miss = np.full(len(asking), np.inf), np.full(len(asking), np.inf)
    for code in np.unique(codes[asking]):
        mine = codes[asking] == code
        inside, outside = np.flatnonzero(codes == code), np.flatnonzero(codes != code)
        miss[mine] = search.nearest_distance(outside, asking[mine])
        if len(inside) > 1:
            same = search.among(inside)
            at = np.searchsorted(inside, asking[mine])
            found = same.distinct_ranking(1, rows=at)
            hit[mine] = found.distances[found.start[np.searchsorted(found.queries, same.group_of[at])]]
    total = hit + miss
    apart = np.isfinite(hit) & (total > 0)
    margin = np.where(np.isinf(hit), np.nan, 0.0)
    margin[apart] = (miss[apart] - hit[apart]) / 2.0 / total[apart]
    return margin


def margin_facts(margin: NDArray[np.float64]) -> MarginFacts:
    """Five numbers; all NaN if no row has another one of its class."""
    defined = margin[~np.isnan(margin)]
    lowest, lower, median, upper, highest = (
        np.quantile(defined, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist() if defined.size else [np.nan] * 5
    )
    return MarginFacts(lowest, lower, median, upper, highest, int(np.sum(defined < 0)), int(margin.size))


def suspects_facts(rows: Rows, margin: NDArray[np.float64], **settings: Any) -> SuspectsFacts:
    """The worst rows with what stands around them."""
    asking = np.arange(rows.table.n_rows) if rows.sample is None else rows.sample
    negative = np.flatnonzero(margin < 0)
    worst = negative[np.lexsort((asking[negative], margin[negative]))][:MOST_SHOWN]
    groups, members = conflicts(rows.table, rows.codes)
    return SuspectsFacts(
        shown=_described(rows, asking[worst], margin[worst], settings),
        n_contradicted=len(negative),
        n_checked=len(asking),
        n_conflict_groups=groups,
        n_conflict_rows=members,
    )


def _described(
    rows: Rows, worst: NDArray[np.intp], margin: NDArray[np.float64], settings: dict[str, Any]
) -> tuple[Suspect, ...]:
    if len(worst) == 0:
        return ()
    k = min(NEIGHBORS, rows.table.n_rows - 1)
    search = Search.prepare(rows.table, **settings)
    lists = search.distinct_ranking(k, rows=worst).per_row(k, "expected", worst)
    found = []
    for i, row in enumerate(worst.tolist()):
        near = slice(lists["start"][i], lists["start"][i + 1])
        neighbors = lists["flat_rows"][near]
        counts = np.bincount(rows.codes[neighbors], minlength=len(rows.classes))
        nearest = int(neighbors[0])
        found.append(
            Suspect(
                row=int(rows.origin[row]),
                data_row=int(rows.origin[row]) + 1,
                label=rows.classes[rows.codes[row]],
                margin=float(margin[i]),
                nearest_row=int(rows.origin[nearest]),
                nearest_data_row=int(rows.origin[nearest]) + 1,
                nearest_label=rows.classes[rows.codes[nearest]],
                nearest_distance=float(lists["flat_distances"][near][0]),
                neighborhood=tuple(
                    ClassCount(rows.classes[code], int(counts[code]))
                    for code in np.argsort(-counts, kind="stable").tolist()
                    if counts[code]
                ),
            )
        )
    return tuple(found)


def conflicts(table: Table, codes: NDArray[np.int32]) -> tuple[int, int]:
    """Groups of equal rows with more than one class, and the rows in them. A missing cell equals a missing cell."""
    # Tables hold no infinities, so one can stand for a missing cell; adding 0 makes -0 and 0 one value.
    cells = np.ascontiguousarray(np.where(np.isnan(table.values), np.inf, table.values) + 0.0)
    whole_rows = cells.view(np.dtype((np.void, cells.itemsize * cells.shape[1]))).ravel()
    _, group_of = np.unique(whole_rows, return_inverse=True)
    low = np.full(group_of.max() + 1, codes.max() + 1)
    high = np.full(group_of.max() + 1, -1)
    np.minimum.at(low, group_of, codes)
    np.maximum.at(high, group_of, codes)
    mixed = low != high
    return int(mixed.sum()), int(mixed[group_of].sum())
