"""
Which pairs of classes are close
================================

Angles of all pairs of the wine's three classes, with intervals.
"""

import sepal
from sepal.measures import angle_of_separability

angle_of_separability(sepal.datasets.load("wine")).plot()
