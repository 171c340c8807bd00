"""How often the p-value of Thornton's index is small when labels mean nothing.

For one table p depends on the index alone and falls as it grows (permutations are always the same ones). So the least
index with p <= alpha is found by halving, and how often random labels reach it by shuffling them. The index has steps,
so that no test has exactly alpha: the table gives the attainable level beside it, which is the largest at most alpha
that any test of the index has, and the factor between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics._null_designs import DESIGNS, NullDesign
from sepal.measures import thornton_test
from sepal.measures._label_shuffles import shuffler
from sepal.measures._nearest import NearestGraph, nearest_graph
from sepal.measures._prepared import prepare
from sepal.measures._thornton_p import LabelMoments, label_moments, p_value
from sepal.neighbors import AnySearch

ALPHAS = (0.05, 0.01, 0.001)
HEAD = (
    "| design | p from | " + " | ".join(f"P(p ≤ {a:g}) | attainable | factor" for a in ALPHAS) + " |\n"
    "|---|---|" + "---:|---:|---:|" * len(ALPHAS)
)


def levels(design: NullDesign, n_tables: int, n_shuffles: int, seed: int) -> tuple[str, NDArray[np.float64]]:
    """Where p comes from, and for each alpha the share of random labels with p <= alpha and the attainable level."""
    found, source = [], ""
    for table in range(n_tables):
        rng = np.random.default_rng([seed, table])
        y = np.repeat(np.arange(len(design.sizes)), design.sizes)
        data = prepare(
            design.draw(rng), y, distance="euclidean", distance_params=None, scale=None, missing="distance", n_jobs=None
        )
        graph, counts = nearest_graph(data.ranking(1)), data.class_counts
        moments = label_moments(graph.symmetric(), counts)
        totals = np.round(shuffler(graph, data.search, counts).totals(int(rng.integers(2**62)), 0, n_shuffles), 9)
        values = np.unique(totals)[::-1]
        reached = np.searchsorted(np.sort(-totals), -values, side="right") / n_shuffles
        p_of = cache(partial(_p_of, graph, data.search, counts, moments))
        found.append([(_share(p_of, values, reached, a), _largest(reached, a)) for a in ALPHAS])
        source = p_value(graph, data.search, counts, moments, moments.mean).source
    return source, np.mean(found, axis=0)


def _p_of(
    graph: NearestGraph, search: AnySearch, counts: NDArray[np.int64], moments: LabelMoments, total: float
) -> float:
    return p_value(graph, search, counts, moments, total).value


def _share(
    p_of: Callable[[float], float], values: NDArray[np.float64], reached: NDArray[np.float64], alpha: float
) -> float:
    """How often the index is so large that p <= alpha; ``values`` fall."""
    low, high = 0, len(values)  # values before low have p <= alpha, values from high on have not
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if p_of(float(values[middle])) <= alpha else (low, middle)
    return float(reached[low - 1]) if low else 0.0


def _largest(reached: NDArray[np.float64], alpha: float) -> float:
    return float(np.max(reached[reached <= alpha], initial=0.0))


def null_table(n_tables: int = 10, n_shuffles: int = 40_000) -> Iterator[str]:
    """The table, a line at a time."""
    yield HEAD
    for number, design in enumerate(DESIGNS):
        source, found = levels(design, n_tables, n_shuffles, number)
        cells = " | ".join(f"{ours:.5f} | {best:.5f} | {ours / best:.2f}" for ours, best in found)
        yield f"| {design.name} | {source} | {cells} |"


def power_table(n_repeats: int = 400) -> Iterator[str]:
    """How often real differences are found at 0.001, beside 9,999 permutations of the user's own."""
    yield "| rows | found by `p_value` | found by 9,999 permutations |\n|---|---:|---:|"
    for n, shift in ((40, 1.6), (100, 1.0), (300, 0.7)):
        found = []
        for repeat in range(n_repeats):
            rng = np.random.default_rng([n, repeat])
            y = np.arange(n) % 2
            test = thornton_test(rng.normal(size=(n, 2)) + shift * y[:, None], y, 9_999, random_state=repeat)
            found.append((test.p_value <= 0.001, test.permutation_p <= 0.001))
        ours, theirs = np.mean(found, axis=0)
        yield f"| {n} rows, means {shift} apart | {ours:.3f} | {theirs:.3f} |"
