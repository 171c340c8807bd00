"""
Where the classes overlap
=========================

Regions in which rows of different classes are each other's neighbours.
"""

import sepal
from sepal.measures import overlap_regions

overlap_regions(sepal.datasets.load("wine")).plot()
