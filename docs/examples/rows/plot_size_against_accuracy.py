"""
Fewer rows, and what that costs
===============================

The share of rows that each method keeps against 10-fold accuracy of 1-NN.
"""

import sepal
from sepal.prototypes import condense_curve

condense_curve(sepal.datasets.load("diabetes"), methods=["hart", "fcnn", "enn", "drop3", "mss"]).plot()
