"""
Alignment against width
=======================

The kernel of the width where alignment with the classes peaks is where the founding paper begins.
"""

import sepal
from sepal.measures import alignment_curve

alignment_curve(sepal.datasets.load("sonar")).plot()
