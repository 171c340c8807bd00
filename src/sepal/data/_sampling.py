"""Samples of rows that keep the shares of the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def sample_by_class(
    order: NDArray[np.intp],
    codes: NDArray[Any],
    n_rows: int,
    rng: np.random.Generator | np.random.RandomState,
) -> NDArray[np.intp]:
    """Rows of each class by its share, at least two where there are two; drawn by their place in ``order``, sorted.

    Give an order by content (:func:`rows_by_content`): then a seed draws the same rows however they were shuffled.

    Examples
    --------
    >>> codes = np.array([0] * 8 + [1] * 2)
    >>> sample_by_class(np.arange(10), codes, 5, np.random.default_rng(0)).tolist()[-2:]
    [8, 9]
    """
    parts = []
    for code in np.unique(codes):
        inside = order[codes[order] == code]
        wanted = min(len(inside), max(2, round(len(inside) * n_rows / len(codes))))
        parts.append(rng.choice(inside, size=wanted, replace=False))
    return np.sort(np.concatenate(parts))
