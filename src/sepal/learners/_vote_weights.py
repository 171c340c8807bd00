"""How much the vote of a neighbour counts, by its distance or place. Never negative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import ParameterError
from sepal.learners._neighbor_lists import TiedGroups
from sepal.parameters import check_number

Weigh = Callable[[NDArray[np.float64], NDArray[np.float64] | float], NDArray[np.float64]]


@dataclass(frozen=True)
class VoteWeights:
    """A rule with its width.

    ``name`` is a key of ``VOTE_WEIGHTS``, or ``"callable"`` with ``function``. ``width`` is the width of a kernel, None
    for the distance of the k-th neighbour. ``span`` is the distance at which ``similarity`` reaches 0.
    """

    name: str
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    width: float | None = None
    span: float = 1.0

    @property
    def depends_on_k(self) -> bool:
        """Whether the weight of a neighbour changes with k."""
        return self.name in ("rank", "dudani") or (self.name in VOTE_KERNELS and self.width is None)

    def shares(self, groups: TiedGroups, k: float) -> NDArray[np.float64]:
        """(n_queries, n_groups) vote per unit of mass, with what lies beyond mass k left out."""
        inside = groups.inside(k)
        if self.name == "uniform":
            return inside
        if self.name == "rank":
            shares = _rank_shares(groups, k)
        else:
            shares = inside * self.by_distance(groups.distance, groups.kth_distance(k))
        nobody = shares.sum(axis=1) <= 0.0
        shares[nobody] = inside[nobody]
        return shares

    def by_distance(self, distance: NDArray[np.float64], kth: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """The weight at each distance, given the distance of the k-th neighbour."""
        if self.name == "callable":
            return _called(self.function, distance)
        if self.name in ("similarity", PER_CLASS):
            return np.clip(1.0 - distance / self.span, 0.0, 1.0)
        return VOTE_WEIGHTS[self.name](distance, kth if self.width is None else self.width)


def _uniform(distance: NDArray[np.float64], width: Any) -> NDArray[np.float64]:
    return np.ones_like(distance)


def _inverse(distance: NDArray[np.float64], width: Any) -> NDArray[np.float64]:
    """1/d; where some distance is 0 only those vote."""
    nearest = distance[:, :1]
    on_top = nearest == 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = nearest / distance  # relative to the nearest: neither overflows nor vanishes
    return np.where(on_top, distance == 0.0, np.where(np.isfinite(distance), weights, 0.0))


def _dudani(distance: NDArray[np.float64], kth: Any) -> NDArray[np.float64]:
    nearest = distance[:, :1]
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = (kth - distance) / (kth - nearest)
    weights = np.where(np.isinf(kth), np.isfinite(distance), weights)
    return np.where(kth == nearest, 1.0, np.clip(weights, 0.0, 1.0))


def _ratio(distance: NDArray[np.float64], width: Any) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        ratio = distance / width
    return np.where(distance == 0.0, 0.0, np.where(np.isnan(ratio), np.inf, ratio))


def _gaussian(distance: NDArray[np.float64], width: Any) -> NDArray[np.float64]:
    # Relative to the nearest neighbour, so that a small width cannot make every weight vanish.
    ratio = np.minimum(_ratio(distance, width), 1e150)
    return np.asarray(np.exp(-0.5 * (ratio - ratio[:, :1]) * (ratio + ratio[:, :1])))


def _exponential(distance: NDArray[np.float64], width: Any) -> NDArray[np.float64]:
    ratio = np.minimum(_ratio(distance, width), 1e300)
    return np.asarray(np.exp(ratio[:, :1] - ratio))


def _tricube(distance: NDArray[np.float64], width: Any) -> NDArray[np.float64]:
    return np.asarray((1.0 - np.minimum(_ratio(distance, width), 1.0) ** 3) ** 3)


def _rank_shares(groups: TiedGroups, k: float) -> NDArray[np.float64]:
    """Places 1, 2, ... weigh k, k-1, ...; tied neighbours share the mean of their places."""

    def below(mass: NDArray[np.float64]) -> NDArray[np.float64]:
        places = np.floor(mass)
        return np.asarray(places * (k + 1) - places * (places + 1) / 2 + (mass - places) * (k - places))

    low, high = np.minimum(groups.before, k), np.minimum(groups.before + groups.mass, k)
    return np.divide(below(high) - below(low), groups.mass, out=np.zeros_like(low), where=groups.mass > 0)


def _called(function: Any, distance: NDArray[np.float64]) -> NDArray[np.float64]:
    finite = np.isfinite(distance)
    weights = np.zeros_like(distance)
    weights[finite] = np.asarray(function(distance[finite]), dtype=np.float64)
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise ParameterError(
            "weights: the function must return finite weights of at least 0",
            hint="for 1/d use weights='distance', which knows what to do with a distance of 0",
        )
    return weights


PER_CLASS = "class_similarity"
VOTE_KERNELS = ("exponential", "gaussian", "tricube")
VOTE_WEIGHTS: dict[str, Weigh] = {
    "uniform": _uniform,
    "distance": _inverse,
    "similarity": _uniform,  # needs the span: see by_distance
    "rank": _uniform,  # needs places: see shares
    "dudani": _dudani,
    "gaussian": _gaussian,
    "exponential": _exponential,
    "tricube": _tricube,
}


def vote_weights(weights: Any, width: Any, span: float, *, classes: bool = False) -> VoteWeights:
    """Check what the user gave for ``weights`` and ``width``; ``classes`` where classes vote."""
    if width is not None:
        check_number("width", width, above=0.0, infinite=True)
        if weights not in VOTE_KERNELS:
            raise ParameterError(f"width is for weights {', '.join(VOTE_KERNELS)}; got weights={weights!r}")
    if callable(weights):
        return VoteWeights("callable", weights)
    known = (*VOTE_WEIGHTS, PER_CLASS) if classes else tuple(VOTE_WEIGHTS)
    if not isinstance(weights, str) or weights not in known:
        near = get_close_matches(str(weights), known, n=1)
        raise ParameterError(
            f"weights must be a function or one of {', '.join(known)}; got {weights!r}",
            hint=f"did you mean {near[0]!r}?" if near else None,
        )
    if weights in ("similarity", PER_CLASS) and np.isnan(span):
        raise ParameterError(
            f"weights={weights!r} needs to know how far apart rows can be, and a distance function does not tell",
            hint="use weights='distance' or 'rank'",
        )
    return VoteWeights(weights, None, None if width is None else float(width), span)
