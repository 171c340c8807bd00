"""Who scores subsets: this process, or workers that each get some of the candidates.

Candidates are cut into pieces by their number alone, so that scores do not depend on how many workers there are.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import ParameterError
from sepal.progress import Share
from sepal.selection._criterion import Criterion, scores_together
from sepal.selection._problem import FeatureProblem
from sepal.selection._program import full_tree, n_trees, of_masks

Scores = list[NDArray[np.float64]]
_PIECE = 32  # subsets of a search that one worker gets
_UNITS = 10  # of a tree that one worker walks: a thousand subsets
_MOST_BYTES = 8 * 2**20  # of rows that are sent for every batch of subsets
_SENT = 2**20  # bytes that a task may carry or give


class SubsetWorkers(Protocol):
    """What runs tasks elsewhere."""

    @property
    def threads(self) -> int:
        """Of a task."""

    def run(
        self,
        name: str,
        task: Callable[..., Any],
        jobs: Sequence[tuple[Any, ...]],
        progress: Share | None = None,
        most: int | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Do all jobs; yields the place of each and its result, in the order they are done.

        What has more than ``most`` bytes travels in pieces.
        """


_workers: ContextVar[SubsetWorkers | None] = ContextVar("workers that score subsets", default=None)


@contextmanager
def scored_by(workers: SubsetWorkers) -> Iterator[None]:
    """Within it, these workers score the subsets of every sweep and search."""
    token = _workers.set(workers)
    try:
        yield
    finally:
        _workers.reset(token)


def tree_scores(
    problem: FeatureProblem, criteria: Sequence[Criterion], units: int, at: int, progress: Share | None = None
) -> tuple[NDArray[np.int64], Scores]:
    """The masks of one tree of subsets, and their scores by each criterion."""
    program = next(full_tree(problem, units, range(at, at + 1)))
    return np.asarray(program.masks), scores_together(problem, program, criteria, progress)


def mask_scores(
    problem: FeatureProblem, criterion: Criterion, masks: Sequence[int], progress: Share | None = None
) -> dict[int, float]:
    """The scores of some subsets."""
    program = of_masks(problem, masks)
    values = criterion.scores(problem, program, progress)
    return dict(zip((int(mask) for mask in program.masks), values.tolist(), strict=True))


def every_tree(
    problem: FeatureProblem, criteria: Sequence[Criterion], units: int, progress: Share
) -> Iterator[tuple[NDArray[np.int64], Scores]]:
    """All subsets, tree by tree; ``progress`` hears the share of a tree that is done."""
    workers = _workers.get()
    if workers is None:
        for at in range(n_trees(problem, units)):
            yield tree_scores(problem, criteria, units, at, progress)
        return
    sent, units = _sent(problem, workers), min(units, _UNITS)
    jobs = [(sent, tuple(criteria), units, at) for at in range(n_trees(problem, units))]
    for _, found in workers.run("score subsets", tree_scores, jobs, None, _SENT):
        yield found


def some_subsets(
    problem: FeatureProblem, criterion: Criterion, masks: Sequence[int], progress: Share
) -> dict[int, float]:
    """The scores of some different subsets."""
    workers = _workers.get()
    if workers is None:
        return mask_scores(problem, criterion, masks, progress)
    sent, ordered, found = _sent(problem, workers), sorted(masks), dict[int, float]()
    jobs = [(sent, criterion, ordered[at : at + _PIECE]) for at in range(0, len(ordered), _PIECE)]
    for _, scores in workers.run("score subsets", mask_scores, jobs, progress, _SENT):
        found |= scores
    return found


def _sent(problem: FeatureProblem, workers: SubsetWorkers) -> FeatureProblem:
    """The rows as a task carries them."""
    size = len(pickle.dumps(problem, protocol=5))
    if size > _MOST_BYTES:
        raise ParameterError(
            f"{problem.n_rows:,} rows of {problem.table.n_columns} columns are too many to be sent to workers with "
            f"every batch of subsets ({size / 2**20:.0f} MB; at most {_MOST_BYTES >> 20})",
            hint="search a sample of the rows, or on this machine alone",
        )
    return replace(problem, threads=workers.threads)
