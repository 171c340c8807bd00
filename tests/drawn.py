"""Random rows that the tests of a module share: drawn by a generator nobody keeps, and never written to again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

Value = TypeVar("Value")


def drawn(seed: int, draw: Callable[[np.random.Generator], Value]) -> Value:
    """What ``draw`` makes of a generator with this seed; arrays in it are read-only."""
    value = draw(np.random.default_rng(seed))
    for array in value if isinstance(value, (tuple, list)) else (value,):
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return value


def normal(seed: int, *shape: int) -> np.ndarray:
    """Numbers of the standard normal distribution."""
    return drawn(seed, lambda rng: rng.normal(size=shape))
