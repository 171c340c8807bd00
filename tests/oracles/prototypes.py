"""Condensing and editing as plain loops over a full matrix of compared values.

``D`` is the matrix in which ties are decided (see ``oracles.neighbors.compared_values``), ``y`` the classes. Of
equally near rows the lowest is taken; a value ties with a smaller one up to ``1 + tol`` times that. Everything is
recomputed from its definition at each step. Rows are assumed distinct unless the function says otherwise.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

TOL = 2.0**-40


def _nearest(values: dict[int, float], tol: float) -> list[int]:
    """The rows tied for nearest."""
    smallest = min(values.values())
    return sorted(row for row, value in values.items() if value <= smallest * (1 + tol))


def is_right(D: np.ndarray, y: Sequence, kept: Sequence[int], row: int, tol: float = TOL) -> bool:
    """Whether all kept rows tied for nearest to ``row`` have its class; a kept row is nearest to itself."""
    if not len(kept):
        return False
    values = {k: 0.0 if k == row else float(D[row, k]) for k in kept}
    hits = [v for k, v in values.items() if y[k] == y[row]]
    misses = [v for k, v in values.items() if y[k] != y[row]]
    if not hits:
        return False
    return not misses or min(misses) > min(hits) * (1 + tol)


def consistent(D: np.ndarray, y: Sequence, kept: Sequence[int], tol: float = TOL) -> bool:
    return all(is_right(D, y, kept, row, tol) for row in range(len(y)))


def smallest_consistent_size(D: np.ndarray, y: Sequence, tol: float = TOL) -> int:
    """By trying all subsets, smallest first."""
    rows = range(len(y))
    for size in range(1, len(y) + 1):
        for kept in itertools.combinations(rows, size):
            if consistent(D, y, kept, tol):
                return size
    raise AssertionError("not even all rows are consistent: there are conflicting duplicates")


def enemy_values(D: np.ndarray, y: Sequence) -> list[float]:
    return [min((float(D[i, j]) for j in range(len(y)) if y[j] != y[i]), default=math.inf) for i in range(len(y))]


def order_by(values: Sequence[float], tol: float = TOL) -> list[int]:
    """Ascending; a group opens at its smallest value, and within a group rows stay in order."""
    left = list(range(len(values)))
    order: list[int] = []
    while left:
        smallest = min(values[i] for i in left)
        group = [i for i in left if values[i] <= smallest * (1 + tol)]
        order += group
        left = [i for i in left if i not in group]
    return order


def hart(D: np.ndarray, y: Sequence, order: Sequence[int], tol: float = TOL) -> list[int]:
    kept: list[int] = []
    while True:
        before = len(kept)
        for row in order:
            if row not in kept and not is_right(D, y, kept, row, tol):
                kept.append(row)
        if len(kept) == before:
            return kept


def hart_first_come(D: np.ndarray, y: Sequence, order: Sequence[int], tol: float = TOL) -> list[int]:
    """As ``hart``, but of equally near prototypes the one kept first decides."""
    kept: list[int] = []

    def answer(row: int) -> object:
        best = kept[0]
        for k in kept[1:]:
            if D[row, k] * (1 + tol) < D[row, best]:
                best = k
        return y[best]

    while True:
        before = len(kept)
        for row in order:
            if row not in kept and (not kept or answer(row) != y[row]):
                kept.append(row)
        if len(kept) == before:
            return kept


def fcnn(D: np.ndarray, y: Sequence, seeds: Sequence[int], tol: float = TOL) -> list[list[int]]:
    """The rounds. A wrong row belongs to the cell of the first of its nearest unlike prototypes."""
    kept: list[int] = []
    rounds = []
    fresh = sorted(seeds)
    while fresh:
        rounds.append(fresh)
        kept += fresh
        cells: dict[int, dict[int, float]] = {}
        for row in range(len(y)):
            if row in kept or is_right(D, y, kept, row, tol):
                continue
            enemy = _nearest({k: float(D[row, k]) for k in kept if y[k] != y[row]}, tol)[0]
            cells.setdefault(enemy, {})[row] = float(D[row, enemy])
        fresh = sorted(_nearest(cell, tol)[0] for cell in cells.values())
    return rounds


def fcnn_by_arrays(X: np.ndarray, y: np.ndarray, seeds: Sequence[int], tol: float = TOL) -> list[list[int]]:
    """The same for many rows under squared distances: all kept rows at once, every round anew."""
    n = len(y)
    kept = np.empty(0, dtype=int)
    D = np.empty((n, 0))
    rounds, fresh = [], sorted(seeds)
    while fresh:
        rounds.append(fresh)
        kept = np.append(kept, fresh)
        more = np.zeros((n, len(fresh)))
        for column in X.T:
            more += (column[:, None] - column[fresh]) ** 2
        D = np.hstack([D, more])
        own = y[:, None] == y[kept]
        like, unlike = np.where(own, D, np.inf).min(axis=1), np.where(own, np.inf, D).min(axis=1)
        wrong = np.setdiff1d(np.flatnonzero(unlike <= like * (1 + tol)), kept)
        tied = ~own[wrong] & (D[wrong] <= unlike[wrong, None] * (1 + tol))
        enemy = np.where(tied, kept, n).min(axis=1)
        least = np.full(n, np.inf)
        np.minimum.at(least, enemy, unlike[wrong])
        nearest = unlike[wrong] <= least[enemy] * (1 + tol)
        first = np.unique(enemy[nearest], return_index=True)[1]  # the rows stand in order
        fresh = sorted(wrong[nearest][first].tolist())
    return rounds


def rnn(D: np.ndarray, y: Sequence, kept: Sequence[int], tol: float = TOL) -> list[int]:
    """Gates: drop each kept row without which all rows stay right; pass after pass until one drops nothing."""
    kept = list(kept)
    while True:
        before = len(kept)
        for row in list(kept):
            rest = [k for k in kept if k != row]
            if rest and consistent(D, y, rest, tol):
                kept = rest
        if len(kept) == before:
            return kept


def mss(D: np.ndarray, y: Sequence, tol: float = TOL) -> list[int]:
    enemy = enemy_values(D, y)
    open_rows = set(range(len(y)))
    kept = []
    for row in order_by(enemy, tol):
        covers = {j for j in open_rows if (0.0 if j == row else D[row, j]) * (1 + tol) < enemy[j]}
        if covers:
            kept.append(row)
            open_rows -= covers
    return kept


def rss(D: np.ndarray, y: Sequence, tol: float = TOL) -> list[int]:
    enemy = enemy_values(D, y)
    kept: list[int] = []
    for row in order_by(enemy, tol):
        like = [float(D[row, k]) for k in kept if y[k] == y[row]]
        if not like or not min(like) * (1 + tol) < enemy[row]:
            kept.append(row)
    return kept


def knn_votes(
    D: np.ndarray, y: Sequence, among: Sequence[int], row: int, k: int, tol: float = TOL
) -> tuple[dict[object, float], dict[object, float]]:
    """Votes of the k nearest of ``among`` without ``row``, shared at the k-th place; and each class's nearest value."""
    values = {j: float(D[row, j]) for j in among if j != row}
    votes: dict[object, float] = {}
    nearest: dict[object, float] = {}
    left = float(k)
    while values and left > 0:
        group = _nearest(values, tol)
        smallest = min(values.values())
        share = min(1.0, left / len(group))
        for j in group:
            votes[y[j]] = votes.get(y[j], 0.0) + share
            nearest.setdefault(y[j], smallest)
            del values[j]
        left -= len(group)
    return votes, nearest


