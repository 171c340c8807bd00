"""
Rows whose neighbours contradict their label
============================================

The most suspect rows of the heart data and what their neighbours say.
"""

import sepal
from sepal.measures import suspects

suspects(sepal.datasets.load("heart")).plot(most=12)
