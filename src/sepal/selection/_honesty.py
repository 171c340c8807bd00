"""How far to believe a selected subset: chance, stability, and the accuracy of the whole procedure.

Rows are permuted, halved or held out; never drawn with replacement, since a copied row is its own nearest neighbour.
Rows of one group, and copies of a row where records were repeated, are halved and held out together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sepal.data import (
    Table,
    data_frame,
    numbered_by_first_row,
    rows_by_content,
)
from sepal.exceptions import DataError, ParameterError
from sepal.measures import chance_between_groups
from sepal.neighbors import neighbor_ranking
from sepal.parameters import Parameter, RandomState, checked, generator
from sepal.selection._choose import Procedure
from sepal.selection._criteria import Thornton, as_criterion
from sepal.selection._near_best import Subset
from sepal.selection._nested_error import gain_error, nested_error
from sepal.selection._problem import FeatureProblem, pack
from sepal.selection._program import full_tree
from sepal.selection._search import SubsetSearch
from sepal.selection._subset_sweep import SubsetSweep
from sepal.selection._sweep import labeling_sums

_LABELING_CELLS = 16_000_000  # subsets times labelings in memory together
Count = Callable[[float], object]


@dataclass(frozen=True, eq=False)
class SelectionTest:
    """The best score against the best scores that random labels give.

    Attributes
    ----------
    score : float
        Of the best subset.
    null : ndarray
        The best score of the same procedure under each random labeling.
    p_value : float
        Share of labelings, the real one included, whose best score reaches this one.
    bias : float
        Mean of ``null`` less the score that a subset fixed beforehand would have under random labels: what picking the
        best of many adds.
    """

    score: float
    null: NDArray[np.float64]
    p_value: float
    chance: float

    @property
    def bias(self) -> float:
        """What picking the best of many subsets adds under random labels."""
        return float(self.null.mean() - self.chance)

    def frame(self) -> Any:
        """One row per random labeling."""
        return data_frame({"best_score": self.null})


@checked()
def selection_test(
    X: Any,
    y: Any = None,
    *,
    n_permutations: int = 199,
    groups: Any = None,
    random_state: RandomState = 0,
    progress: Count | None = None,
    **procedure: Any,
) -> SelectionTest:
    """Could random labels have given a best subset as good as this one?

    Parameters
    ----------
    X, y
        Labelled rows.
    n_permutations : int
        Random labelings.
    groups : array-like, "rows", "copies" or None
        As in :func:`subset_sweep`. The labels of a group stay together: they are exchanged with those of another group
        of the same size.
    random_state : int, Generator or None
        For the labelings, and for strategies that use chance.
    progress : callable, optional
        Called with the share of the work that is done.
    **procedure
        How features are selected: parameters of :class:`SeparabilitySelector`.

    Returns
    -------
    SelectionTest

    Notes
    -----
    The null is that of the maximum: selection is repeated for every labeling, so the bias of picking the best is in it.
    Distances do not depend on labels: for a sweep by Thornton's index one walk serves all labelings.
    """
    if n_permutations < 1:
        raise ParameterError(f"n_permutations must be at least 1; got {n_permutations!r}")
    how = Procedure(random_state=random_state, **procedure)
    problem = _by_content(how, how.prepare(X, y, groups))
    rng = generator(random_state)
    labels = np.column_stack([problem.codes, *(_shuffled(problem, rng) for _ in range(n_permutations))])
    criterion = as_criterion(how.criterion, how.ties)
    if criterion == Thornton() and how.sweeps(problem) and how.n_features is None:
        best = _best_of_labelings(problem, labels, progress)
    else:
        best = np.empty(labels.shape[1])
        for b in range(labels.shape[1]):
            best[b] = how.choose(how.run(_relabeled(problem, labels[:, b]))).score
            if progress is not None:
                progress((b + 1) / labels.shape[1])
    score, null = float(best[0]), best[1:]
    reached = int(np.sum(null >= score - 1e-12))
    return SelectionTest(score, null, (1 + reached) / (1 + n_permutations), _chance(problem))


def _shuffled(problem: FeatureProblem, rng: np.random.Generator) -> NDArray[np.int32]:
    """Labels of another order; those of a group go together to another one of its size."""
    if problem.groups is None:
        return rng.permutation(problem.codes)
    by_group = np.argsort(problem.groups, kind="stable")
    sizes = np.bincount(problem.groups)
    begins = np.cumsum(sizes) - sizes
    shuffled = problem.codes.copy()
    for size in np.unique(sizes):
        rows = by_group[begins[sizes == size][:, None] + np.arange(size)]
        shuffled[rows] = problem.codes[rng.permutation(rows)]
    return shuffled


def _chance(problem: FeatureProblem) -> float:
    """How often two rows have one class, if they are not of one group."""
    groups = np.arange(problem.n_rows) if problem.groups is None else problem.groups
    return chance_between_groups(problem.codes, groups, len(problem.classes))


def _best_of_labelings(
    problem: FeatureProblem, labels: NDArray[np.int32], progress: Count | None
) -> NDArray[np.float64]:
    best = np.full(labels.shape[1], -np.inf)
    n_programs = max(1, 1 << max(0, problem.n_units - 12))
    step = max(1, _LABELING_CELLS // (1 << min(problem.n_units, 12)))
    for at, program in enumerate(full_tree(problem, chunk_units=12)):
        for begin in range(0, labels.shape[1], step):
            sums = labeling_sums(problem, program, labels[:, begin : begin + step], None)
            best[begin : begin + step] = np.maximum(best[begin : begin + step], sums.max(axis=0))
        if progress is not None:
            progress((at + 1) / n_programs)
    return best / problem.n_rows


def _relabeled(problem: FeatureProblem, codes: NDArray[np.int32]) -> FeatureProblem:
    codes = codes.astype(np.int32)
    packed = pack(problem.table, codes, len(problem.classes), problem.scaling, problem.groups)
    return replace(problem, codes=codes, packed=packed)


@dataclass(frozen=True, eq=False)
class Stability:
    """How much the selected subset changes when half the rows are left out.

    Attributes
    ----------
    value, low, high : float
        Nogueira's measure (1: always the same set; 0: as random sets of these sizes would agree) with its interval.
    frequency : dict
        Share of half-samples whose subset holds each feature.
    subsets : tuple of Subset
        One per half-sample.
    """

    value: float
    low: float
    high: float
    frequency: dict[str, float]
    subsets: tuple[Subset, ...]

    def frame(self) -> Any:
        """One row per feature."""
        return data_frame({"feature": list(self.frequency), "frequency": list(self.frequency.values())})


@checked()
def nogueira_stability(Z: Any, confidence: float = 0.95) -> tuple[float, float, float]:
    """Stability of selected sets, rows of a binary matrix (runs by features), with its interval.

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature selection algorithms", JMLR 18(174), 2018.

    Examples
    --------
    >>> nogueira_stability([[1, 0, 0], [1, 0, 0], [1, 0, 0]])
    (1.0, 1.0, 1.0)
    """
    chosen = np.asarray(Z, dtype=np.float64)
    if chosen.ndim != 2 or len(chosen) < 2:
        raise ParameterError(f"Z must have a row for each of at least 2 runs; got shape {chosen.shape}")
    M, d = chosen.shape
    frequency, sizes = chosen.mean(axis=0), chosen.sum(axis=1)
    mean_size = float(sizes.mean())
    chance = (mean_size / d) * (1 - mean_size / d)
    if chance == 0:
        raise DataError("the stability of runs that always select all features, or none, is not defined")
    value = 1 - M / (M - 1) * float(np.mean(frequency * (1 - frequency))) / chance
    each = chosen @ frequency / d - sizes * mean_size / d**2
    each = each + value / 2 * (2 * sizes * mean_size / d**2 - sizes / d - mean_size / d + 1)
    deviation = float(np.sqrt(np.sum(((each - each.mean()) / chance) ** 2)))
    spread = float(ndtri(0.5 + confidence / 2)) * 2.0 / M * deviation
    return value, value - spread, value + spread


@checked(Parameter("n_samples", "whole", "", at_least=2, at_most=10**6))
def stability(
    X: Any,
    y: Any = None,
    *,
    n_samples: int = 50,
    groups: Any = None,
    random_state: RandomState = 0,
    progress: Count | None = None,
    **procedure: Any,
) -> Stability:
    """Repeat the selection on random halves of the rows (each class halved) and compare the subsets.

    Parameters
    ----------
    X, y
        Labelled rows.
    n_samples : int
        Half-samples, drawn without replacement.
    groups : array-like, "rows", "copies" or None
        As in :func:`nested_score`: rows of one group are in a half-sample together or not at all.
    random_state, progress, **procedure
        As in :func:`selection_test`.

    Raises
    ------
    DataError
        If every half-sample selects all features: stability is not defined then.
    """
    if n_samples < 2:
        raise ParameterError(f"n_samples must be at least 2; got {n_samples!r}")
    how = Procedure(random_state=random_state, **procedure)
    problem = _by_content(how, how.prepare(X, y, groups))
    rng = generator(random_state)
    units = _units(problem)
    class_of = _class_of(units, problem.codes)
    subsets = []
    for at in range(n_samples):
        drawn = np.concatenate([_half(np.flatnonzero(class_of == c), rng) for c in np.unique(class_of)])
        rows = np.flatnonzero(np.isin(units, drawn))
        subsets.append(how.select(problem.table.take(rows), _within(problem, rows)))
        if progress is not None:
            progress((at + 1) / n_samples)
    Z = np.array([[name in s.features for name in problem.names] for s in subsets], dtype=float)
    value, low, high = nogueira_stability(Z)
    frequency = dict(zip(problem.names, Z.mean(axis=0).tolist(), strict=True))
    return Stability(value, low, high, frequency, tuple(subsets))


def _by_content(how: Procedure, problem: FeatureProblem) -> FeatureProblem:
    """The same rows in the order of their content.

    Labelings, half-samples and folds are drawn for rows in this order: where a row stood must not decide.
    """
    order = rows_by_content(problem.table, problem.codes)
    groups = _within(problem, order)
    if not isinstance(groups, str):
        groups = numbered_by_first_row(groups, np.arange(len(order)))
    return how.prepare(problem.table.take(order), groups=groups)


def _units(problem: FeatureProblem) -> NDArray[np.intp]:
    """For each row the number of those that stay together."""
    return np.arange(problem.n_rows) if problem.groups is None else problem.groups


def _within(problem: FeatureProblem, rows: NDArray[Any]) -> Any:
    """What a selection from some of the rows is told of groups: those of all rows."""
    given = problem.left_out.together
    return problem.groups[rows] if given == "groups" and problem.groups is not None else given


def _class_of(units: NDArray[np.intp], codes: NDArray[np.int32]) -> NDArray[np.intp]:
    """The most frequent class of each unit."""
    counts = np.zeros((units.max() + 1, codes.max() + 1), dtype=np.intp)
    np.add.at(counts, (units, codes), 1)
    return np.asarray(counts.argmax(axis=1))


def _half(rows: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    return rng.choice(rows, size=max(1, -(-len(rows) // 2)), replace=False)


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


@checked(Parameter("cv", "whole", "", at_least=2))
def nested_score(
    X: Any,
    y: Any = None,
    *,
    cv: int = 10,
    groups: Any = None,
    random_state: RandomState = 0,
    progress: Count | None = None,
    result: SubsetSweep | SubsetSearch | None = None,
    **procedure: Any,
) -> NestedScore:
    """The accuracy of "select features, then ask the nearest neighbour", with the selection inside every fold.

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
    random_state, progress, **procedure
        As in :func:`selection_test`.
    result : SubsetSweep or SubsetSearch, optional
        What the procedure found on all rows, where that is known already.

    Notes
    -----
    Scaling is learned from the training rows of each fold. Tied neighbours are averaged over.
    """
    how = Procedure(random_state=random_state, **procedure)
    problem = _by_content(how, how.prepare(X, y, groups))
    table, n = problem.table, problem.n_rows
    units = _units(problem)
    n_units = int(units.max()) + 1
    if not 2 <= cv <= n_units:
        what = "rows" if n_units == n else "groups"
        raise ParameterError(f"cv must be from 2 to {n_units}, the number of {what}; got {cv!r}")
    if result is not None and not isinstance(result, (SubsetSweep, SubsetSearch)):
        raise ParameterError(f"result must be what subset_sweep or search_subsets gave, or None; got {result!r}")
    subset = how.choose(how.run(problem) if result is None else result)
    fold_of = _stratified_folds(problem.codes, units, cv, generator(random_state))
    right, right_all = np.zeros(n), np.zeros(n)
    folds = []
    for fold in range(cv):
        test = np.flatnonzero(fold_of == fold)
        train_table, test_table = table.take(fold_of != fold), table.take(test)
        folds.append(how.select(train_table, _within(problem, np.flatnonzero(fold_of != fold))))
        codes = problem.codes[fold_of != fold], problem.codes[test]
        right[test] = _nearest_agrees(train_table, test_table, codes, folds[-1].columns, how.scale)
        right_all[test] = _nearest_agrees(train_table, test_table, codes, tuple(range(table.n_columns)), how.scale)
        if progress is not None:
            progress((fold + 1) / cv)
    return NestedScore(
        honest=float(right.mean()),
        standard_error=nested_error(right, problem.codes, units),
        all_features=float(right_all.mean()),
        gain_error=gain_error(right, right_all, problem.codes, units),
        optimistic=subset.score,
        subset=subset,
        folds=tuple(folds),
    )


def _stratified_folds(
    codes: NDArray[np.int32], units: NDArray[np.intp], cv: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Units of each class dealt to the folds in turn, in random order, one class going on where the last one ended."""
    class_of = _class_of(units, codes)
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
