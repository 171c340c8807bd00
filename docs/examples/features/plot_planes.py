"""
The planes that show most
=========================

All pairs of columns, the six most separable ones drawn.
"""

import sepal
from sepal.measures import informative_projections

informative_projections(sepal.datasets.load("wine")).plot()
