"""
Accuracy against k
==================

Training, leave-one-out and test accuracy of k-NN on Ripley's data, with the best that any rule can do: 92 %.
"""

import sepal
from sepal.evaluation import leave_one_out_curve

train, test = sepal.datasets.load("ripley-train"), sepal.datasets.load("ripley-test")
leave_one_out_curve(train, k_max=100, test=test, training=True).plot(bayes=0.92)
