"""How far apart two rows are.

In: a Table and the name of a distance. Out: a FittedDistance, which turns tables into coordinates and says which
native metric compares them. Most distances become plain Euclidean ones after an embedding, so that one search
serves them all. Adding a distance is one entry in ``DISTANCES`` and one oracle.

May be imported by neighbors and everything after it on the road.
"""

from __future__ import annotations

from sepal.distances._fitted import FittedDistance
from sepal.distances._hvdm import squares_without
from sepal.distances._named import DISTANCES, Distance, fit_distance
from sepal.distances._sparse import SparseDistance, SparsePoints, fit_sparse_distance

__all__ = [
    "DISTANCES",
    "Distance",
    "FittedDistance",
    "SparseDistance",
    "SparsePoints",
    "fit_distance",
    "fit_sparse_distance",
    "squares_without",
]
