"""
Error over C and width
======================

Leave-one-out error of the support vector machine, exactly, for every cell.
"""

import numpy as np

import sepal
from sepal.machines import SVMClassifier, hyperparameter_surface

table = sepal.datasets.load("ripley-train")
grid = {"C": np.logspace(-1, 3, 7), "width": np.logspace(-2, 1, 7)}
hyperparameter_surface(SVMClassifier(), table, **grid).plot()
