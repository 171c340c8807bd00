"""Exact moments of the agreement on a fixed graph of neighbours, over all permutations of the labels.

T = sum over edges of b_e I_e, where I_e is 1 if the two rows of the edge have one class. The mean of a product of I's
depends only on the shape its edges make (the same edge, a path, a star, ...): so T's moments are sums over shapes of
(how much weight has that shape) times (the central moment of that shape under random labels).

References: M. F. Schilling, JASA 81, 1986, for mean and variance; the third moment follows in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import perm

import numpy as np
from numpy.typing import NDArray

MOST_STEPS = 50_000_000  # of the search for triangles


@dataclass(frozen=True, eq=False)
class AgreementGraph:
    """Weighted edges between rows, equal rows taken together.

    Attributes
    ----------
    n_copies : array
        Rows that each distinct row stands for. Those of one distinct row are joined to each other by edges of weight
        2 / (n_copies - 1).
    a, b : arrays
        Distinct rows joined by an edge, each pair once, every row of the one with every row of the other.
    weight : array
        Of these edges.
    """

    n_copies: NDArray[np.int64]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    weight: NDArray[np.float64]

    @property
    def edges(self) -> NDArray[np.float64]:
        """How many pairs of rows each entry stands for."""
        return (self.n_copies[self.a] * self.n_copies[self.b]).astype(np.float64)

    @property
    def copied(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Sizes of the groups of equal rows, and the weight of the edges in them."""
        size = self.n_copies[self.n_copies > 1].astype(np.float64)
        return size, 2.0 / (size - 1.0)

    def degrees(self, power: int) -> NDArray[np.float64]:
        """For a row of each distinct row, the sum of weight**power over its edges."""
        n, raised = len(self.n_copies), self.weight**power
        found = np.zeros(n)  # counting no edges would give whole numbers
        found += np.bincount(self.a, weights=raised * self.n_copies[self.b], minlength=n)
        found += np.bincount(self.b, weights=raised * self.n_copies[self.a], minlength=n)
        size, inside = self.copied
        found[self.n_copies > 1] += (size - 1.0) * inside**power
        return found

    def sum_of(self, power: int) -> float:
        """Sum of weight**power over all edges."""
        size, inside = self.copied
        return float(np.sum(self.edges * self.weight**power) + np.sum(size * (size - 1.0) / 2.0 * inside**power))

    def per_row(self, values: NDArray[np.float64]) -> float:
        """Sum over rows of a value given for each distinct row."""
        return float(np.sum(self.n_copies * values))


def agreement_chances(class_counts: Iterable[int]) -> dict[str, Fraction]:
    """Chance that rows agree: "3" of three in one class, "22" of two pairs, each pair within one class, and so on."""
    counts = [int(c) for c in class_counts]
    n = sum(counts)
    s = {k: [perm(c, k) for c in counts] for k in (2, 3, 4, 5, 6)}
    total = {k: sum(v) for k, v in s.items()}
    both = {(k, m): sum(x * y for x, y in zip(s[k], s[m], strict=True)) for k, m in ((2, 2), (3, 2), (4, 2))}
    cubes = sum(x**3 for x in s[2])
    pairs = total[2] ** 2 - both[2, 2]
    ways = {
        "2": (total[2], 2),
        "3": (total[3], 3),
        "4": (total[4], 4),
        "22": (total[4] + pairs, 4),
        "32": (total[5] + total[3] * total[2] - both[3, 2], 5),
        "222": (
            total[6] + 3 * (total[4] * total[2] - both[4, 2]) + (total[2] ** 3 - 3 * both[2, 2] * total[2] + 2 * cubes),
            6,
        ),
    }
    return {name: Fraction(found, perm(n, k)) if n >= k else Fraction(0) for name, (found, k) in ways.items()}


