"""
A selected subset flatters itself
=================================

On labels that mean nothing the best subset still looks good. Rows that took no part in the selection tell the truth.
"""

import matplotlib.pyplot as plt
import numpy as np

from sepal.selection import nested_score, subset_sweep

rng = np.random.default_rng(0)
apparent, honest = [], []
for _ in range(12):
    X, y = rng.normal(size=(60, 8)), rng.integers(0, 2, 60)
    apparent.append(subset_sweep(X, y).best.score)
    honest.append(nested_score(X, y, cv=5).honest)
fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.plot(apparent, np.ones(12), "o", label="score of the best of 255 subsets")
ax.plot(honest, np.zeros(12), "s", label="on rows that took no part")
ax.axvline(0.5, color="0.6")
ax.set_yticks([])
ax.set_ylim(-1, 2.5)
ax.set_xlabel("Thornton's index of random labels")
ax.legend(frameon=False, ncols=2, loc="upper center")
