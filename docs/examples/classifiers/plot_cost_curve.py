"""
What errors cost
================

The cost of the best threshold for every weight of the two errors, on left-out rows, beside always giving one answer.
"""

import sepal
from sepal.evaluation import cost_curve

table = sepal.datasets.load("heart")
found = sepal.evaluate(sepal.KNNClassifier(15), table)
ill = list(found.classes).index("disease")
cost_curve(found.share[:, ill], found.actual == ill).plot()
