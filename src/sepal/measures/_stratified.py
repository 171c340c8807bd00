"""Expected accuracy when splits keep the class shares: m_c of the n_c rows of each class train.

Of m training rows class c should have n_c m / n. Everyone gets the whole part of that, and the rows that are left go to
the largest remainders; where remainders are equal every way of dealing them out is as likely, and all are averaged.

Classes are drawn independently, given the m_c. With N_c = n_c - [c = y_i] and s_c rows of class c among the groups
ahead, no training row is ahead with probability prod_c C(N_c - s_c, m_c) / C(N_c, m_c). Inside a group of several
classes the nearest training row agrees with probability E[u_own / sum u], u_c being hypergeometric: the plain share
would be wrong, since classes are drawn at different rates. The mean over the ways to choose which s of t classes have
one row more is the coefficient of z^s in prod_c (a_c + b_c z) over C(t, s), a_c and b_c being the factors of class c
without and with that row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from sepal.measures._class_groups import cases_of, class_table
from sepal.measures._prepared import Prepared
from sepal.neighbors import DistinctRanking
from sepal.progress import Progress

_CHUNK_CELLS = 20_000_000
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True, eq=False)
class Strata:
    """How many rows of each class train.

    Attributes
    ----------
    totals, sure : (n_classes,) arrays
        Rows of each class, and how many of them train in any case.
    may_have_more : (n_classes,) array of bool
        Classes of which ``n_more``, by chance, train one row more.
    """

    totals: NDArray[np.int64]
    sure: NDArray[np.int64]
    may_have_more: NDArray[np.bool_]
    n_more: int

    @classmethod
    def of(cls, totals: NDArray[np.int64], train_rows: int) -> Strata:
        """By largest remainders, in whole numbers."""
        sure: NDArray[np.int64] = totals * train_rows // totals.sum()
        remainder = totals * train_rows - sure * totals.sum()
        left = train_rows - int(sure.sum())
        last = np.sort(remainder)[::-1][left - 1] if left else -1
        sure = sure + ((remainder > last) & (left > 0))
        level = (remainder == last) & (left > 0)
        n_more = train_rows - int(sure.sum())
        if n_more == level.sum():  # no choice
            return cls(totals, sure + level, np.zeros(len(totals), dtype=bool), 0)
        return cls(totals, sure, level, n_more)

    @property
    def n_ways(self) -> int:
        """How many ways there are to deal out the rows of equal remainders."""
        return comb(int(self.may_have_more.sum()), self.n_more)

    def drawn(self, n_splits: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """(n_splits, n_classes) training rows, each way as likely."""
        luck = np.where(self.may_have_more, rng.random((n_splits, len(self.totals))), 2.0)
        place = np.argsort(np.argsort(luck, axis=1), axis=1)
        return np.asarray(self.sure + (place < self.n_more), dtype=np.int64)


def log_choose(n: NDArray[Any], k: NDArray[Any]) -> NDArray[np.float64]:
    """Ln C(n, k); minus infinity where k > n."""
    possible = k <= n
    n = np.where(possible, n, k)
    value = -np.log(n + 1.0) - betaln(n - k + 1.0, k + 1.0)
    return np.where(possible, value, -np.inf)


@dataclass(frozen=True, eq=False)
class _Asking:
    """A row of class ``own`` that may be tested; everything here is joint with its being tested."""

    strata: Strata
    own: int
    shares: dict[tuple[bytes, bytes], float] = field(default_factory=dict)  # of mixed groups already met

    @property
    def left(self) -> NDArray[np.int64]:
        """Rows of each class without it."""
        left = self.strata.totals.copy()
        left[self.own] -= 1
        return left

    def missed(self, remaining: NDArray[np.int64]) -> NDArray[np.float64]:
        """(..., n_classes, 2): the chance that only ``remaining`` rows of a class train, without and with one more."""
        train = self.strata.sure[:, None] + np.arange(2)
        left = self.left[:, None]
        possible = train <= left
        log_all = np.where(possible, log_choose(left, np.minimum(train, left)), 0.0)
        chance = np.where(possible, np.exp(log_choose(remaining[..., None], train) - log_all), 0.0)
        total = self.strata.totals[self.own]
        chance[..., self.own, :] *= (total - train[self.own]) / total
        return np.asarray(chance)

    def over_the_ways(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        """The product over the classes, averaged over the ways; ``factors`` is (..., n_classes, 2)."""
        more = self.strata.may_have_more
        ways = np.zeros((*factors.shape[:-2], self.strata.n_more + 1))
        ways[..., 0] = np.prod(factors[..., ~more, 0], axis=-1)
        for c in np.flatnonzero(more):
            with_more = ways[..., :-1] * factors[..., c, 1:]
            ways = ways * factors[..., c, :1]
            ways[..., 1:] += with_more
        return np.asarray(ways[..., -1] / self.strata.n_ways)

    def agrees(self, counts: NDArray[np.int64]) -> float:
        """Chance that its nearest training row agrees; counts per group and class, nearest group first."""
        after = np.cumsum(counts, axis=0)
        remaining = self.left - (after - counts)
        ahead = self.over_the_ways(self.missed(remaining))
        pure = counts[:, self.own] == counts.sum(axis=1)
        chance = float(np.sum((ahead - self.over_the_ways(self.missed(self.left - after)))[pure]))
        for g in np.flatnonzero(~pure & (counts[:, self.own] > 0) & (ahead > _NEGLIGIBLE)):
            key = (remaining[g].tobytes(), counts[g].tobytes())
            if key not in self.shares:
                self.shares[key] = self._mixed(remaining[g], counts[g])
            chance += self.shares[key]
        return chance

    def _mixed(self, remaining: NDArray[np.int64], inside: NDArray[np.int64]) -> float:
        """E[u_own / sum_c u_c] where no training row is ahead; u_c training rows among ``inside[c]``."""
        from scipy.stats import hypergeom  # late: the slowest import of all, and needed for mixed tied groups only

        missed = self.missed(remaining)
        more, n_more = self.strata.may_have_more, self.strata.n_more
        width = int(inside.sum())

        def drawn(c: int) -> NDArray[np.float64]:
            """(2, 1 + inside): how many of the class train, without and with one more."""
            if inside[c] == 0:  # scipy has no distribution for an empty population
                return np.asarray(missed[c][:, None])
            u = np.arange(inside[c] + 1)
            train = self.strata.sure[c] + np.arange(2)
            train = np.minimum(train, remaining[c])[:, None]  # more than these has chance 0 in ``missed``
            return np.asarray(missed[c][:, None] * hypergeom.pmf(u, remaining[c], inside[c], train))

        others = np.zeros((n_more + 1, width + 1))
        others[0, 0] = 1.0
        for c in np.flatnonzero(np.arange(len(inside)) != self.own):
            others = _dealt(others, drawn(int(c)), bool(more[c]))
        mine, u = drawn(self.own), np.arange(inside[self.own] + 1)
        share = u[:, None] / np.maximum(u[:, None] + np.arange(width + 1), 1)
        found = float(mine[0] @ share @ others[-1])
        if more[self.own] and n_more:
            found += float(mine[1] @ share @ others[-2])
        return found / self.strata.n_ways


def _dealt(ways: NDArray[np.float64], drawn: NDArray[np.float64], may_have_more: bool) -> NDArray[np.float64]:
    """One class more: (rows of equal remainders dealt out, training rows in the group)."""
    out = np.zeros_like(ways)
    for u in range(drawn.shape[1]):
        out[:, u:] += ways[:, : ways.shape[1] - u] * drawn[0, u]
        if may_have_more:
            out[1:, u:] += ways[:-1, : ways.shape[1] - u] * drawn[1, u]
    return out


def _rows_accuracy(
    data: Prepared, ranking: DistinctRanking, rows: NDArray[np.intp], asking: list[_Asking]
) -> NDArray[np.float64]:
    """Chance that each asking row is tested and its nearest training row agrees."""
    n_classes = len(data.classes)
    table = class_table(ranking.copies, data.codes, n_classes)
    distinct, classes, case_of = cases_of(ranking.copies, data.codes, n_classes, rows)
    position = ranking.list_of_distinct(distinct)
    chance = np.empty(len(distinct))
    for case, (at, number, own) in enumerate(zip(position, distinct.number, classes, strict=True)):
        begin, end = ranking.start[at], ranking.start[at + 1]
        entries, distances = ranking.entries.number[begin:end], ranking.distances[begin:end]
        counts = table[entries]
        counts[entries == number, own] -= 1
        opens = np.flatnonzero(np.concatenate([[True], distances[1:] != distances[:-1]]))
        chance[case] = asking[own].agrees(np.add.reduceat(counts, opens, axis=0))
    return chance[case_of]


def stratified_accuracy(data: Prepared, sizes: NDArray[np.int64], progress: Progress | None) -> NDArray[np.float64]:
    """A(m) over all stratified splits, for each number of training rows."""
    return np.array([_one_size(data, Strata.of(data.class_counts, int(m)), progress) for m in sizes])


def _one_size(data: Prepared, strata: Strata, progress: Progress | None) -> float:
    # Until enough rows of every class are seen that a training row is among them.
    share = float(np.min(strata.sure / strata.totals)) if np.any(strata.sure) else 0.0
    ranks = data.n_rows - 1 if share == 0 else min(data.n_rows - 1, int(np.ceil(-np.log(_NEGLIGIBLE) / share)) + 1)
    chunk = max(1, _CHUNK_CELLS // ranks)
    asking = [_Asking(strata, own) for own in range(len(strata.totals))]
    total = 0.0
    for at in range(0, data.n_rows, chunk):
        rows = np.arange(at, min(at + chunk, data.n_rows))
        asked = None if len(rows) == data.n_rows else rows
        ranking = data.ranking(ranks, rows=asked, progress=progress)
        total += float(np.sum(_rows_accuracy(data, ranking, rows, asking)))
    return total / float(strata.totals.sum() - strata.sure.sum() - strata.n_more)
