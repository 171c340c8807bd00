"""As many rows as a search of subsets has time for."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.data import Table, as_table, rows_by_content, sample_by_class
from sepal.measures import Prepared, groups_taken
from sepal.parameters import RandomState, generator
from sepal.selection._choose import Procedure
from sepal.selection._criteria import PAIRS_PER_SECOND, as_criterion
from sepal.selection._problem import FeatureProblem

_FEWEST_ROWS = 500  # there is always time for these
_PASSES = 10  # looks at every column that a search should have time for
_OF_A_SEARCH = 0.5  # of its seconds; the rest is for the comparison of what it met, and for being wrong

_OF_THE_LIMIT, _LEAST_PART = (
    0.8,
    0.1,
)  # for searches, the rest for what is between; seconds below which folds are left out

NO_FOLDS = (
    "the time limit left no time to select again inside folds, so that there is no accuracy on rows that took no "
    "part in selecting"
)


class NoTimeForFoldsError(Exception):
    """Ends the repetition inside folds; never leaves :func:`select_facts`."""


def seconds_of_each(time_limit: float | None, honest: bool, cv: int) -> tuple[float | None, bool]:
    """The seconds of each search, and whether there is time for folds.

    Examples
    --------
    >>> seconds_of_each(11.0, True, 10), seconds_of_each(1.0, True, 10), seconds_of_each(None, True, 10)
    ((0.8, True), (0.8, False), (None, True))
    """
    if time_limit is None:
        return None, honest
    whole = _OF_THE_LIMIT * time_limit
    folded = honest and whole / (1 + cv) >= _LEAST_PART
    return whole / (1 + cv) if folded else whole, folded


def rows_for_the_time(
    X: Any, y: Any, problem: FeatureProblem, groups: Any, how: Procedure, seconds: float, random_state: RandomState
) -> tuple[Table, Any, str | None]:
    """The rows, or a random sample that a search of so many seconds can go through; their groups, and a note.

    What scoring a subset costs grows with the square of the rows, so that a sample is the only way to look at many
    subsets in little time. Every class keeps its share.
    """
    table = as_table(X, y)
    n, p = problem.n_rows, problem.n_units
    looks = min(p * (p + 1) / 2, float(_PASSES * p))
    cost = as_criterion(how.criterion, how.ties).cost_on(problem)
    squares = _OF_A_SEARCH * seconds * PAIRS_PER_SECOND * problem.threads / (cost * looks)
    most = max(_FEWEST_ROWS, int(min(squares, 1e18) ** 0.5))
    if most >= n:
        return table, groups, None
    codes = np.unique(np.asarray(table.y), return_inverse=True)[1]
    drawn = sample_by_class(rows_by_content(table, codes), codes, most, generator(random_state))
    if groups is not None and not isinstance(groups, str):
        groups = groups_taken(groups, X, y, X.rows if isinstance(X, Prepared) else np.arange(table.n_rows))[drawn]
    note = f"the time limit allows {len(drawn):,} of {table.n_rows:,} rows: a random sample of them was searched"
    return table.take(drawn), groups, note
