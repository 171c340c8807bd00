"""Every subset of the features, scored in one walk over the tree of subsets."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.data import Missing, ScaleName
from sepal.exceptions import ParameterError
from sepal.parameters import Parameter, checked
from sepal.progress import Progress
from sepal.selection._criteria import PAIRS_PER_SECOND, CriterionLike, CriterionTies, Thornton, as_criterion
from sepal.selection._criterion import Criterion
from sepal.selection._evaluator import Step
from sepal.selection._near_best import best_first
from sepal.selection._problem import Blocks, Columns, FeatureProblem, feature_problem
from sepal.selection._program import n_trees
from sepal.selection._scored_subsets import ScoredSubsets
from sepal.selection._spread import every_tree
from sepal.selection._telling import SearchProgress, search_teller

MOST_FEATURES = 22
# Units whose subsets are walked at once: fewer share too little, more need too much memory.
LEAST_TREE, SMALL_TREE, LARGE_TREE = 6, 9, 18


@dataclass(frozen=True, eq=False, repr=False)
class SubsetSweep(ScoredSubsets):
    """The scores of all subsets.

    Attributes
    ----------
    scores : ndarray of float64, shape (2 ** n_features,)
        Indexed by bit mask: bit j set means feature j is in. ``scores[0]`` is NaN, the empty subset having no score,
        unless columns are always kept.
    criterion : str
    criteria : tuple of Criterion
        What subsets were judged by; the first one is ``criterion``.
    all_scores : dict
        Criterion name to scores, where several criteria were asked for; the first one is ``scores``.
    names : tuple of str
        The features, in bit order.
    problem : FeatureProblem
        The rows, as the sweep saw them.
    seconds : float
        How long it took.
    strategy, stopped, history
        As those of a :class:`SubsetSearch`: ``"sweep"``, ``"finished"``, and one step.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import subset_sweep
    >>> sweep = subset_sweep(table)
    >>> [(subset.features, subset.score) for subset in sweep.top(2)]
    [(('speed', 'agility'), 1.0), (('speed',), 0.85)]
    """

    problem: FeatureProblem
    criteria: tuple[Criterion, ...]
    all_scores: dict[str, NDArray[np.float64]]
    seconds: float
    strategy = "sweep"
    stopped = "finished"
    n_features = None

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores by the first criterion, indexed by mask."""
        return next(iter(self.all_scores.values()))

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of features of each mask."""
        return np.bitwise_count(np.arange(len(self.scores), dtype=np.uint64)).astype(np.int64)

    @cached_property
    def history(self) -> tuple[Step, ...]:  # type: ignore[override]
        """One step: the best of all."""
        return (Step(self.n_evaluations, self.seconds, self.best.mask, self.best.score),)

    def _masks(self) -> NDArray[np.int64]:
        return np.arange(self.problem.smallest_mask, len(self.scores), dtype=np.int64)

    @cached_property
    def _best_first(self) -> NDArray[np.int64]:
        masks = self._masks()
        return masks[best_first(self.problem, masks, self.scores[masks], self.sizes[masks])]

    def _ranked(self, size: int | None = None) -> NDArray[np.int64]:
        return self._best_first if size is None else self._best_first[self.sizes[self._best_first] == size]

    def _sizes_met(self) -> range:
        return range(1, self.problem.n_units + 1)

    def __repr__(self) -> str:
        best = self.best
        return (
            f"<SubsetSweep of {self.n_evaluations} subsets by {self.criterion}: best {best.score:.4f} {best.features}>"
        )


def sweep_cost(
    n_rows: int,
    n_features: int,
    threads: int,
    criteria: Sequence[Criterion] = (),
    problem: FeatureProblem | None = None,
) -> tuple[float, float]:
    """Rough seconds and bytes of a full sweep, by Thornton's index if nothing is said.

    Of a ``problem`` it is known whether groups make a criterion slower.
    """
    subsets = 2.0 ** min(n_features, 1023)  # beyond, no double holds it
    costs = [criterion.cost if problem is None else criterion.cost_on(problem) for criterion in criteria]
    cost = sum(costs) if costs else 1.0
    return subsets * float(n_rows) ** 2 * cost / (PAIRS_PER_SECOND * threads), subsets * 8.0 * (len(criteria) + 3)


def refuse_too_many(problem: FeatureProblem, criteria: Sequence[Criterion], max_features: int | None = None) -> None:
    """Say what a sweep of more than ``max_features`` features would cost, instead of starting it."""
    most = MOST_FEATURES if max_features is None else max_features
    if problem.n_units <= most:
        return
    seconds, size = sweep_cost(problem.n_rows, problem.n_units, problem.threads, criteria, problem)
    raise ParameterError(
        f"max_features: {problem.n_units} features have {2.0**problem.n_units:.3g} subsets, about {_duration(seconds)} "
        f"and {size / 2**30:.3g} GiB for {problem.n_rows} rows; at most {most} features are swept",
        hint="search them instead (strategy 'floating'), or keep some of them in every subset",
    )


def _duration(seconds: float) -> str:
    for unit, size in (("years", 3.15e7), ("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} seconds"


def sweep_solve(
    problem: FeatureProblem, criteria: Sequence[Criterion], progress: SearchProgress | None = None
) -> dict[str, NDArray[np.float64]]:
    """Scores of every mask by each criterion."""
    scores = {criterion.name: np.full(1 << problem.n_units, np.nan) for criterion in criteria}
    started, done, best, subsets = time.monotonic(), 0, float("nan"), 1 << problem.n_units
    units = _units_at_once(problem, criteria)

    def report(fraction: float) -> None:
        if progress is not None:
            most = subsets // n_trees(problem, units) - 1  # of a tree that is not done; the first has no empty subset
            progress(done + int(fraction * most), time.monotonic() - started, best)

    for masks, together in every_tree(problem, criteria, units, report):
        for criterion, found in zip(criteria, together, strict=True):
            scores[criterion.name][masks] = found
        best = float(np.fmax(best, together[0].max()))
        done += len(masks)
        report(0.0)
    return scores


def _units_at_once(problem: FeatureProblem, criteria: Sequence[Criterion]) -> int:
    """How large a part of the tree to walk at once: about a second, so that the best so far can be told."""
    pairs = PAIRS_PER_SECOND / sum(criterion.cost_on(problem) for criterion in criteria)
    most = LARGE_TREE if all(isinstance(criterion, Thornton) for criterion in criteria) else SMALL_TREE
    return int(np.clip(np.log2(pairs / problem.n_rows**2), LEAST_TREE, most))


@checked(Parameter("max_features", "whole", "features in a subset at most", at_least=1, optional=True))
def subset_sweep(
    X: Any,
    y: Any = None,
    *,
    criterion: CriterionLike | Sequence[CriterionLike] = "thornton",
    scale: ScaleName | None = "minmax",
    ties: CriterionTies = "expected",
    missing: Missing = "distance",
    blocks: Blocks | None = None,
    keep: Columns = (),
    groups: Any = None,
    max_features: int | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> SubsetSweep:
    """Score every non-empty subset of the features.

    Parameters
    ----------
    X : Table, ndarray or data frame
        The rows. Nominal columns count 0 or 1 in the squared distance, missing cells 1 (HEOM).
    y : array-like, optional
        The class of each row; a Table with a target needs none.
    criterion : str, Criterion, callable, or a sequence of these
        ``"thornton"``, ``"expected_accuracy"``, ``"loo_knn"``, ``"alignment"``, ``"centered_alignment"``,
        ``"mahalanobis"``, an object such as ``LooKnn(3)`` or ``Alignment(width="scan")``, or a function of the scaled
        values and the labels. Several share the walk over the distances, and the first one ranks.
    scale : {"minmax", "standard"} or None
        Scaling of numeric columns before distances are taken.
    ties : {"expected", "index", "pessimistic", "optimistic"}
        For ``"thornton"`` and ``"loo_knn"``: what equally near rows count.
    missing : {"distance", "drop"}
        Leave missing cells to the distance, or drop rows that have any.
    blocks : mapping or sequence of column lists, optional
        Columns that are in or out together; a block counts as one feature.
    keep : list of columns
        Columns in every subset.
    groups : array-like, "rows", "copies" or None
        Which rows are left out together by the criteria that leave rows out (``"thornton"``, ``"loo_knn"`` and
        ``"expected_accuracy"``, which then draws whole groups, subset by subset, and is much slower): those with the
        same label in an array; "rows": each alone; "copies": all that are equal in every column. None: copies
        where their numbers show that records were repeated (a copy would be everyone's nearest neighbour), else each
        alone. Rows of a group are one unit where subsets are compared.
    max_features : int, optional
        Largest number of features to sweep; 22 by default.
    n_jobs : int, optional
        Threads; all cores by default. The answer does not depend on it.
    progress : callable, optional
        Called now and then with a few words (subsets scored, how fast, the best so far by the first criterion) and the
        share of the work that is done.

    Returns
    -------
    SubsetSweep
        Among subsets of one score and size the one whose names come first is the better one (numbers in a name count
        as numbers), so that the order of named columns changes nothing.

    Raises
    ------
    ParameterError
        Beyond ``max_features``, with the time and memory it would take.

    References
    ----------
    J. R. Greene, "Feature subset selection using Thornton's separability index and its applicability to a number of
    sparse proximity-based classifiers", 2001.

    Examples
    --------
    >>> import sepal.datasets
    >>> sweep = subset_sweep(sepal.datasets.load("liver"))
    >>> best = sweep.best
    >>> best.columns, round(best.score, 4)
    ((0, 2, 3, 4, 5), 0.6638)
    """
    one = isinstance(criterion, (str, Criterion)) or callable(criterion)
    given: list[Any] = [criterion] if one or not isinstance(criterion, Iterable) else list(criterion)
    criteria = tuple(as_criterion(each, ties) for each in given)
    if not criteria or len({each.name for each in criteria}) < len(criteria):
        raise ParameterError("criterion: expected at least one criterion, and each only once")
    problem = feature_problem(
        X, y, scale=scale, missing=missing, blocks=blocks, keep=keep, n_jobs=n_jobs, groups=groups
    )
    for each in criteria:
        each.check(problem)
    refuse_too_many(problem, criteria, max_features)
    return sweep_all(problem, criteria, search_teller(progress, 2**problem.n_units))


def sweep_all(
    problem: FeatureProblem, criteria: tuple[Criterion, ...], progress: SearchProgress | None = None
) -> SubsetSweep:
    """Score every subset of prepared rows."""
    started = time.monotonic()
    return SubsetSweep(problem, criteria, sweep_solve(problem, criteria, progress), time.monotonic() - started)
