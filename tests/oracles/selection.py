"""Feature subsets as plain loops: distances by column, scores by definition, stability and ReliefF from the papers.

Nothing here shares work between subsets; that is what the fast code must reproduce.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from tests.oracles.neighbors import TIE_TOLERANCE, tied_groups
from tests.oracles.thornton import thornton_samples

Labels = Sequence[Hashable]


def column_term(a: float, b: float, kind: str) -> float:
    """What one column adds to the squared HEOM distance (Wilson & Martinez 1997)."""
    if math.isnan(a) or math.isnan(b):
        return 1.0
    if kind == "nominal":
        return 0.0 if a == b else 1.0
    return (a - b) * (a - b)


def squared_distances(X: np.ndarray, columns: Sequence[int], kinds: Sequence[str] | None = None) -> np.ndarray:
    """Between all rows, over these columns only, summed in the order given."""
    n = len(X)
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            total = 0.0
            for f in columns:
                total += column_term(X[i, f], X[j, f], "numeric" if kinds is None else kinds[f])
            D[i, j] = total
    return D


def all_subsets(p: int) -> list[tuple[int, ...]]:
    """Every non-empty subset of p features, by size."""
    return [columns for size in range(1, p + 1) for columns in combinations(range(p), size)]


def subset_samples(
    X: np.ndarray,
    y: Labels,
    columns: Sequence[int],
    *,
    kinds: Sequence[str] | None = None,
    policy: str = "expected",
    tolerance: float = TIE_TOLERANCE,
) -> list[Fraction]:
    """Per row: how far its nearest neighbour over these columns agrees."""
    return thornton_samples(squared_distances(X, columns, kinds), y, policy, tolerance)


def subset_score(X: np.ndarray, y: Labels, columns: Sequence[int], **options: object) -> Fraction:
    samples = subset_samples(X, y, columns, **options)  # type: ignore[arg-type]
    return sum(samples, Fraction(0)) / len(samples)


def loo_votes(D: np.ndarray, y: Labels, k: int, tolerance: float = TIE_TOLERANCE) -> float:
    """Leave-one-out accuracy of k-NN: a group that does not fit votes with its share, a tied vote counts as a share."""
    total = 0.0
    for i in range(len(D)):
        votes: dict[Hashable, float] = {}
        left = k
        for _, group in tied_groups(D[i], tolerance, exclude=i):
            fit = min(1.0, left / len(group))
            for row in group:
                votes[y[row]] = votes.get(y[row], 0.0) + fit
            left -= len(group)
            if left <= 0:
                break
        most = max(votes.values())
        winners = [label for label, count in votes.items() if count >= most - 1e-9]
        total += 1.0 / len(winners) if y[i] in winners else 0.0
    return total / len(D)


def alignment(D: np.ndarray, y: Labels, sigma: float, *, centered: bool) -> float:
    """Of exp(-D / 2 sigma^2) with 1 for the same class and -1/(C-1) for different ones."""
    n = len(D)
    others = len(set(y)) - 1
    K = np.array([[math.exp(-D[i, j] / (2 * sigma**2)) for j in range(n)] for i in range(n)])
    T = np.array([[1.0 if y[i] == y[j] else -1.0 / others for j in range(n)] for i in range(n)])
    if centered:
        H = np.eye(n) - np.ones((n, n)) / n
        K, T = H @ K @ H, H @ T @ H
    return float((K * T).sum() / math.sqrt((K * K).sum() * (T * T).sum()))


def mahalanobis(X: np.ndarray, y: Labels) -> float:
    """Two classes: sqrt(d' S^-1 d) with the pooled covariance."""
    first, second = (X[[label == c for label in y]] for c in sorted(set(y)))
    S = ((len(first) - 1) * np.cov(first, rowvar=False) + (len(second) - 1) * np.cov(second, rowvar=False)) / (
        len(X) - 2
    )
    d = first.mean(axis=0) - second.mean(axis=0)
    return float(math.sqrt(d @ np.linalg.solve(np.atleast_2d(S), d)))


def paired_near_best(samples: Sequence[Sequence[float]], se: float = 1.0) -> list[int]:
    """Positions of the rows of ``samples`` (one subset each) within ``se`` of the best, by paired differences."""
    means = [sum(row) / len(row) for row in samples]
    best = max(range(len(samples)), key=lambda s: means[s])
    found = []
    for s, row in enumerate(samples):
        differences = [a - b for a, b in zip(samples[best], row, strict=True)]
        mean = sum(differences) / len(row)
        variance = sum((d - mean) ** 2 for d in differences) / len(row)
        if mean <= se * math.sqrt(variance / len(row)) + 1e-12:
            found.append(s)
    return found


def nogueira(Z: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Stability of selected sets and its variance (Nogueira, Sechidis & Brown 2018, definition 4 and theorem 7)."""
    M, d = len(Z), len(Z[0])
    frequency = [sum(row[f] for row in Z) / M for f in range(d)]
    size = sum(frequency)
    chance = (size / d) * (1 - size / d)
    phi = 1 - (M / (M - 1)) * (sum(p * (1 - p) for p in frequency) / d) / chance
    parts = []
    for row in Z:
        k = sum(row)
        overlap = sum(z * p for z, p in zip(row, frequency, strict=True)) / d
        parts.append((overlap - k * size / d**2 + (phi / 2) * (2 * k * size / d**2 - k / d - size / d + 1)) / chance)
    mean = sum(parts) / M
    return phi, 4 / M**2 * sum((part - mean) ** 2 for part in parts)


def forward(score: Callable[[tuple[int, ...]], float], p: int) -> list[tuple[int, ...]]:
    """Sequential forward selection: the best set of each size on the way; the lowest feature among equals."""
    chosen: tuple[int, ...] = ()
    path = []
    while len(chosen) < p:
        options = [tuple(sorted((*chosen, f))) for f in range(p) if f not in chosen]
        values = [round(score(option), 12) for option in options]
        chosen = options[values.index(max(values))]
        path.append(chosen)
    return path


def backward(score: Callable[[tuple[int, ...]], float], p: int) -> list[tuple[int, ...]]:
    """Sequential backward selection; among equals the highest feature goes."""
    chosen = tuple(range(p))
    path = [chosen]
    while len(chosen) > 1:
        options = [tuple(f for f in chosen if f != gone) for gone in reversed(chosen)]
        values = [round(score(option), 12) for option in options]
        chosen = options[values.index(max(values))]
        path.append(chosen)
    return path


def relieff(
    X: np.ndarray, y: Labels, k: int, kinds: Sequence[str] | None = None, groups: Sequence[int] | None = None
) -> list[float]:
    """Kononenko 1994 (ReliefF), all rows: numbers in [0, 1], nominal columns, missing cells, ties at the k-th place.

    A missing cell counts the mean difference to the known cells of its class (the extension D of Relief: sums of
    probabilities of levels, here over the cells themselves); two missing cells the mean over both classes. Rows tied at
    the k-th place share the places that are left. Rows of the same group are not near each other.
    """
    n, p = X.shape
    groups = range(n) if groups is None else groups
    kinds = ["numeric"] * p if kinds is None else kinds
    share = {c: sum(label == c for label in y) / n for c in set(y)}

    def known(f: int, c: Hashable) -> list[float]:
        return [X[j, f] for j in range(n) if y[j] == c and not math.isnan(X[j, f])]

    def plain(a: float, b: float, f: int) -> float:
        return float(a != b) if kinds[f] == "nominal" else abs(a - b)

    def diff(i: int, j: int, f: int) -> float:
        left = known(f, y[i]) if math.isnan(X[i, f]) else [X[i, f]]
        right = known(f, y[j]) if math.isnan(X[j, f]) else [X[j, f]]
        return sum(plain(a, b, f) for a in left for b in right) / (len(left) * len(right))

    weights = [0.0] * p
    for i in range(n):
        for c in share:
            others = [j for j in range(n) if groups[j] != groups[i] and y[j] == c]
            if not others:
                continue
            far = {j: sum(diff(i, j, f) for f in range(p)) for j in others}
            places = min(k, len(others))
            last = sorted(far.values())[places - 1]
            nearer = [j for j in others if far[j] < last - 1e-9]
            tied = [j for j in others if abs(far[j] - last) <= 1e-9]
            part = dict.fromkeys(nearer, 1.0) | dict.fromkeys(tied, (places - len(nearer)) / len(tied))
            factor = -1.0 if c == y[i] else share[c] / (1 - share[y[i]])
            for f in range(p):
                weights[f] += factor * sum(part[j] * diff(i, j, f) for j in part) / places / n
    return weights
