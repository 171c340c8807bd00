"""
Support vectors and the margin
==============================

The border of a support vector machine on Ripley's data; ringed rows carry it.
"""

import sepal
from sepal.plots import plot_regions

table = sepal.datasets.load("ripley-train")
plot_regions(sepal.SVMClassifier(C=10).fit(table), table, n_grid=150)
