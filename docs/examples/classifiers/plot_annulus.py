"""
A ring, and a line that cannot part it
======================================

Fisher's straight border against 5-NN on a ring around a disc.
"""

import matplotlib.pyplot as plt
import numpy as np

import sepal
from sepal.machines import FisherDiscriminant
from sepal.plots import plot_regions

rng = np.random.default_rng(0)
angle, y = rng.uniform(0, 2 * np.pi, 300), np.repeat(["disc", "ring"], 150)
radius = np.where(y == "disc", rng.uniform(0, 1, 300), rng.uniform(1.3, 2, 300))
X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
fig, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
plot_regions(FisherDiscriminant().fit(X, y), X, y, n_grid=120, ax=axes[0])
plot_regions(sepal.KNNClassifier(5).fit(X, y), X, y, n_grid=120, ax=axes[1])
