"""Permutation test of the best subset: could random labels have given one as good?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import (
    data_frame,
)
from sepal.exceptions import DataError, ParameterError
from sepal.measures import chance_between_groups
from sepal.parameters import RandomState, checked, generator
from sepal.progress import Progress
from sepal.selection._choose import Procedure, procedure_keywords
from sepal.selection._criteria import Thornton, as_criterion
from sepal.selection._parameters import PROCEDURE
from sepal.selection._problem import FeatureProblem, pack
from sepal.selection._program import full_tree
from sepal.selection._row_units import by_content
from sepal.selection._sweep import labeling_sums

_LABELING_CELLS = 16_000_000  # subsets times labelings in memory together


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
    chance : float
        The score that a subset fixed beforehand would have under random labels.
    bias : float
        Mean of ``null`` less the score that a subset fixed beforehand would have under random labels: what picking the
        best of many adds.
    notes : tuple of str
        How many groups kept their labels, since no other is of their size.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import selection_test
    >>> found = selection_test(table, n_permutations=19)
    >>> found.score, found.p_value
    (1.0, 0.05)
    """

    score: float
    null: NDArray[np.float64]
    p_value: float
    chance: float
    notes: tuple[str, ...] = ()

    @property
    def bias(self) -> float:
        """What picking the best of many subsets adds under random labels."""
        return float(self.null.mean() - self.chance)

    def frame(self) -> Any:
        """One row per random labeling."""
        return data_frame({"best_score": self.null})


@checked(*PROCEDURE, passes_on=procedure_keywords("random_state"))
def selection_test(
    X: Any,
    y: Any = None,
    *,
    n_permutations: int = 199,
    groups: Any = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
    **procedure: Any,
) -> SelectionTest:
    """Permutation test of the best subset: could random labels have given one as good?

    Parameters
    ----------
    X, y
        Labelled rows.
    n_permutations : int
        Random labelings.
    groups : array-like, "rows", "copies" or None
        As in :func:`subset_sweep`. The labels of a group stay together: they are exchanged with those of another group
        of the same size. A group that is the only one of its size keeps its labels, which makes p larger, never
        smaller; ``notes`` says how many do.
    random_state : int, Generator or None
        For the labelings, and for strategies that use chance.
    progress : callable, optional
        Called now and then with a few words and the share of the work that is done.
    strategy, criterion, n_features, prefer, scale, ties, missing, blocks, keep
        How features are selected: as in :class:`SeparabilitySelector`; ``missing`` as in :func:`subset_sweep`.
    time_limit, max_evaluations, patience, n_jobs, options, **procedure
        Bounds of a search: as in :func:`search_subsets`.

    Returns
    -------
    SelectionTest

    Raises
    ------
    DataError
        If no two groups are of one size, so that no labels could be exchanged.

    Notes
    -----
    The null is that of the maximum: selection is repeated for every labeling, so the bias of picking the best is in it.
    Distances do not depend on labels: for a sweep by Thornton's index one walk serves all labelings.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> selection_test(table, n_permutations=19).p_value
    0.05
    """
    if n_permutations < 1:
        raise ParameterError(f"n_permutations must be at least 1; got {n_permutations!r}")
    how = Procedure(random_state=random_state, **procedure)
    given, how = how.prepare(X, y, groups), how.settled_by(X)
    problem = by_content(how, given)
    notes = _groups_alone(problem)
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
                progress(f"labeling {b + 1:,} of {labels.shape[1]:,}", (b + 1) / labels.shape[1])
    score, null = float(best[0]), best[1:]
    reached = int(np.sum(null >= score - 1e-12))
    return SelectionTest(score, null, (1 + reached) / (1 + n_permutations), _chance(problem), notes)


def _groups_alone(problem: FeatureProblem) -> tuple[str, ...]:
    """What to say of groups that are the only ones of their size, and keep their labels."""
    if problem.groups is None:
        return ()
    times = np.unique(np.bincount(problem.groups), return_counts=True)[1]
    alone, n_groups = int(np.sum(times == 1)), int(times.sum())
    if alone == n_groups:
        raise DataError(
            f"groups: no two of the {n_groups} groups have as many rows, so that no labels can be exchanged",
            hint="take as many rows of each group, or use thornton_test(..., groups=...) for the columns as they are",
        )
    return (f"groups: {alone} of {n_groups} are the only ones of their size, and kept their labels",) if alone else ()


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
    return float(np.mean(chance_between_groups(problem.codes, groups, len(problem.classes))))


def _best_of_labelings(
    problem: FeatureProblem, labels: NDArray[np.int32], progress: Progress | None
) -> NDArray[np.float64]:
    best = np.full(labels.shape[1], -np.inf)
    n_programs = max(1, 1 << max(0, problem.n_units - 12))
    step = max(1, _LABELING_CELLS // (1 << min(problem.n_units, 12)))
    for at, program in enumerate(full_tree(problem, chunk_units=12)):
        for begin in range(0, labels.shape[1], step):
            sums = labeling_sums(problem, program, labels[:, begin : begin + step], None)
            best[begin : begin + step] = np.maximum(best[begin : begin + step], sums.max(axis=0))
        if progress is not None:
            progress("random labels", (at + 1) / n_programs)
    return best / problem.n_rows


def _relabeled(problem: FeatureProblem, codes: NDArray[np.int32]) -> FeatureProblem:
    codes = codes.astype(np.int32)
    packed = pack(problem.table, codes, len(problem.classes), problem.scaling, problem.groups)
    return replace(problem, codes=codes, packed=packed)
