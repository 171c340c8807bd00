"""
Weights learned from the rows
=============================

How much each column counts in the distance, by neighbourhood components analysis.
"""

import sepal
from sepal.learners import learn_feature_weights

learn_feature_weights(sepal.datasets.load("wine")).plot()