def is_misjudged(D: np.ndarray, y: Sequence, among: Sequence[int], row: int, k: int, tol: float = TOL) -> bool:
    """Another class has more votes, or as many and a nearer row."""
    votes, nearest = knn_votes(D, y, among, row, k, tol)
    own, own_nearest = votes.get(y[row], 0.0), nearest.get(y[row], math.inf)
    for label, mass in votes.items():
        if label == y[row]:
            continue
        if mass > own + 1e-9 or (abs(mass - own) <= 1e-9 and nearest[label] < own_nearest):
            return True
    return False


def enn(D: np.ndarray, y: Sequence, k: int = 3, among: Sequence[int] | None = None, tol: float = TOL) -> list[int]:
    """Wilson's editing; duplicates allowed."""
    among = list(range(len(y))) if among is None else list(among)
    return [row for row in among if not is_misjudged(D, y, among, row, k, tol)]


def renn(D: np.ndarray, y: Sequence, k: int = 3, tol: float = TOL) -> list[int]:
    kept = list(range(len(y)))
    while len(kept) > k:
        edited = enn(D, y, k, kept, tol)
        if edited == kept:
            break
        kept = edited
    return kept


def all_knn(D: np.ndarray, y: Sequence, k: int = 3, tol: float = TOL) -> list[int]:
    """Out go all rows that any k' = 1 .. k misjudges, judged among all rows."""
    rows = list(range(len(y)))
    return [r for r in rows if not any(is_misjudged(D, y, rows, r, size, tol) for size in range(1, k + 1))]


def tomek_links(D: np.ndarray, y: Sequence, tol: float = TOL) -> list[tuple[int, int]]:
    """Pairs of two classes, each among the rows nearest to the other; duplicates allowed."""
    n = len(y)
    near = [set(_nearest({j: float(D[i, j]) for j in range(n) if j != i}, tol)) for i in range(n)]
    return [(i, j) for i in range(n) for j in range(i + 1, n) if y[i] != y[j] and j in near[i] and i in near[j]]


def _vote_of_list(y: Sequence, rows: Sequence[int]) -> object:
    """Majority; a tied vote goes to the class that comes first in the list."""
    best, most = None, 0
    for label in dict.fromkeys(y[r] for r in rows):
        count = sum(y[r] == label for r in rows)
        if count > most:
            best, most = label, count
    return best


