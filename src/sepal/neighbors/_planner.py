"""Which native path answers a search: a tree, float32 tiles, principal axes, direct sums or a plain scan.

Each path has one entry in ``COSTS``: what the search would cost on it, estimated from sizes. Every path gives the same
answer, so that the cheapest is taken. How many pairs a tree leaves out depends on the rows, and nobody knows before it
is tried: its entry is the least it can cost, and the tree itself, once built, asks a few of its leaves and gives up if
the whole would cost more than the next path (``budget``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import inf, log2, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal import _native
from sepal.distances import FittedDistance
from sepal.exceptions import ParameterError
from sepal.neighbors._rounding import Extent

Method = Literal["auto", "brute", "tree", "approximate"]
SEARCH_METHODS = ("auto", "brute", "tree", "approximate")

_TREE_METRICS = frozenset({"l2", "l1", "linf", "lp"})
_BYTE_COLUMNS = 12  # as in native/byte_filter.hpp
_MANY_COLUMNS = 64  # below this tiles cost too little for a rotation to pay (benchmarks/speed/columns.py)
_ALL_PAIRS = 2.2  # axes that are taken of every pair, for each direction of the spread
_FEW_DIRECTIONS = 10  # in many columns a tree is tried where rows spread in no more, and sooner than in some
_SOME_COLUMNS = 16  # below this a tree is always tried
_FAR_IN_COLUMNS = 1.0  # relative nearness times the root of the columns: where it is more, tiles leave out more than a
# tree at less cost (real_sets.py, clusters, planes and noise in 16 to 60 columns)
_SAMPLE = 1024
_ASKING = 6
_LOOKED_AT = 32_768  # rows, of which those that ask find the nearest


@dataclass(frozen=True, eq=False)
class SearchSize:
    """What a search has to do.

    Attributes
    ----------
    points : Extent
        The rows that are searched.
    n_queries : int or None
        The rows that ask; None: every row asks all others.
    k : int
        How many neighbours.
    metric : str
        The native metric.
    by_bytes : bool
        Whether tiles can be products of bytes on this processor.
    """

    points: Extent
    n_queries: int | None
    k: int
    metric: str
    by_bytes: bool = False

    @property
    def n(self) -> int:
        """Rows that are searched."""
        return len(self.points.values)

    @property
    def p(self) -> int:
        """Columns."""
        return int(self.points.values.shape[1])

    @property
    def asking(self) -> int:
        """Rows that ask."""
        return self.n if self.n_queries is None else self.n_queries

    @cached_property
    def directions(self) -> float:
        """In how many directions the rows spread; looked at in many columns only."""
        return spread_directions(self.points.values)

    @cached_property
    def nearness(self) -> float:
        """How near near rows are, in typical distances; looked at in some columns only."""
        return relative_nearness(self.points.values)

    @property
    def pairs(self) -> float:
        """Pairs to be looked at by who leaves none out: between rows that ask each other every pair once."""
        return self.n * self.asking * (0.5 if self.n_queries is None else 1.0)


# Nanoseconds of one core of the machine on which benchmarks/speed/neighbors.py was run last. Only ratios matter.


def _tree(work: SearchSize) -> float:
    """Building, and a walk to the nearest leaves."""
    if work.metric not in _TREE_METRICS:
        return inf
    built = work.n + (0 if work.n_queries is None else work.asking)
    cost = built * (8.0 * log2(work.n + 1) + 6.0 * work.p) + work.asking * (100.0 + 20.0 * work.k)
    if work.p < _SOME_COLUMNS or cost > min(_tiles(work), _scan(work)):
        return cost
    most = _FAR_IN_COLUMNS
    if work.p >= _MANY_COLUMNS:
        most = 2 * _FAR_IN_COLUMNS if work.directions <= _FEW_DIRECTIONS else 0.0
    return cost if work.nearness * sqrt(work.p) <= most else inf


def _tiles(work: SearchSize) -> float:
    if work.metric != "l2":
        return inf
    packed = (work.n + work.asking) * (30.0 + 4.0 * work.p)
    if work.by_bytes and work.p >= _BYTE_COLUMNS:
        return packed + work.pairs * (0.175 + 0.007 * work.p) + work.asking * work.k * (200.0 + 2.0 * work.p)
    return packed + work.pairs * (0.17 + 0.0225 * work.p) + work.asking * work.k * (300.0 + 4.0 * work.p)


def _axes(work: SearchSize) -> float:
    """The rotation to principal axes; of every pair as many as hold most of the spread, and the few pairs that pass."""
    if work.metric != "l2" or work.p < _MANY_COLUMNS:
        return inf

    def cost(directions: float) -> float:
        built = 8e4 * work.p + 9.5 * work.p * (work.n + (0 if work.n_queries is None else work.asking))
        return built + work.pairs * (0.4 + 0.3 * work.k + 0.03 * _ALL_PAIRS * directions)

    if cost(1.0) > _tiles(work):
        return inf
    return cost(work.directions) if work.directions * 8 <= work.p else inf


def relative_nearness(values: NDArray[np.float64]) -> float:
    """The distance to the second nearest of some rows, as a part of the median distance: the median of a few that ask.

    Small where rows lie in clusters or near a surface, and near 1 where they spread in many directions alike. Rows that
    are mostly equal have 0.

    >>> noise = np.random.default_rng(0).normal(size=(2000, 30))
    >>> relative_nearness(noise) > 0.5 > relative_nearness(noise[:, :3])
    True
    """
    if len(values) < 8 * _ASKING:
        return 0.0
    step = -(-values.size // (_LOOKED_AT * min(values.shape[1], _MANY_COLUMNS)))
    looked = np.ascontiguousarray(values[::step])
    asking = looked[:: len(looked) // _ASKING]
    how: Any = {"metric": "l2", "p": 2.0, "n_numeric": 0, "weights": np.ones(values.shape[1]), "threads": 1}
    squares = _native.pair_block(points=looked, queries=np.ascontiguousarray(asking), **how)
    typical = np.median(squares[:, :: -(-len(looked) // _SAMPLE)], axis=1)
    groups = squares[:, : len(looked) // 16 * 16].reshape(len(asking), 16, -1).min(axis=1)  # of 16 rows the nearest
    groups.partition(2, axis=1)
    spread = (typical > 0) & (typical < inf)
    return float(np.sqrt(np.median(groups[spread, 2] / typical[spread]))) if spread.any() else 0.0


def spread_directions(values: NDArray[np.float64]) -> float:
    """In how many directions rows spread: (sum of l)^2 / (sum of l^2) of the variances l along the principal axes.

    Estimated from products of some rows: of independent rows x and z with mean 0 the mean of |x|^2 is the first sum,
    that of (x.z)^2 the second. Rows that do not spread have none.

    >>> round(spread_directions(np.random.default_rng(0).normal(size=(2000, 5)) * [1, 1, 1, 0, 0]))
    3
    """
    taken = values[np.linspace(0, len(values) - 1, min(len(values), _SAMPLE)).astype(np.intp)]
    taken = taken - taken.mean(axis=0)
    largest = float(np.abs(taken).max(initial=0.0))
    if not 0.0 < largest < inf:
        return 0.0
    taken /= largest
    others = np.roll(taken, len(taken) // 3 + 1, axis=0)
    square = float(np.mean(np.einsum("ij,ij->i", taken, others) ** 2))
    return (
        min(float(values.shape[1]), float(np.mean(np.einsum("ij,ij->i", taken, taken))) ** 2 / square)
        if square
        else 1.0
    )


def _direct(work: SearchSize) -> float:
    dear = 20.0 if work.metric in ("lp", "haversine") else 1.0
    return (work.n + work.asking) * 2.0 * work.p + work.pairs * (0.5 + 0.3 * work.p * dear)


def _scan(work: SearchSize) -> float:
    """A linear scan: nothing is built, and every query is compared with every point where that stands in memory."""
    return inf if work.n_queries is None else work.pairs * (3.0 + work.p)


COSTS: dict[str, Callable[[SearchSize], float]] = {
    "tree": _tree,
    "tiles": _tiles,
    "axes": _axes,
    "direct": _direct,
    "scan": _scan,
}


@dataclass(frozen=True)
class PathStep:
    """A path to try, and what it may cost before the next one is taken."""

    path: str
    budget: float


def plan(method: Method, work: SearchSize) -> list[PathStep]:
    """The paths to try, cheapest first. Only a tree may give up."""
    costs = {path: cost(work) for path, cost in COSTS.items() if method != "brute" or path != "tree"}
    if method == "tree" and work.metric in _TREE_METRICS:
        return [PathStep("tree", inf)]
    order = sorted((path for path in costs if costs[path] < inf), key=costs.__getitem__)
    tried = order[: 2 if order[0] == "tree" else 1]
    return [PathStep(path, costs[after]) for path, after in pairwise(tried)] + [PathStep(tried[-1], inf)]


def effective_metric(fitted: FittedDistance, *given: Extent) -> str:
    """Without missing cells several metrics are plain Euclidean ones: unit vectors, and mixed columns all numeric."""
    plain = fitted.metric == "unit_l2" or (fitted.metric == "mixed" and fitted.n_numeric == len(given[0].low))
    return "l2" if plain and not any(each.missing for each in given) else fitted.metric


def check_method(method: Method, fitted: FittedDistance, metric: str) -> Method:
    """The method that was asked for, if it can search under this distance."""
    if method not in SEARCH_METHODS:
        raise ParameterError(f"method must be 'auto', 'brute', 'tree' or 'approximate'; got {method!r}")
    if method == "tree" and (metric not in _TREE_METRICS or fitted.metric == "mixed"):
        raise ParameterError(
            f"method='tree' cannot search under the distance {fitted.name!r} on these rows",
            hint="use method='auto'",
        )
    return method
