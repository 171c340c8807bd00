"""Which native path answers a search: a tree, float32 tiles, principal axes, direct sums or a plain scan.

Each path has one entry in ``COSTS``: what the search would cost on it, estimated from sizes. Every path gives the same
answer, so that the cheapest is taken. How many pairs a tree leaves out depends on the rows, and nobody knows before it
is tried: its entry is the least it can cost, and the tree itself, once built, asks a few of its leaves and gives up if
the whole would cost more than the next path (``budget``). In small tables a tree that leaves out nothing is still the
cheapest, and is not asked to give up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log2, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sepal import _native
from sepal._lazy import cached_property
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
_SOME_COLUMNS = 12  # below this a tree is always tried
# Relative nearness times the root of the columns: where it is more, tiles leave out more than a tree at less cost
# (real_sets.py, clusters, planes and noise in 12 to 120 columns); the second where rows spread in few directions.
_FAR, _FAR_IN_WORDS = (1.0, 2.0), (2.0, 2.3)
_FAR_WHERE_COARSE = 3.5  # the same where bytes tell nothing, so that tiles are float32's
_COARSE = 0.2  # of a near distance: what bytes leave out, twice (skewed columns, spambase)
_WORD_COLUMNS = 5  # as in native/search_tree.cpp
_SMALL = 4096  # rows of a table in which a tree needs no trial
LOOKS = ("directions", "near")  # properties of a SearchSize for which points are looked at
_LITTLE, _LITTLE_IN_WORDS = 1.3, 1.6  # times the cost of others: what it may cost there; threads share its work better
_DOUBT = 1.15  # the same for a tree that has asked its first leaves: tiles of skewed columns cost twice as much
_FEW_CELLS = 16_384  # of rows that ask each other: there it is taken at once, as even estimates take too long


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
        How many neighbours; 1 where all up to a radius are asked for, who are the same on every path.
    metric : str
        The native metric.
    by_bytes : bool
        Whether tiles can be products of bytes on this processor.
    built : bool
        Whether there is a tree of the points already.
    tame : bool
        Whether squares neither overflow nor vanish; else nothing can be filtered by other numbers than them.
    """

    points: Extent
    n_queries: int | None
    k: int
    metric: str
    by_bytes: bool = False
    built: bool = False
    tame: bool = True

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

    @property
    def arranged(self) -> int:
        """Rows that are put into another form before the first is asked: both sides, where they are two."""
        return self.n + (0 if self.n_queries is None else self.n_queries)

    @cached_property
    def directions(self) -> float:
        """In how many directions the rows spread; looked at in many columns only."""
        return spread_directions(self.points.values)

    @cached_property
    def near(self) -> _native.Nearness:
        """How far near rows are apart, and in typical distances; looked at in some columns only."""
        return _native.nearness(points=np.ascontiguousarray(self.points.values))

    @property
    def coarse(self) -> bool:
        """Whether rows differ from their bytes by so much, beside near rows, that bytes tell nothing."""
        widest = float((self.points.high - self.points.low).max(initial=0.0))
        return _COARSE * self.near.distance < widest / 254 * sqrt(self.p / 3)

    @property
    def pairs(self) -> float:
        """Pairs to be looked at by who leaves none out: between rows that ask each other every pair once."""
        return self.n * self.asking * (0.5 if self.n_queries is None else 1.0)


# Nanoseconds of one core of the machine on which benchmarks/speed/neighbors.py was run last. Only ratios matter.


def _tree(work: SearchSize) -> float:
    """Building, and a walk to the nearest leaves."""
    cost = _tree_least(work)
    if work.p < _SOME_COLUMNS or cost > min(_tiles(work), _scan(work)):
        return cost
    few = work.p >= _MANY_COLUMNS and work.directions <= _FEW_DIRECTIONS
    far = (_FAR_IN_WORDS if _in_words(work) else _FAR)[few]
    if _in_bytes(work) and work.coarse:
        far = _FAR_WHERE_COARSE
    return cost if work.near.relative * sqrt(work.p) <= far else inf


def _in_words(work: SearchSize) -> bool:
    """Whether a tree compares 16-bit words, as far as sizes tell."""
    return work.by_bytes and work.metric == "l2" and work.p >= _WORD_COLUMNS


def _in_bytes(work: SearchSize) -> bool:
    """Whether tiles compare bytes, as far as sizes tell."""
    return work.by_bytes and work.metric == "l2" and work.p >= _BYTE_COLUMNS


