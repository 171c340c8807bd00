"""
Who is near in a mixed table?
=============================

The nearest patients of one patient, and how much numbers, grades and names each add to the distance (HEOM).
"""

import numpy as np

import sepal

table = sepal.datasets.load("heart")
others = np.delete(np.arange(table.n_rows), 20)
model = sepal.KNNClassifier(5).fit(table.take(others))
model.explain(table.take([20])).plot()
