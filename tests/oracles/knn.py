"""Neighbours vote, as plain loops.

Rows are repeated as often as their whole-number weight says and sorted by distance. Place j of that list has a vote
weight (0 beyond place k). Rows tied in distance share their places: each gets the mean of the weights of those places.
That is the expectation over all orders of the tied rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tests.oracles.neighbors import TIE_TOLERANCE, tied_groups


def place_weight(name: str, place: int, k: int, distances: Sequence[float], width: float | None) -> float:
    """Weight of the vote in place 1, 2, ... of the sorted distances, among the first k."""
    d, nearest, kth = distances[place - 1], distances[0], distances[k - 1]
    h = kth if width is None else width
    if name == "uniform":
        return 1.0
    if name == "distance":
        if nearest == 0.0:
            return 1.0 if d == 0.0 else 0.0
        return 1.0 / d
    if name == "rank":
        return float(k + 1 - place)
    if name == "dudani":
        return 1.0 if kth == nearest else max(0.0, (kth - d) / (kth - nearest))
    ratio = 0.0 if d == 0.0 else (math.inf if h == 0.0 else d / h)
    if name == "gaussian":
        return math.exp(-0.5 * ratio * ratio)
    if name == "exponential":
        return math.exp(-ratio)
    if name == "tricube":
        return max(0.0, 1.0 - ratio**3) ** 3
    raise AssertionError(name)


def row_weights(
    values: Sequence[float],
    k: int,
    weights: str = "uniform",
    *,
    mass: Sequence[int] | None = None,
    width: float | None = None,
    squared: bool = True,
    tolerance: float = TIE_TOLERANCE,
    exclude: int | None = None,
) -> np.ndarray:
    """The share of every training row in the vote about one query.

    ``values`` are (squared) distances to the training rows, ``mass`` how often each row counts. ``exclude``: this row
    is left out once (all but one of its repetitions stay, as its copies would).
    """
    mass = [1] * len(values) if mass is None else list(mass)
    repeated = [row for row, times in enumerate(mass) for _ in range(times - (row == exclude))]
    places: list[int] = []
    distances: list[float] = []
    groups: list[tuple[int, int]] = []
    repeated_values = [values[row] for row in repeated]
    for smallest, members in tied_groups(repeated_values, tolerance):
        groups.append((len(places), len(places) + len(members)))
        places.extend(repeated[m] for m in members)
        distances.extend([math.sqrt(smallest) if squared else smallest] * len(members))
    assert 1 <= k <= len(places)
    shares = np.zeros(len(values))
    for begin, end in groups:
        total = sum(place_weight(weights, j, k, distances, width) for j in range(begin + 1, end + 1) if j <= k)
        for place in range(begin, end):
            shares[places[place]] += total / (end - begin)
    if shares.sum() == 0.0:
        return row_weights(values, k, "uniform", mass=mass, squared=squared, tolerance=tolerance, exclude=exclude)
    return shares


def class_votes(shares: np.ndarray, codes: Sequence[int], n_classes: int) -> np.ndarray:
    votes = np.zeros(n_classes)
    for share, code in zip(shares, codes, strict=True):
        votes[code] += share
    return votes


def winner(
    values: Sequence[float],
    shares: np.ndarray,
    codes: Sequence[int],
    mass: Sequence[int] | None,
    k: int,
    votes: np.ndarray,
    *,
    tolerance: float = TIE_TOLERANCE,
    exclude: int | None = None,
) -> set[int]:
    """The classes that may win: most votes; then most rows in the nearest tied group, then the next one, up to the
    group that holds the k-th; then the larger class."""
    mass = [1] * len(values) if mass is None else list(mass)
    mass = [m - (row == exclude) for row, m in enumerate(mass)]
    left = {c for c in range(len(votes)) if votes[c] >= votes.max() * (1 - 1e-9)}
    seen = 0
    present = [row for row in range(len(values)) if mass[row] > 0]
    for _, members in tied_groups([values[row] for row in present], tolerance):
        rows = [present[m] for m in members]
        count = {c: sum(mass[r] for r in rows if codes[r] == c) for c in left}
        left = {c for c in left if count[c] == max(count.values())}
        seen += sum(mass[r] for r in rows)
        if seen >= k or len(left) == 1:
            break
    size = {c: sum(m for m, code in zip(mass, codes, strict=True) if code == c) for c in left}
    return {c for c in left if size[c] == max(size.values())}


def loo_accuracy(
    D: np.ndarray,
    codes: Sequence[int],
    k: int,
    weights: str = "uniform",
    *,
    mass: Sequence[int] | None = None,
    width: float | None = None,
    squared: bool = True,
    tolerance: float = TIE_TOLERANCE,
) -> float:
    """Share of rows (counted by mass) whose class wins when the row is left out; NaN if some vote cannot be decided."""
    n_classes = max(codes) + 1
    right, total = 0.0, 0.0
    for i in range(len(D)):
        shares = row_weights(D[i], k, weights, mass=mass, width=width, squared=squared, tolerance=tolerance, exclude=i)
        votes = class_votes(shares, codes, n_classes)
        won = winner(D[i], shares, codes, mass, k, votes, tolerance=tolerance, exclude=i)
        if len(won) > 1 and codes[i] in won:
            return math.nan
        own = 1 if mass is None else mass[i]
        right += own * (codes[i] in won)
        total += own
    return right / total


def class_similarity_votes(
    distances: Sequence[float],
    codes: Sequence[int],
    n_classes: int,
    k: int,
    span: float,
    *,
    mass: Sequence[int] | None = None,
    exclude: int | None = None,
) -> list[float]:
    """Of each class the k most similar rows, repeated by their mass; the sum of their similarities."""
    mass = [1] * len(distances) if mass is None else list(mass)
    votes = []
    for c in range(n_classes):
        similar = []
        for row, d in enumerate(distances):
            if codes[row] == c:
                similar += [min(1.0, max(0.0, 1.0 - d / span))] * (mass[row] - (row == exclude))
        votes.append(sum(sorted(similar, reverse=True)[:k]))
    return votes
