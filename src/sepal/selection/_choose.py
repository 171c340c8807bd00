"""One road from labelled rows to one chosen subset: what the selector does, and honesty repeats on parts of them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from sepal.data import Missing, ScaleName, Table
from sepal.measures import settled
from sepal.parameters import RandomState, check_whole
from sepal.selection._criteria import CriterionLike, CriterionTies, as_criterion
from sepal.selection._near_best import Subset
from sepal.selection._parameters import PROCEDURE
from sepal.selection._problem import Blocks, Columns, FeatureProblem, feature_problem
from sepal.selection._search import SubsetSearch, search_solve
from sepal.selection._subset_sweep import MOST_FEATURES, SubsetSweep, refuse_too_many, sweep_all, sweep_cost
from sepal.selection._telling import SearchProgress

Prefer = Literal["best", "smallest"]
AUTO_SECONDS = 10.0  # what strategy="auto" may use where no limit is given


@dataclass(frozen=True)
class Procedure:
    """A complete way to select features. ``strategy="auto"`` sweeps if that fits in its time, 10 s by default."""

    strategy: str = "auto"
    criterion: CriterionLike = "thornton"
    n_features: int | None = None
    prefer: Prefer = "best"
    scale: ScaleName | None = "minmax"
    ties: CriterionTies = "expected"
    missing: Missing = "distance"
    blocks: Blocks | None = None
    keep: Columns = ()
    time_limit: float | None = None
    max_evaluations: int | None = None
    patience: int | None = None
    random_state: RandomState = 0
    n_jobs: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse unknown words before any work."""
        for each in PROCEDURE:
            each.check(getattr(self, each.name))
        as_criterion(self.criterion, self.ties)

    def prepare(self, X: Any, y: Any = None, groups: Any = None) -> FeatureProblem:
        """The rows as this procedure sees them."""
        self.check()
        return feature_problem(
            X,
            y,
            scale=self.scale,
            missing=self.missing,
            blocks=self.blocks,
            keep=self.keep,
            n_jobs=self.n_jobs,
            groups=groups,
        )

    def settled_by(self, X: Any) -> Self:
        """The same for parts of these rows: scaled as a prepared table is, which its parts do not know any more."""
        return replace(self, scale=settled(X, scale=self.scale)["scale"])

    def sweeps(self, problem: FeatureProblem) -> bool:
        """Whether all subsets are scored."""
        if self.strategy != "auto":
            return self.strategy == "sweep"
        criterion = as_criterion(self.criterion, self.ties)
        seconds, _ = sweep_cost(problem.n_rows, problem.n_units, problem.threads, (criterion,), problem)
        return problem.n_units <= MOST_FEATURES and seconds <= (
            AUTO_SECONDS if self.time_limit is None else self.time_limit
        )

    @property
    def limit(self) -> float | None:
        """Seconds that a search may take."""
        return AUTO_SECONDS if self.strategy == "auto" and self.time_limit is None else self.time_limit

    def run(self, problem: FeatureProblem, progress: SearchProgress | None = None) -> SubsetSweep | SubsetSearch:
        """All subsets, or those a search meets."""
        criterion = as_criterion(self.criterion, self.ties)
        criterion.check(problem)
        if self.sweeps(problem):
            refuse_too_many(problem, (criterion,))
            return sweep_all(problem, (criterion,), progress)
        return search_solve(
            problem,
            criterion,
            "floating" if self.strategy == "auto" else self.strategy,
            n_features=self.n_features,
            time_limit=self.limit,
            max_evaluations=self.max_evaluations,
            patience=self.patience,
            random_state=self.random_state,
            options=self.options,
            progress=progress,
        )

    def choose(self, result: SubsetSweep | SubsetSearch) -> Subset:
        """The subset that counts as selected."""
        if self.prefer == "smallest" and self.n_features is None:
            return result.smallest_near_best()
        if isinstance(result, SubsetSearch) or self.n_features is None:
            return result.best
        return result.best_by_size()[check_whole("n_features", self.n_features, at_most=result.problem.n_units)]

    def select(self, table: Table, groups: Any = None) -> Subset:
        """From rows to the selected subset."""
        problem = self.prepare(table, groups=groups)
        return self.choose(self.run(problem))


def procedure_keywords(*without: str) -> tuple[inspect.Parameter, ...]:
    """The keywords of a procedure, for functions that take them as ``**procedure``, but for those of their own."""
    given = inspect.signature(Procedure).parameters.values()
    found = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in given if each.name not in without]
    return tuple(each.replace(default={}) if each.name == "options" else each for each in found)
