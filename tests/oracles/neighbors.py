"""Distances and neighbour rankings as plain loops: the answers the fast search must give.

Every distance has a function of two rows. ``compared_values`` fills the matrix of the values in which ties
are decided (squared distances for the Euclidean-like names in ``SQUARED``, distances otherwise), ``ranking``
sorts it. Rows are float64 vectors; NaN is a missing cell where the distance knows missing cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

TIE_TOLERANCE = 2.0**-40
"""Relative width of a tied group: rounding after scaling stays inside it, real differences do not."""

SQUARED = frozenset({"euclidean", "weighted_euclidean", "mahalanobis", "nan_euclidean", "heom"})
"""Names whose ``compared_values`` are squared distances."""

EXACT_ON_INTEGERS = frozenset({"euclidean", "manhattan", "chebyshev"})
"""Names that need only sums, differences and products of coordinates, so integers give integers."""

Row = Sequence[float]


# ---------------------------------------------------------------- two rows


def squared_euclidean(x: Row, z: Row) -> float:
    total = 0.0
    for a, b in zip(x, z, strict=True):
        total += (a - b) * (a - b)
    return total


def squared_weighted_euclidean(x: Row, z: Row, weights: Row) -> float:
    total = 0.0
    for a, b, w in zip(x, z, weights, strict=True):
        total += w * (a - b) * (a - b)
    return total


def manhattan(x: Row, z: Row) -> float:
    total = 0.0
    for a, b in zip(x, z, strict=True):
        total += abs(a - b)
    return total


def chebyshev(x: Row, z: Row) -> float:
    largest = 0.0
    for a, b in zip(x, z, strict=True):
        largest = max(largest, abs(a - b))
    return largest


def minkowski(x: Row, z: Row, p: float, weights: Row | None = None) -> float:
    """``(sum w |x - z|^p)^(1/p)``; p = inf is the largest difference among the columns of positive weight."""
    if weights is None:
        weights = [1.0] * len(x)
    if math.isinf(p):
        return max(
            (abs(a - b) for a, b, w in zip(x, z, weights, strict=True) if w > 0),
            default=0.0,
        )
    total = 0.0
    for a, b, w in zip(x, z, weights, strict=True):
        total += w * abs(a - b) ** p
    return float(total ** (1.0 / p))


def squared_mahalanobis(x: Row, z: Row, eigenvalues: Row, eigenvectors: np.ndarray) -> float:
    """Squared length along each kept eigenvector, in units of that direction's variance."""
    difference = np.asarray(x) - np.asarray(z)
    total = 0.0
    for value, direction in zip(eigenvalues, eigenvectors.T, strict=True):
        total += float(direction @ difference) ** 2 / value
    return total


def cosine(x: Row, z: Row) -> float:
    """``1 - cos``, without the cancellation of that form; a zero vector is at distance 1 from every row.

    For an acute angle ``1 - cos = sin^2 / (1 + cos)``, and Lagrange's identity gives
    ``|x|^2 |z|^2 sin^2 = sum over i < j of (x_i z_j - x_j z_i)^2``: parallel rows come out at exactly 0
    whenever these products are exact.
    """
    x, z = np.asarray(x), np.asarray(z)
    lengths = math.sqrt(float(x @ x)) * math.sqrt(float(z @ z))
    if lengths == 0.0:
        return 1.0
    dot = float(x @ z)
    if dot <= 0.0:
        return 1.0 - dot / lengths
    products = np.outer(x, z)
    crossed = float(((products - products.T) ** 2).sum()) / 2.0
    return crossed / (lengths * (lengths + dot))


def squared_nan_euclidean(x: Row, z: Row) -> float:
    """``p / present * sum over the features present in both``; nothing in common: +inf."""
    total, present = 0.0, 0
    for a, b in zip(x, z, strict=True):
        if math.isnan(a) or math.isnan(b):
            continue
        total += (a - b) * (a - b)
        present += 1
    if present == 0:
        return math.inf
    return len(x) / present * total


def squared_heom(x: Row, z: Row, nominal_mask: Sequence[bool]) -> float:
    """Numeric columns come divided by their range already; nominal ones are codes compared for equality."""
    total = 0.0
    for a, b, nominal in zip(x, z, nominal_mask, strict=True):
        if math.isnan(a) or math.isnan(b):
            term = 1.0
        elif nominal:
            term = 0.0 if a == b else 1.0
        else:
            term = abs(a - b)
        total += term * term
    return total


def correlation(x: Row, z: Row, weights: Row | None = None) -> float:
    """``1 - r``, with weighted means and products where there are weights; a constant row is at distance 1.

    Means and products are taken in rational numbers, so that a constant row is one whatever its number.
    """
    w = [Fraction(1)] * len(x) if weights is None else [Fraction(v) for v in weights]
    total = sum(w)
    centred = []
    for row in (x, z):
        exact = [Fraction(v) for v in row]
        mean = sum(a * b for a, b in zip(w, exact, strict=True)) / total
        centred.append([v - mean for v in exact])
    a, b = centred
    aa, bb, ab = (
        sum(u * p * q for u, p, q in zip(w, left, right, strict=True)) for left, right in ((a, a), (b, b), (a, b))
    )
    if aa == 0 or bb == 0:
        return 1.0
    if ab <= 0:
        return 1.0 - float(ab) / math.sqrt(float(aa * bb))
    # 1 - r = (1 - r^2) / (1 + r), and 1 - r^2 is a rational number
    return float(1 - ab * ab / (aa * bb)) / (1.0 + float(ab) / math.sqrt(float(aa * bb)))


