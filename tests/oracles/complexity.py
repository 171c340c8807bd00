"""The complexity measures as plain loops, after Lorena et al. 2019 (ACM CSUR 52(5):107). Never imports sepal.

D is a full matrix of distances, X a matrix of numbers, y a list of labels.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np


def gower(X, nominal=()):
    """Mean over columns of |difference| / range, or of 0/1 for a nominal column. Constant columns add 0."""
    n, p = len(X), len(X[0])
    low = [min(row[f] for row in X) for f in range(p)]
    high = [max(row[f] for row in X) for f in range(p)]
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            total = 0.0
            for f in range(p):
                if f in nominal:
                    total += X[i][f] != X[j][f]
                elif high[f] > low[f]:
                    total += abs(X[i][f] - X[j][f]) / (high[f] - low[f])
            D[i, j] = total / p
    return D


def gower_present(X):
    """The same where cells are missing: the mean over the columns present in both rows."""
    n, p = len(X), len(X[0])
    known = [[row[f] for row in X if row[f] == row[f]] for f in range(p)]
    D = np.full((n, n), math.inf)
    for i in range(n):
        for j in range(n):
            parts = [
                abs(X[i][f] - X[j][f]) / (max(known[f]) - min(known[f]))
                for f in range(p)
                if X[i][f] == X[i][f] and X[j][f] == X[j][f]
            ]
            if parts:
                D[i, j] = sum(parts) / len(parts)
    return D


def euclidean(X):
    X = np.asarray(X, dtype=float)
    return np.array([[math.sqrt(sum((a - b) ** 2 for a, b in zip(x, z, strict=True))) for z in X] for x in X])


# Features


def f1(X, y):
    best = 0.0
    for f in range(len(X[0])):
        column = [row[f] for row in X]
        mean = sum(column) / len(column)
        between = within = 0.0
        for c in set(y):
            inside = [v for v, label in zip(column, y, strict=True) if label == c]
            m = sum(inside) / len(inside)
            between += len(inside) * (m - mean) ** 2
            within += sum((v - m) ** 2 for v in inside)
        if max(column) == min(column):
            continue
        best = max(best, between / within if within > 0 else math.inf)
    return 0.0 if best == math.inf else 1 / (1 + best)


def _pairs(X, y):
    X = np.asarray(X, dtype=float)
    y = np.asarray(y)
    for a, b in combinations(sorted(set(y.tolist())), 2):
        yield X[y == a], X[y == b]


def f1v(X, y):
    found = []
    for A, B in _pairs(X, y):
        W = (len(A) * np.cov(A.T, bias=True) + len(B) * np.cov(B.T, bias=True)) / (len(A) + len(B))
        W = np.atleast_2d(W)
        delta = A.mean(axis=0) - B.mean(axis=0)
        d = np.linalg.pinv(W, rcond=1e-10) @ delta
        found.append(1 / (1 + (d @ np.outer(delta, delta) @ d) / (d @ W @ d)))
    return sum(found) / len(found)


def _overlap(a, b):
    return max(min(a), min(b)), min(max(a), max(b))


def f2(X, y):
    found = []
    for A, B in _pairs(X, y):
        product = 1.0
        for f in range(A.shape[1]):
            a, b = A[:, f], B[:, f]
            size = max(max(a), max(b)) - min(min(a), min(b))
            if size == 0:
                continue
            low, high = _overlap(a, b)
            product *= max(0.0, high - low) / size
        found.append(product)
    return sum(found) / len(found)


def _inside(A, B, f):
    low, high = _overlap(A[:, f], B[:, f])
    return [low <= v <= high for v in A[:, f]], [low <= v <= high for v in B[:, f]]


def f3(X, y):
    found = []
    for A, B in _pairs(X, y):
        counts = [sum(map(sum, _inside(A, B, f))) for f in range(A.shape[1])]
        found.append(min(counts) / (len(A) + len(B)))
    return sum(found) / len(found)


def f4(X, y):
    found = []
    for A, B in _pairs(X, y):
        n, features = len(A) + len(B), list(range(A.shape[1]))
        while features and len(A) and len(B):
            counts = [sum(map(sum, _inside(A, B, f))) for f in features]
            chosen = features[counts.index(min(counts))]
            keep_a, keep_b = _inside(A, B, chosen)
            A, B = A[keep_a], B[keep_b]
            features.remove(chosen)
        found.append((len(A) + len(B) if len(A) and len(B) else 0) / n)
    return sum(found) / len(found)


# Linearity, from a fitted function


def l1(values, signs):
    s = sum(max(0.0, 1 - t * v) for v, t in zip(values, signs, strict=True)) / len(values)
    return 1 - 1 / (1 + s)


def l1_errors_only(values, signs):
    """ECoL's form: |decision value| of the rows that are answered wrongly."""
    s = sum(abs(v) for v, t in zip(values, signs, strict=True) if t * v < 0) / len(values)
    return 1 - 1 / (1 + s)


