"""Searches that use chance: random subsets, a genetic algorithm, simulated annealing, a binary particle swarm.

With a target size every subset is repaired to that size by adding or dropping random features.
References: W. Siedlecki & J. Sklansky 1989 (genetic); S. Kirkpatrick et al. 1983 (annealing);
J. Kennedy & R. Eberhart 1997 (binary swarm).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.selection._evaluator import Evaluator
from sepal.selection._greedy import Patience

DEFAULT_EVALUATIONS = 2000  # where neither time, evaluations nor patience are limited


def to_mask(bits: NDArray[np.bool_]) -> int:
    """A row of booleans as a mask."""
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _repair(bits: NDArray[np.bool_], target: int | None, least: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    bits, held = bits.copy(), np.flatnonzero(bits)
    wanted = target if target is not None else max(len(held), least)
    if len(held) > wanted:
        bits[rng.choice(held, size=len(held) - wanted, replace=False)] = False
    elif len(held) < wanted:
        bits[rng.choice(np.flatnonzero(~bits), size=wanted - len(held), replace=False)] = True
    return bits


def _random_bits(n: int, target: int | None, least: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """A size drawn evenly, then a set of that size: small and large subsets are as likely as medium ones."""
    size = target if target is not None else int(rng.integers(max(least, 1), n + 1))
    bits = np.zeros(n, dtype=bool)
    bits[rng.choice(n, size=size, replace=False)] = True
    return bits


def _score(evaluate: Evaluator, population: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.array(evaluate(to_mask(bits) for bits in population))


def random(evaluate: Evaluator, target: int | None, patience: Patience, options: Mapping[str, Any], rng: Any) -> None:
    """Random subsets; patience counts batches of 64."""
    n, least = evaluate.problem.n_units, evaluate.problem.smallest_mask
    for _ in range(int(options.get("batches", 10**9))):
        before = len(evaluate.scores)
        scores = evaluate(to_mask(_random_bits(n, target, least, rng)) for _ in range(64))
        if patience.used_up(max(scores)) or (len(evaluate.scores) == before and _exhausted(evaluate, target)):
            return


def _exhausted(evaluate: Evaluator, target: int | None) -> bool:
    n = evaluate.problem.n_units
    total = 2**n - evaluate.problem.smallest_mask if target is None else math.comb(n, target)
    return len(evaluate.scores) >= total


def genetic(evaluate: Evaluator, target: int | None, patience: Patience, options: Mapping[str, Any], rng: Any) -> None:
    """Tournaments of three, uniform crossover, each bit flipped with probability 1/p, the two best survive."""
    n, least = evaluate.problem.n_units, evaluate.problem.smallest_mask
    size = int(options.get("population", 50))
    population = np.array([_random_bits(n, target, least, rng) for _ in range(size)])
    for _ in range(int(options.get("generations", 10**9))):
        before = len(evaluate.scores)
        scores = _score(evaluate, population)
        if patience.used_up(float(scores.max())) or (len(evaluate.scores) == before and _exhausted(evaluate, target)):
            return
        elite = np.argsort(-scores, kind="stable")[:2]
        entrants = rng.integers(0, size, size=(2, size - 2, 3))
        parents = np.take_along_axis(entrants, scores[entrants].argmax(axis=2)[..., None], axis=2)[..., 0]
        children = np.where(rng.random((size - 2, n)) < 0.5, population[parents[0]], population[parents[1]])
        children ^= rng.random(children.shape) < 1.0 / n
        repaired = [_repair(child, target, least, rng) for child in children]
        population = np.array([*population[elite], *repaired])


def annealing(
    evaluate: Evaluator, target: int | None, patience: Patience, options: Mapping[str, Any], rng: Any
) -> None:
    """One feature in or out (or one exchanged, with a target size); worse subsets are accepted ever more rarely."""
    n, least = evaluate.problem.n_units, evaluate.problem.smallest_mask
    steps = int(options.get("steps", evaluate.max_evaluations or DEFAULT_EVALUATIONS))
    hot, cold = float(options.get("start", 0.02)), float(options.get("end", 0.0005))
    bits = _random_bits(n, target, least, rng)
    score = evaluate([to_mask(bits)])[0]
    for step in range(steps):
        other = bits.copy()
        other[rng.integers(n)] ^= True
        other = _repair(other, target, least, rng)
        value = evaluate([to_mask(other)])[0]
        temperature = hot * (cold / hot) ** (step / max(steps - 1, 1))
        if value >= score or rng.random() < math.exp((value - score) / temperature):
            bits, score = other, value
        if patience.used_up(score):
            return


def swarm(evaluate: Evaluator, target: int | None, patience: Patience, options: Mapping[str, Any], rng: Any) -> None:
    """Binary particles: velocities pulled to the own and the common best, clamped to +-6, bits drawn by the sigmoid."""
    n, least = evaluate.problem.n_units, evaluate.problem.smallest_mask
    size = int(options.get("particles", 40))
    inertia, own_pull, common_pull = (float(options.get(k, d)) for k, d in (("w", 0.9), ("c1", 2.0), ("c2", 2.0)))
    position = np.array([_random_bits(n, target, least, rng) for _ in range(size)])
    velocity = rng.uniform(-1, 1, size=(size, n))
    best, best_score = position.copy(), np.full(size, -np.inf)
    for _ in range(int(options.get("iterations", 10**9))):
        before = len(evaluate.scores)
        scores = _score(evaluate, position)
        if patience.used_up(float(scores.max())) or (len(evaluate.scores) == before and _exhausted(evaluate, target)):
            return
        improved = scores > best_score
        best[improved], best_score[improved] = position[improved], scores[improved]
        leader = best[int(best_score.argmax())].astype(float)
        pull = own_pull * rng.random((size, n)) * (best.astype(float) - position)
        pull += common_pull * rng.random((size, n)) * (leader - position)
        velocity = np.clip(inertia * velocity + pull, -6, 6)
        drawn = rng.random((size, n)) < 1.0 / (1.0 + np.exp(-velocity))
        position = np.array([_repair(bits, target, least, rng) for bits in drawn])
