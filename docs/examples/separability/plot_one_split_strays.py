"""
How far a single random split misleads
======================================

A thousand halvings of the same table: the formula gives their mean and their standard deviation beforehand.
"""

import matplotlib.pyplot as plt
import numpy as np

import sepal
from sepal.measures import expected_accuracy
from sepal.neighbors import neighbor_ranking

table = sepal.datasets.load("ripley-train")
mean, spread = expected_accuracy(table, train_size=0.5, return_std=True)
rows = neighbor_ranking(table, n_neighbors=table.n_rows - 1, scale="minmax").rows
rng = np.random.default_rng(0)
seen = []
for _ in range(1000):
    inside = np.zeros(table.n_rows, dtype=bool)
    inside[rng.permutation(table.n_rows)[: table.n_rows // 2]] = True
    nearest = rows[np.arange(table.n_rows), inside[rows].argmax(axis=1)]
    seen.append(np.mean(table.y[nearest][~inside] == table.y[~inside]))
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.hist(seen, bins=30, color="0.8")
ax.axvline(mean, color="C0", label=f"formula: {mean:.3f}; simulated: {np.mean(seen):.3f}")
ax.axvspan(mean - spread, mean + spread, color="C0", alpha=0.15, label=f"±{spread:.3f}; simulated: {np.std(seen):.3f}")
ax.set_xlabel("accuracy of 1-NN on the other half")
ax.legend(frameon=False)
