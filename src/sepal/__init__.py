"""Sepal: how separable are the classes, which features and rows separate them, and the classifier that follows.

>>> import sepal
>>> table = sepal.datasets.load("athletes")
>>> sepal.thornton_score(table)
1.0

The families are modules: ``sepal.data``, ``sepal.datasets``, ``sepal.distances``, ``sepal.neighbors``,
``sepal.kernels``, ``sepal.measures``, ``sepal.estimators``, ``sepal.prototypes``, ``sepal.learners``,
``sepal.machines``, ``sepal.evaluation``, ``sepal.selection``, ``sepal.auto``. Everything is loaded when it is first
used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sepal import (
        auto,
        data,
        datasets,
        distances,
        estimators,
        evaluation,
        kernels,
        learners,
        machines,
        measures,
        neighbors,
        prototypes,
        selection,
    )
    from sepal.auto import SepalClassifier, SepalRegressor
    from sepal.data import Table, read_table
    from sepal.estimators import load_model, save_model
    from sepal.evaluation import compare, evaluate, leave_one_out_curve
    from sepal.learners import KNNClassifier, KNNRegressor, WindowKNNClassifier
    from sepal.machines import FeatureVectorClassifier, ParzenClassifier, SVMClassifier
    from sepal.measures import (
        alignment_curve,
        expected_accuracy,
        hypothesis_margin,
        prepare,
        thornton_samples,
        thornton_score,
        thornton_test,
    )
    from sepal.neighbors import neighbor_ranking
    from sepal.prototypes import PrototypeSelector
    from sepal.report import separability
    from sepal.selection import SeparabilitySelector, rank_features, search_subsets, subset_sweep

# Public name -> the module it lives in; families stand for themselves.
_HOMES = {
    "FeatureVectorClassifier": "sepal.machines",
    "KNNClassifier": "sepal.learners",
    "KNNRegressor": "sepal.learners",
    "ParzenClassifier": "sepal.machines",
    "PrototypeSelector": "sepal.prototypes",
    "SVMClassifier": "sepal.machines",
    "SepalClassifier": "sepal.auto",
    "SepalRegressor": "sepal.auto",
    "SeparabilitySelector": "sepal.selection",
    "Table": "sepal.data",
    "WindowKNNClassifier": "sepal.learners",
    "alignment_curve": "sepal.measures",
    "compare": "sepal.evaluation",
    "evaluate": "sepal.evaluation",
    "expected_accuracy": "sepal.measures",
    "hypothesis_margin": "sepal.measures",
    "leave_one_out_curve": "sepal.evaluation",
    "load_model": "sepal.estimators",
    "neighbor_ranking": "sepal.neighbors",
    "prepare": "sepal.measures",
    "rank_features": "sepal.selection",
    "read_table": "sepal.data",
    "save_model": "sepal.estimators",
    "search_subsets": "sepal.selection",
    "separability": "sepal.report",
    "subset_sweep": "sepal.selection",
    "thornton_samples": "sepal.measures",
    "thornton_score": "sepal.measures",
    "thornton_test": "sepal.measures",
}
_FAMILIES = (
    "auto",
    "data",
    "datasets",
    "distances",
    "estimators",
    "evaluation",
    "kernels",
    "learners",
    "machines",
    "measures",
    "neighbors",
    "prototypes",
    "selection",
)

__all__ = [
    "FeatureVectorClassifier",
    "KNNClassifier",
    "KNNRegressor",
    "ParzenClassifier",
    "PrototypeSelector",
    "SVMClassifier",
    "SepalClassifier",
    "SepalRegressor",
    "SeparabilitySelector",
    "Table",
    "WindowKNNClassifier",
    "alignment_curve",
    "auto",
    "compare",
    "data",
    "datasets",
    "distances",
    "estimators",
    "evaluate",
    "evaluation",
    "expected_accuracy",
    "hypothesis_margin",
    "kernels",
    "learners",
    "leave_one_out_curve",
    "load_model",
    "machines",
    "measures",
    "neighbor_ranking",
    "neighbors",
    "prepare",
    "prototypes",
    "rank_features",
    "read_table",
    "save_model",
    "search_subsets",
    "selection",
    "separability",
    "subset_sweep",
    "thornton_samples",
    "thornton_score",
    "thornton_test",
]


def __getattr__(name: str) -> Any:
    if name in _FAMILIES:
        return import_module(f"sepal.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("sepal-learn")
    raise AttributeError(f"module 'sepal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
