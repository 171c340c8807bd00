"""The learners of the command: a table from their names to their classes and the options they take."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sepal.exceptions import ParameterError


@dataclass(frozen=True)
class Learner:
    """Where a class lives, and which of its parameters each option of the command sets."""

    home: str
    name: str
    options: Mapping[str, str]


_NEIGHBORS = {"k": "n_neighbors", "weights": "weights", "distance": "distance", "scale": "scale"}

# One line makes a learner known to evaluate and train; --set reaches the parameters without an option of their own.
LEARNERS: dict[str, Learner] = {
    "knn": Learner("sepal.learners", "KNNClassifier", _NEIGHBORS),
    "knn-regressor": Learner("sepal.learners", "KNNRegressor", _NEIGHBORS),
    "dann": Learner("sepal.learners", "DANNClassifier", {"k": "n_neighbors", "scale": "scale"}),
    "metric-clustering": Learner("sepal.learners", "MetricClusteringClassifier", {"scale": "scale"}),
}


def make_learner(name: str, options: Mapping[str, Any], settings: Sequence[str]) -> Any:
    """An estimator that is not fitted yet. Options that are None were not given."""
    if name not in LEARNERS:
        near = difflib.get_close_matches(name, LEARNERS, n=1)
        raise ParameterError(
            f"--learner {name}: expected one of {', '.join(LEARNERS)}",
            hint=f"did you mean {near[0]}?" if near else None,
        )
    entry = LEARNERS[name]
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in entry.options:
            takes = ", ".join(f"--{known}" for known in entry.options) or "none of them"
            raise ParameterError(f"--{option}: the learner {name} has no such option; it takes {takes}")
    learner = getattr(import_module(entry.home), entry.name)()
    parameters = {entry.options[option]: value for option, value in given.items()}
    others = _settings(settings, name, list(learner.get_params(deep=False)))
    for option in given:
        if entry.options[option] in others:
            raise ParameterError(f"--{option} and --set {entry.options[option]}: both say the same; leave one out")
    return learner.set_params(**parameters, **others)


def _settings(given: Sequence[str], learner: str, known: list[str]) -> dict[str, Any]:
    """``NAME=VALUE``, where a value that reads as JSON is meant so, and any other as text."""
    found = {}
    for setting in given:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise ParameterError(f"--set {setting}: expected NAME=VALUE", hint="--set smoothing=1")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise ParameterError(
                f"--set {setting}: {learner} has no parameter {name}",
                hint=f"did you mean {near[0]}?" if near else f"it has {', '.join(sorted(known))}",
            )
        try:
            found[name] = json.loads(text)
        except ValueError:
            found[name] = text
    return found


def neighbors(text: str | None) -> int | str | None:
    """``--k``: a number, or a word the learner knows."""
    if text is None or text in ("auto", "all"):
        return text
    try:
        return int(text)
    except ValueError as error:
        raise ParameterError(f"--k {text}: expected a whole number, auto or all", hint="--k 3") from error
