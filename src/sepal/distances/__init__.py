"""How far apart two rows are.

In: a Table and the name of a distance. Out: a FittedDistance, which turns tables into coordinates and says which
native metric compares them. Most distances become plain Euclidean ones after an embedding, so that one search
serves them all. Adding a distance is one entry in ``DISTANCES`` and one oracle.

May be imported by neighbors and everything after it on the road.
"""

from __future__ import annotations

from sepal.distances._fitted import FittedDistance
from sepal.distances._hvdm import squares_without as squares_without
from sepal.distances._more_rows import still_fits as still_fits
from sepal.distances._named import DISTANCES, fit_distance
from sepal.distances._named import Distance as Distance
from sepal.distances._sparse import SparseDistance as SparseDistance
from sepal.distances._sparse import SparsePoints as SparsePoints
from sepal.distances._sparse import fit_sparse_distance as fit_sparse_distance
from sepal.distances._sparse import squared_lengths as squared_lengths
from sepal.distances._text import TextDistance as TextDistance
from sepal.distances._text import TextPoints as TextPoints
from sepal.distances._text import fit_text_distance as fit_text_distance
from sepal.distances._text import without_texts as without_texts

__all__ = ["DISTANCES", "FittedDistance", "fit_distance"]
