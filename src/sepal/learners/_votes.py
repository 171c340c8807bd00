"""Votes of tied groups, for one k or for all at once, and who wins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sepal._lazy import cached_property
from sepal.learners._neighbor_lists import NeighborLists, TiedGroups
from sepal.learners._neighborhood import Neighborhood
from sepal.learners._vote_weights import VoteWeights

VoteTies = Literal["nearest", "prior", "smallest"]
VOTE_TIES = ("nearest", "prior", "smallest")
_EQUAL = 1e-10  # votes that differ by less than this share of the largest are equal: sums round


def sums_at(groups: TiedGroups, weights: VoteWeights, k: float) -> NDArray[np.float64]:
    """(n_queries, n_sums) weighted sums over the nearest mass k."""
    shares = weights.shares(groups, k)
    return np.asarray(np.matmul(shares[:, None, :], groups.sums)[:, 0, :])


def sums_for_every_k(groups: TiedGroups, weights: VoteWeights, k_max: int) -> NDArray[np.float64]:
    """(n_queries, k_max, n_sums) the same for k = 1, ..., k_max, from running sums where weights allow it."""
    if weights.depends_on_k:
        return np.stack([sums_at(groups, weights, k) for k in range(1, k_max + 1)], axis=1)
    if weights.name == "uniform":
        return running_sums(groups, groups.sums, k_max)
    weight = weights.by_distance(groups.distance, np.inf)
    weight = np.where(groups.mass > 0, weight, 0.0)
    sums = running_sums(groups, groups.sums * weight[:, :, None], k_max)
    voted = running_sums(groups, (groups.mass * weight)[:, :, None], k_max)[:, :, 0]
    nobody = voted <= 0.0
    if nobody.any():
        sums[nobody] = running_sums(groups, groups.sums, k_max)[nobody]
    return sums


def running_sums(groups: TiedGroups, sums: NDArray[np.float64], k_max: int) -> NDArray[np.float64]:
    """(n_queries, k_max, n_sums) what ``sums`` of the groups add up to over the nearest mass 1, ..., k_max."""
    total = np.cumsum(sums, axis=1)
    n, width, _ = sums.shape
    if width >= k_max and np.all(groups.mass[:, :k_max] == 1.0):  # one row per group: place k is column k
        return np.asarray(total[:, :k_max])
    # Each query's masses on a stretch of a common line, so that one sorted search answers for all.
    after = groups.before + groups.mass
    stretch = float(max(after.max(initial=0.0), k_max)) + 1.0
    offset = (np.arange(n) * stretch)[:, None]
    ks = np.arange(1, k_max + 1, dtype=np.float64)
    full = np.searchsorted((after + offset).ravel(), (ks + offset).ravel(), side="right").reshape(n, k_max)
    full -= np.arange(n)[:, None] * width
    row = np.arange(n)[:, None]
    padded = np.concatenate([np.zeros((n, 1, sums.shape[2])), total], axis=1)
    part = np.minimum(full, width - 1)
    taken = np.clip(ks - groups.before[row, part], 0.0, groups.mass[row, part])
    share = np.divide(taken, groups.mass[row, part], out=np.zeros_like(taken), where=groups.mass[row, part] > 0)
    share[full >= width] = 0.0
    return np.asarray(padded[row, full] + share[:, :, None] * sums[row, part])


def clear_majorities(
    hood: Neighborhood, lists: NeighborLists, codes: NDArray[np.int32], n_classes: int, k: float
) -> NDArray[np.intp] | None:
    """The winning classes where heads can be counted: everyone's vote is 1, k rows vote, and one class has most.

    None where a vote must be weighed: then rows weigh more or less, are copies, are tied at the k-th place, or classes
    are even. That is the answer of :meth:`TieBreak.winners`, for a tenth of its time.
    """
    if not hood.heads or len(lists.voter) != len(lists) * k:
        return None
    place = lists.query * n_classes if len(lists) > 1 else 0
    counts = np.bincount(place + codes[lists.voter], minlength=len(lists) * n_classes).reshape(len(lists), n_classes)
    most = counts.argmax(axis=1)
    top = counts[np.arange(len(lists)), most]
    return most if np.count_nonzero(counts == top[:, None]) == len(lists) else None


def entry_shares(
    hood: Neighborhood, lists: NeighborLists, weights: VoteWeights, k: float
) -> tuple[NeighborLists, NDArray[np.float64]]:
    """How much each listed row counts, when voters are rows; entries that count nothing are left out."""
    ones = np.ones((hood.n_rows, 1))
    listed, mass, _ = hood.entries(lists, hood.voter_sums(ones), ones)
    groups = hood.groups(lists, hood.voter_sums(ones), ones, np.inf)
    share = weights.shares(groups, k)
    query = listed.query
    opens = np.ones(len(query), dtype=bool)
    opens[1:] = query[1:] != query[:-1]
    if hood.ties == "expected":
        opens[1:] |= listed.distance[1:] != listed.distance[:-1]
    else:
        opens[:] = True
    number = np.cumsum(opens) - 1
    column = number - number[listed.start[:-1]][query]
    each = share[query, column] * mass
    return listed.where(each > 0), each[each > 0]


def codes_fit(codes: Any, classes: Any, n_rows: int) -> bool:
    """Whether each row has the code of one of the classes."""
    return (
        isinstance(codes, np.ndarray)
        and isinstance(classes, np.ndarray)
        and classes.ndim == 1
        and codes.dtype.kind == "i"
        and codes.shape == (n_rows,)
        and bool(np.all((codes >= 0) & (codes < len(classes))))
    )


@dataclass(frozen=True, eq=False)
class TieBreak:
    """How an equal vote is decided: first by ``rule``, then by class size, then by ``order`` (smallest first)."""

    rule: VoteTies
    class_order: Callable[[], NDArray[np.intp]]

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Rank of each class where nothing else decides; see ``geometric_order``."""
        return self.class_order()

    def winners(
        self,
        votes: NDArray[np.float64],
        ks: NDArray[np.float64],
        groups: TiedGroups,
        factors: NDArray[np.float64],
        class_mass: NDArray[np.float64],
    ) -> NDArray[np.intp]:
        """The winning class of ``votes`` (n_queries, n_ks, n_classes).

        ``factors`` and ``class_mass`` are (n_queries or 1, n_classes): the weight of a class, and its size.
        """
        winner = np.asarray(votes.argmax(axis=2))
        top = np.take_along_axis(votes, winner[:, :, None], axis=2)
        equal = votes >= top * (1.0 - _EQUAL)
        # A product with ones counts many short rows several times faster than a sum along them.
        query, which = np.nonzero(equal.astype(np.float32) @ np.ones(votes.shape[2], dtype=np.float32) > 1.0)
        if self.rule == "smallest":
            winner[query, which] = equal[query, which].argmax(axis=1)
            return winner
        if len(query):
            n = len(votes)
            factors = np.broadcast_to(factors, (n, votes.shape[2]))
            class_mass = np.broadcast_to(class_mass, (n, votes.shape[2]))
            left = equal[query, which]
            if self.rule == "nearest":
                _keep_nearest(left, query, ks[which], groups, factors)
            _keep_largest(left, class_mass[query])
            if np.any(left.sum(axis=1) > 1):
                _keep_largest(left, np.broadcast_to(-self.order.astype(np.float64), left.shape))
            winner[query, which] = left.argmax(axis=1)
        return winner


