"""Every public function and estimator, found by looking, and what each is asked here."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import is_regressor

FAMILIES = ("measures", "selection", "evaluation", "prototypes", "learners", "machines", "auto", "estimators", "report")


def _public() -> dict[str, Any]:
    found = {}
    for family in FAMILIES:
        module = import_module(f"sepal.{family}")
        found |= {name: getattr(module, name) for name in module.__all__}
    return found


def functions() -> dict[str, Callable[..., Any]]:
    """Functions of labelled rows: their first two parameters are X and y."""
    return {
        name: each
        for name, each in sorted(_public().items())
        if inspect.isfunction(each) and list(inspect.signature(each).parameters)[:2] == ["X", "y"]
    }


def estimators() -> dict[str, type]:
    """Classes with a fit that can be made without arguments."""
    return {
        name: each
        for name, each in sorted(_public().items())
        if inspect.isclass(each) and hasattr(each, "fit") and name not in ("TableEstimator", "AnyTable")
    }


def ask(thing: Any, X: Any, y: Any, new: Any = None, **parameters: Any) -> Any:
    """The answer of a function, or what a fitted estimator says about new rows."""
    if not inspect.isclass(thing):
        return thing(X, y, **parameters)
    model = thing(**parameters)
    model.fit(X, y)
    if hasattr(model, "predict"):
        found = {"predict": model.predict(X if new is None else new)}
        if not is_regressor(model) and hasattr(model, "predict_proba") and getattr(model, "probability", True):
            found["predict_proba"] = model.predict_proba(X if new is None else new)
        return found
    return model.transform(X if new is None else new) if hasattr(model, "transform") else model.sample_indices_


def target(thing: Any, codes: np.ndarray) -> np.ndarray:
    """Classes, or numbers for a regressor."""
    is_number = inspect.isclass(thing) and "Regressor" in thing.__name__
    return codes.astype(float) + np.arange(len(codes)) % 3 if is_number else np.array(["a", "b", "c"])[codes]
