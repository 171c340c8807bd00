"""
A profile of complexity
=======================

Twenty-two measures of how hard a table is, each between 0 (simple) and 1.
"""

import sepal
from sepal.measures import complexity

complexity(sepal.datasets.load("liver")).plot()
