"""The features of a small table: every subset is tried, and those near the best are counted."""

from __future__ import annotations

from sepal.data import ScaleName
from sepal.report._facts import FeatureFacts, FeatureShare
from sepal.report._rows import Rows

MOST_COLUMNS = 12
MOST_SECONDS = 2.0  # by the careful estimate for one thread, so that the report is the same on every machine
DISTANCES = ("euclidean", "heom")  # what the sweep of subsets adds up column by column


def feature_facts(rows: Rows, distance: str, scale: ScaleName | None, n_jobs: int | None) -> FeatureFacts | None:
    """What every subset of the columns scores; None where that is not a matter of a moment, or of another distance."""
    n_columns = rows.table.n_columns
    if not 2 <= n_columns <= MOST_COLUMNS or rows.sample is not None or distance not in DISTANCES:
        return None
    # Only now: whoever reports on a wide table need not wait for it.
    from sepal.selection import subset_sweep
    from sepal.selection._near_best import inclusion, smallest
    from sepal.selection._subset_sweep import sweep_cost

    if sweep_cost(rows.table.n_rows, n_columns, threads=1)[0] > MOST_SECONDS:
        return None
    sweep = subset_sweep(rows.table, scale=scale, n_jobs=n_jobs)
    near = sweep.near_best()
    least = smallest(near)
    return FeatureFacts(
        n_subsets=len(sweep.scores) - 1,
        n_near_best=len(near),
        best=near[0].features,
        best_score=near[0].score,
        smallest=least.features,
        smallest_score=least.score,
        inclusion=tuple(FeatureShare(name, share) for name, share in inclusion(near, sweep.names).items()),
    )
