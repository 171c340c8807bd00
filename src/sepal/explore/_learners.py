"""Estimators by name: where each lives, what it takes, and which options of the command set its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

import numpy as np

from sepal.data import MOST_FLOAT_CLASSES, Table, is_continuous

ROWS_PER_CLASS = 10  # on average; whole numbers of fewer rows each are numbers, and not names of classes


@dataclass(frozen=True)
class Learner:
    """Where a class lives, and which of its parameters each option of the command sets.

    ``fixed`` are parameters that differ from Python's default; a machine for numbers gets other kinds of columns as
    indicators.
    """

    home: str
    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    numbers_only: bool = False
    task: Literal["classify", "regress"] = "classify"

    @property
    def kind(self) -> Any:
        """The class."""
        return getattr(import_module(self.home), self.name)

    def make(self, **parameters: Any) -> Any:
        """The estimator, not fitted yet."""
        return self.kind(**{**self.fixed, **parameters})

    def fit_for(self, learner: Any, table: Table | None) -> Any:
        """The estimator, able to take the columns of the table."""
        if not self.numbers_only or table is None or (set(table.kinds) <= {"numeric"} and not table.has_missing):
            return learner
        from sepal.estimators import AnyTable

        return AnyTable(learner)


_NEIGHBORS = {"k": "n_neighbors", "weights": "weights", "distance": "distance", "scale": "scale"}
_SCALE = {"scale": "scale"}


def _machine(
    name: str, options: Mapping[str, str] = _SCALE, *, task: Literal["classify", "regress"] = "classify", **fixed: Any
) -> Learner:
    return Learner("sepal.machines", name, options, fixed, numbers_only=True, task=task)


# One line makes a learner known to the command and the Explorer.
LEARNERS: dict[str, Learner] = {
    "auto": Learner("sepal.auto", "SepalClassifier"),
    "auto-regressor": Learner("sepal.auto", "SepalRegressor", task="regress"),
    "chain": Learner("sepal.auto", "PaperChainClassifier"),
    "knn": Learner("sepal.learners", "KNNClassifier", _NEIGHBORS),
    "knn-regressor": Learner("sepal.learners", "KNNRegressor", _NEIGHBORS, task="regress"),
    "dann": Learner("sepal.learners", "DANNClassifier", {"k": "n_neighbors", **_SCALE}, numbers_only=True),
    "metric-clustering": Learner("sepal.learners", "MetricClusteringClassifier", _SCALE, numbers_only=True),
    "fisher": _machine("FisherDiscriminant", {}),
    "svm": _machine("SVMClassifier", C="auto", probability=True),
    "adatron": _machine("KernelAdatronClassifier", probability=True),
    "parzen": _machine("ParzenClassifier"),
    "feature-vectors": _machine("FeatureVectorClassifier"),
    "feature-vectors-regressor": _machine("FeatureVectorRegressor", task="regress"),
    "majority": Learner("sklearn.dummy", "DummyClassifier", numbers_only=True),
    "mean": Learner("sklearn.dummy", "DummyRegressor", numbers_only=True, task="regress"),
}
# The same name for classes and for numbers: what is asked for, and what is meant where the target holds numbers.
FOR_NUMBERS = {
    "auto": "auto-regressor",
    "knn": "knn-regressor",
    "feature-vectors": "feature-vectors-regressor",
    "majority": "mean",
}


def number_to_predict(table: Table) -> bool:
    """Whether the target is a number to predict: floats, or whole numbers with few rows for each."""
    y = np.asarray(table.y)
    if y.dtype.kind not in "iuf":
        return False
    distinct = len(np.unique(y))
    most = MOST_FLOAT_CLASSES if y.dtype.kind == "f" else max(MOST_FLOAT_CLASSES, y.size // ROWS_PER_CLASS)
    return is_continuous(y) or distinct > most
