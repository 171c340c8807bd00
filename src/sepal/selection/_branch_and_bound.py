"""The best subset of a given size under a monotone criterion, without scoring all of them.

Features are dropped from the full set; a branch whose score is already below the best subset of the wanted size cannot
recover, since dropping never raises a monotone score.
Reference: P. Narendra & K. Fukunaga, IEEE Trans. Comp. C-26, 1977.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sepal.exceptions import DataError, ParameterError
from sepal.selection._criteria import Mahalanobis, scatter
from sepal.selection._evaluator import Evaluator
from sepal.selection._greedy import Patience
from sepal.selection._problem import set_bits

_ROUNDING = 1e-12


def branch_and_bound(
    evaluate: Evaluator, target: int | None, patience: Patience, options: Mapping[str, Any], rng: Any
) -> None:
    """Depth first, most useless feature first."""
    problem, criterion = evaluate.problem, evaluate.criterion
    if not criterion.monotone:
        raise ParameterError(
            f"strategy='branch_and_bound' needs a criterion that never falls when a feature is added, and "
            f"{criterion.name!r} can fall: a branch cut off might hold the best subset",
            hint="use criterion='mahalanobis', or strategy='floating'",
        )
    if target is None:
        raise ParameterError(
            "strategy='branch_and_bound' needs n_features: under a monotone criterion the full set is the best"
        )
    if isinstance(criterion, Mahalanobis):
        _refuse_singular(problem)
    full = (1 << problem.n_units) - 1
    best = float("-inf")
    # (subset, features that may still be dropped)
    stack = [(full, full)]
    while stack:
        mask, free = stack.pop()
        score = evaluate([mask])[0]
        if score <= best + _ROUNDING:
            continue
        if mask.bit_count() == target:
            best = score
            continue
        units = list(set_bits(free))
        children = [mask & ~(1 << unit) for unit in units]
        order = sorted(range(len(units)), key=list(evaluate(children)).__getitem__)
        # Child i may later drop only features that come after it, so that every subset is met once.
        left = free
        for i in order:
            left &= ~(1 << units[i])
            stack.append((children[i], left))
        # Not enough features left to drop: such children are useless.
        stack = [(m, f) for m, f in stack if m.bit_count() - f.bit_count() <= target]


def _refuse_singular(problem: Any) -> None:
    import numpy as np

    within, _ = scatter(problem)
    if np.linalg.matrix_rank(within) < len(within):
        raise DataError(
            "the pooled covariance is singular, and then the criterion 'mahalanobis' is not monotone",
            hint="leave out constant and redundant columns, or use strategy='floating'",
        )