def central_moments(graph: AgreementGraph, class_counts: Iterable[int]) -> tuple[float, float, float | None]:
    """Mean, variance and third central moment of T; None for the third where finding all triangles takes too long."""
    chance = agreement_chances(class_counts)
    p = chance["2"]
    total, squares = graph.sum_of(1), graph.sum_of(2)
    one = graph.degrees(1)
    touching = graph.per_row(one**2) - 2.0 * squares  # ordered pairs of edges that share one row
    apart = total**2 - squares - touching
    terms = (squares, p - p * p), (touching, chance["3"] - p * p), (apart, chance["22"] - p * p)
    variance = sum(weight * float(moment) for weight, moment in terms)
    # Where every arrangement gives the same total, rounding leaves a little more or less than nothing.
    variance = variance if variance > 1e-12 * total**2 else 0.0
    return float(p) * total, variance, _third(graph, chance, touching)


def _third(graph: AgreementGraph, chance: dict[str, Fraction], touching: float) -> float | None:
    triangles = triangle_weight(graph)
    if triangles is None:
        return None
    total, squares, cubes = (graph.sum_of(k) for k in (1, 2, 3))
    one, two, three = (graph.degrees(k) for k in (1, 2, 3))
    doubled = graph.per_row(two * one - three)  # one edge twice, another that touches it
    doubled_apart = squares * total - cubes - doubled
    star = graph.per_row(one**3 - 3.0 * one * two + 2.0 * three)
    path = 6.0 * (_between(graph, one) - 3.0 * triangles)
    odd = touching * total - 2.0 * doubled - 6.0 * triangles - star - path * 2.0 / 3.0
    rest = total**3 - cubes - 3.0 * (doubled + doubled_apart) - 6.0 * triangles - star - path - 3.0 * odd
    p, p3, p22 = chance["2"], chance["3"], chance["22"]
    terms = (
        (cubes, p * (1 - p) * (1 - 2 * p)),
        (3.0 * doubled, (1 - 2 * p) * (p3 - p * p)),
        (3.0 * doubled_apart, (1 - 2 * p) * (p22 - p * p)),
        (6.0 * triangles, p3 - 3 * p * p3 + 2 * p**3),
        (star, chance["4"] - 3 * p * p3 + 2 * p**3),
        (path, chance["4"] - p * (2 * p3 + p22) + 2 * p**3),
        (3.0 * odd, chance["32"] - p * (p3 + 2 * p22) + 2 * p**3),
        (rest, chance["222"] - 3 * p * p22 + 2 * p**3),
    )
    return sum(weight * float(moment) for weight, moment in terms)


def _between(graph: AgreementGraph, degree: NDArray[np.float64]) -> float:
    """Sum over edges of their weight times the weights of the other edges at either end."""
    w, (size, inside) = graph.weight, graph.copied
    apart = np.sum(graph.edges * w * (degree[graph.a] - w) * (degree[graph.b] - w))
    copies = degree[graph.n_copies > 1] - inside
    return float(apart + np.sum(size * (size - 1.0) / 2.0 * inside * copies**2))


def triangle_weight(graph: AgreementGraph) -> float | None:
    """Sum over triangles of the product of their weights."""
    n, m = len(graph.n_copies), graph.n_copies.astype(np.float64)
    ends = np.bincount(graph.a, minlength=n) + np.bincount(graph.b, minlength=n)
    if np.sum(ends.astype(np.float64) ** 2) > MOST_STEPS:
        return None
    size, inside = graph.copied
    found = float(np.sum(size * (size - 1.0) * (size - 2.0) / 6.0 * inside**3))
    # A row without copies and two equal rows: of the larger end of an edge every two rows.
    larger = np.maximum(m[graph.a], m[graph.b])
    found += float(np.sum((larger * graph.weight**2)[larger > 1]))
    if np.any(graph.weight < 1.0):  # else every row has one nearest, and such a graph has no triangles
        from scipy.sparse import csr_array

        # Each corner gives the square root of its number of rows to either edge at it.
        weight = graph.weight * np.sqrt(m[graph.a] * m[graph.b])
        upper = csr_array((weight, (graph.a, graph.b)), shape=(n, n))
        both = upper + upper.T
        found += float((both @ both).multiply(upper).sum()) / 3.0
    return found