# Neighbourhoods


def spanning_tree(D, y):
    """Kruskal; equal lengths: edges inside a class first, then lower rows."""
    n = len(D)
    edges = sorted((D[i, j], y[i] != y[j], i, j) for i in range(n) for j in range(i + 1, n))
    root = list(range(n))

    def find(i):
        while root[i] != i:
            i = root[i]
        return i

    tree = []
    for _, _, i, j in edges:
        a, b = find(i), find(j)
        if a != b:
            root[a] = b
            tree.append((i, j))
    return tree


def by_values(X):
    """Rows column by column, the column of the lowest values first: the order in which equal edges are taken."""
    columns = sorted(range(len(X[0])), key=lambda j: sorted(row[j] for row in X))
    return sorted(range(len(X)), key=lambda i: [X[i][j] for j in columns])


def n1(D, y):
    touching = set()
    for i, j in spanning_tree(D, y):
        if y[i] != y[j]:
            touching |= {i, j}
    return len(touching) / len(D)


def hit_and_miss(D, y):
    n = len(D)
    hit = [min((D[i, j] for j in range(n) if j != i and y[j] == y[i]), default=math.inf) for i in range(n)]
    miss = [min(D[i, j] for j in range(n) if y[j] != y[i]) for i in range(n)]
    return hit, miss


def neighbors_by_class(values, y, reach, tolerance, slack):
    """Of each row: nearest enemies (value, rows), nearest of its class (value, rows), rows nearer, others near.

    ``values`` up to (1 + ``tolerance``) times the smallest are tied with it. Nearer are rows of the class, itself too
    if it is at a smaller value from itself, below (1 - ``slack``) times the value of the nearest enemy.
    """
    found, n = [], len(values)
    for i in range(n):
        enemies = [j for j in range(n) if y[j] != y[i]]
        own = [j for j in range(n) if y[j] == y[i] and j != i]
        miss, hit = (min((values[i][j] for j in group), default=math.inf) for group in (enemies, own))
        found.append(
            {
                "miss": miss,
                "enemies": [j for j in enemies if values[i][j] <= miss * (1 + tolerance)],
                "hit": hit,
                "n_own": sum(values[i][j] <= hit * (1 + tolerance) for j in own),
                "nearer": sum(values[i][j] < miss * (1 - slack) for j in [i, *own]),
                "near": sum(values[i][j] < reach * (1 - slack) for j in own),
            }
        )
    return found


def n2(D, y):
    hit, miss = hit_and_miss(D, y)
    r = sum(h for h in hit if h < math.inf) / sum(m for h, m in zip(hit, miss, strict=True) if h < math.inf)
    return r / (1 + r)


def n2_mean_ratio(D, y):
    """ECoL's form: the mean of the ratios of the rows."""
    hit, miss = hit_and_miss(D, y)
    return sum(h / (h + m) for h, m in zip(hit, miss, strict=True)) / len(hit)


def n3(D, y):
    """1-NN error, averaged over tied neighbours."""
    error, n = 0.0, len(D)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        nearest = min(D[i, j] for j in others)
        tied = [j for j in others if D[i, j] <= nearest * (1 + 1e-12)]
        error += sum(y[j] != y[i] for j in tied) / len(tied)
    return error / n


