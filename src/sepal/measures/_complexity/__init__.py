"""How hard a classification problem is: 22 measures of complexity, by features, lines, neighbours, graphs and counts.

In: labelled rows. Out: a :class:`ComplexityProfile`. One file holds one family of measures.
"""

from __future__ import annotations

from sepal.measures._complexity._profile import ComplexityProfile, complexity
from sepal.measures._complexity._table import MEASURES, VARIANTS

__all__ = ["MEASURES", "VARIANTS", "ComplexityProfile", "complexity"]
