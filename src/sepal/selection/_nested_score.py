"""How well a selection does on rows that took no part in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import (
    Table,
    data_frame,
)
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors import neighbor_ranking
from sepal.parameters import Parameter, RandomState, checked, generator
from sepal.progress import Progress
from sepal.selection._choose import Procedure, procedure_keywords
from sepal.selection._near_best import Subset
from sepal.selection._nested_error import gain_error, nested_error
from sepal.selection._parameters import PROCEDURE
from sepal.selection._problem import FeatureProblem
from sepal.selection._row_units import by_content, class_of_units, groups_within, row_units
from sepal.selection._search import SubsetSearch
from sepal.selection._subset_sweep import SubsetSweep


@dataclass(frozen=True, eq=False)
class NestedScore:
    """The accuracy of the whole procedure, beside the optimistic score of the subset it selects.

    Attributes
    ----------
    honest : float
        Accuracy of 1-NN on rows that took no part in selecting the features.
    standard_error : float
        Of ``honest``: 1.96 of them to both sides make a 95 % interval for the accuracy that the selected subset has on
        further rows. It allows for rows that answer each other, for folds that select other features, and for groups
        that were held out together.
    all_features : float
        The same accuracy without selection, on the same folds.
    gain_error : float
        Standard error of ``honest - all_features``, which are accuracies on the same rows.
    optimistic : float
        The score of the subset selected from all rows, on those rows.
    subset : Subset
        The subset selected from all rows.
    folds : tuple of Subset
        What was selected in each fold.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import nested_score
    >>> found = nested_score(table, cv=4)
    >>> found.honest, found.optimistic
    (1.0, 1.0)
    """

    honest: float
    standard_error: float
    all_features: float
    gain_error: float
    optimistic: float
    subset: Subset
    folds: tuple[Subset, ...]

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval for the accuracy of 1-NN with the selected subset on further rows."""
        reach = 1.96 * self.standard_error
        return max(0.0, self.honest - reach), min(1.0, self.honest + reach)

    def frame(self) -> Any:
        """One row per fold."""
        return data_frame(
            {
                "fold": range(1, len(self.folds) + 1),
                "size": [s.size for s in self.folds],
                "optimistic": [s.score for s in self.folds],
                "features": [", ".join(s.features) for s in self.folds],
            }
        )


@checked(
    Parameter("cv", "whole", "how many folds", at_least=2), *PROCEDURE, passes_on=procedure_keywords("random_state")
)
def nested_score(
    X: Any,
    y: Any = None,
    *,
    cv: int = 10,
    groups: Any = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
    result: SubsetSweep | SubsetSearch | None = None,
    **procedure: Any,
) -> NestedScore:
    """Nested cross-validation of "select features, then ask the nearest neighbour": the selection is inside every fold.

    Parameters
    ----------
    X, y
        Labelled rows.
    cv : int
        Folds, each with its share of every class.
    groups : array-like, "rows", "copies" or None
        Rows of one group are held out together: those with the same label in an array; "rows": each alone; "copies":
        all that are equal in every column. None: copies together where their numbers show that records were repeated.
        So they are where subsets are judged inside a fold.
    random_state, progress
        As in :func:`selection_test`.
    strategy, criterion, n_features, prefer, scale, ties, missing, blocks, keep
        How features are selected: as in :class:`SeparabilitySelector`; ``missing`` as in :func:`subset_sweep`.
    time_limit, max_evaluations, patience, n_jobs, options, **procedure
        Bounds of a search: as in :func:`search_subsets`.
    result : SubsetSweep or SubsetSearch, optional
        What the procedure found on all rows, where that is known already.

    Returns
    -------
    NestedScore
        The honest accuracy with its interval, beside the optimistic score and that of all features.

    Notes
    -----
    Scaling is learned from the training rows of each fold. Tied neighbours are averaged over.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> nested_score(table, cv=4).honest
    1.0
    """
    how = Procedure(random_state=random_state, **procedure)
    given, how = how.prepare(X, y, groups), how.settled_by(X)
    problem = by_content(how, given)
    table, n = problem.table, problem.n_rows
    units = row_units(problem)
    n_units = int(units.max()) + 1
    _check_units(cv, n_units, "rows" if n_units == n else "groups", problem)
    if result is not None and not isinstance(result, (SubsetSweep, SubsetSearch)):
        raise ParameterError(f"result must be what subset_sweep or search_subsets gave, or None; got {result!r}")
    subset = how.choose(how.run(problem) if result is None else result)
    fold_of = _stratified_folds(problem.codes, units, cv, generator(random_state))
    right, right_all = np.zeros(n), np.zeros(n)
    folds = []
    for fold in range(cv):
        test = np.flatnonzero(fold_of == fold)
        train_table, test_table = table.take(fold_of != fold), table.take(test)
        folds.append(how.select(train_table, groups_within(problem, np.flatnonzero(fold_of != fold))))
        codes = problem.codes[fold_of != fold], problem.codes[test]
        right[test] = _nearest_agrees(train_table, test_table, codes, folds[-1].columns, how.scale)
        right_all[test] = _nearest_agrees(train_table, test_table, codes, tuple(range(table.n_columns)), how.scale)
        if progress is not None:
            progress(f"fold {fold + 1} of {cv}", (fold + 1) / cv)
    return NestedScore(
        honest=float(right.mean()),
        standard_error=nested_error(right, problem.codes, units),
        all_features=float(right_all.mean()),
        gain_error=gain_error(right, right_all, problem.codes, units),
        optimistic=subset.score,
        subset=subset,
        folds=tuple(folds),
    )