Apart = Callable[[int, int], bool]  # whether two rows are no neighbours of each other


def _neighbors_all(i: int, j: int) -> bool:
    return False


def drop3(
    D: np.ndarray,
    y: Sequence,
    rows: Sequence[int],
    k: int = 3,
    tol: float = TOL,
    apart: Apart = _neighbors_all,
) -> list[int]:
    """The decremental pass over ``rows`` (what noise filtering has left)."""
    rows = list(rows)
    alive = list(rows)

    def ranked(row: int, without: int | None = None) -> list[int]:
        others = [j for j in alive if j not in (row, without) and not apart(row, j)]
        order = order_by([float(D[row, j]) for j in others], tol)
        return [others[i] for i in order]

    associates: dict[int, list[int]] = {r: [] for r in rows}
    for r in rows:
        for near in ranked(r)[: k + 1]:
            associates[near].append(r)
    part = {r: min((float(D[r, j]) for j in rows if y[j] != y[r] and not apart(r, j)), default=math.inf) for r in rows}
    values = [part[r] for r in rows]
    for at in reversed_groups(values, tol):
        row = rows[at]
        right_with = sum(_vote_of_list(y, ranked(a)[:k]) == y[a] for a in associates[row])
        right_without = sum(_vote_of_list(y, ranked(a, row)[:k]) == y[a] for a in associates[row])
        if right_without < right_with:
            continue
        before = {a: ranked(a)[: k + 1] for a in associates[row]}
        alive.remove(row)
        for a in associates[row]:
            for near in ranked(a)[: k + 1]:
                if near not in before[a]:
                    associates[near].append(a)
    return alive


def reversed_groups(values: Sequence[float], tol: float = TOL) -> list[int]:
    """Descending by tied group; within a group rows stay in order."""
    groups: list[list[int]] = []
    left = list(range(len(values)))
    while left:
        smallest = min(values[i] for i in left)
        group = [i for i in left if values[i] <= smallest * (1 + tol)]
        groups.append(group)
        left = [i for i in left if i not in group]
    return [i for group in reversed(groups) for i in group]


def icf(D: np.ndarray, y: Sequence, rows: Sequence[int], tol: float = TOL, apart: Apart = _neighbors_all) -> list[int]:
    """Brighton & Mellish's passes over ``rows`` (what noise filtering has left)."""
    kept = list(rows)
    while True:
        enemy = {
            r: min((float(D[r, j]) for j in kept if y[j] != y[r] and not apart(r, j)), default=math.inf) for r in kept
        }
        local = {
            r: {j for j in kept if j == r or not apart(r, j) if (0.0 if j == r else D[r, j]) * (1 + tol) < enemy[r]}
            for r in kept
        }
        cover = {r: sum(r in local[j] for j in kept) for r in kept}
        gone = [r for r in kept if len(local[r]) > cover[r]]
        if not gone:
            return kept
        kept = [r for r in kept if r not in gone]


def share_interval(part: float, total: float, z: float) -> tuple[float, float]:
    """Aha, Kibler & Albert 1991: bounds of a proportion."""
    if total == 0:
        return 0.0, 1.0
    p = part / total
    half = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    middle = p + z * z / (2 * total)
    return (middle - half) / (1 + z * z / total), (middle + half) / (1 + z * z / total)


def ib3(
    D: np.ndarray,
    y: Sequence,
    stream: Sequence[int],
    chance: Sequence[float],
    accept_z: float,
    drop_z: float,
    apart: Apart = _neighbors_all,
) -> list[int]:
    members: list[int] = []
    tried: dict[int, int] = {}
    correct: dict[int, int] = {}
    seen: list[object] = []

    def interval(member: int, z: float) -> tuple[float, float, float, float]:
        low, high = share_interval(correct[member], tried[member], z)
        return low, high, *share_interval(seen.count(y[member]), len(seen), z)

    def acceptable(member: int) -> bool:
        low, _, _, class_high = interval(member, accept_z)
        return tried[member] > 0 and low > class_high

    for x, luck in zip(stream, chance, strict=True):
        best = None
        asked = [m for m in members if not apart(x, m)]
        good = [m for m in asked if acceptable(m)]
        if good:
            best = min(good, key=lambda m: (D[x, m], members.index(m)))
        elif asked:
            best = sorted(asked, key=lambda m: (D[x, m], members.index(m)))[int(luck * len(asked))]
        seen.append(y[x])
        wrong = best is None or y[best] != y[x]
        if best is not None:
            limit = D[x, best]
            for m in [m for m in asked if D[x, m] <= limit]:
                tried[m] += 1
                correct[m] += y[m] == y[x]
                _, high, class_low, _ = interval(m, drop_z)
                if high < class_low:
                    members.remove(m)
        if wrong:
            members.append(x)
            tried[x] = correct[x] = 0
    return [m for m in members if acceptable(m)]
