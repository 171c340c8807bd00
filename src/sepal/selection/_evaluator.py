"""Scores of subsets on demand: each subset is scored once, and the budget of time and evaluations is watched."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sepal.selection._criteria import PAIRS_PER_SECOND
from sepal.selection._criterion import Criterion
from sepal.selection._problem import FeatureProblem
from sepal.selection._spread import some_subsets
from sepal.selection._telling import SearchProgress

_MOST_IDLE = 300  # calls in a row without a new subset: a population that has converged
_BATCH, _LEAST_BATCH = 512, 8  # subsets per native call
_ROUNDING = 1e-12


class BudgetSpentError(Exception):
    """Time or evaluations are used up; the search returns its best so far. Never reaches the user."""


@dataclass(frozen=True)
class Step:
    """A moment of a search at which the best subset changed."""

    evaluations: int
    seconds: float
    mask: int
    score: float


@dataclass(eq=False)
class Evaluator:
    """Memo, budget and history of one search. ``n_features`` limits what counts as best."""

    problem: FeatureProblem
    criterion: Criterion
    n_features: int | None = None
    time_limit: float | None = None
    max_evaluations: int | None = None
    progress: SearchProgress | None = None
    scores: dict[int, float] = field(default_factory=dict)
    history: list[Step] = field(default_factory=list)
    idle: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return time.monotonic() - self.started

    @property
    def _batch(self) -> int:
        """As many subsets as take a small part of the time limit, so that the first ones are scored within it."""
        if self.time_limit is None:
            return _BATCH
        seconds = (
            self.criterion.cost_on(self.problem) * self.problem.n_rows**2 / (PAIRS_PER_SECOND * self.problem.threads)
        )
        return int(min(max(0.1 * self.time_limit / seconds, _LEAST_BATCH), _BATCH))

    def __call__(self, masks: Iterable[int]) -> list[float]:
        """Scores of subsets, in the order given; the empty subset scores minus infinity."""
        wanted = list(masks)
        new = [m for m in dict.fromkeys(wanted) if m not in self.scores and m >= self.problem.smallest_mask]
        self._check_time()
        self.idle = 0 if new else self.idle + 1
        if self.idle > _MOST_IDLE:
            raise BudgetSpentError("converged")
        for begin in range(0, len(new), self._batch):
            self._evaluate(new[begin : begin + self._batch])
        return [self.scores.get(mask, float("-inf")) for mask in wanted]

    def _evaluate(self, masks: Sequence[int]) -> None:
        cut = False
        if self.max_evaluations is not None:
            room = self.max_evaluations - len(self.scores)
            cut, masks = len(masks) > room, masks[: max(room, 0)]
        if masks:
            found = some_subsets(self.problem, self.criterion, masks, lambda fraction: self._check_time())
            self.scores.update(sorted(found.items()))
            for mask in masks:
                self._note(mask)
            if self.progress is not None:
                self.progress(len(self.scores), self.seconds, self.history[-1].score if self.history else float("nan"))
        if cut:
            raise BudgetSpentError("max_evaluations")

    def _check_time(self) -> None:
        if self.time_limit is not None and self.scores and self.seconds > self.time_limit:
            raise BudgetSpentError("time_limit")

    def _note(self, mask: int) -> None:
        if self.n_features is not None and mask.bit_count() != self.n_features:
            return
        score = self.scores[mask]
        if not self.history or better(score, mask, self.history[-1].score, self.history[-1].mask):
            self.history.append(Step(len(self.scores), self.seconds, mask, score))


def better(score: float, mask: int, than: float, than_mask: int) -> bool:
    """A higher score, or the same with fewer features, or the same with a lower mask."""
    if abs(score - than) > _ROUNDING:
        return score > than
    return (mask.bit_count(), mask) < (than_mask.bit_count(), than_mask)
