"""Every public estimator, found by introspection, made small enough to be fitted often."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone, is_regressor

ROOMS = ("estimators", "prototypes", "learners", "machines", "evaluation", "selection", "auto")
METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples", "predict_log_proba")
BASES = {"TableEstimator"}  # what others are built on, and no estimator itself
SMALL: dict[str, dict[str, Any]] = {
    "FeatureVectorClassifier": {"max_vectors": 5, "width": 0.5},
    "FeatureVectorRegressor": {"max_vectors": 5, "width": 0.5},
    "GeneralizedDiscriminant": {"n_vectors": 5, "width": 0.5},
    "KernelAdatronClassifier": {"width": 0.5},
    "PaperChainClassifier": {"max_vectors": 5},
    "ParzenClassifier": {"width": 0.3},
    "SVMClassifier": {"width": 0.5},
    "SepalClassifier": {"time_limit": 5.0},
    "SepalRegressor": {"time_limit": 5.0},
}


def found() -> dict[str, type]:
    """The public estimators by name."""
    classes = {}
    for room in ROOMS:
        module = import_module(f"sepal.{room}")
        for name in module.__all__:
            each = getattr(module, name)
            if inspect.isclass(each) and issubclass(each, BaseEstimator) and name not in BASES:
                classes[name] = each
    return classes


def _made(name: str, kind: type) -> Any:
    if name == "AnyTable":
        from sepal.machines import FisherDiscriminant

        return kind(FisherDiscriminant())
    return kind(**SMALL.get(name, {}))


EVERY = [_made(name, kind) for name, kind in sorted(found().items())]


def name_of(estimator: Any) -> str:
    return type(estimator).__name__


def frame_and_target(estimator: Any, n: int = 24) -> tuple[pd.DataFrame, np.ndarray]:
    """Three columns of numbers, and classes or numbers that depend on the first."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(n, 3)).round(3)
    kind = np.arange(n) % 2
    values[:, 0] += 2.0 * kind
    frame = pd.DataFrame(values, columns=["c", "a", "b"])
    return frame, (values[:, 0] + 0.1 * values[:, 1] if is_regressor(estimator) else np.array(["no", "yes"])[kind])


def fitted(estimator: Any) -> tuple[Any, pd.DataFrame]:
    frame, y = frame_and_target(estimator)
    return clone(estimator).fit(frame, y), frame
