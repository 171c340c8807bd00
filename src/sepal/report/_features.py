"""Which features separate the classes: every subset of few columns, a forward search of many."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sepal.data import name_key
from sepal.exceptions import DataError
from sepal.measures import sample_rows
from sepal.progress import Progress
from sepal.report._facts import FeatureFacts, FeatureShare
from sepal.report._rows import ReportRows

if TYPE_CHECKING:
    from sepal.selection import SubsetSearch, SubsetSweep

SWEPT_COLUMNS, SEARCHED_COLUMNS = 12, 200
MOST_SECONDS = 2.0  # by the careful estimate for one thread, so that the report is the same on every machine
SEARCHED_ROWS = 2_000
SUMMED_DISTANCES = ("euclidean", "heom")  # what the sweep of subsets adds up column by column


def feature_facts(
    rows: ReportRows,
    random_state: int,
    progress: Progress,
) -> FeatureFacts:
    """What subsets of the columns score. Raises where that is not a matter of a moment, or of another distance."""
    n_columns = rows.table.n_columns
    if n_columns < 2:
        raise DataError("one column leaves nothing to choose")
    if rows.distance not in SUMMED_DISTANCES:
        raise DataError(f"subsets are scored by Euclidean distance or HEOM, not {rows.distance}")
    if n_columns > SEARCHED_COLUMNS:
        raise DataError(f"{n_columns:,} columns take long to choose from; see sepal select")
    from sepal.selection import PAIRS_PER_SECOND, inclusion, search_subsets, smallest, subset_sweep, sweep_cost

    found: SubsetSweep | SubsetSearch
    table, scale, groups, strategy = rows.table, rows.scale, rows.groups, "every subset"
    if n_columns <= SWEPT_COLUMNS and sweep_cost(table.n_rows, n_columns, threads=1)[0] <= MOST_SECONDS:
        n_subsets = 2**n_columns - 1
        found = subset_sweep(
            table,
            scale=scale,
            groups=groups,
            n_jobs=rows.n_jobs,
            progress=progress,
        )
    else:
        strategy = "forward"
        if table.n_rows > SEARCHED_ROWS:
            drawn = sample_rows(table, rows.ready.codes, SEARCHED_ROWS, random_state)
            table, scale = rows.part(drawn)
            groups = None if groups is None else groups[drawn]
        most = max(n_columns + 1, math.ceil(MOST_SECONDS * PAIRS_PER_SECOND / float(table.n_rows) ** 2))
        found = search_subsets(
            table,
            strategy="forward",
            max_evaluations=most,
            scale=scale,
            groups=groups,
            n_jobs=rows.n_jobs,
            progress=progress,
        )
        n_subsets = found.n_evaluations
    near = found.near_best()
    least, shares = smallest(near), inclusion(near, found.names)
    return FeatureFacts(
        strategy=strategy,
        n_rows=table.n_rows,
        n_subsets=n_subsets,
        n_near_best=len(near),
        best=near[0].features,
        best_score=near[0].score,
        smallest=least.features,
        smallest_score=least.score,
        inclusion=tuple(FeatureShare(name, shares[name]) for name in sorted(shares, key=name_key)),
    )
