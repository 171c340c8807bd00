"""Margins of the rows that ask, and five numbers of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.measures import hit_and_miss_of, margin_solve, nearest_hit_and_miss
from sepal.report._facts import MarginFacts
from sepal.report._rows import ReportRows


def margins(rows: ReportRows) -> NDArray[np.float64]:
    """The normalized margin of every row that asks; NaN for the only member of a class."""
    if rows.sample is None and rows.groups is None:
        return margin_solve(*nearest_hit_and_miss(rows.ready), normalized=True)
    return margin_solve(*hit_and_miss_of(rows.ready, rows.ready.asking, rows.groups), normalized=True)


def margin_facts(margin: NDArray[np.float64]) -> MarginFacts:
    """Five numbers; all NaN if no row has another one of its class."""
    defined = margin[~np.isnan(margin)]
    lowest, lower, median, upper, highest = (
        np.quantile(defined, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist() if defined.size else [np.nan] * 5
    )
    return MarginFacts(lowest, lower, median, upper, highest, int(np.sum(defined < 0)), int(margin.size))
