"""Learners within a time limit, and progress that names the learner and the fold."""

from __future__ import annotations

from typing import Any

from sepal.exceptions import DataError
from sepal.progress import Progress
from sepal.report import Clock

OF_A_FOLD = 0.8  # share of a fold's time for the learner's own limit; the rest is for its answers


def bounded(learner: Any, limit: float | None, folds: Any) -> Any:
    """The learner with a limit of its own for each fold, where it takes one; it then answers with what it has."""
    within = getattr(learner, "machine", learner)
    if limit is not None and "time_limit" in within.get_params(deep=False):
        usual = within.get_params(deep=False)["time_limit"]
        mine = OF_A_FOLD * limit / (folds if isinstance(folds, int) else 10)
        within.set_params(time_limit=mine if usual is None else min(usual, mine))
    return learner


def fold_progress(title: str, folds: Any, clock: Clock, progress: Progress) -> Progress:
    """Called after each fold; tells the learner and the next fold, and ends the work when time is over."""

    def tell(text: str, done: float) -> None:
        fold = ""
        if isinstance(folds, int) and folds > 1 and done < 1:
            fold = f", fold {round(done * folds) + 1} of {folds}"
        progress(title + fold, done)
        if done < 1:
            clock.check()

    tell("", 0.0)
    return tell


def too_slow(title: str, limit: float | None) -> DataError:
    """What is said where not even the first learner answered in time."""
    text = f"{title} did not answer all folds within the {limit or 0.0:.1f} s that the time limit left"
    if not limit or limit < 0.05:
        text = "Nothing is left of the time limit: starting and reading the file took all of it"
    return DataError(
        text,
        hint="allow more time, name one learner (--learner knn), or use fewer folds (--cv 3)",
    )
