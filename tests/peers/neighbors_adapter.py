"""Sepal's k-NN learners behind the parameters of scikit-learn's neighbour estimators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from sepal.learners import KNNClassifier, KNNRegressor
from sepal.neighbors import kneighbors_graph, radius_neighbors_graph

# scikit-learn's name of a metric -> Sepal's name of the distance
DISTANCE_OF = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "chebyshev": "chebyshev",
    "infinity": "chebyshev",
    "minkowski": "minkowski",
    "p": "minkowski",
    "seuclidean": "weighted_euclidean",
    "cosine": "cosine",
    "correlation": "correlation",
    "canberra": "canberra",
    "braycurtis": "bray_curtis",
    "haversine": "haversine",
    "hamming": "hamming",
    "nan_euclidean": "nan_euclidean",
    "precomputed": "precomputed",
}
MADE: list[str] = []  # which of the adapted classes and functions were asked for
# scikit-learn's parameter of a metric -> Sepal's, with what becomes of the value
PARAMETER_OF = {
    "p": ("p", float),
    "w": ("weights", np.asarray),
    "V": ("weights", lambda variances: 1.0 / np.asarray(variances, dtype=float)),
}


def distance_of(metric: Any, p: float = 2, metric_params: Mapping[str, Any] | None = None) -> tuple[Any, Any]:
    """The distance and its parameters."""
    params = dict(metric_params or {})
    if callable(metric):
        return metric, params or None
    name = DISTANCE_OF[metric]
    if name == "minkowski":
        params.setdefault("p", p)
        if params["p"] == 2 and "w" not in params:
            return "euclidean", None
    renamed = {PARAMETER_OF[key][0]: PARAMETER_OF[key][1](value) for key, value in params.items()}
    return name, renamed or None


class Adapted(BaseEstimator):
    """scikit-learn's face. Ties by row and equal votes to the first label, unscaled: so scikit-learn decides."""

    learner: Any = KNNRegressor
    decides: Mapping[str, Any] = {"ties": "index", "scale": None}

    def __new__(cls, *args: Any, **options: Any) -> Any:
        MADE.append(cls.__name__)
        return super().__new__(cls)

    def _make(self) -> Any:
        distance, params = distance_of(self.metric, self.p, self.metric_params)
        weights = getattr(self, "weights", None)
        return self.learner(
            self.n_neighbors,
            weights="uniform" if weights is None else weights,
            distance=distance,
            distance_params=params,
            n_jobs=self.n_jobs,
            **self.decides,
        )

    def fit(self, X: Any, y: Any = None) -> Any:
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        model = self._make()
        few = min(self.n_neighbors, n)  # scikit-learn looks at the number of rows when it is asked, not before
        self.model_ = model.set_params(n_neighbors=few).fit(X, np.zeros(n) if y is None else y)
        if hasattr(self.model_, "classes_"):
            self.classes_ = self.model_.classes_
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        check_is_fitted(self)
        return self.model_.kneighbors(X, self.n_neighbors if n_neighbors is None else n_neighbors, return_distance)

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        check_is_fitted(self)
        return self.model_.kneighbors_graph(X, self.n_neighbors if n_neighbors is None else n_neighbors, mode)

    def radius_neighbors(
        self, X: Any = None, radius: Any = None, return_distance: bool = True, sort_results: bool = False
    ) -> Any:
        check_is_fitted(self)
        return self.model_.radius_neighbors(X, self.radius if radius is None else radius, return_distance, sort_results)

    def radius_neighbors_graph(
        self, X: Any = None, radius: Any = None, mode: str = "connectivity", sort_results: bool = False
    ) -> Any:
        check_is_fitted(self)
        return self.model_.radius_neighbors_graph(X, self.radius if radius is None else radius, mode, sort_results)


class _Predicts(Adapted):
    def __init__(
        self,
        n_neighbors: Any = 5,
        *,
        weights: Any = "uniform",
        algorithm: Any = "auto",
        leaf_size: Any = 30,
        p: Any = 2,
        metric: Any = "minkowski",
        metric_params: Any = None,
        n_jobs: Any = None,
    ) -> None:
        self.n_neighbors, self.weights, self.algorithm, self.leaf_size = n_neighbors, weights, algorithm, leaf_size
        self.p, self.metric, self.metric_params, self.n_jobs = p, metric, metric_params, n_jobs

    def predict(self, X: Any) -> Any:
        check_is_fitted(self)
        return self.model_.predict(X)


class KNeighborsClassifier(ClassifierMixin, _Predicts):
    learner = KNNClassifier
    decides: Mapping[str, Any] = {"ties": "index", "scale": None, "vote_ties": "smallest"}

    def predict_proba(self, X: Any) -> Any:
        check_is_fitted(self)
        return self.model_.predict_proba(X)


class KNeighborsRegressor(RegressorMixin, _Predicts):
    pass


class NearestNeighbors(Adapted):
    def __init__(
        self,
        *,
        n_neighbors: Any = 5,
        radius: Any = 1.0,
        algorithm: Any = "auto",
        leaf_size: Any = 30,
        metric: Any = "minkowski",
        p: Any = 2,
        metric_params: Any = None,
        n_jobs: Any = None,
    ) -> None:
        self.n_neighbors, self.radius, self.algorithm, self.leaf_size = n_neighbors, radius, algorithm, leaf_size
        self.p, self.metric, self.metric_params, self.n_jobs = p, metric, metric_params, n_jobs


def _graph(function: Any) -> Any:
    def call(
        X: Any,
        reach: Any,
        *,
        mode: str = "connectivity",
        metric: Any = "minkowski",
        p: float = 2,
        metric_params: Any = None,
        include_self: bool = False,
        n_jobs: int | None = None,
    ) -> Any:
        MADE.append(function.__name__)
        distance, params = distance_of(metric, p, metric_params)
        options = {"distance": distance, "distance_params": params, "n_jobs": n_jobs}
        return function(X, reach, mode=mode, include_self=include_self, **options)

    def by_name(X: Any, *args: Any, **options: Any) -> Any:
        for name in ("n_neighbors", "radius"):
            if name in options:
                args = (options.pop(name),)
        return call(X, *args, **options)

    return by_name


NAMES = {
    "KNeighborsClassifier": KNeighborsClassifier,
    "KNeighborsRegressor": KNeighborsRegressor,
    "NearestNeighbors": NearestNeighbors,
    "KNeighborsMixin": Adapted,
    "kneighbors_graph": _graph(kneighbors_graph),
    "radius_neighbors_graph": _graph(radius_neighbors_graph),
}