def n4(distances, y, made_classes):
    """distances: from each interpolated point to every row."""
    error = 0.0
    for row, c in zip(distances, made_classes, strict=True):
        tied = [j for j, d in enumerate(row) if d <= min(row) * (1 + 1e-12)]
        error += sum(y[j] != c for j in tied) / len(tied)
    return error / len(made_classes)


def radii(D, y):
    """The survey's recursion: halfway to a mutual enemy, else what the enemy's sphere leaves. For data without ties."""
    n = len(D)
    enemy = [min((j for j in range(n) if y[j] != y[i]), key=lambda j, i=i: D[i, j]) for i in range(n)]
    known = {}

    def radius(i):
        if i not in known:
            e = enemy[i]
            known[i] = D[i, e] / 2 if enemy[e] == i else D[i, e] - radius(e)
        return known[i]

    return [radius(i) for i in range(n)]


def t1(D, y):
    r = radii(D, y)
    order = sorted(range(len(D)), key=lambda i: -r[i])
    kept = []
    for i in order:
        if not any(y[j] == y[i] and D[i, j] + r[i] <= r[j] * (1 + 1e-12) for j in kept):
            kept.append(i)
    return len(kept) / len(D)


def lsc(D, y):
    _, miss = hit_and_miss(D, y)
    n = len(D)
    return 1 - sum(sum(D[i, j] < miss[i] * (1 - 1e-12) for j in range(n)) for i in range(n)) / n**2


# Graph


def graph(D, y, epsilon=0.15):
    n = len(D)
    return [[i != j and y[i] == y[j] and D[i, j] < epsilon * (1 - 1e-12) for j in range(n)] for i in range(n)]


def nearest_graph(D, y, share=0.15):
    """ECoL's form: i and j of one class are joined if one is among the nearest 15 % of all other rows of the other.

    Everyone tied with the last of these is one of them.
    """
    n = len(D)
    k = max(1, math.floor(share * n))
    reach = [sorted(D[i, j] for j in range(n) if j != i)[k - 1] * (1 + 1e-12) for i in range(n)]
    return [
        [i != j and y[i] == y[j] and (D[i, j] <= reach[i] or D[j, i] <= reach[j]) for j in range(n)] for i in range(n)
    ]


def density(A):
    n = len(A)
    return 1 - 2 * sum(A[i][j] for i in range(n) for j in range(i + 1, n)) / (n * (n - 1))


def clustering(A):
    n, total = len(A), 0.0
    for i in range(n):
        around = [j for j in range(n) if A[i][j]]
        k = len(around)
        if k > 1:
            total += 2 * sum(A[a][b] for a, b in combinations(around, 2)) / (k * (k - 1))
    return 1 - total / n


def intransitivity(A):
    """1 - triangles / connected triples, both counted around each of their rows."""
    n, closed, triples = len(A), 0, 0
    for i in range(n):
        for a, b in combinations([j for j in range(n) if A[i][j]], 2):
            triples += 1
            closed += A[a][b]
    return 1 - closed / triples if triples else 1.0


def hubs(A):
    """Equal scores projected onto the principal eigenvectors of A, largest 1: where power iteration ends."""
    values, vectors = np.linalg.eigh(np.asarray(A, dtype=float))
    top = vectors[:, values > values[-1] - 1e-9]
    scores = np.abs(top @ top.sum(axis=0))
    return 1 - float(np.mean(scores / scores.max()))


# Size and balance


def components(X):
    X = np.asarray(X, dtype=float)
    variances = np.linalg.eigvalsh(np.atleast_2d(np.cov(X.T)))[::-1]
    share = 0.0
    for k, v in enumerate(variances, start=1):
        share += v / variances.sum()
        if share >= 0.95 - 1e-12:
            return k
    return len(variances)


def c1(y):
    shares = [list(y).count(c) / len(y) for c in set(y)]
    return 1 + sum(s * math.log(s) for s in shares) / math.log(len(shares))


def c2(y):
    counts = [list(y).count(c) for c in set(y)]
    k, n = len(counts), len(y)
    ratio = (k - 1) / k * sum(c / (n - c) for c in counts)
    return 1 - 1 / ratio
