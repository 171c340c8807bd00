"""Pipelines of scikit-learn in model files: which of its classes may stand there, and what they may hold.

A pipeline is written as its steps. Each is an estimator of Sepal or one of a few transformers whose whole state is
numbers, texts and arrays; loading sets these attributes and runs nothing of the file's choosing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from sklearn.base import BaseEstimator

from sepal.exceptions import ParameterError

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

PIPELINE = "Pipeline"
HOMES = {
    PIPELINE: "sklearn.pipeline",
    "StandardScaler": "sklearn.preprocessing",
    "MinMaxScaler": "sklearn.preprocessing",
    "MaxAbsScaler": "sklearn.preprocessing",
    "RobustScaler": "sklearn.preprocessing",
    "SimpleImputer": "sklearn.impute",
    "VarianceThreshold": "sklearn.feature_selection",
}
DTYPES = "biufUO"  # kinds of numpy


def known_name(value: Any) -> str | None:
    """The name under which an object of scikit-learn is written; None for all others."""
    name = type(value).__name__
    return name if name in HOMES and type(value) is known_class(name) else None


def known_class(name: str) -> type | None:
    """The class of that name; None if it is not one that is written."""
    home = HOMES.get(name)
    found = None if home is None else getattr(import_module(home), name)
    return found if isinstance(found, type) else None


def state_of(value: Any) -> dict[str, Any]:
    """What a copy of it would need."""
    return {name: each for name, each in value.__getstate__().items() if name != "_sklearn_version"}


def is_pipeline(value: Any) -> TypeGuard[Pipeline]:
    """Whether it is a pipeline of scikit-learn; without ``sklearn.pipeline`` loaded, which is slow, none can be."""
    module = sys.modules.get("sklearn.pipeline")
    return module is not None and isinstance(value, module.Pipeline)


def check_steps(pipeline: Pipeline, is_ours: Any) -> None:
    """Name the first step that cannot be written, and which can."""
    if pipeline.memory is not None:
        raise ParameterError("the pipeline keeps its steps in a memory, which is no part of a model: memory=None")
    for name, step in pipeline.steps:
        if step is None or step == "passthrough":
            continue
        if is_pipeline(step):
            check_steps(step, is_ours)
        elif known_name(step) is None and not is_ours(type(step)):
            others = ", ".join(each for each in HOMES if each != PIPELINE)
            raise ParameterError(
                f"step {name!r} of the pipeline: a {type(step).__name__} cannot be written to a model file",
                hint=f"steps may be estimators of Sepal, and of scikit-learn {others}",
            )


def fits(name: str, values: dict[str, Any]) -> bool:
    """Whether what a file holds may be the state of a class of that name."""
    if name != PIPELINE:
        return all(_is_plain(value) for value in values.values())
    steps = values.get("steps")
    rest = {key: value for key, value in values.items() if key != "steps"}
    return isinstance(steps, list) and bool(steps) and _are_steps(steps) and all(map(_is_plain, rest.values()))


def _are_steps(steps: list[Any]) -> bool:
    named = all(isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str) for each in steps)
    if not named or len({each[0] for each in steps}) < len(steps):
        return False
    last = steps[-1][1]
    inner = [step for _, step in steps[:-1] if step not in (None, "passthrough")]
    does = all(isinstance(step, BaseEstimator) and hasattr(step, "transform") for step in inner)
    return does and (last in (None, "passthrough") or isinstance(last, BaseEstimator))


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return all(map(_is_plain, value.ravel().tolist()))
    return value is None or isinstance(value, (bool, int, float, str, np.generic, np.ndarray, np.dtype))


def dtype_named(name: Any) -> np.dtype[Any]:
    """The type of cells of that name."""
    found = np.dtype(str(name))
    if found.kind not in DTYPES:
        raise ValueError("no type of cells")
    return found


def steps_of(pipeline: Pipeline) -> list[Any]:
    """The steps that do something, those of inner pipelines among them."""
    found: list[Any] = []
    for _, step in pipeline.steps:
        if is_pipeline(step):
            found += steps_of(step)
        elif step is not None and step != "passthrough":
            found.append(step)
    return found
