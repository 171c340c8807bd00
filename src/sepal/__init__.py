"""Sepal: how separable are the classes, which features and rows separate them, and the classifier that follows.

>>> import sepal
>>> table = sepal.datasets.load("athletes")
>>> sepal.thornton_score(table)
1.0

The families are modules: ``sepal.data``, ``sepal.datasets``, ``sepal.distances``, ``sepal.neighbors``,
``sepal.measures``. Everything is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sepal import data, datasets, distances, measures, neighbors
    from sepal.data import Table, read_table
    from sepal.measures import (
        expected_accuracy,
        hypothesis_margin,
        thornton_samples,
        thornton_score,
        thornton_test,
    )
    from sepal.neighbors import neighbor_ranking

# Public name -> the module it lives in; families stand for themselves.
_HOMES = {
    "Table": "sepal.data",
    "expected_accuracy": "sepal.measures",
    "hypothesis_margin": "sepal.measures",
    "neighbor_ranking": "sepal.neighbors",
    "read_table": "sepal.data",
    "thornton_samples": "sepal.measures",
    "thornton_score": "sepal.measures",
    "thornton_test": "sepal.measures",
}
_FAMILIES = ("data", "datasets", "distances", "measures", "neighbors")

__all__ = [
    "Table",
    "data",
    "datasets",
    "distances",
    "expected_accuracy",
    "hypothesis_margin",
    "measures",
    "neighbor_ranking",
    "neighbors",
    "read_table",
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
