"""
Does it drift?
==============

A stream whose classes change places after 600 rows. A window of 150 rows follows.
"""

import numpy as np

from sepal.learners import WindowKNNClassifier

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 1200)
side = np.where(np.arange(1200) < 600, 1, -1) * (2 * y - 1)
X = rng.normal(size=(1200, 2)) + side[:, None]
WindowKNNClassifier(window=150).prequential(X, y).plot(size=60)
