"""The exact mean accuracy of 1-NN over ALL random splits of whole groups into training and test groups.

Given that the group of row i is held out, the training groups are a uniform m-subset of the other N = G-1. The other
groups stand in the order of their nearest row, so that a training group is among the first j with probability 1 - Q_j,
Q_j = C(N-j, m) / C(N, m), and only the nearest rows of a group matter: whoever has a nearer training group never asks
for the others. Where t groups are equally near, and u of them train, each u-subset is as likely; the answer is the mean
over the rows of these groups at that distance, which is the plain share of agreeing rows where each group has as many
of them. Where it has not, E[same / size] is summed over the sizes that subsets can have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sepal.measures._prepared import Prepared
from sepal.measures._stratified import log_choose
from sepal.measures._thornton_groups import ForeignRows, foreign_rows, some_at_a_time
from sepal.progress import Progress

Floats = NDArray[np.float64]
_NEGLIGIBLE = 1e-12  # probability of the groups that are not looked at


class GroupDrawing(Protocol):
    """How training groups are drawn from the ``n_others`` groups that a row is not in."""

    @property
    def n_others(self) -> int:
        """How many these are."""

    def missed(self) -> Floats:
        """Q_j, the chance that none of j given groups trains, for j = 0..n_others."""

    def drawn(self, ahead: int, tied: int) -> Floats:
        """The chance that none of ``ahead`` given groups trains, and u of ``tied`` others do, for u = 0..tied."""


@dataclass(frozen=True)
class OfAll:
    """``n_train`` different groups, every choice as likely."""

    n_others: int
    n_train: int

    def missed(self) -> Floats:
        j = np.arange(self.n_others)
        left = self.n_others - j
        return np.concatenate([[1.0], np.cumprod(np.maximum(left - self.n_train, 0) / left)])

    def drawn(self, ahead: int, tied: int) -> Floats:
        u = np.arange(tied + 1)
        rest, others = self.n_others - ahead - tied, self.n_train - u
        ways = log_choose(np.full(tied + 1, rest), np.maximum(others, 0)) + log_choose(np.full(tied + 1, tied), u)
        all_ways = log_choose(np.array([self.n_others]), np.array([self.n_train]))
        return np.where(others >= 0, np.exp(ways - all_ways), 0.0)


@dataclass(frozen=True)
class WithReplacement:
    """As many draws as there are groups, all of which missed the group of the row: the bootstrap."""

    n_others: int

    def missed(self) -> Floats:
        left = self.n_others - np.arange(self.n_others + 1)
        return np.asarray((left / self.n_others) ** (self.n_others + 1))

    def drawn(self, ahead: int, tied: int) -> Floats:
        u = np.arange(tied + 1)
        chance = np.zeros(tied + 1)
        chance[0] = 1.0
        for _ in range(self.n_others + 1):
            stays = chance * (self.n_others - ahead - tied + u) / self.n_others
            stays[1:] += chance[:-1] * (tied - u[:-1]) / self.n_others
            chance = stays
        return chance


@dataclass(frozen=True, eq=False)
class GroupLevels:
    """Groups around the asking rows in levels of equally near ones, row after row, nearest first.

    Attributes
    ----------
    query, ahead, tied : (n_levels,) arrays
        The position of the asking row, groups that are nearer, and groups in the level.
    begin : (n_levels,) array
        Where the groups of a level begin in ``size`` and ``same``.
    size, same : arrays
        Rows of a group at that distance, and those among them that agree with the row.
    """

    query: NDArray[np.intp]
    ahead: NDArray[np.int64]
    tied: NDArray[np.int64]
    begin: NDArray[np.int64]
    size: NDArray[np.int64]
    same: NDArray[np.float64]

    def share(self) -> Floats:
        """The share that agrees in each level; NaN where its groups have unequally many rows there."""
        shares = np.add.reduceat(self.same, self.begin) / np.add.reduceat(self.size, self.begin)
        unequal = np.minimum.reduceat(self.size, self.begin) < np.maximum.reduceat(self.size, self.begin)
        return np.asarray(np.where(unequal & ~np.isin(shares, (0.0, 1.0)), np.nan, shares))


def levels_of(
    foreign: ForeignRows, groups: NDArray[np.intp], codes: NDArray[np.int32], asking: NDArray[np.intp]
) -> GroupLevels:
    """From lists of rows of other groups, nearest first."""
    n_groups = int(groups.max()) + 1
    pair, first, of = np.unique(foreign.query * n_groups + groups[foreign.near], return_index=True, return_inverse=True)
    distance, query = foreign.distance[first], pair // n_groups
    nearest = foreign.distance == distance[of]
    agrees = nearest & (codes[foreign.near] == codes[asking][foreign.query])
    order = np.lexsort((distance, query))
    size = np.bincount(of, nearest, len(pair))[order].astype(np.int64)
    same = np.bincount(of, agrees, len(pair))[order].astype(np.float64)
    distance, query = distance[order], query[order]
    opens = np.ones(len(pair), dtype=bool)
    opens[1:] = (distance[1:] != distance[:-1]) | (query[1:] != query[:-1])
    begin = np.flatnonzero(opens)
    ahead = begin - np.searchsorted(query, query[begin])
    return GroupLevels(query[begin], ahead, np.diff(np.append(begin, len(pair))), begin, size, same)


@dataclass(frozen=True, eq=False)
class UnequalGroups:
    """Shares of levels whose groups have unequally many rows there, by what was met before."""

    known: dict[tuple[int, ...], dict[int, Floats]] = field(default_factory=dict)

    def share(self, size: NDArray[np.int64], same: NDArray[np.float64]) -> Floats:
        """Mean share that agrees over all u-subsets of the groups, for u = 0..their number."""
        key = tuple(np.sort(size).tolist())
        if key not in self.known:
            self.known[key] = {each: _inverse_totals(key, each) for each in set(key)}
        return np.asarray(sum(count * self.known[key][each] for each, count in zip(size.tolist(), same, strict=True)))


def _inverse_totals(sizes: tuple[int, ...], one: int) -> Floats:
    """Mean over the u-subsets of [a given group of size ``one`` is in it] / (their rows), for u = 0..number of groups.

    Of j groups let f(u, S) be the share of u-subsets with S rows. A further group of size s is in u of j + 1 of them:
    f'(u, S) = (1 - u/(j+1)) f(u, S) + u/(j+1) f(u-1, S-s).
    """
    others = list(sizes)
    others.remove(one)
    n, most = len(sizes), sum(others)
    rows = np.zeros((n, most + 1))  # by u and S
    rows[0, 0] = 1.0
    for j, size in enumerate(others):
        inside = np.minimum(np.arange(n) / (j + 1), 1.0)[:, None]
        including = np.zeros_like(rows)
        including[1:, size:] = rows[:-1, : most + 1 - size]
        rows = (1.0 - inside) * rows + inside * including
    mean = rows @ (1.0 / (one + np.arange(most + 1)))
    return np.concatenate([[0.0], np.arange(1, n + 1) / n * mean])


def groups_accuracy(
    data: Prepared, groups: NDArray[np.intp], drawings: list[GroupDrawing], progress: Progress | None
) -> Floats:
    """The chance that a row of a held-out group is answered rightly, mean over all rows, for each way of drawing."""
    return np.asarray(groups_samples(data, groups, drawings, progress).mean(axis=1))


def groups_samples(
    data: Prepared, groups: NDArray[np.intp], drawings: list[GroupDrawing], progress: Progress | None = None
) -> Floats:
    """The chance that each row, its group held out, is answered rightly, for each way of drawing."""
    sizes = np.sort(np.bincount(groups))[::-1]
    missed = [each.missed() for each in drawings]
    needed = max(int(np.argmax(Q <= _NEGLIGIBLE)) if Q[-1] <= _NEGLIGIBLE else len(Q) - 1 for Q in missed)
    depth = min(int(sizes[: max(needed, 1) + 1].sum()), data.n_rows - 1)  # its own group, and as many others
    unequal, found, begin = UnequalGroups(), np.zeros((len(drawings), data.n_rows)), 0
    for asking in some_at_a_time(np.arange(data.n_rows), depth, progress):
        levels = levels_of(foreign_rows(data, groups, asking, depth), groups, data.codes, asking)
        share = levels.share()
        plain, mixed = np.flatnonzero(~np.isnan(share)), np.flatnonzero(np.isnan(share))
        for at, (drawing, Q) in enumerate(zip(drawings, missed, strict=True)):
            reached = Q[levels.ahead] - Q[levels.ahead + levels.tied]
            of_row = np.zeros(len(asking))
            np.add.at(of_row, levels.query[plain], reached[plain] * share[plain])
            for level in mixed[Q[levels.ahead[mixed]] > _NEGLIGIBLE]:
                inside = slice(levels.begin[level], levels.begin[level] + levels.tied[level])
                chance = drawing.drawn(int(levels.ahead[level]), int(levels.tied[level]))
                right = float(chance @ unequal.share(levels.size[inside], levels.same[inside]))
                of_row[levels.query[level]] += right
            found[at, begin : begin + len(asking)] = of_row
        begin += len(asking)
    return found


def share_of_groups_samples(data: Prepared, groups: NDArray[np.intp], train_size: float) -> Floats:
    """The chance that each row, its group held out, is answered rightly by a share of the groups."""
    n_groups = int(groups.max()) + 1
    m = min(max(1, round(train_size * n_groups)), n_groups - 1)
    return np.asarray(groups_samples(data, groups, [OfAll(n_groups - 1, m)])[0])
