"""
Accuracy for every training size, without simulation
====================================================

The mean over *all* random splits follows from a formula, and so does how far one split strays from it.
"""

import sepal
from sepal.measures import expected_accuracy_curve

curve = expected_accuracy_curve(sepal.datasets.load("sonar"))
curve.plot()
