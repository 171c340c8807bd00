"""
What one answer costs
=====================

Milliseconds for one row asked of a fitted 5-NN, by the number of training rows. Times are those of the machine that
built this page.
"""

import statistics
import time

import numpy as np

import sepal
from sepal.plots import draw_lines

rng = np.random.default_rng(0)
sizes, taken = [300, 1_000, 3_000, 10_000, 30_000], []
for n in sizes:
    X = rng.normal(size=(n, 10))
    model = sepal.KNNClassifier(5).fit(X, X[:, 0] > 0)
    times = []
    for row in X[:50]:
        begin = time.perf_counter()
        model.predict(row[None, :])
        times.append(1e3 * (time.perf_counter() - begin))
    taken.append(statistics.median(times))
ax = draw_lines(sizes, {"5-NN, 10 columns": taken}, xlabel="training rows", ylabel="milliseconds for one row", log=True)
ax.set_ylim(bottom=0)
