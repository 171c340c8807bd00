"""One chain of the founding paper: min-max scaling, the separability subset, the aligned width, feature vectors.

Nothing is asked of the user, but not everything is free of choice: what was fixed here is listed in ``FIXED_CHOICES``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, content_columns
from sepal.estimators import View, fit_view
from sepal.machines import FeatureVectorClassifier, class_sample, order_keys
from sepal.measures import AlignmentCurve, alignment_curve
from sepal.selection import Procedure, Subset

Array = NDArray[np.float64]
Codes = NDArray[np.int32]

CHAIN_ROWS = 2000  # subsets and widths are judged on at most this many rows
CHAIN_RIDGES = (1e-3, 1e-2, 1e-1, 1.0)
MOST_VECTORS = 1000
_MOST_NUMBERS = 10_000_000  # rows times vectors, for time and memory
# Pairs of rows, over all subsets: both rules count work and not seconds, so that no machine answers otherwise.
_SWEEP_PAIRS = 5e9
_SEARCH_PAIRS = 2e10

FIXED_CHOICES = (
    "columns are scaled by their range, and a missing number stands in the middle of its column",
    "equally near rows count by their mean in Thornton's index, and among equal subsets the smallest wins",
    "alignment is centred, its widths are 41 in steps of a quarter octave, refined at the peak",
    f"at most {MOST_VECTORS:,} vectors; number and ridge ({len(CHAIN_RIDGES)} tried) by squared leave-one-out error",
)


@dataclass(frozen=True, eq=False)
class ChainLink:
    """The fitted steps, in their order.

    Attributes
    ----------
    columns : tuple of int
        The columns in use.
    subset : Subset or None
        The best subset by Thornton's index; None if all columns were to be used.
    view : View
        Min-max scaling of these columns.
    alignment : AlignmentCurve or None
        Alignment by width; None if all rows are alike.
    width : float
    machine : FeatureVectorClassifier
        The linear classifier on the feature vectors; its ``alpha`` is the chosen ridge.
    """

    columns: tuple[int, ...]
    subset: Subset | None
    view: View
    alignment: AlignmentCurve | None
    width: float
    machine: FeatureVectorClassifier

    def probabilities(self, table: Table) -> Array:
        """One column per class that the link knows."""
        return self.machine.predict_proba(_coordinates(self.view, table, self.columns))


def link_solve(
    table: Table,
    codes: Codes,
    groups: NDArray[np.intp] | None,
    *,
    subset: bool,
    max_vectors: int | None,
    random_state: Any,
    n_jobs: int | None,
) -> ChainLink:
    """Fit the steps one after the other, each on what the one before it left; rows of a group are left out together."""
    sample = class_sample(codes, order_keys(table.values, codes), CHAIN_ROWS, random_state)
    # In an order of their own, so that among equal subsets the place of a column decides nothing.
    order = content_columns(table.values, codes).tolist()
    found = None
    if subset:
        found = _best_subset(table.select(order).take(sample), codes[sample], _told(groups, sample), n_jobs)
    columns = tuple(order) if found is None else tuple(order[column] for column in found.columns)
    found = None if found is None else _placed(found, table, columns)
    view = fit_view(table.select(columns), "minmax")
    points = _coordinates(view, table, columns)
    curve = _curve(points[sample], codes[sample], n_jobs)
    width = 1.0 if curve is None else curve.best_width  # one point: any width does
    most = max(1, min(max_vectors or MOST_VECTORS, _MOST_NUMBERS // table.n_rows))
    machines = [
        FeatureVectorClassifier(
            criterion="local",
            max_vectors=most,
            alpha=ridge,
            width=width,
            scale=None,
            random_state=random_state,
            n_jobs=n_jobs,
        ).fit(points, codes, groups=_told(groups, np.arange(table.n_rows)))
        for ridge in CHAIN_RIDGES
    ]
    return ChainLink(columns, found, view, curve, width, min(machines, key=lambda machine: machine.loo_squared_))


def _told(groups: NDArray[np.intp] | None, rows: NDArray[np.intp]) -> Any:
    """What a step on some of the rows is told of groups; where one group is left each row is alone."""
    if groups is None or np.all(groups[rows] == groups[rows[0]]):
        return "rows"
    return groups[rows]


def _best_subset(table: Table, codes: Codes, groups: Any, n_jobs: int | None) -> Subset:
    """The best of all subsets where they can be tried, else the best that a floating search meets."""
    pairs = float(table.n_rows) ** 2
    sweep = 2.0 ** min(table.n_columns, 1023) * pairs <= _SWEEP_PAIRS
    procedure = Procedure(
        strategy="sweep" if sweep else "floating",
        max_evaluations=None if sweep else max(2 * table.n_columns, int(_SEARCH_PAIRS / pairs)),
        n_jobs=n_jobs,
    )
    return procedure.select(replace(table, y=codes, target=None, class_order=None), groups)


def _placed(found: Subset, table: Table, columns: tuple[int, ...]) -> Subset:
    """The subset with its columns where they stand in the table."""
    places = tuple(sorted(columns))
    names = tuple(table.names[place] for place in places)
    return replace(found, mask=sum(1 << place for place in places), features=names, columns=places)


def _curve(points: Array, codes: Codes, n_jobs: int | None) -> AlignmentCurve | None:
    if np.all(points == points[0]):
        return None
    return alignment_curve(points, codes, scale=None, n_jobs=n_jobs)


def _coordinates(view: View, table: Table, columns: tuple[int, ...]) -> Array:
    points = view.coordinates(table.select(columns))
    return points if points.shape[1] else np.zeros((table.n_rows, 1))
