"""Subsets with their scores: what a sweep of all subsets and a search of some answer alike."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import data_frame, frame_html
from sepal.exceptions import ParameterError
from sepal.parameters import Parameter, check_whole
from sepal.selection._criterion import Criterion
from sepal.selection._evaluator import Step
from sepal.selection._near_best import NearBestRule, Subset, inclusion, make_subset, near_best, smallest, subset_frame
from sepal.selection._problem import FeatureProblem

PICTURE = Parameter("kind", "word", "what to draw", words=("size", "inclusion", "history", "criteria"))
_SHOWN = 10


Masks = Sequence[int] | NDArray[np.int64]


def _taken(values: Any, masks: Masks) -> NDArray[Any]:
    """What a mapping or an array by mask holds for each mask."""
    return values[masks] if isinstance(values, np.ndarray) else np.array([values[mask] for mask in masks])


class ScoredSubsets(ABC):
    """The interface that :class:`SubsetSweep` and :class:`SubsetSearch` share."""

    problem: FeatureProblem
    criteria: tuple[Criterion, ...]
    all_scores: dict[str, Any]  # by the name of a criterion: what a mask gives the score of that subset
    strategy: str
    history: tuple[Step, ...]
    stopped: str
    seconds: float
    n_features: int | None

    @property
    @abstractmethod
    def sizes(self) -> Any:
        """The number of features of each mask: a mask gives that of its subset."""

    @abstractmethod
    def _masks(self) -> Masks:
        """The subsets that were scored."""

    @abstractmethod
    def _ranked(self, size: int | None = None) -> Masks:
        """The same, best first: those of so many features, or of as many as were wanted."""

    @abstractmethod
    def _sizes_met(self) -> Sequence[int]:
        """Of how many features there are subsets, ascending."""

    @property
    def criterion(self) -> str:
        """The first criterion, by which subsets are ranked."""
        return self.criteria[0].name

    @property
    def scores(self) -> Any:
        """Scores by the first criterion: a mask gives the score of that subset."""
        return next(iter(self.all_scores.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in bit order."""
        return self.problem.names

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the result should know."""
        return self.problem.notes

    @property
    def n_evaluations(self) -> int:
        """How many different subsets were scored."""
        return len(self._masks())

    @property
    def best(self) -> Subset:
        """The best subset (of the wanted size, if one was given)."""
        return self.top(1)[0]

    def top(self, n: int) -> tuple[Subset, ...]:
        """The n best subsets; among equal scores the smaller one comes first, then that of the first names."""
        check_whole("n", n)
        masks, scores = self._ranked()[:n], self.scores
        return tuple(make_subset(self.problem, int(m), scores[m], float(scores[masks[0]] - scores[m])) for m in masks)

    def best_by_size(self) -> dict[int, Subset]:
        """The best subset of each size."""
        first = {size: int(self._ranked(size)[0]) for size in self._sizes_met()}
        return {size: make_subset(self.problem, mask, self.scores[mask]) for size, mask in first.items()}

    def near_best(
        self, se: float = 1.0, *, rule: NearBestRule = "paired", size: int | None = None
    ) -> tuple[Subset, ...]:
        """The subsets that the data cannot tell from the best, best first.

        Parameters
        ----------
        se : float
            How many standard errors count as no difference.
        rule : {"paired", "unpaired"}
            The standard error of the row by row difference in leave-one-out correctness, or that of the best alone.
        size : int, optional
            Compare the subsets with so many features only; there are none where none was scored.
        """
        masks = self._ranked(check_whole("size", size, optional=True))
        if len(masks) == 0:
            return ()
        listed = masks.tolist() if isinstance(masks, np.ndarray) else masks
        scores = _taken(self.scores, masks)
        return near_best(self.problem, self.criteria[0], listed, scores, se=se, rule=rule)

    def smallest_near_best(self, se: float = 1.0, *, rule: NearBestRule = "paired") -> Subset:
        """The near-best subset with the fewest features."""
        return smallest(self.near_best(se, rule=rule))

    def inclusion(self, se: float = 1.0, *, rule: NearBestRule = "paired") -> dict[str, float]:
        """The share of near-best subsets that hold each feature."""
        return inclusion(self.near_best(se, rule=rule), self.names)

    def correlation(self) -> NDArray[np.float64]:
        """Correlation of the criteria over the subsets that were scored."""
        masks = self._masks()
        return np.atleast_2d(np.corrcoef([_taken(scores, masks) for scores in self.all_scores.values()]))

    def frame(self, n: int | None = None) -> Any:
        """One row per subset (or for the n best), best first: mask, size, scores, features."""
        masks = self._ranked()[: check_whole("n", n, optional=True)]
        columns: dict[str, Any] = {"mask": masks, "size": _taken(self.sizes, masks)}
        columns |= {name: _taken(scores, masks) for name, scores in self.all_scores.items()}
        columns["features"] = [", ".join(self.problem.feature_names(int(mask))) for mask in masks]
        return data_frame(columns)

    def history_frame(self) -> Any:
        """The way to the best subset: one row per improvement."""
        return data_frame(
            {
                "evaluations": [step.evaluations for step in self.history],
                "seconds": [step.seconds for step in self.history],
                "size": [step.mask.bit_count() for step in self.history],
                self.criterion: [step.score for step in self.history],
                "features": [", ".join(self.problem.feature_names(step.mask)) for step in self.history],
            }
        )

    def plot(self, kind: str = "size", ax: Any = None) -> Any:
        """Draw a picture of the subsets.

        Parameters
        ----------
        kind : {"size", "inclusion", "history", "criteria"}
            Score by size, bars of how often near-best subsets hold each feature, the best score so far, or one
            criterion against another.
        ax : matplotlib axes, optional
            Where to draw.
        """
        from sepal import plots as draw

        PICTURE.check(kind)
        masks = self._masks()
        sizes, scores = _taken(self.sizes, masks), [_taken(each, masks) for each in self.all_scores.values()]
        if kind == "size":
            near = self.near_best() if self.criteria[0].per_row else (self.best,)
            band = (min(s.score for s in near), near[0].score)
            spots = [(s.size, s.score) for s in near]
            return draw.draw_score_by_size(sizes, scores[0], label=self.criterion, band=band, near=spots, ax=ax)
        if kind == "inclusion":
            shares = self.inclusion()
            return draw.draw_inclusion([*shares], [*shares.values()], n_subsets=len(self.near_best()), ax=ax)
        if kind == "history":
            evaluations = [step.evaluations for step in self.history] + [self.n_evaluations]
            best = [step.score for step in self.history] + [self.history[-1].score]
            return draw.draw_history(evaluations, best, label=self.criterion, ax=ax)
        if len(scores) < 2:
            raise ParameterError(
                "kind='criteria' draws two criteria; there is one",
                hint='sweep with criterion=("thornton", "alignment")',
            )
        across, up, *_ = self.all_scores
        return draw.draw_criteria(scores[0], scores[1], sizes, labels=(across, up), ax=ax)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        compares = self.criteria[0].per_row
        near = self.near_best() if compares else self.top(_SHOWN)
        told = f"<br>{len(near)} subsets are near the best." if compares else ""
        table = frame_html(self, "{:.4f}".format, frame_of=lambda: subset_frame(near[:_SHOWN]))
        return f"<p>{html.escape(repr(self))}{told}</p>{table}"