def _keep_largest(left: NDArray[np.bool_], value: NDArray[np.float64]) -> None:
    """Of the classes still in, keep those with the largest value; in place."""
    value = np.where(left, value, -np.inf)
    top = value.max(axis=1, keepdims=True)
    left &= value >= top - _EQUAL * np.abs(top)


def _keep_nearest(
    left: NDArray[np.bool_],
    query: NDArray[np.intp],
    k: NDArray[np.float64],
    groups: TiedGroups,
    factors: NDArray[np.float64],
) -> None:
    """Compare the nearest group, then the next, up to the one that holds the k-th unit of mass; in place."""
    active = np.arange(len(left))
    for j in range(groups.mass.shape[1]):
        active = active[(left[active].sum(axis=1) > 1) & (groups.before[query[active], j] < k[active])]
        if len(active) == 0:
            return
        part = left[active]
        _keep_largest(part, groups.sums[query[active], j] * factors[query[active]])
        left[active] = part


def geometric_order(values: Any, codes: NDArray[np.int32], n_classes: int) -> NDArray[np.intp]:
    """A ranking of classes by where their rows lie: the same whatever rows, columns and classes are called.

    Sorted cells are summed, so neither the order of rows nor that of columns can change the last bit. Of a sparse
    matrix the stored cells are enough.
    """
    keys = []
    for code in range(n_classes):
        rows = values[np.flatnonzero(codes == code)]
        cells = np.sort(rows.data if hasattr(rows, "indptr") else rows, axis=None)
        cells = cells[~np.isnan(cells)]
        keys.append((float(cells.sum()), float(np.sort(cells**2).sum()), code))
    order = np.empty(n_classes, dtype=np.intp)
    order[[key[2] for key in sorted(keys)]] = np.arange(n_classes)
    return order


def class_preference(
    values: NDArray[np.float64], codes: NDArray[np.intp], n_classes: int, mass: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """A number per class for equal shares: the larger class first, then by where its rows lie."""
    sizes = np.bincount(codes, mass, minlength=n_classes)
    order = geometric_order(values, codes.astype(np.int32), n_classes)
    return np.asarray(sizes * (n_classes + 1.0) - order, dtype=np.float64)


def preferred(shares: NDArray[np.float64], preference: NDArray[np.float64]) -> NDArray[np.intp]:
    """The class of the largest share; of equal ones that of the highest preference."""
    left = shares >= shares.max(axis=1, keepdims=True) * (1.0 - _EQUAL)
    return np.asarray(np.where(left, preference, -np.inf).argmax(axis=1))
