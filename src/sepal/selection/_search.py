"""Searching for good subsets where there are too many to try them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sepal._lazy import cached_property
from sepal.data import Missing, ScaleName
from sepal.exceptions import ParameterError
from sepal.parameters import Parameter, RandomState, check_number, check_whole, checked, generator
from sepal.progress import Progress
from sepal.selection import _greedy, _stochastic
from sepal.selection._branch_and_bound import branch_and_bound
from sepal.selection._criteria import CriterionLike, CriterionTies, as_criterion
from sepal.selection._criterion import Criterion
from sepal.selection._evaluator import BudgetSpentError, Evaluator, Step
from sepal.selection._near_best import Subset, make_subset
from sepal.selection._problem import Blocks, Columns, FeatureProblem, feature_problem, moved_bits
from sepal.selection._scored_subsets import ScoredSubsets
from sepal.selection._telling import SearchProgress, search_teller

Strategy = Callable[[Evaluator, int | None, _greedy.Patience, Mapping[str, Any], Any], None]

STRATEGIES: dict[str, Strategy] = {
    "forward": _greedy.forward,
    "backward": _greedy.backward,
    "floating": _greedy.floating,
    "plus_l_take_r": _greedy.plus_l_take_r,
    "genetic": _stochastic.genetic,
    "annealing": _stochastic.annealing,
    "swarm": _stochastic.swarm,
    "random": _stochastic.random,
    "branch_and_bound": branch_and_bound,
}
STRATEGY = Parameter("strategy", "word", "how subsets are searched", words=tuple(STRATEGIES))
OPTIONS = Parameter("options", "other", "parameters of the strategy", optional=True, also=("mapping",))
_ENDLESS = frozenset({"genetic", "swarm", "random"})
_OPTIONS = {
    "plus_l_take_r": {"plus", "take"},
    "genetic": {"population", "generations"},
    "annealing": {"steps", "start", "end"},
    "swarm": {"particles", "iterations", "w", "c1", "c2"},
    "random": {"batches"},
}


@dataclass(frozen=True, eq=False, repr=False)
class SubsetSearch(ScoredSubsets):
    """What a search found.

    Attributes
    ----------
    best : Subset
        The best subset met (of the wanted size, if one was given); among equal scores the smallest, and among these
        the one whose names come first.
    scores : dict
        Mask to score, of every subset that was scored.
    all_scores : dict
        Criterion name to such scores.
    criteria : tuple of Criterion
        What subsets were judged by.
    problem : FeatureProblem
        The rows, as the search saw them.
    strategy : str
        How subsets were searched.
    n_features : int or None
        The size that was wanted.
    n_evaluations : int
    history : tuple of Step
        When the best changed: evaluations and seconds so far, mask, score.
    stopped : str
        ``"finished"``, or what ended the search early: ``"time_limit"``, ``"max_evaluations"``, ``"patience"``, or
        ``"converged"`` when the strategy met nothing new for long.
    seconds : float

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import search_subsets
    >>> search = search_subsets(table, strategy="forward")
    >>> search.best.features, search.n_evaluations, search.stopped
    (('speed', 'agility'), 3, 'finished')
    """

    problem: FeatureProblem
    criteria: tuple[Criterion, ...]
    all_scores: dict[str, dict[int, float]]
    strategy: str
    history: tuple[Step, ...]
    stopped: str
    seconds: float
    n_features: int | None

    @property
    def scores(self) -> dict[int, float]:
        """Mask to score, of every subset that was scored."""
        return next(iter(self.all_scores.values()))

    @cached_property
    def sizes(self) -> dict[int, int]:
        """Mask to number of features."""
        return {mask: mask.bit_count() for mask in self.scores}

    @property
    def best(self) -> Subset:
        """The best subset met (of the wanted size, if one was given)."""
        return make_subset(self.problem, self.history[-1].mask, self.history[-1].score)

    def _masks(self) -> list[int]:
        return [*self.scores]

    @cached_property
    def _best_first(self) -> list[int]:
        """Among equals the smaller subset, then that of the first names."""
        by_name = dict(zip(self.scores, moved_bits([*self.scores], self.problem.by_name), strict=True))
        return sorted(self.scores, key=lambda m: (-round(self.scores[m] / 1e-12), self.sizes[m], by_name[m]))

    def _ranked(self, size: int | None = None) -> list[int]:
        wanted = self.n_features if size is None else size
        return [m for m in self._best_first if wanted is None or self.sizes[m] == wanted]

    def _sizes_met(self) -> list[int]:
        return sorted(set(self.sizes.values()))

    def __repr__(self) -> str:
        best = self.best
        return (
            f"<SubsetSearch {self.strategy} by {self.criterion}: best {best.score:.4f} with {best.size} of "
            f"{self.problem.n_units} features, {self.n_evaluations} subsets in {self.seconds:.2f} s, {self.stopped}>"
        )


def _check(problem: FeatureProblem, strategy: str, n_features: int | None, options: Mapping[str, Any]) -> None:
    STRATEGY.check(strategy)
    if n_features is not None and not 1 <= check_whole("n_features", n_features) <= problem.n_units:
        raise ParameterError(f"n_features must be from 1 to {problem.n_units}; got {n_features!r}")
    unknown = sorted(set(options) - _OPTIONS.get(strategy, set()))
    if unknown:
        known = ", ".join(sorted(_OPTIONS.get(strategy, set()))) or "none"
        raise ParameterError(f"options[{unknown[0]!r}] is not known to strategy {strategy!r}; it takes: {known}")


def search_solve(
    problem: FeatureProblem,
    criterion: Criterion,
    strategy: str,
    *,
    n_features: int | None = None,
    time_limit: float | None = None,
    max_evaluations: int | None = None,
    patience: int | None = None,
    random_state: RandomState = 0,
    options: Mapping[str, Any] | None = None,
    progress: SearchProgress | None = None,
) -> SubsetSearch:
    """Run a strategy on prepared rows."""
    OPTIONS.check(options)
    options = dict(options or {})
    _check(problem, strategy, n_features, options)
    check_number("time_limit", time_limit, above=0.0, infinite=True, optional=True)
    check_whole("max_evaluations", max_evaluations, optional=True)
    check_whole("patience", patience, optional=True)
    criterion.check(problem)
    if strategy in _ENDLESS and time_limit is None and max_evaluations is None and patience is None:
        max_evaluations = _stochastic.DEFAULT_EVALUATIONS
    # Strategies go by the names, so that neither a tie nor a draw depends on where a column stands.
    evaluate = Evaluator(problem.in_name_order(), criterion, n_features, time_limit, max_evaluations, progress)
    waiting = _greedy.Patience(patience)
    stopped = "finished"
    try:
        STRATEGIES[strategy](evaluate, n_features, waiting, options, generator(random_state))
    except BudgetSpentError as spent:
        stopped = str(spent)
    if stopped == "finished" and patience is not None and waiting.waited >= patience:
        stopped = "patience"
    if not evaluate.history:
        raise ParameterError(
            f"{stopped}: the search ended before it met a subset of {n_features} features", hint=f"raise {stopped}"
        )
    place = np.argsort(problem.by_name).tolist()
    scores = dict(zip(moved_bits([*evaluate.scores], place), evaluate.scores.values(), strict=True))
    masks = moved_bits([step.mask for step in evaluate.history], place)
    history = tuple(replace(step, mask=mask) for step, mask in zip(evaluate.history, masks, strict=True))
    named = {criterion.name: scores}
    return SubsetSearch(problem, (criterion,), named, strategy, history, stopped, evaluate.seconds, n_features)


@checked()
def search_subsets(
    X: Any,
    y: Any = None,
    *,
    strategy: str = "floating",
    criterion: CriterionLike = "thornton",
    n_features: int | None = None,
    time_limit: float | None = None,
    max_evaluations: int | None = None,
    patience: int | None = None,
    random_state: RandomState = 0,
    options: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    ties: CriterionTies = "expected",
    missing: Missing = "distance",
    blocks: Blocks | None = None,
    keep: Columns = (),
    groups: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> SubsetSearch:
    """Search for a good feature subset.

    Parameters
    ----------
    X, y, criterion, scale, ties, missing, blocks, keep, groups, n_jobs
        As in :func:`subset_sweep`; one criterion.
    strategy : str
        ``"forward"``, ``"backward"``, ``"floating"``, ``"plus_l_take_r"``, ``"genetic"``, ``"annealing"``, ``"swarm"``,
        ``"random"``, or ``"branch_and_bound"`` (for ``criterion="mahalanobis"`` and a given ``n_features``).
    n_features : int, optional
        Wanted size, kept columns not counted; any size by default.
    time_limit : float, optional
        Seconds, after which the best so far is returned.
    max_evaluations : int, optional
        How many different subsets may be scored.
    patience : int, optional
        Stop after so many steps (generations, ...) without a better score.
    random_state : int, Generator or None
        For the strategies that use chance.
    options : mapping, optional
        Settings of a strategy: ``plus``, ``take``; ``population``, ``generations``; ``steps``, ``start``, ``end``;
        ``particles``, ``iterations``, ``w``, ``c1``, ``c2``; ``batches``.
    progress : callable, optional
        Called after each batch with a few words (subsets scored, how fast, the best so far) and the share of
        ``max_evaluations`` or ``time_limit`` that is used.

    Returns
    -------
    SubsetSearch

    Notes
    -----
    The score of the best of many subsets is optimistic; see :func:`nested_score` and :func:`selection_test`.

    Examples
    --------
    >>> import sepal.datasets
    >>> search = search_subsets(sepal.datasets.load("sonar"), strategy="forward", n_features=3)
    >>> search.best.size, search.n_evaluations
    (3, 177)
    """
    problem = feature_problem(
        X, y, scale=scale, missing=missing, blocks=blocks, keep=keep, n_jobs=n_jobs, groups=groups
    )
    return search_solve(
        problem,
        as_criterion(criterion, ties),
        strategy,
        n_features=n_features,
        time_limit=time_limit,
        max_evaluations=max_evaluations,
        patience=patience,
        random_state=random_state,
        options=options,
        progress=search_teller(progress, max_evaluations, time_limit),
    )
