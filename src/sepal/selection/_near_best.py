"""Which subsets the data cannot tell from the best one.

The best of many subsets is a matter of luck within its standard error. A subset is near the best when the mean of the
row by row differences in leave-one-out correctness is within so many standard errors of that mean (the comparison
McNemar's test makes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sepal.data import data_frame
from sepal.parameters import Parameter, check_number
from sepal.progress import Share, part
from sepal.selection._criterion import Criterion
from sepal.selection._problem import FeatureProblem, moved_masks
from sepal.selection._program import of_masks

NearBestRule = Literal["paired", "unpaired"]
_SAMPLE_CELLS = 40_000_000  # rows times subsets whose correctness is in memory together
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Subset:
    """A feature subset with its score.

    Attributes
    ----------
    mask : int
        The subset as one whole number: bit i is set where the i-th feature is in it.
    features : tuple of str
        The names of its columns.
    columns : tuple of int
        Where these stand in the table, from 0.
    score : float
        By the criterion of the search; higher is better.
    difference : float
        How far it stays behind the best; 0 for the best itself.
    standard_error : float
        That of the difference; 0 for the best itself.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.selection import subset_sweep
    >>> best = subset_sweep(table).best
    >>> best.features, best.score
    (('speed', 'agility'), 1.0)
    """

    mask: int
    features: tuple[str, ...]
    columns: tuple[int, ...]
    score: float
    difference: float = 0.0
    standard_error: float = 0.0

    @property
    def size(self) -> int:
        """How many features."""
        return len(self.features)


def subset_frame(subsets: Sequence[Subset]) -> Any:
    """One row per subset."""
    return data_frame(
        {
            "size": [s.size for s in subsets],
            "score": [s.score for s in subsets],
            "difference": [s.difference for s in subsets],
            "standard_error": [s.standard_error for s in subsets],
            "features": [", ".join(s.features) for s in subsets],
        }
    )


def make_subset(
    problem: FeatureProblem, mask: int, score: float, difference: float = 0.0, error: float = 0.0
) -> Subset:
    """A subset in words."""
    return Subset(mask, problem.feature_names(mask), problem.columns_of(mask), float(score), difference, error)


def best_first(
    problem: FeatureProblem, masks: NDArray[np.int64], scores: NDArray[np.float64], sizes: NDArray[np.int64]
) -> NDArray[np.intp]:
    """Positions from the best score down; among equals the smaller subset, then that of the names that come first."""
    rounded = np.round(scores / _ROUNDING) * _ROUNDING
    return np.lexsort((moved_masks(masks, problem.by_name), sizes, -rounded))


def near_best(
    problem: FeatureProblem,
    criterion: Criterion,
    masks: Sequence[int],
    scores: NDArray[np.float64],
    *,
    se: float,
    rule: NearBestRule,
    progress: Share | None = None,
) -> tuple[Subset, ...]:
    """The subsets (best first in ``masks``) whose difference from the first is within ``se`` standard errors."""
    check_number("se", se, at_least=0.0)
    Parameter("rule", "word", "", words=get_args(NearBestRule)).check(rule)
    n, best = problem.n_rows, float(scores[0])
    at_once = problem.n_rows - problem.n_others  # rows of the largest group, which may all err together
    if not criterion.per_row:
        criterion.samples(problem, of_masks(problem, [masks[0]]))  # says why not
    behind = best - scores
    if rule == "unpaired":
        units = n if problem.groups is None else int(problem.groups.max()) + 1
        error = float(np.sqrt(max(best * (1.0 - best), 0.0) / units))
        chosen = np.flatnonzero(behind <= se * error + _ROUNDING).tolist()
        return tuple(make_subset(problem, masks[i], scores[i], float(behind[i]), error if i else 0.0) for i in chosen)
    # |d| <= 1 and the best is wrong on 1 - best of the rows: no difference can have a mean square above this.
    square = np.minimum(behind + 2.0 * (1.0 - best), 1.0)
    possible: list[int] = np.flatnonzero(
        n * behind**2 <= at_once * se**2 * np.maximum(square - behind**2, 0.0) + _ROUNDING
    ).tolist()
    errors = _paired_errors(problem, criterion, [masks[i] for i in possible], progress)
    return tuple(
        make_subset(problem, masks[i], scores[i], max(float(behind[i]), 0.0), float(error))
        for i, error in zip(possible, errors, strict=True)
        if behind[i] <= se * error + _ROUNDING
    )


def _paired_errors(
    problem: FeatureProblem, criterion: Criterion, masks: Sequence[int], progress: Share | None
) -> NDArray[np.float64]:
    """Standard error of the mean row by row difference from the first subset; rows of a group are one unit."""
    step = max(1, _SAMPLE_CELLS // problem.n_rows)
    first: NDArray[np.float64] | None = None
    errors: list[float] = []
    for begin in range(0, len(masks), step):
        some = masks[begin : begin + step]
        program = of_masks(problem, some)
        tell = part(progress, begin / len(masks), (begin + len(some)) / len(masks))
        samples = criterion.samples(problem, program, tell)
        position = {int(mask): i for i, mask in enumerate(program.masks)}
        rows = samples[[position[mask] for mask in some]]
        first = rows[0] if first is None else first
        errors += [_standard_error(first - each, problem.groups) for each in rows]
    return np.array(errors)


def _standard_error(values: NDArray[np.float64], groups: NDArray[np.intp] | None) -> float:
    """Of the mean."""
    off = values - values.mean()
    sums = off if groups is None else np.bincount(groups, weights=off)
    return float(np.linalg.norm(sums) / len(values))


def inclusion(subsets: Sequence[Subset], names: Sequence[str]) -> dict[str, float]:
    """The share of subsets that hold each feature, in the order of the names given."""
    return {name: sum(name in s.features for s in subsets) / len(subsets) for name in names}


def smallest(subsets: Sequence[Subset]) -> Subset:
    """The subset with the fewest features; among equals the best score, and among these the first given."""
    return min(subsets, key=lambda s: (s.size, -round(s.score / _ROUNDING)))
