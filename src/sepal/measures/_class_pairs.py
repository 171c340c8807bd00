"""Which pairs of classes are looked at: all of them, or where classes are many those of the largest."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

MOST_PAIRED = 50  # whose pairs are all looked at: the number of pairs grows with the square
MOST_CLASS_PAIRS = MOST_PAIRED * (MOST_PAIRED - 1) // 2


def paired_classes(counts: NDArray[np.integer] | NDArray[np.float64]) -> NDArray[np.intp]:
    """The classes that are paired, ascending: the largest, and of equally large ones those that come first by name."""
    return np.sort(np.argsort(-np.asarray(counts), kind="stable")[:MOST_PAIRED])


def class_pairs(counts: NDArray[np.integer] | NDArray[np.float64]) -> list[tuple[int, int]]:
    """The pairs of these classes, as codes.

    Examples
    --------
    >>> class_pairs(np.array([4, 7, 2]))
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(paired_classes(counts).tolist(), 2))


def pairs_notes(what: str, n_classes: int) -> tuple[str, ...]:
    """What is to be said of pairs that were left out; nothing where all were looked at."""
    if n_classes <= MOST_PAIRED:
        return ()
    return (f"{what} the pairs of the {MOST_PAIRED} largest of {n_classes:,} classes",)
