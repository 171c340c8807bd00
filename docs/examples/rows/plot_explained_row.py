"""
Why a row is answered so
========================

The nearest rows of one flower that took no part in the training, and how much every column adds to each distance.
"""

import numpy as np

import sepal

table = sepal.datasets.load("iris")
others = np.delete(np.arange(table.n_rows), 70)
model = sepal.KNNClassifier(5).fit(table.take(others))
model.explain(table.take([70])).plot()
