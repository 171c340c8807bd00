"""The neighbourhood measures of complexity where rows of one group are no neighbours of each other, pair by pair."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

TIED = 1 + 1e-12


def spanning_tree(D, y, groups):
    """Kruskal without edges inside a group; equal lengths: edges inside a class first, then lower rows."""
    n = len(D)
    edges = sorted((D[i, j], y[i] != y[j], i, j) for i in range(n) for j in range(i + 1, n) if groups[i] != groups[j])
    part = list(range(n))
    tree = []
    for _, _, i, j in edges:
        if part[i] != part[j]:
            gone = part[j]
            part = [part[i] if each == gone else each for each in part]
            tree.append((i, j))
    return tree


def n1(D, y, groups):
    touching = {row for i, j in spanning_tree(D, y, groups) if y[i] != y[j] for row in (i, j)}
    return len(touching) / len(D)


def others(groups, i):
    return [j for j in range(len(groups)) if groups[j] != groups[i]]


def hit_and_miss(D, y, groups):
    n = len(D)
    hit = [min((D[i, j] for j in others(groups, i) if y[j] == y[i]), default=math.inf) for i in range(n)]
    miss = [min((D[i, j] for j in others(groups, i) if y[j] != y[i]), default=math.inf) for i in range(n)]
    return hit, miss


def n2(D, y, groups):
    hit, miss = hit_and_miss(D, y, groups)
    known = [(h, m) for h, m in zip(hit, miss, strict=True) if h < math.inf and m < math.inf]
    inside, outside = sum(h for h, _ in known), sum(m for _, m in known)
    return inside / (inside + outside)


def n2_mean_ratio(D, y, groups):
    hit, miss = hit_and_miss(D, y, groups)
    known = [(h, m) for h, m in zip(hit, miss, strict=True) if h < math.inf and m < math.inf and h + m > 0]
    return sum(h / (h + m) for h, m in known) / len(known)


def n3(D, y, groups):
    error = 0.0
    for i in range(len(D)):
        asked = others(groups, i)
        nearest = min(D[i, j] for j in asked)
        tied = [j for j in asked if D[i, j] <= nearest * TIED]
        error += sum(y[j] != y[i] for j in tied) / len(tied)
    return error / len(D)


def n4(distances, y, groups, made):
    """``made``: class and the two parents of each made-up row; ``distances`` from each of them to every row."""
    error = 0.0
    for row, (c, a, b) in zip(distances, made, strict=True):
        asked = [j for j in range(len(y)) if j in (a, b) or groups[j] not in (groups[a], groups[b])]
        nearest = min(row[j] for j in asked)
        tied = [j for j in asked if row[j] <= nearest * TIED]
        error += sum(y[j] != c for j in tied) / len(tied)
    return error / len(made)


def radii(D, y, groups):
    """Halfway to a mutual enemy, else what the enemy's sphere leaves; of tied enemies the largest sphere decides."""
    _, miss = hit_and_miss(D, y, groups)
    known = {}

    def radius(i):
        if miss[i] == math.inf:
            return math.inf
        if i not in known:
            enemies = [j for j in others(groups, i) if y[j] != y[i] and D[i, j] <= miss[i] * TIED]
            taken = [miss[i] / 2 if miss[e] * TIED >= miss[i] else radius(e) for e in enemies]
            known[i] = miss[i] - max(taken)
        return known[i]

    return [radius(i) for i in range(len(D))]


def t1(D, y, groups):
    """A sphere inside a larger one of another group is gone; equal spheres of G groups count 1/G each."""
    r = radii(D, y, groups)

    def holds(j, i):
        return r[j] == math.inf or D[i, j] + r[i] <= r[j] + 1e-9

    total = 0.0
    for i in range(len(D)):
        rivals = [j for j in others(groups, i) if y[j] == y[i] and holds(j, i)]
        if all(holds(i, j) for j in rivals):
            total += 1 / (1 + len({groups[j] for j in rivals}))
    return total / len(D)


def lsc(D, y, groups):
    _, miss = hit_and_miss(D, y, groups)
    total = 0.0
    for i in range(len(D)):
        asked = others(groups, i)
        inside = sum(y[j] == y[i] and D[i, j] < miss[i] / TIED for j in asked) + (miss[i] > 0)
        total += inside / (len(asked) + 1)
    return 1 - total / len(D)


def graph(D, y, groups, epsilon=0.15):
    n = len(D)
    return [[groups[i] != groups[j] and y[i] == y[j] and D[i, j] < epsilon / TIED for j in range(n)] for i in range(n)]


def nearest_graph(D, y, groups, share=0.15):
    """Joined if one is among the nearest 15 % of the other rows, of other groups, of the other."""
    n, reach = len(D), []
    for i in range(n):
        near = sorted(D[i, j] for j in others(groups, i))
        reach.append(near[max(1, math.floor(share * (len(near) + 1))) - 1] * TIED)
    return [
        [groups[i] != groups[j] and y[i] == y[j] and (D[i, j] <= reach[i] or D[i, j] <= reach[j]) for j in range(n)]
        for i in range(n)
    ]


def density(A, groups):
    pairs = [(i, j) for i, j in combinations(range(len(A)), 2) if groups[i] != groups[j]]
    return 1 - sum(A[i][j] for i, j in pairs) / len(pairs)


def _around(A, groups, i):
    """Pairs of neighbours of a row that are of different groups, and how many of them are joined."""
    pairs = [(a, b) for a, b in combinations([j for j in range(len(A)) if A[i][j]], 2) if groups[a] != groups[b]]
    return len(pairs), sum(A[a][b] for a, b in pairs)


def clustering(A, groups):
    found = [_around(A, groups, i) for i in range(len(A))]
    return 1 - sum(closed / pairs for pairs, closed in found if pairs) / len(A)


def intransitivity(A, groups):
    pairs, closed = np.sum([_around(A, groups, i) for i in range(len(A))], axis=0)
    return 1 - closed / pairs if pairs else 1.0