def canberra(x: Row, z: Row, weights: Row | None = None) -> float:
    """Lance & Williams 1966: ``sum w |x - z| / (|x| + |z|)``; two zeros add nothing."""
    total = 0.0
    for a, b, w in zip(x, z, [1.0] * len(x) if weights is None else weights, strict=True):
        if abs(a) + abs(b) > 0:
            total += w * (abs(a - b) / (abs(a) + abs(b)))
    return total


def bray_curtis(x: Row, z: Row, weights: Row | None = None) -> float:
    """Bray & Curtis 1957: ``sum w |x - z| / sum w |x + z|``; equal rows 0, opposite rows infinitely far."""
    above = below = 0.0
    for a, b, w in zip(x, z, [1.0] * len(x) if weights is None else weights, strict=True):
        above += w * abs(a - b)
        below += w * abs(a + b)
    if above == 0:
        return 0.0
    return above / below if below > 0 else math.inf


def haversine(x: Row, z: Row) -> float:
    """The angle between two places given as latitude and longitude in radians."""
    (lat1, lon1), (lat2, lon2) = x, z
    h = math.sin((lat1 - lat2) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon1 - lon2) / 2) ** 2
    return 2.0 * math.asin(math.sqrt(min(h, 1.0)))


# ---------------------------------------------------------------- all pairs


def pairwise(pair: Callable[..., float], queries: np.ndarray, train: np.ndarray, *args: Any) -> np.ndarray:
    """``pair(query, row, *args)`` for every query and every training row."""
    query_rows, train_rows = np.asarray(queries, float).tolist(), np.asarray(train, float).tolist()
    values = np.empty((len(query_rows), len(train_rows)))
    for i, x in enumerate(query_rows):
        for j, z in enumerate(train_rows):
            values[i, j] = pair(x, z, *args)
    return values


def squared_euclidean_by_column(queries: np.ndarray, train: np.ndarray) -> np.ndarray:
    """The additions of ``squared_euclidean`` in the same order, for sets too large for the double loop."""
    queries, train = np.asarray(queries, float), np.asarray(train, float)
    total = np.zeros((len(queries), len(train)))
    for column in range(train.shape[1]):
        difference = queries[:, column, None] - train[None, :, column]
        total += difference * difference
    return total


def covariance_of(train: np.ndarray) -> np.ndarray:
    """Covariance of the columns, divided by n - 1."""
    train = np.asarray(train, float)
    n, p = train.shape
    means = [math.fsum(train[:, f]) / n for f in range(p)]
    covariance = np.empty((p, p))
    for f in range(p):
        for g in range(p):
            products = (train[:, f] - means[f]) * (train[:, g] - means[g])
            covariance[f, g] = math.fsum(products) / (n - 1)
    return covariance


def kept_directions(covariance: np.ndarray) -> tuple[list[float], np.ndarray]:
    """Eigenpairs the pseudo-inverse of the covariance uses: those above ``p * eps`` times the largest."""
    values, vectors = np.linalg.eigh(np.asarray(covariance, float))
    cutoff = len(values) * np.finfo(float).eps * max(values[-1], 0.0)
    keep = [j for j, value in enumerate(values) if value > cutoff]
    return [float(values[j]) for j in keep], vectors[:, keep]


def _mahalanobis_values(queries: np.ndarray, train: np.ndarray, covariance: np.ndarray | None = None) -> np.ndarray:
    covariance = covariance_of(train) if covariance is None else np.asarray(covariance, float)
    kept = kept_directions(covariance)
    if len(kept[0]) < len(covariance):
        return pairwise(squared_mahalanobis, queries, train, *kept)
    # Columns of very different size cost eigenvectors half their digits; the exact inverse loses none.
    return pairwise(squared_by_inverse, queries, train, exact_inverse(covariance))


