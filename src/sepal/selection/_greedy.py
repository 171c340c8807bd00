"""Searches that add and drop features one at a time.

Among equal scores the feature whose name comes first is added and the last one dropped, so that the result depends
neither on chance nor on the order of the columns.
References: A. Whitney 1971 (forward); T. Marill & D. Green 1963 (backward); S. Stearns 1976 (plus l take r);
P. Pudil, J. Novovicova, J. Kittler, Pattern Recognition Letters 15, 1994 (floating).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sepal.exceptions import ParameterError
from sepal.selection._evaluator import Evaluator
from sepal.selection._problem import set_bits

_ROUNDING = 1e-12


class Patience:
    """Counts steps without improvement of the best score."""

    def __init__(self, patience: int | None) -> None:
        self.patience, self.best, self.waited = patience, float("-inf"), 0

    def used_up(self, score: float) -> bool:
        """Note a step; whether too many went by without a better score."""
        if score > self.best + _ROUNDING:
            self.best, self.waited = score, 0
        else:
            self.waited += 1
        return self.patience is not None and self.waited >= self.patience


def _all(evaluate: Evaluator) -> int:
    return (1 << evaluate.problem.n_units) - 1


def add_one(evaluate: Evaluator, mask: int) -> tuple[int, float]:
    """The best subset with one feature more."""
    options = [mask | 1 << unit for unit in set_bits(_all(evaluate) & ~mask)]
    return _first_best(options, evaluate(options))


def drop_one(evaluate: Evaluator, mask: int) -> tuple[int, float]:
    """The best subset with one feature less."""
    options = [mask & ~(1 << unit) for unit in reversed(list(set_bits(mask)))]
    return _first_best(options, evaluate(options))


def _first_best(options: list[int], scores: list[float]) -> tuple[int, float]:
    highest = max(scores)
    at = next(i for i, score in enumerate(scores) if score >= highest - _ROUNDING)
    return options[at], scores[at]


def forward(evaluate: Evaluator, target: int | None, patience: Patience, options: Mapping[str, Any], rng: Any) -> None:
    """Add the best feature until the target size, or all, are in."""
    mask, last = 0, evaluate.problem.n_units if target is None else target
    while mask.bit_count() < last:
        mask, score = add_one(evaluate, mask)
        if patience.used_up(score) and target is None:
            return


def backward(evaluate: Evaluator, target: int | None, patience: Patience, options: Mapping[str, Any], rng: Any) -> None:
    """Drop the most useless feature until the target size, or one, is left."""
    mask, last = _all(evaluate), 1 if target is None else target
    patience.used_up(evaluate([mask])[0])
    while mask.bit_count() > last:
        mask, score = drop_one(evaluate, mask)
        if patience.used_up(score) and target is None:
            return


def floating(evaluate: Evaluator, target: int | None, patience: Patience, options: Mapping[str, Any], rng: Any) -> None:
    """Add the best feature, then drop features while that beats the best known subset of the smaller size."""
    n = evaluate.problem.n_units
    last = n if target is None else min(n, target + 2)  # two beyond, so that dropping may still improve the target
    best: dict[int, float] = {}
    mask = 0
    while mask.bit_count() < last:
        mask, score = add_one(evaluate, mask)
        size = mask.bit_count()
        if score <= best.get(size, float("-inf")) + _ROUNDING:
            # A subset of this size was better: go on from the best one known, as the paper's next step would.
            mask = max((m for m in evaluate.scores if m.bit_count() == size), key=lambda m: (evaluate.scores[m], -m))
        best[size] = max(best.get(size, float("-inf")), evaluate.scores[mask])
        while mask.bit_count() > 2:
            smaller, value = drop_one(evaluate, mask)
            if value <= best.get(smaller.bit_count(), float("-inf")) + _ROUNDING:
                break
            mask, best[smaller.bit_count()] = smaller, value
        if patience.used_up(max(best.values())) and target is None:
            return


def plus_l_take_r(
    evaluate: Evaluator, target: int | None, patience: Patience, options: Mapping[str, Any], rng: Any
) -> None:
    """Add ``plus`` features, drop ``take``, again and again (from all features downwards if take > plus)."""
    plus, take = int(options.get("plus", 3)), int(options.get("take", 1))
    if plus < 1 or take < 0 or plus == take:
        raise ParameterError(f"options: plus and take must differ, plus at least 1; got plus={plus}, take={take}")
    n = evaluate.problem.n_units
    grows = plus > take
    mask = 0 if grows else _all(evaluate)
    last = (n if grows else 1) if target is None else target
    done = False
    while not done:
        for grow in (True, False) if grows else (False, True):
            for _ in range(plus if grow else take):
                if grow and mask.bit_count() < n:
                    mask, _ = add_one(evaluate, mask)
                elif not grow and mask.bit_count() > 1:
                    mask, _ = drop_one(evaluate, mask)
                done = done or (grow == grows and (mask.bit_count() >= last if grows else mask.bit_count() <= last))
        if patience.used_up(evaluate.scores[mask]) and target is None:
            return
    while target is not None and mask.bit_count() != target:
        mask, _ = add_one(evaluate, mask) if mask.bit_count() < target else drop_one(evaluate, mask)
