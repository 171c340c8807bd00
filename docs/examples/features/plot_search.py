"""
A search through 2⁶⁰ subsets
============================

Floating search on sonar's sixty columns: the best score after so many subsets were asked.
"""

import sepal
from sepal.selection import search_subsets

search_subsets(sepal.datasets.load("sonar"), max_evaluations=2000).plot()