def exact_inverse(matrix: np.ndarray) -> list[list[float]]:
    """By elimination in rational numbers, with the rows swapped where a pivot is 0."""
    n = len(matrix)
    rows = [
        [Fraction(v) for v in row] + [Fraction(int(i == j)) for j in range(n)] for i, row in enumerate(matrix.tolist())
    ]
    for i in range(n):
        pivot = next(k for k in range(i, n) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [[float(v) for v in row[n:]] for row in rows]


def squared_by_inverse(x: Row, z: Row, inverse: list[list[float]]) -> float:
    difference = [a - b for a, b in zip(x, z, strict=True)]
    return math.fsum(a * inverse[i][j] * b for i, a in enumerate(difference) for j, b in enumerate(difference))


def compared_values(name: str, queries: np.ndarray, train: np.ndarray, **params: Any) -> np.ndarray:
    """The matrix (queries x training rows) in which ties are decided.

    ``params``: ``weights`` (weighted_euclidean; optional for minkowski), ``p`` (minkowski), ``covariance``
    (mahalanobis, optional), ``nominal_mask`` (heom).
    """
    if name == "mahalanobis":
        return _mahalanobis_values(queries, train, **params)
    pair, wanted = {
        "euclidean": (squared_euclidean, ()),
        "weighted_euclidean": (squared_weighted_euclidean, ("weights",)),
        "manhattan": (manhattan, ()),
        "chebyshev": (chebyshev, ()),
        "minkowski": (minkowski, ("p", "weights")),
        "cosine": (cosine, ()),
        "nan_euclidean": (squared_nan_euclidean, ()),
        "heom": (squared_heom, ("nominal_mask",)),
        "correlation": (correlation, ("weights",)),
        "canberra": (canberra, ("weights",)),
        "bray_curtis": (bray_curtis, ("weights",)),
        "haversine": (haversine, ()),
    }[name]
    unknown = set(params) - set(wanted)
    assert not unknown, f"{name} takes {wanted}, not {sorted(unknown)}"
    return pairwise(pair, queries, train, *(params.get(key) for key in wanted))


def distances(name: str, queries: np.ndarray, train: np.ndarray, **params: Any) -> np.ndarray:
    """The matrix of distances proper."""
    values = compared_values(name, queries, train, **params)
    return np.sqrt(values) if name in SQUARED else values


# ---------------------------------------------------------------- ties and ranking


def tie_tolerance(name: str, *arrays: np.ndarray) -> float:
    """0 where integer coordinates make the compared values exact, else ``TIE_TOLERANCE``.

    NaN is not an integer. Whitened, normalised, weighted or rooted values round even on integers, so those
    distances always get the tolerance.
    """
    whole = all(bool((np.asarray(a, float) == np.floor(a)).all()) for a in arrays)
    return 0.0 if whole and name in EXACT_ON_INTEGERS else TIE_TOLERANCE


def tied_groups(
    values: Sequence[float], tolerance: float = TIE_TOLERANCE, exclude: int | None = None
) -> Iterator[tuple[float, list[int]]]:
    """Groups of equally near rows, nearest first: (smallest value of the group, its rows ascending).

    A group opens at the smallest value v not yet grouped and takes every value up to ``v * (1 + tolerance)``;
    so 0 ties only with 0, and all infinite values tie.
    """
    values = np.asarray(values, float)
    assert not np.isnan(values).any(), "a distance is NaN"
    assert (values >= 0).all(), "a distance is negative"
    order = [int(row) for row in np.argsort(values, kind="stable") if row != exclude]
    start = 0
    while start < len(order):
        smallest = float(values[order[start]])
        stop = start
        while stop < len(order) and values[order[stop]] <= smallest * (1.0 + tolerance):
            stop += 1
        yield smallest, sorted(order[start:stop])
        start = stop


def within(
    values: Sequence[float], limit: float, tolerance: float = TIE_TOLERANCE, exclude: int | None = None
) -> list[tuple[int, float]]:
    """Rows up to a limit (of the same kind as the values), nearest first: (row, smallest value of its tied group).

    A value that is larger than the limit by no more than the tolerance is at the limit.
    """
    near = [row for row, value in enumerate(values) if value <= limit * (1.0 + tolerance)]
    found = []
    for smallest, rows in tied_groups([values[row] for row in near], tolerance):
        found += [(near[at], smallest) for at in rows if near[at] != exclude]
    return found


class Neighbor(NamedTuple):
    """One place of a ranking."""

    row: int
    distance: float
    group: int


def ranking(
    D: np.ndarray,
    k: int,
    *,
    exclude_self: bool,
    ties: str = "index",
    tolerance: float = TIE_TOLERANCE,
    squared: bool = False,
) -> list[list[Neighbor]]:
    """The k nearest rows of every query, sorted by (tied group, row).

    ``ties="index"``: exactly k. ``ties="all"``: the k-th one's group is completed. Each neighbour carries its
    group's smallest distance (its root if ``squared``) and the number of the group, counted from 0.
    """
    D = np.asarray(D, float)
    assert ties in ("index", "all")
    assert not exclude_self or D.shape[0] == D.shape[1], "a self-join needs a square matrix"
    available = D.shape[1] - (1 if exclude_self else 0)
    assert 1 <= k <= available, f"k={k}, but only {available} rows can be neighbours"
    answer = []
    for query, values in enumerate(D):
        neighbors: list[Neighbor] = []
        groups = tied_groups(values, tolerance, exclude=query if exclude_self else None)
        for number, (smallest, rows) in enumerate(groups):
            distance = math.sqrt(smallest) if squared else smallest
            neighbors.extend(Neighbor(row, distance, number) for row in rows)
            if len(neighbors) >= k:
                break
        answer.append(neighbors[:k] if ties == "index" else neighbors)
    return answer
