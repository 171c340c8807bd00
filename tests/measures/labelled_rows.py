"""Small labelled sets for the measures, and their distances as the oracle sees them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.oracles.neighbors import squared_euclidean_by_column


class Rows(NamedTuple):
    """Rows, labels, and all squared Euclidean distances."""

    X: np.ndarray
    y: list[str]
    D: np.ndarray


def rows(X: np.ndarray, y: list[str]) -> Rows:
    return Rows(np.asarray(X, float), list(y), squared_euclidean_by_column(X, X))


def two_each(rng: np.random.Generator, n: int, classes: str) -> list[str]:
    """Random labels that name every class at least twice."""
    y = list(classes) * 2 + rng.choice(list(classes), size=n - 2 * len(classes)).tolist()
    return [y[j] for j in rng.permutation(n)]


def no_ties(rng: np.random.Generator, n: int, classes: str = "ab") -> Rows:
    return rows(rng.normal(size=(n, 3)), two_each(rng, n, classes))


def lattice(rng: np.random.Generator, n: int, classes: str = "ab") -> Rows:
    """Ties without copies."""
    points = np.array([[i, j] for i in range(12) for j in range(12)], dtype=float)
    side = points[(points < np.ceil(np.sqrt(n)) + 1).all(axis=1)]
    return rows(side[rng.permutation(len(side))[:n]], two_each(rng, n, classes))


def copies(rng: np.random.Generator, n: int, classes: str = "ab") -> Rows:
    """A few distinct rows; equal rows may have different labels."""
    return rows(rng.integers(0, 2, size=(n, 2)), two_each(rng, n, classes))


def one_place(rng: np.random.Generator, n: int, classes: str = "ab") -> Rows:
    """All rows are equal."""
    return rows(np.full((n, 2), 3.0), two_each(rng, n, classes))


def thirds(rng: np.random.Generator, n: int, classes: str = "ab") -> Rows:
    """Ties that only rounding separates."""
    return rows(rng.integers(0, 4, size=(n, 3)) / 3.0, two_each(rng, n, classes))


FAMILIES = (no_ties, lattice, copies, one_place, thirds)
