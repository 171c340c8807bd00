"""Which native path answers a search: a tree, float32 tiles or direct sums."""

from __future__ import annotations

from typing import Literal

from sepal.distances import FittedDistance
from sepal.exceptions import ParameterError
from sepal.neighbors._rounding import Extent

Method = Literal["auto", "brute", "tree"]
SEARCH_METHODS = ("auto", "brute", "tree")

# Up to so many columns a tree beats tiles at every size, even on rows without any structure, where it gains least; in
# 10 columns the two are even (measured: benchmarks/speed/neighbors.py).
_TREE_COLUMNS = 8
_FEW_FOR_A_TREE, _FEW_FOR_TILES = 32, 8
_TREE_METRICS = frozenset({"l2", "l1", "linf", "lp"})


def effective_metric(fitted: FittedDistance, *given: Extent) -> str:
    """Without missing cells several metrics are plain Euclidean ones: unit vectors, and mixed columns all numeric."""
    plain = fitted.metric == "unit_l2" or (fitted.metric == "mixed" and fitted.n_numeric == len(given[0].low))
    return "l2" if plain and not any(each.missing for each in given) else fitted.metric


def choose_path(method: Method, fitted: FittedDistance, metric: str, n_columns: int) -> str:
    """The native path: a tree in few dimensions, float32 tiles for Euclidean, else direct sums."""
    can_tree = metric in _TREE_METRICS and fitted.metric != "mixed"
    if method == "tree" and not can_tree:
        raise ParameterError(
            f"method='tree' cannot search under the distance {fitted.name!r} on these rows",
            hint="use method='auto'",
        )
    if method == "tree" or (method == "auto" and can_tree and n_columns <= _TREE_COLUMNS):
        return "tree"
    return "tiles" if metric == "l2" else "direct"


def path_of(method: str, metric: str, n_queries: int | None) -> str:
    """The native path for a metric that may be simpler, or less so, than the training rows promised.

    Few queries (None: every row asks all others) are not made to pay for a tree or for tiles: the rows are scanned.
    """
    if n_queries is not None and n_queries <= (_FEW_FOR_A_TREE if method == "tree" else _FEW_FOR_TILES):
        return "scan"
    if metric == "l2":
        return "tiles" if method == "direct" else method
    return method if method == "tree" and metric in _TREE_METRICS else "direct"
