"""All distances between queries and training rows, taken out of a ranking that leaves nobody out."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.neighbors import neighbor_ranking


def all_pairs(queries: Any, train: Any, **options: Any) -> np.ndarray:
    """The matrix (queries x training rows) of the distances that the search reports."""
    n_train = train.n_rows if hasattr(train, "n_rows") else len(train)
    found = neighbor_ranking(train, n_train, queries=queries, **options)
    matrix = np.full(found.rows.shape, np.nan)
    np.put_along_axis(matrix, found.rows, found.distances, axis=1)
    assert not np.isnan(matrix).any(), "a training row is missing from a complete ranking"
    return matrix
