"""
Irrelevant columns
==================

Columns of noise are added one after the other. The nearest neighbour suffers, weights learned from the rows help.
"""

import matplotlib.pyplot as plt
import numpy as np

import sepal
from sepal.learners import KNNClassifier, learn_feature_weights
from sepal.measures import thornton_score

table = sepal.datasets.load("ripley-train")
rng = np.random.default_rng(0)
noise = rng.uniform(size=(table.n_rows, 16))
plain, weighted = [], []
for added in range(0, 17, 4):
    X = np.hstack([table.values, noise[:, :added]])
    half = rng.permutation(table.n_rows) < 125
    weights = learn_feature_weights(X[half], table.y[half], method="relieff").weights
    plain.append(thornton_score(X, table.y))
    learner = KNNClassifier(1, distance="weighted_euclidean", feature_weights=np.maximum(weights, 0))
    weighted.append(learner.fit(X[half], table.y[half]).score(X[~half], table.y[~half]))
fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(range(0, 17, 4), plain, "o-", label="all columns alike (leave-one-out)")
ax.plot(range(0, 17, 4), weighted, "s--", label="weighted by ReliefF (the other half)")
ax.set_xlabel("columns of noise beside the two of Ripley's data")
ax.set_ylabel("accuracy of 1-NN")
ax.legend(frameon=False)
