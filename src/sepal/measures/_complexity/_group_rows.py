"""Neighbourhoods where rows of one group are no neighbours of each other: N1, N2, N3, N4, T1, LSC, Density.

Every pair of rows is looked at in blocks of a matrix, rows one by one and not as cases: copies may be in different
groups. Between groups there is always a spanning tree, since every row of one may be joined to every row of another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, geometric_rank, places
from sepal.measures._complexity._group_order import groups_by_content
from sepal.measures._complexity._interpolated import Interpolated
from sepal.measures._complexity._row_measures import RowMeasures
from sepal.measures._complexity._spheres import TIED, sphere_radii
from sepal.neighbors import Search
from sepal.progress import Share

Floats = NDArray[np.float64]
Groups = NDArray[np.intp]
_CELLS = 4_000_000  # of a block of distances


@dataclass(frozen=True, eq=False)
class ForeignClasses:
    """Of each row, among the rows of other groups.

    Attributes
    ----------
    distance, start, enemy : arrays
        How far the nearest row of another class is, infinitely if there is none, and these rows, all tied ones.
    own, n_own : arrays
        How far the nearest row of the class is, infinitely if there is none, and how many tie for it.
    nearer : array
        Rows of the class, the row itself included, that are nearer than the nearest enemy.
    near : array
        Rows of the class within reach.
    """

    distance: Floats
    start: NDArray[np.int64]
    enemy: NDArray[np.int32]
    own: Floats
    n_own: Floats
    nearer: Floats
    near: Floats

    def error(self) -> Floats:
        """Share of the nearest tied rows that are of another class."""
        same = np.where(self.own * (1 - TIED) <= self.distance, self.n_own, 0.0)
        other = np.where(self.distance * (1 - TIED) <= self.own, np.diff(self.start), 0.0)
        return np.asarray(other / (same + other))


def parts(n_asking: int, n_asked: int) -> Iterator[slice]:
    """The asking rows in parts whose distances fit into memory."""
    step = max(1, _CELLS // max(1, n_asked))
    return (slice(begin, min(n_asking, begin + step)) for begin in range(0, n_asking, step))


def foreign_classes(
    search: Search, codes: NDArray[np.int32], groups: Groups, slack: float, reach: float, progress: Share
) -> ForeignClasses:
    """Look at all pairs of different groups. Nearer than the enemy is what is below (1 - ``slack``) times it."""
    every, found, enemies = np.arange(len(codes)), [], []
    for part in parts(len(codes), len(codes)):
        apart = search.block(every[part], every, without_noise=True)
        foreign, same = groups[part][:, None] != groups, codes[part][:, None] == codes
        own, other = np.where(foreign & same, apart, np.inf), np.where(foreign & ~same, apart, np.inf)
        hit, miss = own.min(axis=1), other.min(axis=1)
        tied = foreign & ~same & (other <= miss[:, None] * (1 + TIED))
        limit = miss * (1 - slack)
        itself = apart[every[: len(apart)], every[part]] < limit
        counted = (
            (foreign & same & (own <= hit[:, None] * (1 + TIED))).sum(axis=1),
            (own < limit[:, None]).sum(axis=1) + itself,
            (own < reach * (1 - TIED)).sum(axis=1),
        )
        found.append(np.array([miss, hit, *counted, tied.sum(axis=1)]))
        enemies.append(np.nonzero(tied)[1].astype(np.int32))
        progress(part.stop / len(codes))
    miss, hit, n_own, nearer, near, n_tied = np.concatenate(found, axis=1)
    start = np.concatenate([[0], np.cumsum(n_tied)]).astype(np.int64)
    return ForeignClasses(miss, start, np.concatenate(enemies), hit, n_own, nearer, near)


def sphere_shares(search: Search, codes: NDArray[np.int32], groups: Groups, radius: Floats) -> Floats:
    """Of each row its share in a sphere that stays.

    0 where it lies inside a larger sphere of its class and another group. Equal spheres of G groups count 1/G each:
    those of one of the groups stay, whichever it is.
    """
    share = np.ones(len(codes))
    for c in range(int(codes.max()) + 1):
        mine = np.flatnonzero(codes == c)
        r, group = radius[mine], groups[mine]
        for part in parts(len(mine), len(mine)):
            apart, foreign = search.block(mine[part], mine, without_noise=True), group[part][:, None] != group
            inside = foreign & _holds(apart, r[None, :], r[part][:, None])
            holds = foreign & _holds(apart, r[part][:, None], r[None, :])
            at, equal = np.nonzero(inside & holds)
            beside = np.unique(at * (int(groups.max()) + 1) + group[equal]) // (int(groups.max()) + 1)
            n_groups = 1 + np.bincount(beside, minlength=len(apart))
            share[mine[part]] = np.where((inside & ~holds).any(axis=1), 0.0, 1.0 / n_groups)
    return share


def _holds(apart: Floats, large: Floats, small: Floats) -> NDArray[np.bool_]:
    """Whether a sphere of radius ``large`` holds one of ``small`` at distance apart; one without end holds all."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.isinf(large) | (apart <= large * (1 + TIED) - small))


