"""The search that fits the rows: dense tables and sparse ones answer the same questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sepal.data import Rows, ScaleName, SparseRows, Table, as_rows
from sepal.exceptions import ParameterError
from sepal.neighbors._approximate import ApproximateSearch
from sepal.neighbors._function_search import FunctionSearch
from sepal.neighbors._planner import Method
from sepal.neighbors._search import Search
from sepal.neighbors._sparse_search import SparseSearch
from sepal.neighbors._text_search import MixedSearch, TextSearch, prepare_text_search

AnySearch = Search | SparseSearch | FunctionSearch | TextSearch | MixedSearch
DistanceLike = str | Callable[..., float]


def search_of(
    X: Any,
    *,
    distance: DistanceLike,
    distance_params: Mapping[str, Any] | None,
    scale: ScaleName | None,
    method: Method,
    n_jobs: int | None,
) -> AnySearch:
    """The search among these rows; a prepared table brings its own, with distance and scaling settled."""
    if not hasattr(type(X), "__sepal_search__"):
        return prepare_search(
            as_rows(X), distance=distance, distance_params=distance_params, scale=scale, method=method, n_jobs=n_jobs
        )
    given = {
        "distance": distance != "auto",
        "distance_params": distance_params is not None,
        "scale": scale is not None,
        "method": method != "auto",
        "n_jobs": n_jobs is not None,
    }
    for name in (name for name, again in given.items() if again):
        raise ParameterError(f"{name} was settled when the rows were prepared", hint=f"give {name} to prepare")
    search: AnySearch = X.__sepal_search__()
    return search


def prepare_search(
    rows: Rows,
    *,
    distance: DistanceLike,
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = None,
    method: Method = "auto",
    n_jobs: int | None = None,
) -> AnySearch:
    """Fit the distance to the rows and group equal ones."""
    if method in ("tree", "approximate") and callable(distance):
        raise ParameterError(f"method={method!r} cannot search under a distance function", hint="use method='auto'")
    if callable(distance):
        return FunctionSearch.prepare(
            rows, distance=distance, distance_params=distance_params, scale=scale, n_jobs=n_jobs
        )
    if isinstance(rows, Table) and "text" in rows.kinds:
        if method in ("tree", "approximate"):
            raise ParameterError(f"method={method!r} cannot search texts", hint="use method='auto'")
        return prepare_text_search(rows, distance=distance, distance_params=distance_params, scale=scale, n_jobs=n_jobs)
    if not isinstance(rows, SparseRows) and method == "approximate":
        exact = Search.prepare(
            rows, distance=distance, distance_params=distance_params, scale=scale, method="auto", n_jobs=n_jobs
        )
        return ApproximateSearch.of(exact)
    if not isinstance(rows, SparseRows):
        return Search.prepare(
            rows, distance=distance, distance_params=distance_params, scale=scale, method=method, n_jobs=n_jobs
        )
    if method in ("tree", "approximate"):
        raise ParameterError(f"method={method!r} cannot search sparse rows", hint="use method='auto'")
    return SparseSearch.prepare(rows, distance=distance, distance_params=distance_params, scale=scale, n_jobs=n_jobs)
