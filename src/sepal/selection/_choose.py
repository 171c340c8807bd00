"""One road from labelled rows to one chosen subset: what the selector does, and honesty repeats on parts of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sepal.data import ScaleName, Table
from sepal.exceptions import ParameterError
from sepal.measures._labelled import Missing
from sepal.measures._thornton import RandomState
from sepal.parameters import Parameter
from sepal.selection._criteria import CriterionLike, Ties, as_criterion
from sepal.selection._evaluator import SearchProgress
from sepal.selection._near_best import Subset
from sepal.selection._problem import Blocks, Columns, Problem, prepare
from sepal.selection._search import STRATEGIES, SubsetSearch, search_solve
from sepal.selection._subset_sweep import MOST_FEATURES, SubsetSweep, refuse_too_many, sweep_cost, sweep_solve

Prefer = Literal["best", "smallest"]


_KNOWN = (
    Parameter("strategy", "word", "", looked_up=True),
    Parameter("n_features", "whole", "", at_least=1, optional=True),
    Parameter("prefer", "word", "", looked_up=True),
    Parameter("scale", "word", "", looked_up=True, optional=True),
    Parameter("ties", "word", "", looked_up=True),
    Parameter("missing", "word", "", looked_up=True),
    Parameter("time_budget", "number", "", above=0.0, infinite=True),
    Parameter("time_limit", "number", "", above=0.0, infinite=True, optional=True),
    Parameter("max_evaluations", "whole", "", at_least=1, optional=True),
    Parameter("patience", "whole", "", at_least=1, optional=True),
    Parameter("random_state", "whole", "", at_least=0, optional=True, also=("RandomState", "Generator")),
    Parameter("n_jobs", "whole", "", optional=True),
    Parameter("options", "other", "", also=("mapping",)),
)


@dataclass(frozen=True)
class Procedure:
    """A complete way to select features. ``strategy="auto"`` sweeps if that fits in ``time_budget`` seconds."""

    strategy: str = "auto"
    criterion: CriterionLike = "thornton"
    n_features: int | None = None
    prefer: Prefer = "best"
    scale: ScaleName | None = "minmax"
    ties: Ties = "expected"
    missing: Missing = "distance"
    blocks: Blocks | None = None
    keep: Columns = ()
    time_budget: float = 10.0
    time_limit: float | None = None
    max_evaluations: int | None = None
    patience: int | None = None
    random_state: RandomState = None
    n_jobs: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse unknown words before any work."""
        for each in _KNOWN:
            each.check(getattr(self, each.name))
        if self.strategy not in ("auto", "sweep", *STRATEGIES):
            raise ParameterError(f"strategy must be one of auto, sweep, {', '.join(STRATEGIES)}; got {self.strategy!r}")
        if self.prefer not in ("best", "smallest"):
            raise ParameterError(f"prefer must be 'best' or 'smallest'; got {self.prefer!r}")
        as_criterion(self.criterion, self.ties)

    def prepare(self, X: Any, y: Any = None) -> Problem:
        """The rows as this procedure sees them."""
        self.check()
        return prepare(
            X, y, scale=self.scale, missing=self.missing, blocks=self.blocks, keep=self.keep, n_jobs=self.n_jobs
        )

    def sweeps(self, problem: Problem) -> bool:
        """Whether all subsets are scored."""
        if self.strategy != "auto":
            return self.strategy == "sweep"
        criterion = as_criterion(self.criterion, self.ties)
        seconds, _ = sweep_cost(problem.n_rows, problem.n_units, problem.threads, (criterion,))
        return problem.n_units <= MOST_FEATURES and seconds <= self.time_budget

    def run(self, problem: Problem, progress: SearchProgress | None = None) -> SubsetSweep | SubsetSearch:
        """All subsets, or those a search meets."""
        criterion = as_criterion(self.criterion, self.ties)
        criterion.check(problem)
        if self.sweeps(problem):
            refuse_too_many(problem, (criterion,))
            return SubsetSweep(problem, (criterion,), sweep_solve(problem, (criterion,), progress))
        return search_solve(
            problem,
            criterion,
            "floating" if self.strategy == "auto" else self.strategy,
            n_features=self.n_features,
            time_limit=self.time_budget if self.strategy == "auto" and self.time_limit is None else self.time_limit,
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
        if isinstance(result, SubsetSearch):
            return result.best
        if self.n_features is None:
            return result.best()[0]
        return result.best_of_size(self.n_features)

    def select(self, table: Table) -> Subset:
        """From rows to the selected subset."""
        problem = self.prepare(table)
        return self.choose(self.run(problem))