def _check_units(cv: int, n_units: int, what: str, problem: FeatureProblem) -> None:
    """Refuse folds that there are too few rows or groups for; of groups two must be left to select from."""
    if problem.groups is not None and n_units < 3:
        raise DataError(
            f"there are {n_units} groups only: while one is held out the other rows are all in one group, and features "
            "are judged by leaving out a group",
            hint="collect rows of a third group, or do without rows that are held out: honest=False, --cv 0",
        )
    if not 2 <= cv <= n_units:
        raise ParameterError(
            f"cv must be from 2 to {n_units}, the number of {what}; got {cv!r}", hint=f"cv={n_units}, --cv {n_units}"
        )
    largest = -(-n_units // cv)
    if problem.groups is not None and n_units - largest < 2:
        raise ParameterError(
            f"cv={cv}: a fold holds out {largest} of {n_units} groups, and features are judged by leaving out one of "
            "two groups at least",
            hint=f"cv={n_units}, --cv {n_units}",
        )


def _stratified_folds(
    codes: NDArray[np.int32], units: NDArray[np.intp], cv: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Units of each class dealt to the folds in turn, in random order, one class going on where the last one ended."""
    class_of = class_of_units(units, codes)
    order = np.concatenate([rng.permutation(np.flatnonzero(class_of == c)) for c in np.unique(class_of)])
    dealt = np.empty(len(class_of), dtype=np.int64)
    dealt[order] = np.arange(len(class_of)) % cv
    fold_of = dealt[units]
    if any(len(class_set) < 2 for class_set in (np.unique(codes[fold_of != f]) for f in range(cv))):
        raise DataError("a fold leaves one class only to learn from", hint="use fewer folds")
    return fold_of


def _nearest_agrees(
    train: Table, test: Table, codes: tuple[NDArray[np.int32], NDArray[np.int32]], columns: tuple[int, ...], scale: Any
) -> NDArray[np.float64]:
    """For each test row the share of its nearest tied training rows that have its class."""
    ranking = neighbor_ranking(
        train.select(columns), 1, queries=test.select(columns), distance="heom", scale=scale, ties="expected"
    )
    lengths = np.diff(ranking.start)
    query = np.repeat(np.arange(len(lengths)), lengths)
    agrees = codes[0][ranking.flat_rows] == codes[1][query]
    return np.bincount(query, weights=agrees, minlength=len(lengths)) / lengths
