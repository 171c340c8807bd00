"""How much an exact search by a k-d tree looks at: counted, so that neither caches nor a busy machine change it.

A row asks whole leaves, and boxes on the way to them; each row or box that it is compared with counts one. From 100,000
rows on every 64th leaf asks. In the limit a query visits a number of leaves that no longer grows, after log n steps
down: about (1 + (k G / b)^(1/p))^p leaves of b = 32 rows (Friedman, Bentley & Finkel 1977), where G is the volume of a
cube over that of the ball in it: 16 leaves for 10 neighbours in 4 columns, 131 in 6, 1,300 in 8. As long as a tree has
not many times as many leaves, the exponent lies between 1 and 2 for any exact search by boxes. scipy's tree is timed
beside it on the same rows: one thread, 4,000 rows ask in random order, so that its times contain the caches.
"""

from __future__ import annotations

import math
import multiprocessing
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

VISITED = (4, 6, 8)  # columns
NEIGHBORS = (1, 10)
LEAF, TURNS, MANY = 32, 64, 100_000
ASKING = 4_000


def rows(n: int, p: int) -> tuple[Any, Any]:
    """Two classes whose means are 3 apart in the first column."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, p))
    X[:, 0] += 3.0 * y
    return X, y


def count(n: int, p: int) -> list[float]:
    """For each number of neighbours what a row is compared with, then microseconds of cKDTree; in its own process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_counted, (n, p))


def _counted(n: int, p: int) -> list[float]:
    from scipy.spatial import cKDTree

    import sepal._native as _native

    X, _ = rows(n, p)
    turns = TURNS if n >= MANY else 1
    asked = min(n, LEAF * math.ceil(math.ceil(n / LEAF) / turns))
    compared = [_native.tree_work(points=X, k=k, threads=1, turns=turns) / p / asked for k in NEIGHBORS]
    tree = cKDTree(X)
    asking = X[np.random.default_rng(1).permutation(n)[:ASKING]]
    taken = []
    for k in NEIGHBORS:
        begin = time.process_time()
        tree.query(asking, k + 1)
        taken.append(1e6 * (time.process_time() - begin) / len(asking))
    return [*compared, *taken]


def local_exponents(counted: Mapping[int, float]) -> list[float]:
    """The exponent of the whole work, n times that of a row, from each size to the next.

    >>> local_exponents({10: 2.0, 100: 20.0, 1000: 20.0})
    [2.0, 1.0]
    """
    return [
        1.0 + math.log(after / before) / math.log(larger / n)
        for (n, before), (larger, after) in pairwise(counted.items())
    ]


def told_visits(p: int, counted: Mapping[int, Sequence[float]]) -> str:
    """Four lines of a number of columns."""
    lines = []
    for at, what in enumerate([f"{who}, k = {k}" for who in ("compared", "cKDTree") for k in NEIGHBORS]):
        numbers = {n: found[at] for n, found in counted.items()}
        unit = "" if at < len(NEIGHBORS) else " us"
        cells = "".join(f"{number:12,.{0 if at < len(NEIGHBORS) else 1}f}{unit}" for number in numbers.values())
        slopes = ", ".join(f"n^{slope:.2f}" for slope in local_exponents(numbers))
        lines.append(f"  {p} columns, {what:<18}{cells}   {slopes}")
    return "\n".join(lines)
