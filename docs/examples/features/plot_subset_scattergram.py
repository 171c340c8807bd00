"""
All 511 subsets of nine features
================================

The founding paper's picture: separability of every subset of the breast-cancer columns against its kernel alignment.
"""

import sepal
from sepal.selection import subset_sweep

table = sepal.datasets.load("breast-cancer")
sweep = subset_sweep(table, criterion=["thornton", "alignment"], missing="drop")
sweep.plot("criteria")
