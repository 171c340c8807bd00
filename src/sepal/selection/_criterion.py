"""What a criterion is: it scores all subsets of a program together, by questions that criteria can share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import ParameterError
from sepal.parameters import Parameter, check_parameters
from sepal.progress import Share
from sepal.selection._problem import FeatureProblem
from sepal.selection._program import Program
from sepal.selection._sweep import Question, sweep

# Asks questions one after the other, is sent their answers, and returns scores.
Asking = Generator[Question, NDArray[np.float64], NDArray[np.float64]]


class Criterion(ABC):
    """A score of a subset; higher is better.

    Attributes
    ----------
    name : str
        What it is called in ``criterion=``.
    monotone : bool
        Whether it never falls when a feature is added, as branch and bound needs.
    per_row : bool
        Whether it is a mean over rows of values in [0, 1], so that two subsets can be compared row by row.
    cost : float
        What a pair of rows costs, roughly, as a multiple of Thornton's index.

    Examples
    --------
    >>> from sepal.selection import Criterion, LooKnn
    >>> isinstance(LooKnn(3), Criterion)
    True
    """

    name: ClassVar[str]
    monotone: ClassVar[bool] = False  # never falls when a feature is added
    per_row: ClassVar[bool] = False  # a mean over rows of values in [0, 1]
    cost: ClassVar[float] = 50.0  # of a pair of rows, roughly, as a multiple of Thornton's
    parameter_table: ClassVar[tuple[Parameter, ...]] = ()

    def __post_init__(self) -> None:
        check_parameters(self)

    def cost_on(self, problem: FeatureProblem) -> float:
        """``cost`` for these rows."""
        return self.cost

    def check(self, problem: FeatureProblem) -> None:  # noqa: B027
        """Refuse data the criterion is not defined for."""

    @abstractmethod
    def scores(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        """One score per subset of the program."""

    def samples(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        """For criteria that are a mean over rows: (n_subsets, n_rows)."""
        raise ParameterError(
            f"the criterion {self.name!r} is not a mean over rows, so that two subsets cannot be compared row by row",
            hint='sweep with criterion=("thornton", ...): the first criterion judges what is near the best',
        )


class DistanceCriterion(Criterion):
    """A criterion that looks at distances, and can share them with others."""

    n_walks: ClassVar[int] = 1  # questions one after the other, at most

    def asks(self, problem: FeatureProblem) -> bool:
        """Whether the common walks can answer; else ``scores`` has its own way."""
        return True

    @abstractmethod
    def ask(self, problem: FeatureProblem, program: Program) -> Asking:
        """What to ask of the distances, and the scores that follow from the answers."""

    def scores(self, problem: FeatureProblem, program: Program, progress: Share | None = None) -> NDArray[np.float64]:
        return scores_together(problem, program, [self], progress)[0]


def scores_together(
    problem: FeatureProblem, program: Program, criteria: Sequence[Criterion], progress: Share | None = None
) -> list[NDArray[np.float64]]:
    """Scores by each criterion; what all of them ask of the distances is answered on common walks."""
    walking = {i: c for i, c in enumerate(criteria) if isinstance(c, DistanceCriterion) and c.asks(problem)}
    asking = {i: c.ask(problem, program) for i, c in walking.items()}
    found: dict[int, NDArray[np.float64]] = {}
    n_walks = max((c.n_walks for c in walking.values()), default=0)
    parts, done = n_walks + len(criteria) - len(asking), 0

    def report(fraction: float) -> None:
        if progress is not None:
            progress((done + fraction) / parts)

    questions = {i: next(each) for i, each in asking.items()}
    while questions:
        different = list(dict.fromkeys(questions.values()))
        answers = dict(zip(different, sweep(problem, program, different, report), strict=True))
        done, asked, questions = done + 1, questions, {}
        for i, question in asked.items():
            try:
                questions[i] = asking[i].send(answers[question])
            except StopIteration as end:
                found[i] = end.value
    for i, criterion in enumerate(criteria):
        if i not in asking:
            found[i] = criterion.scores(problem, program, report)
            done += 1
    return [found[i] for i in range(len(criteria))]
