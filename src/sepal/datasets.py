"""The small classic data sets that come with Sepal.

>>> import sepal.datasets
>>> "heart" in sepal.datasets.names()
True
>>> sepal.datasets.load("heart").n_rows
303
"""

from __future__ import annotations

from sepal.data import load, names

__all__ = ["load", "names"]
