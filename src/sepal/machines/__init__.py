"""Classifiers that are expansions: linear ones in the columns, kernel ones in the rows.

In: labelled rows (an array, a data frame or a Table). Out: scikit-learn estimators.

May be imported by evaluation and everything after it on the road; never by learners.
"""

from __future__ import annotations

from sepal.machines._fisher import FisherDiscriminant

__all__ = ["FisherDiscriminant"]