def _tree_least(work: SearchSize) -> float:
    if work.metric not in _TREE_METRICS:
        return inf
    built = work.asking if work.built else work.arranged
    return built * (2.5 * log2(work.n + 1) + 5.5 * work.p) + work.asking * (30.0 + 19.0 * work.k)


def _tree_most(work: SearchSize) -> float:
    """A tree that leaves out nothing."""
    leaf = 0.15 / min(work.asking, 32)  # a leaf is looked for and read once for so many rows that ask
    each = 0.022 * work.p if work.metric == "l2" else 0.06 * _dearness(work) * work.p
    if _in_words(work):
        each = 0.07 + 0.0075 * work.p
    return _tree_least(work) + work.n * work.asking * (each + leaf * work.p)


def _tiles(work: SearchSize) -> float:
    if work.metric != "l2" or not work.tame:
        return inf
    if _in_bytes(work):
        packed = work.arranged * (220.0 + 5.0 * work.p)
        return packed + work.pairs * (0.115 + 0.003 * work.p) + _noted(work) * (10.0 + 0.06 * work.p)
    return _float_tiles(work)


def _float_tiles(work: SearchSize) -> float:
    packed = work.arranged * (130.0 + 1.5 * work.p)
    return packed + work.pairs * (0.024 + 0.013 * work.p) + _noted(work) * (14.5 + 0.2 * work.p)


def _noted(work: SearchSize) -> float:
    """Rows that are noted as near until nearer ones are found: k of the first, k / 2 of as many more, and so on."""
    return work.asking * work.k * log2(1.0 + work.n / work.k)


def _axes(work: SearchSize) -> float:
    """The rotation to principal axes; of every pair as many as hold most of the spread, and the few pairs that pass."""
    if work.metric != "l2" or work.p < _MANY_COLUMNS or not work.tame:
        return inf

    def cost(directions: float) -> float:
        built = 4.5e4 * work.p + 5.5 * work.p * work.arranged
        return built + work.pairs * (0.2 + 0.13 * work.k + 0.016 * _ALL_PAIRS * directions)

    if cost(1.0) > _tiles(work):
        return inf
    return cost(work.directions) if work.directions * 8 <= work.p else inf


def spread_directions(values: NDArray[np.float64]) -> float:
    """In how many directions rows spread: (sum of l)^2 / (sum of l^2) of the variances l along the principal axes.

    Estimated from some rows. Rows that do not spread have none.

    >>> round(spread_directions(np.random.default_rng(0).normal(size=(4000, 5)) * [1, 1, 1, 0, 0]))
    3
    """
    return _native.spread_directions(points=np.ascontiguousarray(values))


def _direct(work: SearchSize) -> float:
    block = 8 * min(max(1536 // work.p, 1), 32)  # as in native/search_direct.cpp: even a few rows fill one
    least = block**2 * -(-work.n // block) * -(-work.asking // block)
    pairs = max(work.pairs, least if work.n_queries is not None else 0.5 * least)
    return pairs * (0.45 + 0.065 * work.p * _dearness(work)) + _noted(work) * 24.0


def _dearness(work: SearchSize) -> float:
    return 120.0 if work.metric in ("lp", "haversine") else 1.0


def _scan(work: SearchSize) -> float:
    """A linear scan: nothing is built, and every query is compared with every point where that stands in memory."""
    if work.n_queries is None:
        return inf
    return work.pairs * (1.5 + 0.06 * work.p * _dearness(work)) + _noted(work) * 12.0


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
    tiny = work.n_queries is None and work.p < _MANY_COLUMNS and work.n * work.p <= _FEW_CELLS
    if work.metric in _TREE_METRICS and (method == "tree" or (method == "auto" and tiny and "tree" in COSTS)):
        return [PathStep("tree", inf)]
    costs = {path: cost(work) for path, cost in COSTS.items() if path != "tree"}
    if method != "brute" and "tree" in COSTS:
        little = (_LITTLE_IN_WORDS if _in_words(work) else _LITTLE) * min(costs.values(), default=inf)
        if (work.n <= _SMALL or work.built) and _tree_most(work) <= little:
            return [PathStep("tree", inf)]
        costs["tree"] = COSTS["tree"](work)
        if costs["tree"] < inf and _in_bytes(work) and work.coarse:
            costs["tiles"] += _float_tiles(work)
    order = sorted((path for path in costs if costs[path] < inf), key=costs.__getitem__)
    tried = order[: 2 if order[0] == "tree" else 1]
    return [PathStep(path, _DOUBT * costs[after]) for path, after in pairwise(tried)] + [PathStep(tried[-1], inf)]


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
