"""
The best subset, and those as good
==================================

The best score of each size, and how often each feature belongs to a subset that the data cannot tell from the best.
"""

import sepal
from sepal.selection import subset_sweep

subset_sweep(sepal.datasets.load("liver")).plot("size")