def ranks_of_rows(search: Search, codes: NDArray[np.int32], groups: Groups) -> NDArray[np.intp]:
    """The place of each row by its values, then its class, then what its group holds: where it stood never matters."""
    by_values = geometric_rank(search.coordinates(np.arange(len(codes))), codes)
    place, of_group = groups_by_content(by_values, search.copies.of_row.number, codes, groups)
    return places(np.lexsort((of_group[groups], codes, place)))


def tree_between_groups(
    search: Search, codes: NDArray[np.int32], groups: Groups, rank: NDArray[np.intp], progress: Share
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows that each edge of the minimum spanning tree joins, no edge inside a group (Prim).

    Among edges of equal length those inside a class come first, then those of rows of lower rank.
    """
    order = np.argsort(rank)
    n, code, group = len(order), codes[order], groups[order]
    ask, index = search.asking_one(order), np.arange(n)
    best, parent, outside = np.full(n, np.inf), np.full(n, -1), np.ones(n, dtype=bool)
    at, ends = 0, []
    for done in range(n - 1):
        outside[at] = False
        apart, cross, old = ask(at), code != code[at], code != code[parent]
        low, high = np.minimum(index, at), np.maximum(index, at)
        old_low, old_high = np.minimum(index, parent), np.maximum(index, parent)
        before = (cross < old) | ((cross == old) & ((low < old_low) | ((low == old_low) & (high < old_high))))
        shorter = apart < best * (1 - TIED)
        better = (parent < 0) | shorter | ((apart <= best * (1 + TIED)) & before)
        better &= outside & (group != group[at])
        best[better], parent[better] = apart[better], at
        ready = np.flatnonzero(outside & (parent >= 0))
        ready = ready[best[ready] <= best[ready].min() * (1 + TIED)]
        ends_of = parent[ready]
        keys = (np.maximum(ready, ends_of), np.minimum(ready, ends_of), code[ready] != code[ends_of])
        at = int(ready[np.lexsort(keys)[0]])
        ends.append((int(parent[at]), at))
        progress(done / n)
    first, second = np.array(ends).T
    return order[first], order[second]


def made_errors(
    search: Search, embed: Callable[[Table], Table], codes: NDArray[np.int32], groups: Groups, made: Interpolated
) -> Floats:
    """Of each made-up row the share of the nearest tied rows that are of another class.

    Both rows it lies between are asked, and all of other groups than theirs.
    """
    rows, errors = embed(made.table), np.empty(len(made.codes))
    for part in parts(len(errors), len(codes)):
        first, second, here = made.first[part], made.second[part], np.arange(part.stop - part.start)
        asked = (groups != groups[first][:, None]) & (groups != groups[second][:, None])
        asked[here, first] = asked[here, second] = True
        apart = np.where(asked, search.distances_to(rows.take(np.arange(part.start, part.stop))), np.inf)
        tied = asked & (apart <= apart.min(axis=1, keepdims=True) * (1 + TIED))
        same = tied & (codes == made.codes[part][:, None])
        errors[part] = 1.0 - same.sum(axis=1) / tied.sum(axis=1)
    return errors


def group_row_measures(
    search: Search,
    embed: Callable[[Table], Table],
    codes: NDArray[np.int32],
    groups: Groups,
    made: Interpolated,
    as_given: bool,
    reach: float | None,
    progress: Share,
) -> RowMeasures:
    """As ``row_measures``, without the own group of a row."""
    to_the_digit = as_given and search.fitted.value_is in ("square", "distance")
    slack = 0.0 if to_the_digit else TIED
    found = foreign_classes(search, codes, groups, slack, reach or 0.0, lambda done: progress(0.4 * done))
    rank = ranks_of_rows(search, codes, groups)
    first, second = tree_between_groups(search, codes, groups, rank, lambda done: progress(0.4 + 0.4 * done))
    cross = codes[first] != codes[second]
    borderline = np.zeros(len(codes))
    borderline[first[cross]] = borderline[second[cross]] = 1.0
    others = len(codes) - np.bincount(groups)[groups]
    spheres = sphere_shares(search, codes, groups, sphere_radii(found))
    errors = made_errors(search, embed, codes, groups, made)
    progress(1.0)
    return RowMeasures(
        codes=codes,
        borderline=borderline,
        hit=found.own,
        miss=found.distance,
        error=found.error(),
        spheres=spheres,
        local_set=found.nearer / (others + 1),
        near=None if reach is None else found.near,
        made_error=errors,
        made_codes=made.codes,
        near_of=others.astype(np.float64),
    )
