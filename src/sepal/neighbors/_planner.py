"""Which native path answers a search: a tree, float32 tiles or direct sums."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sepal.distances import FittedDistance
from sepal.exceptions import ParameterError

Method = Literal["auto", "brute", "tree"]
METHODS = ("auto", "brute", "tree")

# Rows from which on a tree beats tiles, by the number of columns (measured: benchmarks/speed/neighbors.py).
_TREE_FROM = {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 40_000, 7: 80_000, 8: 160_000}
_TREE_METRICS = frozenset({"l2", "l1", "linf", "lp"})


def effective_metric(fitted: FittedDistance, *given: NDArray[np.float64]) -> str:
    """Without missing cells several metrics are plain Euclidean ones: unit vectors, and mixed columns all numeric."""
    plain = fitted.metric == "unit_l2" or (fitted.metric == "mixed" and fitted.n_numeric == given[0].shape[1])
    return "l2" if plain and not any(np.isnan(a).any() for a in given) else fitted.metric


def choose_path(method: Method, fitted: FittedDistance, metric: str, n_columns: int, n_rows: int) -> str:
    """The native path: a tree in few dimensions, float32 tiles for Euclidean, else direct sums."""
    can_tree = metric in _TREE_METRICS and fitted.metric != "mixed"
    if method == "tree" and not can_tree:
        raise ParameterError(
            f"method='tree' cannot search under the distance {fitted.name!r} on these rows",
            hint="use method='auto'",
        )
    if method == "tree" or (method == "auto" and can_tree and n_rows >= _TREE_FROM.get(n_columns, np.inf)):
        return "tree"
    return "tiles" if metric == "l2" else "direct"


def path_of(method: str, metric: str) -> str:
    """The native path for a metric that may be simpler, or less so, than the training rows promised."""
    if metric == "l2":
        return "tiles" if method == "direct" else method
    return method if method == "tree" and metric in _TREE_METRICS else "direct"
