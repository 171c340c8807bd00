"""
Can the probabilities be believed?
==================================

Confidence against the share of right answers, on left-out rows.
"""

import sepal

sepal.SepalClassifier().fit(sepal.datasets.load("diabetes")).reliability_.plot()
