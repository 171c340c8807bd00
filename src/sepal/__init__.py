"""Sepal: how separable are the classes, which features and rows separate them, and the classifier that follows.

>>> import sepal
>>> table = sepal.datasets.load("athletes")
>>> sepal.thornton_score(table)
1.0

The families are modules: ``sepal.data``, ``sepal.datasets``, ``sepal.distances``, ``sepal.neighbors``,
``sepal.kernels``, ``sepal.measures``, ``sepal.estimators``, ``sepal.prototypes``, ``sepal.learners``,
``sepal.machines``, ``sepal.evaluation``, ``sepal.selection``, ``sepal.auto``, ``sepal.scale``, ``sepal.plots``.
Everything is loaded when it is first used.
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
        plots,
        prototypes,
        scale,
        selection,
    )
    from sepal.auto import SepalClassifier, SepalRegressor
    from sepal.data import Table, read_table
    from sepal.estimators import load_model, save_model
    from sepal.evaluation import compare, evaluate
    from sepal.evaluation import leave_one_out_curve as leave_one_out_curve
    from sepal.learners import KNNClassifier
    from sepal.learners import KNNRegressor as KNNRegressor
    from sepal.learners import WindowKNNClassifier as WindowKNNClassifier
    from sepal.machines import FeatureVectorClassifier as FeatureVectorClassifier
    from sepal.machines import ParzenClassifier as ParzenClassifier
    from sepal.machines import SVMClassifier
    from sepal.measures import alignment_curve as alignment_curve
    from sepal.measures import expected_accuracy as expected_accuracy
    from sepal.measures import hypothesis_margin as hypothesis_margin
    from sepal.measures import prepare, thornton_score, thornton_test
    from sepal.measures import thornton_samples as thornton_samples
    from sepal.neighbors import neighbor_ranking as neighbor_ranking
    from sepal.prototypes import PrototypeSelector as PrototypeSelector
    from sepal.report import separability
    from sepal.selection import SeparabilitySelector as SeparabilitySelector
    from sepal.selection import rank_features as rank_features
    from sepal.selection import search_subsets as search_subsets
    from sepal.selection import subset_sweep as subset_sweep

# Name -> the module it lives in; families stand for themselves. Names beyond ``__all__`` are there for short scripts.
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
    "plots",
    "prototypes",
    "scale",
    "selection",
)

__all__ = [
    "KNNClassifier",
    "SVMClassifier",
    "SepalClassifier",
    "SepalRegressor",
    "Table",
    "auto",
    "compare",
    "data",
    "datasets",
    "distances",
    "estimators",
    "evaluate",
    "evaluation",
    "kernels",
    "learners",
    "load_model",
    "machines",
    "measures",
    "neighbors",
    "plots",
    "prepare",
    "prototypes",
    "read_table",
    "save_model",
    "scale",
    "selection",
    "separability",
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
