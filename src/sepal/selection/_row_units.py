"""What is permuted, halved and held out: single rows, or whole groups, in the order of their content.

Never drawn with replacement, since a copied row is its own nearest neighbour.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import numbered_by_first_row, rows_in_groups
from sepal.selection._choose import Procedure
from sepal.selection._problem import FeatureProblem


def by_content(how: Procedure, problem: FeatureProblem) -> FeatureProblem:
    """The same rows in the order of their content.

    Labelings, half-samples and folds are drawn for rows in this order: where a row stood must not decide.
    """
    order = rows_in_groups(problem.table, problem.codes, problem.groups)
    groups = groups_within(problem, order)
    if not isinstance(groups, str):
        groups = numbered_by_first_row(groups, np.arange(len(order)))
    return how.prepare(problem.table.take(order), groups=groups)


def row_units(problem: FeatureProblem) -> NDArray[np.intp]:
    """For each row the number of those that stay together."""
    return np.arange(problem.n_rows) if problem.groups is None else problem.groups


def groups_within(problem: FeatureProblem, rows: NDArray[Any]) -> Any:
    """What a selection from some of the rows is told of groups: those of all rows."""
    given = problem.left_out.together
    return problem.groups[rows] if given == "groups" and problem.groups is not None else given


def class_of_units(units: NDArray[np.intp], codes: NDArray[np.int32]) -> NDArray[np.intp]:
    """The most frequent class of each unit."""
    counts = np.zeros((units.max() + 1, codes.max() + 1), dtype=np.intp)
    np.add.at(counts, (units, codes), 1)
    return np.asarray(counts.argmax(axis=1))
