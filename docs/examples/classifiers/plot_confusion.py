"""
Who is taken for whom
=====================

Five folds of the no-choice classifier on the wine data.
"""

import sepal

sepal.evaluate(sepal.SepalClassifier(), sepal.datasets.load("wine"), cv=5).plot()
