"""Rows and class sizes under which p-values are tried: ties, copies, rare and many classes, few and many rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]


@dataclass(frozen=True)
class NullDesign:
    """Rows are drawn anew for each table; labels of these class sizes are then shuffled."""

    name: str
    draw: Callable[[np.random.Generator], Rows]
    sizes: tuple[int, ...]


def normal(n: int, d: int) -> Callable[[np.random.Generator], Rows]:
    """Rows without ties."""
    return lambda rng: rng.normal(size=(n, d))


def whole(n: int, d: int, levels: int) -> Callable[[np.random.Generator], Rows]:
    """Rows of small whole numbers."""
    return lambda rng: rng.integers(levels, size=(n, d)).astype(float)


def copied(n: int, times: int) -> Callable[[np.random.Generator], Rows]:
    """Every row several times."""
    return lambda rng: np.repeat(rng.normal(size=(n, 2)), times, axis=0)


def partly_equal(n: int) -> Callable[[np.random.Generator], Rows]:
    """Half of the rows are one and the same."""
    return lambda rng: np.concatenate([np.zeros((n // 2, 2)), rng.normal(size=(n - n // 2, 2))])


DESIGNS = (
    NullDesign("20 rows, 10 classes of 2", normal(20, 2), (2,) * 10),
    NullDesign("24 rows, 2 classes", normal(24, 2), (12, 12)),
    NullDesign("60 rows, 2 classes", normal(60, 2), (30, 30)),
    NullDesign("100 rows, 50 classes of 2", normal(100, 2), (2,) * 50),
    NullDesign("100 rows, classes of 92 and 8", normal(100, 3), (92, 8)),
    NullDesign("200 rows, 20 classes of 10", normal(200, 2), (10,) * 20),
    NullDesign("200 rows, every row twice", copied(100, 2), (120, 80)),
    NullDesign("300 rows, every row ten times", copied(30, 10), (100, 100, 100)),
    NullDesign("300 rows, three binary columns", whole(300, 3, 2), (150, 150)),
    NullDesign("300 rows, half of them equal", partly_equal(300), (200, 100)),
    NullDesign("500 rows of whole numbers", whole(500, 4, 4), (300, 200)),
    NullDesign("1,000 rows, classes of 985 and 15", normal(1000, 3), (985, 15)),
    NullDesign("1,000 rows in 50 columns", normal(1000, 50), (500, 300, 200)),
    NullDesign("2,000 rows, three binary columns", whole(2000, 3, 2), (1000, 1000)),
    NullDesign("2,000 rows, 100 classes of 20", normal(2000, 2), (20,) * 100),
    NullDesign("5,000 rows, 2 classes", normal(5000, 2), (2500, 2500)),
    NullDesign("5,000 rows, classes of 4,950 and 50", normal(5000, 3), (4950, 50)),
)
