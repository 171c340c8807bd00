"""Every subset of the features, scored in one walk over the tree of subsets."""

from __future__ import annotations

import html
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Missing, ScaleName, data_frame, frame_html
from sepal.exceptions import ParameterError
from sepal.parameters import Parameter, check_whole, checked
from sepal.progress import Progress
from sepal.selection._criteria import PAIRS_PER_SECOND, CriterionLike, CriterionTies, Thornton, as_criterion
from sepal.selection._criterion import Criterion
from sepal.selection._near_best import (
    NearBestRule,
    Subset,
    best_first,
    inclusion,
    make_subset,
    near_best,
    smallest,
    subset_frame,
)
from sepal.selection._problem import Blocks, Columns, FeatureProblem, feature_problem
from sepal.selection._program import n_trees
from sepal.selection._spread import every_tree
from sepal.selection._telling import SearchProgress, search_teller

MOST_FEATURES = 22
# Units whose subsets are walked at once: fewer share too little, more need too much memory.
LEAST_TREE, SMALL_TREE, LARGE_TREE = 6, 9, 18


@dataclass(frozen=True, eq=False, repr=False)
class SubsetSweep:
    """The scores of all subsets.

    Attributes
    ----------
    scores : ndarray of float64, shape (2 ** n_features,)
        Indexed by bit mask: bit j set means feature j is in. ``scores[0]`` is NaN, the empty subset having no score,
        unless columns are always kept.
    criterion : str
    all_scores : dict
        Criterion name to scores, where several criteria were asked for; the first one is ``scores``.
    names : tuple of str
        The features, in bit order.
    problem : FeatureProblem
        The rows, as the sweep saw them.

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

    @property
    def criterion(self) -> str:
        """The first criterion, by which subsets are ranked."""
        return self.criteria[0].name

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores by the first criterion, indexed by mask."""
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
        """How many subsets were scored: all there are."""
        return len(self._masks_best_first)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of features of each mask."""
        return np.bitwise_count(np.arange(len(self.scores), dtype=np.uint64)).astype(np.int64)

    @cached_property
    def _masks_best_first(self) -> NDArray[np.int64]:
        """All masks, best first."""
        masks = np.arange(self.problem.smallest_mask, len(self.scores), dtype=np.int64)
        return masks[best_first(self.problem, masks, self.scores[masks], self.sizes[masks])]

    @property
    def best(self) -> Subset:
        """The best subset."""
        return self.top(1)[0]

    def top(self, n: int) -> tuple[Subset, ...]:
        """The n best subsets; among equal scores the smaller one comes first, then that of the first names."""
        check_whole("n", n)
        return tuple(
            make_subset(
                self.problem, int(m), self.scores[m], float(self.scores[self._masks_best_first[0]] - self.scores[m])
            )
            for m in self._masks_best_first[:n]
        )

    def best_by_size(self) -> dict[int, Subset]:
        """The best subset of each size."""
        sizes = self.sizes[self._masks_best_first]
        masks = [
            int(self._masks_best_first[np.flatnonzero(sizes == size)[0]]) for size in range(1, self.problem.n_units + 1)
        ]
        return {size: make_subset(self.problem, mask, self.scores[mask]) for size, mask in enumerate(masks, start=1)}

    def near_best(
        self, se: float = 1.0, *, rule: NearBestRule = "paired", size: int | None = None
    ) -> tuple[Subset, ...]:
        """All subsets that the data cannot tell from the best, best first.

        Parameters
        ----------
        se : float
            How many standard errors count as no difference.
        rule : {"paired", "unpaired"}
            The standard error of the row by row difference in leave-one-out correctness, or that of the best alone.
        size : int, optional
            Compare the subsets with so many features only.
        """
        order = (
            self._masks_best_first
            if size is None
            else self._masks_best_first[self.sizes[self._masks_best_first] == size]
        )
        return near_best(self.problem, self.criteria[0], order.tolist(), self.scores[order], se=se, rule=rule)

    def smallest_near_best(self, se: float = 1.0, *, rule: NearBestRule = "paired") -> Subset:
        """The near-best subset with the fewest features."""
        return smallest(self.near_best(se, rule=rule))

    def inclusion(self, se: float = 1.0, *, rule: NearBestRule = "paired") -> dict[str, float]:
        """The share of near-best subsets that hold each feature."""
        return inclusion(self.near_best(se, rule=rule), self.names)

    def correlation(self) -> NDArray[np.float64]:
        """Correlation of the criteria over all subsets."""
        table = np.array([values[self.problem.smallest_mask :] for values in self.all_scores.values()])
        return np.atleast_2d(np.corrcoef(table))

    def frame(self, n: int | None = None) -> Any:
        """One row per subset (or for the n best), best first: mask, size, scores, features."""
        order = self._masks_best_first[:n]
        columns: dict[str, Any] = {"mask": order, "size": self.sizes[order]}
        columns |= {name: values[order] for name, values in self.all_scores.items()}
        columns["features"] = [", ".join(self.problem.feature_names(int(mask))) for mask in order]
        return data_frame(columns)

    def plot(self, kind: str = "size", ax: Any = None) -> Any:
        """Draw ``"size"`` (score by size), ``"inclusion"`` (bars) or ``"criteria"`` (one criterion against another)."""
        from sepal import plots as draw

        first, some = self.problem.smallest_mask, self.scores[self.problem.smallest_mask :]
        if kind == "size":
            near = self.near_best() if self.criteria[0].per_row else self.top(1)
            low = min(s.score for s in near)
            return draw.draw_score_by_size(
                self.sizes[first:], some, label=self.criterion, band=(low, near[0].score),
                near=[(s.size, s.score) for s in near], ax=ax,
            )  # fmt: skip
        if kind == "inclusion":
            shares = self.inclusion()
            return draw.draw_inclusion([*shares], [*shares.values()], n_subsets=len(self.near_best()), ax=ax)
        if kind == "criteria":
            if len(self.all_scores) < 2:
                raise ParameterError(
                    "kind='criteria' draws two criteria; this sweep has one",
                    hint='sweep with criterion=("thornton", "alignment")',
                )
            (name_x, x), (name_y, y) = list(self.all_scores.items())[:2]
            return draw.draw_criteria(x[first:], y[first:], self.sizes[first:], labels=(name_x, name_y), ax=ax)
        raise ParameterError(f"kind must be 'size', 'inclusion' or 'criteria'; got {kind!r}")

    def __repr__(self) -> str:
        best = self.best
        return (
            f"<SubsetSweep of {self.n_evaluations} subsets by {self.criterion}: best {best.score:.4f} {best.features}>"
        )

    def _repr_html_(self) -> str:
        near = self.near_best() if self.criteria[0].per_row else self.top(10)
        table = frame_html(self, "{:.4f}".format, frame_of=lambda: subset_frame(near[:10]))
        return f"<p>{html.escape(repr(self))}<br>{len(near)} subsets are near the best.</p>{table}"


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
            progress(done + int(fraction * (subsets // n_trees(problem, units))), time.monotonic() - started, best)

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
    return SubsetSweep(problem, criteria, sweep_solve(problem, criteria, search_teller(progress, 2**problem.n_units)))
